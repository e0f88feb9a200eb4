module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1x3xf32>) -> tensor<1x1xf32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = tosa.const_shape  {values = dense<[1, 1, 1, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = "tosa.const"() <{values = dense<0.600764155> : tensor<1xf32>}> : () -> tensor<1xf32>
    %5 = "tosa.const"() <{values = dense<[[68, -50, 62]]> : tensor<1x3xi8>}> : () -> tensor<1x3xi8>
    %6 = "tosa.const"() <{values = dense<1.170000e-02> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %7 = tosa.cast %5 : (tensor<1x3xi8>) -> tensor<1x3xf32>
    %8 = tosa.mul %7, %6, %3 : (tensor<1x3xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x3xf32>
    %9 = tosa.reshape %arg0, %2 : (tensor<1x3xf32>, !tosa.shape<4>) -> tensor<1x1x1x3xf32>
    %10 = tosa.reshape %8, %2 : (tensor<1x3xf32>, !tosa.shape<4>) -> tensor<1x1x1x3xf32>
    %11 = tosa.conv2d %9, %10, %4, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x1xf32>
    %12 = tosa.reshape %11, %0 : (tensor<1x1x1x1xf32>, !tosa.shape<2>) -> tensor<1x1xf32>
    return %12 : tensor<1x1xf32>
  }
}
