module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<2xi32>) -> tensor<i32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<-1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %1 = tosa.sub %0, %arg0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<2xi32>
    %2 = tosa.argmax %1 {axis = 0 : i32} : (tensor<2xi32>) -> tensor<i32>
    return %2 : tensor<i32>
  }
}
