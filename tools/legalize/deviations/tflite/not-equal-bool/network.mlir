module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xi1>, %arg1: tensor<1xi1>) -> tensor<1xi1> attributes {tf.entry_function = {inputs = "input0,input1", outputs = "output0"}} {
    %0 = tosa.equal %arg0, %arg1 : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
    %1 = tosa.logical_not %0 : (tensor<1xi1>) -> tensor<1xi1>
    return %1 : tensor<1xi1>
  }
}
