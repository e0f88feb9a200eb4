module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xi32>) -> tensor<1x1xi1> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<false> : tensor<1x1x1xi1>}> : () -> tensor<1x1x1xi1>
    %1 = tosa.const_shape  {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
    %2 = tosa.reshape %arg0, %1 : (tensor<1xi32>, !tosa.shape<2>) -> tensor<1x1xi32>
    %3 = tosa.scatter %0, %2, %0 : (tensor<1x1x1xi1>, tensor<1x1xi32>, tensor<1x1x1xi1>) -> tensor<1x1x1xi1>
    %4 = tosa.reshape %3, %1 : (tensor<1x1x1xi1>, !tosa.shape<2>) -> tensor<1x1xi1>
    return %4 : tensor<1x1xi1>
  }
}
