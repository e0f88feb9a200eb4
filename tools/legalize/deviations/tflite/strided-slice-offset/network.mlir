module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<6x7xi1>) -> tensor<?x?xi1> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
    %1 = tosa.const_shape  {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %2 = tosa.slice %arg0, %0, %1 : (tensor<6x7xi1>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x2xi1>
    %cast = tensor.cast %2 : tensor<1x2xi1> to tensor<?x?xi1>
    return %cast : tensor<?x?xi1>
  }
}
