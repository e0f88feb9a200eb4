module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xi32>, %arg1: tensor<1xi32>) -> tensor<1xi32> attributes {tf.entry_function = {inputs = "input0,input1", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = tosa.intdiv %arg0, %arg1 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %4 = tosa.mul %arg0, %arg1, %0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<1xi32>
    %5 = tosa.mul %arg1, %3, %0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<1xi32>
    %6 = tosa.equal %arg0, %5 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %7 = tosa.logical_not %6 : (tensor<1xi1>) -> tensor<1xi1>
    %8 = tosa.greater %1, %4 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %9 = tosa.sub %3, %2 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %10 = tosa.logical_and %7, %8 : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
    %11 = tosa.select %10, %9, %3 : (tensor<1xi1>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    return %11 : tensor<1xi32>
  }
}
