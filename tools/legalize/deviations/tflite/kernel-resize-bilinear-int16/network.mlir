module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1x1x2x1xi16>) -> tensor<1x1x35x1xi16> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
    %2 = "tosa.const"() <{values = dense<21> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<29959> : tensor<1xi16>}> : () -> tensor<1xi16>
    %4 = tosa.const_shape  {values = dense<[1, 1, 70, 4]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %5 = tosa.const_shape  {values = dense<0> : tensor<2xindex>} : () -> !tosa.shape<2>
    %6 = tosa.const_shape  {values = dense<[0, 66]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %7 = tosa.resize %arg0, %4, %5, %6 {mode = BILINEAR} : (tensor<1x1x2x1xi16>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x1x35x1xi48>
    %8 = tosa.rescale %7, %3, %2, %1, %0 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = false} : (tensor<1x1x35x1xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1xi16>) -> tensor<1x1x35x1xi16>
    return %8 : tensor<1x1x35x1xi16>
  }
}
