module attributes {tfl.description = "tensor-cts legalize", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<1x1x1x8xf32>) -> tensor<1x1x1x16xf32> attributes {tf.entry_function = {inputs = "input0", outputs = "output0"}} {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = "tosa.const"() <{values = dense<[-0.361554444, -0.962741315, -0.757633209, -0.825189888, 0.587197304, 0.772879421, 0.250198066, -0.950051128, -0.990438163, 0.377625853, -0.694006085, -0.896791458, 0.753863931, 0.359712481, -3.281860e-01, 0.423219889]> : tensor<16xf32>}> : () -> tensor<16xf32>
    %2 = "tosa.const"() <{values = dense<[[[[5.464390e-01, -0.267365962], [-0.0469333455, 0.668473125], [-0.246058851, -0.506202877], [0.101836182, -0.226668537], [-0.412369281, -0.929344058], [0.653394818, -0.787735521], [-0.910506725, 0.0273235831], [0.455399662, -0.0514557809]]]]> : tensor<1x1x8x2xf32>}> : () -> tensor<1x1x8x2xf32>
    %3 = tosa.depthwise_conv2d %arg0, %2, %1, %0, %0 {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x8xf32>, tensor<1x1x8x2xf32>, tensor<16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x16xf32>
    %4 = tosa.tanh %3 : (tensor<1x1x1x16xf32>) -> tensor<1x1x1x16xf32>
    return %4 : tensor<1x1x1x16xf32>
  }
}
