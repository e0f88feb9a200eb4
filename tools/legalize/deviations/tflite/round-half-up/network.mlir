module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xf32>) -> tensor<1xf32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<5.000000e-01> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = tosa.add %arg0, %0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %2 = tosa.floor %1 : (tensor<1xf32>) -> tensor<1xf32>
    return %2 : tensor<1xf32>
  }
}
