module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<2x2x1xi1>) -> tensor<1x1xi1> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
    %1 = "tosa.const"() <{values = dense<[[2, 1]]> : tensor<1x2xi32>}> : () -> tensor<1x2xi32>
    %2 = tosa.const_shape  {values = dense<[1, 4, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %3 = tosa.reshape %arg0, %2 : (tensor<2x2x1xi1>, !tosa.shape<3>) -> tensor<1x4x1xi1>
    %4 = tosa.reduce_sum %1 {axis = 1 : i32} : (tensor<1x2xi32>) -> tensor<1x1xi32>
    %5 = tosa.gather %3, %4 : (tensor<1x4x1xi1>, tensor<1x1xi32>) -> tensor<1x1x1xi1>
    %6 = tosa.reshape %5, %0 : (tensor<1x1x1xi1>, !tosa.shape<2>) -> tensor<1x1xi1>
    return %6 : tensor<1x1xi1>
  }
}
