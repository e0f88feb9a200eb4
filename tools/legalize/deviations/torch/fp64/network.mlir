module {
  func.func @main(%arg0: tensor<1xf32>) -> tensor<1xi1> {
    %0 = "tosa.const"() <{values = dense<0x7FF0000000000000> : tensor<1xf64>}> : () -> tensor<1xf64>
    %1 = tosa.abs %arg0 : (tensor<1xf32>) -> tensor<1xf32>
    %2 = tosa.cast %1 : (tensor<1xf32>) -> tensor<1xf64>
    %3 = tosa.equal %2, %0 : (tensor<1xf64>, tensor<1xf64>) -> tensor<1xi1>
    return %3 : tensor<1xi1>
  }
}
