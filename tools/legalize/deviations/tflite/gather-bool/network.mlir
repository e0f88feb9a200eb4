module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<3x1x1xi1>) -> tensor<1x1x1xi1> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<2> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %1 = tosa.const_shape  {values = dense<[1, 3, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %2 = tosa.reshape %arg0, %1 : (tensor<3x1x1xi1>, !tosa.shape<3>) -> tensor<1x3x1xi1>
    %3 = tosa.gather %2, %0 : (tensor<1x3x1xi1>, tensor<1x1xi32>) -> tensor<1x1x1xi1>
    return %3 : tensor<1x1x1xi1>
  }
}
