module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1x1xi16>, %arg1: tensor<1x1xi16>) -> tensor<1x1xi16> attributes {tf.entry_function = {inputs = "input0,input1", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<14> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = "tosa.const"() <{values = dense<16384> : tensor<1xi16>}> : () -> tensor<1xi16>
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi48>}> : () -> tensor<1xi48>
    %3 = tosa.const_shape  {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi16>}> : () -> tensor<1xi16>
    %5 = tosa.const_shape  {values = dense<1> : tensor<3xindex>} : () -> !tosa.shape<3>
    %6 = tosa.reshape %arg0, %5 : (tensor<1x1xi16>, !tosa.shape<3>) -> tensor<1x1x1xi16>
    %7 = tosa.reshape %arg1, %5 : (tensor<1x1xi16>, !tosa.shape<3>) -> tensor<1x1x1xi16>
    %8 = tosa.matmul %6, %7, %4, %4 : (tensor<1x1x1xi16>, tensor<1x1x1xi16>, tensor<1xi16>, tensor<1xi16>) -> tensor<1x1x1xi48>
    %9 = tosa.reshape %8, %3 : (tensor<1x1x1xi48>, !tosa.shape<2>) -> tensor<1x1xi48>
    %10 = tosa.rescale %9, %1, %0, %2, %4 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = false} : (tensor<1x1xi48>, tensor<1xi16>, tensor<1xi8>, tensor<1xi48>, tensor<1xi16>) -> tensor<1x1xi16>
    return %10 : tensor<1x1xi16>
  }
}
