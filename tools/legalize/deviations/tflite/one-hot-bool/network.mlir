module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xi32>) -> tensor<1x4xi1> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<[1, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %1 = tosa.const_shape  {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
    %2 = "tosa.const"() <{values = dense<true> : tensor<1x1x1xi1>}> : () -> tensor<1x1x1xi1>
    %3 = "tosa.const"() <{values = dense<false> : tensor<1x1x1xi1>}> : () -> tensor<1x1x1xi1>
    %4 = tosa.const_shape  {values = dense<[1, 4, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %5 = tosa.tile %3, %4 : (tensor<1x1x1xi1>, !tosa.shape<3>) -> tensor<1x4x1xi1>
    %6 = tosa.reshape %arg0, %1 : (tensor<1xi32>, !tosa.shape<2>) -> tensor<1x1xi32>
    %7 = tosa.scatter %5, %6, %2 : (tensor<1x4x1xi1>, tensor<1x1xi32>, tensor<1x1x1xi1>) -> tensor<1x4x1xi1>
    %8 = tosa.reshape %7, %0 : (tensor<1x4x1xi1>, !tosa.shape<2>) -> tensor<1x4xi1>
    return %8 : tensor<1x4xi1>
  }
}
