module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xf32>) -> tensor<1xi1> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.cast %arg0 : (tensor<1xf32>) -> tensor<1xi1>
    return %0 : tensor<1xi1>
  }
}
