module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<2xi1>) -> tensor<i32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<true> : tensor<1xi1>}> : () -> tensor<1xi1>
    %1 = tosa.sub %0, %arg0 : (tensor<1xi1>, tensor<2xi1>) -> tensor<2xi1>
    %2 = tosa.argmax %1 {axis = 0 : i32} : (tensor<2xi1>) -> tensor<i32>
    return %2 : tensor<i32>
  }
}
