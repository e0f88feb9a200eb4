module {
  func.func @main(%arg0: tensor<1xf32>) -> tensor<1xf32> {
    %0 = "tosa.const"() <{values = dense<5.000000e-01> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = tosa.pow %arg0, %0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    return %1 : tensor<1xf32>
  }
}
