module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xi1>) -> tensor<i1> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %2 = tosa.const_shape  {values = dense<1> : tensor<3xindex>} : () -> !tosa.shape<3>
    %3 = tosa.reshape %arg0, %2 : (tensor<1xi1>, !tosa.shape<3>) -> tensor<1x1x1xi1>
    %4 = tosa.gather %3, %1 : (tensor<1x1x1xi1>, tensor<1x1xi32>) -> tensor<1x1x1xi1>
    %5 = tosa.reshape %4, %0 : (tensor<1x1x1xi1>, !tosa.shape<0>) -> tensor<i1>
    return %5 : tensor<i1>
  }
}
