module {
  func.func @main(%arg0: tensor<1xi32>) -> tensor<1xi32> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi64>}> : () -> tensor<1xi64>
    %1 = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<-1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %4 = tosa.cast %arg0 : (tensor<1xi32>) -> tensor<1xi64>
    %5 = tosa.greater %4, %0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %6 = tosa.greater %0, %4 : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %7 = tosa.select %5, %1, %2 : (tensor<1xi1>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %8 = tosa.select %6, %3, %7 : (tensor<1xi1>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    return %8 : tensor<1xi32>
  }
}
