module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xf32>, %arg1: tensor<f32>) -> tensor<1xf32> attributes {tf.entry_function = {inputs = "input0,input1", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
    %1 = tosa.reshape %arg1, %0 : (tensor<f32>, !tosa.shape<1>) -> tensor<1xf32>
    %2 = tosa.pow %arg0, %1 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    return %2 : tensor<1xf32>
  }
}
