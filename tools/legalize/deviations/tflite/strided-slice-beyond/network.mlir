module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1x1xi1>) -> tensor<?x1xi1> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<[25, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %1 = tosa.const_shape  {values = dense<[25, 1, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %2 = tosa.const_shape  {values = dense<0> : tensor<3xindex>} : () -> !tosa.shape<3>
    %3 = tosa.const_shape  {values = dense<[25, 4, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %4 = tosa.const_shape  {values = dense<[100, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %5 = tosa.const_shape  {values = dense<[1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %6 = tosa.const_shape  {values = dense<[0, 1, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %7 = "tosa.const"() <{values = dense<false> : tensor<1xi1>}> : () -> tensor<1xi1>
    %8 = tosa.pad %arg0, %6, %7 : (tensor<1x1xi1>, !tosa.shape<4>, tensor<1xi1>) -> tensor<2x1xi1>
    %9 = tosa.slice %8, %5, %4 : (tensor<2x1xi1>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<100x1xi1>
    %10 = tosa.reshape %9, %3 : (tensor<100x1xi1>, !tosa.shape<3>) -> tensor<25x4x1xi1>
    %11 = tosa.slice %10, %2, %1 : (tensor<25x4x1xi1>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<25x1x1xi1>
    %12 = tosa.reshape %11, %0 : (tensor<25x1x1xi1>, !tosa.shape<2>) -> tensor<25x1xi1>
    %cast = tensor.cast %12 : tensor<25x1xi1> to tensor<?x1xi1>
    return %cast : tensor<?x1xi1>
  }
}
