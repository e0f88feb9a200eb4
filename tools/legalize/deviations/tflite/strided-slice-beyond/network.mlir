module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xi1>) -> tensor<?xi1> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<0> : tensor<1xindex>} : () -> !tosa.shape<1>
    %1 = tosa.const_shape  {values = dense<100> : tensor<1xindex>} : () -> !tosa.shape<1>
    %2 = tosa.slice %arg0, %0, %1 : (tensor<1xi1>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<100xi1>
    %cast = tensor.cast %2 : tensor<100xi1> to tensor<?xi1>
    return %cast : tensor<?xi1>
  }
}
