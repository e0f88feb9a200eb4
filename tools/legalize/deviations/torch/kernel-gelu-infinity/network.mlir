module {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = "tosa.const"() <{values = dense<1.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = "tosa.const"() <{values = dense<5.000000e-01> : tensor<1xf32>}> : () -> tensor<1xf32>
    %3 = "tosa.const"() <{values = dense<0.707106769> : tensor<1xf32>}> : () -> tensor<1xf32>
    %4 = tosa.mul %arg0, %3, %0 : (tensor<2xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<2xf32>
    %5 = tosa.erf %4 : (tensor<2xf32>) -> tensor<2xf32>
    %6 = tosa.add %5, %1 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
    %7 = tosa.mul %2, %6, %0 : (tensor<1xf32>, tensor<2xf32>, tensor<1xi8>) -> tensor<2xf32>
    %8 = tosa.mul %arg0, %7, %0 : (tensor<2xf32>, tensor<2xf32>, tensor<1xi8>) -> tensor<2xf32>
    return %8 : tensor<2xf32>
  }
}
