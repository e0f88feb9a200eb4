module {
  func.func @main(%arg0: tensor<1xf32>, %arg1: tensor<1xf32>) -> tensor<f32> {
    %0 = tosa.const_shape  {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
    %1 = "tosa.const"() <{values = dense<2.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = tosa.sub %arg0, %arg1 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %3 = tosa.pow %2, %1 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %4 = tosa.reshape %3, %0 : (tensor<1xf32>, !tosa.shape<0>) -> tensor<f32>
    return %4 : tensor<f32>
  }
}
