module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1xi64>) -> tensor<i64> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
    %1 = tosa.reshape %arg0, %0 : (tensor<1xi64>, !tosa.shape<0>) -> tensor<i64>
    return %1 : tensor<i64>
  }
}
