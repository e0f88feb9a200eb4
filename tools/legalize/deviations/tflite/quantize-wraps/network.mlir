module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1x1xf32>) -> tensor<1x1xi8> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<-128> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
    %1 = "tosa.const"() <{values = dense<2.000000e+01> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = tosa.mul %arg0, %1, %2 : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x1xf32>
    %4 = tosa.cast %3 : (tensor<1x1xf32>) -> tensor<1x1xi32>
    %5 = tosa.add %4, %0 : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
    %6 = tosa.cast %5 : (tensor<1x1xi32>) -> tensor<1x1xi8>
    return %6 : tensor<1x1xi8>
  }
}
