module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1x2xf32>) -> tensor<1x1xf32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = tosa.const_shape  {values = dense<1> : tensor<2xindex>} : () -> !tosa.shape<2>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = tosa.const_shape  {values = dense<[1, 1, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %3 = "tosa.const"() <{values = dense<[[1, 0]]> : tensor<1x2xi8>}> : () -> tensor<1x2xi8>
    %4 = tosa.cast %3 : (tensor<1x2xi8>) -> tensor<1x2xf32>
    %5 = tosa.reshape %arg0, %2 : (tensor<1x2xf32>, !tosa.shape<4>) -> tensor<1x1x1x2xf32>
    %6 = tosa.reshape %4, %2 : (tensor<1x2xf32>, !tosa.shape<4>) -> tensor<1x1x1x2xf32>
    %7 = tosa.conv2d %5, %6, %1, %1, %1 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x1xf32>
    %8 = tosa.reshape %7, %0 : (tensor<1x1x1x1xf32>, !tosa.shape<2>) -> tensor<1x1xf32>
    return %8 : tensor<1x1xf32>
  }
}
