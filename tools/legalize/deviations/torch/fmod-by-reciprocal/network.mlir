module {
  func.func @main(%arg0: tensor<1x1xf32>, %arg1: tensor<1x1xf32>) -> tensor<1x1xf32> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %2 = "tosa.const"() <{values = dense<1.000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %3 = "tosa.const"() <{values = dense<-1.000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %4 = tosa.reciprocal %arg1 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %5 = tosa.mul %arg0, %4, %0 : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x1xf32>
    %6 = tosa.greater %5, %1 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
    %7 = tosa.greater %1, %5 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
    %8 = tosa.select %6, %2, %1 : (tensor<1x1xi1>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %9 = tosa.select %7, %3, %8 : (tensor<1x1xi1>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %10 = tosa.abs %5 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %11 = tosa.floor %10 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %12 = tosa.mul %9, %11, %0 : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x1xf32>
    %13 = tosa.mul %12, %arg1, %0 : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x1xf32>
    %14 = tosa.sub %arg0, %13 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    return %14 : tensor<1x1xf32>
  }
}
