module {
  func.func @main(%arg0: tensor<1xi32>) -> tensor<1xi32> {
    %0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %1 = "tosa.const"() <{values = dense<3> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %4 = tosa.intdiv %arg0, %1 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %5 = tosa.mul %arg0, %1, %0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<1xi32>
    %6 = tosa.greater %3, %5 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %7 = tosa.mul %4, %1, %0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<1xi32>
    %8 = tosa.equal %7, %arg0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %9 = tosa.logical_not %8 : (tensor<1xi1>) -> tensor<1xi1>
    %10 = tosa.sub %4, %2 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %11 = tosa.logical_and %6, %9 : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
    %12 = tosa.select %11, %10, %4 : (tensor<1xi1>, tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    return %12 : tensor<1xi32>
  }
}
