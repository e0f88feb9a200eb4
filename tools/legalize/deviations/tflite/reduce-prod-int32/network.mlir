module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<2xi32>) -> tensor<i32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
    %1 = tosa.reduce_product %arg0 {axis = 0 : i32} : (tensor<2xi32>) -> tensor<1xi32>
    %2 = tosa.reshape %1, %0 : (tensor<1xi32>, !tosa.shape<0>) -> tensor<i32>
    return %2 : tensor<i32>
  }
}
