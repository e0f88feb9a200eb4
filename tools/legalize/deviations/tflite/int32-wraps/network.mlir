module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xi32>) -> tensor<1xi32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.abs %arg0 : (tensor<1xi32>) -> tensor<1xi32>
    return %0 : tensor<1xi32>
  }
}
