module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1x2xi32>) -> tensor<1xi32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
    %1 = tosa.reduce_product %arg0 {axis = 1 : i32} : (tensor<1x2xi32>) -> tensor<1x1xi32>
    %2 = tosa.reshape %1, %0 : (tensor<1x1xi32>, !tosa.shape<1>) -> tensor<1xi32>
    return %2 : tensor<1xi32>
  }
}
