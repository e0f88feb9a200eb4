module {
  func.func @main(%arg0: tensor<1xf32>) -> tensor<1xf32> {
    %0 = tosa.const_shape  {values = dense<[-1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = tosa.pad %arg0, %0, %1 : (tensor<1xf32>, !tosa.shape<2>, tensor<1xf32>) -> tensor<1xf32>
    return %2 : tensor<1xf32>
  }
}
