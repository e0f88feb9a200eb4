module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xf32>, %arg1: tensor<f32>) -> tensor<1xf32> attributes {tf.entry_function = {inputs = "input0,input1", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = tosa.const_shape  {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
    %2 = tosa.reciprocal %arg1 : (tensor<f32>) -> tensor<f32>
    %3 = tosa.reshape %2, %1 : (tensor<f32>, !tosa.shape<1>) -> tensor<1xf32>
    %4 = tosa.mul %arg0, %3, %0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<1xf32>
    %5 = tosa.floor %4 : (tensor<1xf32>) -> tensor<1xf32>
    %6 = tosa.sub %4, %5 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    return %6 : tensor<1xf32>
  }
}
