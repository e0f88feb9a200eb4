module {
  func.func @main(%arg0: tensor<1x1xf32>) -> tensor<1x2xf32> {
    %0 = tosa.const_shape  {values = dense<[0, 0, -1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = tosa.pad %arg0, %0, %1 : (tensor<1x1xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<1x2xf32>
    return %2 : tensor<1x2xf32>
  }
}
