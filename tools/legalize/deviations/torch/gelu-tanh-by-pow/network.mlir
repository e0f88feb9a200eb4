module {
  func.func @main(%arg0: tensor<1xf32>) -> tensor<1xf32> {
    %0 = "tosa.const"() <{values = dense<5.000000e-01> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = "tosa.const"() <{values = dense<1.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = "tosa.const"() <{values = dense<3.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %3 = "tosa.const"() <{values = dense<4.471500e-02> : tensor<1xf32>}> : () -> tensor<1xf32>
    %4 = "tosa.const"() <{values = dense<0.636619746> : tensor<1xf32>}> : () -> tensor<1xf32>
    %5 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %6 = tosa.mul %0, %arg0, %5 : (tensor<1xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<1xf32>
    %7 = tosa.pow %4, %0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %8 = tosa.pow %arg0, %2 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %9 = tosa.mul %3, %8, %5 : (tensor<1xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<1xf32>
    %10 = tosa.add %arg0, %9 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %11 = tosa.mul %7, %10, %5 : (tensor<1xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<1xf32>
    %12 = tosa.tanh %11 : (tensor<1xf32>) -> tensor<1xf32>
    %13 = tosa.add %12, %1 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %14 = tosa.mul %6, %13, %5 : (tensor<1xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<1xf32>
    return %14 : tensor<1xf32>
  }
}
