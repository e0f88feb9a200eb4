module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<2xui8>) -> tensor<i32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<-1> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = tosa.rescale %arg0, %1, %2, %3, %4 {input_unsigned = true, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<2xui8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2xi8>
    %6 = tosa.cast %5 : (tensor<2xi8>) -> tensor<2xi8>
    %7 = tosa.sub %0, %6 : (tensor<1xi8>, tensor<2xi8>) -> tensor<2xi8>
    %8 = tosa.argmax %7 {axis = 0 : i32} : (tensor<2xi8>) -> tensor<i32>
    return %8 : tensor<i32>
  }
}
