module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1x3x3x1xi8>) -> tensor<1x1x1x1xi8> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.max_pool2d %arg0 {kernel = array<i64: 3, 3>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x3x3x1xi8>) -> tensor<1x1x1x1xi8>
    return %0 : tensor<1x1x1x1xi8>
  }
}
