module {
  func.func @main(%arg0: tensor<1xf32>, %arg1: tensor<16xf32>) -> tensor<16xf32> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = tosa.reciprocal %arg1 : (tensor<16xf32>) -> tensor<16xf32>
    %2 = tosa.mul %arg0, %1, %0 : (tensor<1xf32>, tensor<16xf32>, tensor<1xi8>) -> tensor<16xf32>
    %3 = tosa.floor %2 : (tensor<16xf32>) -> tensor<16xf32>
    %4 = tosa.mul %arg1, %3, %0 : (tensor<16xf32>, tensor<16xf32>, tensor<1xi8>) -> tensor<16xf32>
    %5 = tosa.sub %arg0, %4 : (tensor<1xf32>, tensor<16xf32>) -> tensor<16xf32>
    return %5 : tensor<16xf32>
  }
}
