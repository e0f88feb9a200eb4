module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xi32>) -> tensor<1x4xf32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<[1, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %1 = tosa.const_shape  {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
    %2 = "tosa.const"() <{values = dense<5.000000e+00> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
    %3 = "tosa.const"() <{values = dense<2.000000e+00> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
    %4 = tosa.const_shape  {values = dense<[1, 4, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %5 = tosa.tile %3, %4 : (tensor<1x1x1xf32>, !tosa.shape<3>) -> tensor<1x4x1xf32>
    %6 = tosa.reshape %arg0, %1 : (tensor<1xi32>, !tosa.shape<2>) -> tensor<1x1xi32>
    %7 = tosa.scatter %5, %6, %2 : (tensor<1x4x1xf32>, tensor<1x1xi32>, tensor<1x1x1xf32>) -> tensor<1x4x1xf32>
    %8 = tosa.reshape %7, %0 : (tensor<1x4x1xf32>, !tosa.shape<2>) -> tensor<1x4xf32>
    return %8 : tensor<1x4xf32>
  }
}
