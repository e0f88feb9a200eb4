module {
  func.func @main(%arg0: tensor<1x1xf32>, %arg1: tensor<1x1xf32>) -> tensor<1x1xf32> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = tosa.reciprocal %arg1 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %2 = tosa.mul %arg0, %1, %0 : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x1xf32>
    %3 = tosa.floor %2 : (tensor<1x1xf32>) -> tensor<1x1xf32>
    return %3 : tensor<1x1xf32>
  }
}
