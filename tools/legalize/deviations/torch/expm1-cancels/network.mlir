module {
  func.func @main(%arg0: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %0 = "tosa.const"() <{values = dense<1.000000e+00> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %1 = tosa.exp %arg0 : (tensor<4x16xf32>) -> tensor<4x16xf32>
    %2 = tosa.sub %1, %0 : (tensor<4x16xf32>, tensor<1x1xf32>) -> tensor<4x16xf32>
    return %2 : tensor<4x16xf32>
  }
}
