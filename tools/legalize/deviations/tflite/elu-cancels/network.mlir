module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<1.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = tosa.exp %arg0 : (tensor<2xf32>) -> tensor<2xf32>
    %3 = tosa.sub %2, %0 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
    %4 = tosa.greater_equal %arg0, %1 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xi1>
    %5 = tosa.select %4, %arg0, %3 : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %5 : tensor<2xf32>
  }
}
