module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xui8>, %arg1: tensor<1xui8>) -> tensor<1xui8> attributes {tf.entry_function = {inputs = "input0,input1", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = tosa.rescale %arg1, %2, %3, %1, %0 {input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1xui8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
    %5 = tosa.rescale %arg0, %2, %3, %1, %0 {input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1xui8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
    %6 = tosa.bitwise_xor %5, %4 : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
    %7 = tosa.rescale %6, %2, %3, %0, %1 {input_unsigned = false, output_unsigned = true, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1xui8>
    return %7 : tensor<1xui8>
  }
}
