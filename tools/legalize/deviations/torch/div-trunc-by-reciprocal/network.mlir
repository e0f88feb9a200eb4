module {
  func.func @main(%arg0: tensor<1x1xf32>, %arg1: tensor<1x1xf32>) -> tensor<1x1xf32> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = "tosa.const"() <{values = dense<1.000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %2 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %3 = "tosa.const"() <{values = dense<-1.000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %4 = tosa.reciprocal %arg1 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %5 = tosa.mul %arg0, %4, %0 : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x1xf32>
    %6 = tosa.greater_equal %5, %2 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
    %7 = tosa.select %6, %1, %3 : (tensor<1x1xi1>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %8 = tosa.abs %5 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %9 = tosa.floor %8 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %10 = tosa.mul %9, %7, %0 : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x1xf32>
    return %10 : tensor<1x1xf32>
  }
}
