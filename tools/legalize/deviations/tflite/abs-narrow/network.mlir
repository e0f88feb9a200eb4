module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xi8>) -> tensor<1xi8> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.abs %arg0 : (tensor<1xi8>) -> tensor<1xi8>
    return %0 : tensor<1xi8>
  }
}
