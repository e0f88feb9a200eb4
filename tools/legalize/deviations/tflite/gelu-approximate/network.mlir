module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xf32>) -> tensor<1xf32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<5.000000e-01> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = "tosa.const"() <{values = dense<1.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = "tosa.const"() <{values = dense<0.797884583> : tensor<1xf32>}> : () -> tensor<1xf32>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<4.471500e-02> : tensor<1xf32>}> : () -> tensor<1xf32>
    %5 = "tosa.const"() <{values = dense<3.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %6 = tosa.pow %arg0, %5 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %7 = tosa.mul %6, %4, %3 : (tensor<1xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<1xf32>
    %8 = tosa.add %arg0, %7 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %9 = tosa.mul %8, %2, %3 : (tensor<1xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<1xf32>
    %10 = tosa.tanh %9 : (tensor<1xf32>) -> tensor<1xf32>
    %11 = tosa.add %10, %1 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %12 = tosa.mul %arg0, %0, %3 : (tensor<1xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<1xf32>
    %13 = tosa.mul %12, %11, %3 : (tensor<1xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<1xf32>
    return %13 : tensor<1xf32>
  }
}
