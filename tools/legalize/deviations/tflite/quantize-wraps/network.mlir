module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xf32>) -> tensor<1xi8> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<-128> : tensor<1xi32>}> : () -> tensor<1xi32>
    %1 = tosa.cast %arg0 : (tensor<1xf32>) -> tensor<1xi32>
    %2 = tosa.add %1, %0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %3 = tosa.cast %2 : (tensor<1xi32>) -> tensor<1xi8>
    return %3 : tensor<1xi8>
  }
}
