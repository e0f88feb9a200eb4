module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<2xi32>) -> tensor<i32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.argmax %arg0 {axis = 0 : i32} : (tensor<2xi32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
}
