#include "reference/formats/mlir/mlir_parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "reference/formats/mlir/mlir_dialect.h"
#include "reference/formats/mlir/mlir_text.h"
#include "reference/graph/structure.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Edition& Tosa10() { return **FindEdition("tosa-1.0"); }

// ---- Names ----

TEST(MlirDialect, NamesEveryOperatorOfItsEditionBothWays) {
  for (const std::string id : {"tosa-1.0", "tosa-0.100"}) {
    const Edition& edition = **FindEdition(id);
    const MlirDialect& dialect = *FindMlirDialect(edition.mlir);
    std::set<std::string> mnemonics;
    for (const OperatorSpec& spec : edition.operators) {
      const std::string mnemonic = MnemonicOf(dialect, spec.name);
      EXPECT_TRUE(mnemonics.insert(mnemonic).second) << mnemonic << " occurs twice";
      EXPECT_EQ(OperatorOf(dialect, mnemonic), spec.name);
    }
    for (const MlirSpelling& row : dialect.operators) {
      EXPECT_EQ(mnemonics.count(std::string(row.mlir)), 1) << row.mlir;
    }
  }
  EXPECT_EQ(MnemonicOf(*FindMlirDialect((*FindEdition("tosa-1.0"))->mlir), "CONV2D"), "conv2d");
  EXPECT_EQ(MnemonicOf(*FindMlirDialect((*FindEdition("tosa-0.100"))->mlir), "VARIABLE_READ"),
            "variable.read");
}

// A name that stood in two rows would come back as another one.
template <size_t kSize>
void ExpectBothWays(const std::array<MlirSpelling, kSize>& table) {
  for (const MlirSpelling& row : table) {
    EXPECT_EQ(ToMlir(table, row.name), row.mlir);
    EXPECT_EQ(FromMlir(table, row.mlir), row.name);
  }
}

TEST(MlirDialect, SpellsTypesAndEnumerationsBothWays) {
  ExpectBothWays(kMlirElementTypes);
  ExpectBothWays(kMlirEnumerations);
  for (const MlirSpelling& row : kMlirElementTypes) EXPECT_TRUE(ParseDType(row.name)) << row.name;
  for (const TypeEnumerator& row : kTypeEnumerators) {
    EXPECT_EQ(FromMlir(kMlirElementTypes, *TypeEnumeratorToMlir(row.name)), Name(row.dtype));
  }
  EXPECT_EQ(TypeEnumeratorToMlir("BOOL"), std::nullopt);
  for (const MlirSpelling& row : kMlirEnumerations) {
    EXPECT_NE(Tosa10().FindEnum(row.name), nullptr) << row.name;
  }
}

Graph Parsed(std::string_view text) {
  StatusOr<Graph> graph = ParseMlir(text, Tosa10(), "net.mlir");
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : EmptyGraph();
}

std::string Failure(std::string_view text) {
  const StatusOr<Graph> graph = ParseMlir(text, Tosa10(), "net.mlir");
  return graph.ok() ? "OK" : Message(graph.status());
}

// A function with these lines in it; they begin on line 2.
std::string Function(const std::string& lines) {
  return "func.func @f(%a: tensor<2x3xi8>, %b: tensor<2x3xi8>) {\n" + lines + "\nreturn\n}\n";
}

const GraphTensor& Tensor0(const Graph& graph) { return graph.main().tensors.back(); }

// A condition, a loop and a variable as RenderMlir writes them. x + state while x < 10.
constexpr std::string_view kGeneric =
    R"("tosa.variable"() {initial_value = dense<[1, 2]> : tensor<2xi8>, sym_name = "f.state", )"
    R"(type = i8, var_shape = dense<[2]> : tensor<1xindex>} : () -> ()
func.func @f(%c: tensor<1xi1>, %x: tensor<2xi8>) -> (tensor<2xi8>, tensor<i1>) attributes {llvm.emit_c_interface} {
  %old = "tosa.variable_read"() {name = "f.state"} : () -> (tensor<2xi8>)
  "tosa.variable_write"(%x) {name = "f.state"} : (tensor<2xi8>) -> ()
  %y = "tosa.cond_if"(%c, %x, %old) ({
  ^then(%x1: tensor<2xi8>, %old1: tensor<2xi8>):
    %y1 = "tosa.maximum"(%x1, %old1) {nan_mode = #tosa.nan_mode<IGNORE>} : (tensor<2xi8>, tensor<2xi8>) -> (tensor<2xi8>)
    "tosa.yield"(%y1) : (tensor<2xi8>) -> ()
  }, {
  ^else(%x2: tensor<2xi8>, %old2: tensor<2xi8>):
    "tosa.yield"(%old2) : (tensor<2xi8>) -> ()
  }) : (tensor<1xi1>, tensor<2xi8>, tensor<2xi8>) -> (tensor<2xi8>)
  %n, %z = "tosa.while_loop"(%c, %y) ({
  ^cond(%c3: tensor<1xi1>, %y3: tensor<2xi8>):
    "tosa.yield"(%c3) : (tensor<1xi1>) -> ()
  }, {
  ^body(%c4: tensor<1xi1>, %y4: tensor<2xi8>):
    %false = "tosa.const"() {values = dense<[false]> : tensor<1xi1>} : () -> (tensor<1xi1>)
    "tosa.yield"(%false, %y4) : (tensor<1xi1>, tensor<2xi8>) -> ()
  }) : (tensor<1xi1>, tensor<2xi8>) -> (tensor<1xi1>, tensor<2xi8>)
  %axes = "tosa.const_shape"() {values = dense<> : tensor<0xindex>} : () -> (!tosa.shape<0>)
  %scalar = "tosa.reshape"(%n, %axes) : (tensor<1xi1>, !tosa.shape<0>) -> (tensor<i1>)
  return %z, %scalar : tensor<2xi8>, tensor<i1>
}
)";

// The same as mlir-opt 22 prints it.
constexpr std::string_view kPretty = R"(module {
  tosa.variable @f.state = dense<[1, 2]> : tensor<2xi8>
  func.func @f(%arg0: tensor<1xi1>, %arg1: tensor<2xi8>) -> (tensor<2xi8>, tensor<i1>) attributes {llvm.emit_c_interface} {
    %0 = tosa.variable_read @f.state : tensor<2xi8>
    tosa.variable_write @f.state, %arg1 : tensor<2xi8>
    %1 = tosa.cond_if %arg0 (%arg2 = %arg1, %arg3 = %0) : tensor<1xi1> (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8> {
    ^bb0(%arg2: tensor<2xi8>, %arg3: tensor<2xi8>):
      %5 = tosa.maximum %arg2, %arg3 {nan_mode = IGNORE} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
      tosa.yield %5 : tensor<2xi8>
    } else {
    ^bb0(%arg2: tensor<2xi8>, %arg3: tensor<2xi8>):
      tosa.yield %arg3 : tensor<2xi8>
    }
    %2:2 = tosa.while_loop (%arg2 = %arg0, %arg3 = %1) : (tensor<1xi1>, tensor<2xi8>) -> (tensor<1xi1>, tensor<2xi8>) {
      tosa.yield %arg2 : tensor<1xi1>
    } do {
    ^bb0(%arg2: tensor<1xi1>, %arg3: tensor<2xi8>):
      %5 = "tosa.const"() <{values = dense<false> : tensor<1xi1>}> : () -> tensor<1xi1>
      tosa.yield %5, %arg3 : tensor<1xi1>, tensor<2xi8>
    }
    %3 = tosa.const_shape  {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
    %4 = tosa.reshape %2#0, %3 : (tensor<1xi1>, !tosa.shape<0>) -> tensor<i1>
    return %2#1, %4 : tensor<2xi8>, tensor<i1>
  }
}
)";

TEST(MlirParse, ReadsWhatRenderMlirWrites) {
  const Graph graph = Parsed(kGeneric);
  EXPECT_TRUE(CheckStructure(graph, Tosa10()).ok());
  const StatusOr<std::string> text = RenderMlir(graph, Tosa10(), "f");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, kGeneric);

  const Block& main = graph.main();
  EXPECT_THAT(main.inputs, ElementsAre("c", "x"));
  EXPECT_THAT(main.outputs, ElementsAre("z", "scalar"));
  ASSERT_EQ(main.operators.size(), 7U);
  const GraphOperator& variable = main.operators[0];
  EXPECT_EQ(variable.op, "VARIABLE");
  EXPECT_EQ(std::get<std::string>(variable.attributes.at("name")), "state");
  EXPECT_EQ(std::get<std::string>(variable.attributes.at("type")), "INT8");
  EXPECT_EQ(std::get<std::vector<int64_t>>(variable.attributes.at("var_shape")),
            std::vector<int64_t>{2});
  const auto& initial = std::get<std::string>(variable.attributes.at("initial_value"));
  ASSERT_NE(main.Find(initial), nullptr);
  EXPECT_THAT(main.Find(initial)->values->Integers(), ElementsAre(1, 2));
  ASSERT_EQ(graph.regions.size(), 5U);
  EXPECT_EQ(graph.regions[3].name, "cond");
  const GraphOperator& condition = main.operators[3];
  EXPECT_THAT(condition.inputs, ElementsAre("c", "x", "old"));
  EXPECT_EQ(std::get<std::string>(condition.attributes.at("then_graph")), "then");
  EXPECT_EQ(std::get<std::string>(condition.attributes.at("else_graph")), "else");
  const Block& then = *graph.FindGraph("then");
  EXPECT_EQ(std::get<std::string>(then.operators[0].attributes.at("nan_mode")), "IGNORE");
}

TEST(MlirParse, ReadsTheSameFromTheSyntaxOfTheDialect) {
  // Only the names of the values differ; renaming them must give the same text.
  std::string text = RenderMlir(Parsed(kPretty), Tosa10(), "f").value_or("");
  const std::pair<const char*, const char*> names[] = {
      {"arg0", "c"},    {"arg1", "x"},    {"v0", "old"},    {"v1", "y"},        {"arg2", "x1"},
      {"arg3", "old1"}, {"v5", "y1"},     {"arg2_2", "x2"}, {"arg3_2", "old2"}, {"arg2_3", "c3"},
      {"arg3_3", "y3"}, {"arg2_4", "c4"}, {"arg3_4", "y4"}, {"v5_2", "false"},  {"v2", "n"},
      {"v2_1", "z"},    {"v3", "axes"},   {"v4", "scalar"}};
  for (const auto& [from, to] : names) {
    for (const char end : {':', ',', ')', ' '}) {
      const std::string old = StrCat("%", from, end);
      for (size_t at = 0; (at = text.find(old, at)) != std::string::npos;) {
        text.replace(at, old.size(), StrCat("%", to, end));
      }
    }
  }
  EXPECT_EQ(text, kGeneric);
}

// A condition in the body of a loop in a condition, as RenderMlir writes them. Each region begins
// with what it is handed, and ends with what it hands back.
constexpr std::string_view kNested =
    R"(func.func @f(%c: tensor<i1>, %a: tensor<3xi32>, %n: tensor<i32>) -> (tensor<3xi32>) attributes {llvm.emit_c_interface} {
  %y = "tosa.cond_if"(%c, %a, %n) ({
  ^then(%then_a: tensor<3xi32>, %then_n: tensor<i32>):
    %zero = "tosa.const"() {values = dense<0> : tensor<i32>} : () -> (tensor<i32>)
    %last, %b, %same = "tosa.while_loop"(%zero, %then_a, %then_n) ({
    ^more(%more_i: tensor<i32>, %more_a: tensor<3xi32>, %more_n: tensor<i32>):
      %less = "tosa.greater"(%more_n, %more_i) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
      "tosa.yield"(%less) : (tensor<i1>) -> ()
    }, {
    ^body(%i: tensor<i32>, %body_a: tensor<3xi32>, %body_n: tensor<i32>):
      %one = "tosa.const"() {values = dense<1> : tensor<i32>} : () -> (tensor<i32>)
      %next = "tosa.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> (tensor<i32>)
      %early = "tosa.greater"(%one, %i) : (tensor<i32>, tensor<i32>) -> (tensor<i1>)
      %chosen = "tosa.cond_if"(%early, %body_a) ({
      ^same(%same_a: tensor<3xi32>):
        "tosa.yield"(%same_a) : (tensor<3xi32>) -> ()
      }, {
      ^opposite(%opposite_a: tensor<3xi32>):
        %not = "tosa.bitwise_not"(%opposite_a) : (tensor<3xi32>) -> (tensor<3xi32>)
        "tosa.yield"(%not) : (tensor<3xi32>) -> ()
      }) : (tensor<i1>, tensor<3xi32>) -> (tensor<3xi32>)
      "tosa.yield"(%next, %chosen, %body_n) : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> ()
    }) : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> (tensor<i32>, tensor<3xi32>, tensor<i32>)
    "tosa.yield"(%b) : (tensor<3xi32>) -> ()
  }, {
  ^else(%else_a: tensor<3xi32>, %else_n: tensor<i32>):
    "tosa.yield"(%else_a) : (tensor<3xi32>) -> ()
  }) : (tensor<i1>, tensor<3xi32>, tensor<i32>) -> (tensor<3xi32>)
  return %y : tensor<3xi32>
}
)";

TEST(MlirParse, ReadsControlFlowWithinItself) {
  const Graph graph = Parsed(kNested);
  EXPECT_TRUE(CheckStructure(graph, Tosa10()).ok());
  const StatusOr<std::string> text = RenderMlir(graph, Tosa10(), "f");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, kNested);
  // Each region belongs to the operator that it stands in.
  const auto region = [&](const Block& block, size_t op, const char* name) -> const Block& {
    return *graph.FindGraph(std::get<std::string>(block.operators[op].attributes.at(name)));
  };
  const Block& then = region(graph.main(), 0, "then_graph");
  const Block& body = region(then, 1, "body_graph");
  EXPECT_THAT(body.inputs, ElementsAre("i", "body_a", "body_n"));
  EXPECT_THAT(region(then, 1, "cond_graph").outputs, ElementsAre("less"));
  EXPECT_EQ(region(body, 3, "else_graph").operators[0].op, "BITWISE_NOT");
  EXPECT_TRUE(region(body, 3, "then_graph").operators.empty());
}

// The elements of a constant, as it stands in the text.
Tensor Constant(const std::string& values, const std::string& type) {
  const Graph graph = Parsed(Function(
      StrCat("%c = \"tosa.const\"() {values = dense<", values, "> : ", type, "} : () -> ", type)));
  const auto& tensor = Tensor0(graph).values;
  return tensor == nullptr ? Tensor(DType::kBool, {}) : *tensor;
}

TEST(MlirParse, ReadsConstantsOfEveryType) {
  EXPECT_THAT(Constant("[true, false]", "tensor<2xi1>").Integers(), ElementsAre(1, 0));
  EXPECT_THAT(Constant("[-7, 7]", "tensor<2xi4>").Integers(), ElementsAre(-7, 7));
  EXPECT_THAT(Constant("[[-128], [127]]", "tensor<2x1xi8>").Integers(), ElementsAre(-128, 127));
  EXPECT_THAT(Constant("[-140737488355328]", "tensor<1xi48>").Integers(),
              ElementsAre(-140737488355328));
  EXPECT_THAT(Constant("5", "tensor<2x2xi32>").Integers(), ElementsAre(5, 5, 5, 5));
  EXPECT_THAT(Constant("-9223372036854775808", "tensor<i64>").Integers(), ElementsAre(INT64_MIN));
  EXPECT_THAT(Constant("[1.500000e+00, -0.25]", "tensor<2xf32>").Elements(),
              ElementsAre(1.5, -0.25));
  EXPECT_TRUE(std::signbit(Constant("-0.0", "tensor<f32>").Value(0)));
  // 1 + 2^-8 is halfway between two bf16: to even.
  EXPECT_THAT(Constant("1.00390625", "tensor<bf16>").Elements(), ElementsAre(1.0));
  EXPECT_EQ(Constant("[0x7FA00001]", "tensor<1xf32>").Bits(0), 0x7FA00001U);
  EXPECT_THAT(Constant("0x3C00", "tensor<3xf16>").Elements(), ElementsAre(1, 1, 1));
  EXPECT_THAT(Constant("0x38", "tensor<1xf8E4M3FN>").Elements(), ElementsAre(1));
  EXPECT_THAT(Constant("0x3C", "tensor<1xf8E5M2>").Elements(), ElementsAre(1));
}

// As mlir-opt 22 printed such constants with --mlir-print-elementsattrs-with-hex-if-larger=1.
TEST(MlirParse, ReadsBlobs) {
  EXPECT_THAT(Constant("\"0xCD00\"", "tensor<9xi1>").Integers(),
              ElementsAre(1, 0, 1, 1, 0, 0, 1, 1, 0));
  EXPECT_THAT(Constant("\"0x010907\"", "tensor<3xi4>").Integers(), ElementsAre(1, -7, 7));
  EXPECT_THAT(Constant("\"0x010000000000F9FFFFFFFFFF070000000000\"", "tensor<3xi48>").Integers(),
              ElementsAre(1, -7, 7));
  EXPECT_THAT(Constant("\"0x803FE0C0E040\"", "tensor<3xbf16>").Elements(), ElementsAre(1, -7, 7));
  EXPECT_THAT(Constant("\"0x387FFF80\"", "tensor<2x2xf8E4M3FN>").Bits(3), 0x80U);
  const Graph shape = Parsed(
      Function("%s = tosa.const_shape {values = dense<\"0x0100000000000000F9FFFFFFFFFFFFFF\"> : "
               "tensor<2xindex>} : () -> !tosa.shape<2>"));
  EXPECT_THAT(Tensor0(shape).values->Integers(), ElementsAre(1, -7));
}

// As torch-mlir prints weights: bytes behind the module, four of which tell the alignment.
TEST(MlirParse, ReadsResources) {
  const std::string text =
      "module {\nfunc.func @f(%a: tensor<2xf32>) {\n"
      "%w = \"tosa.const\"() <{values = dense_resource<torch_tensor_2_torch.float32> : "
      "tensor<2xf32>}> : () -> tensor<2xf32>\n"
      "%k = arith.constant dense_resource<\"odd name\"> : tensor<3xi8>\n"
      "%one = arith.constant dense<1> : tensor<1xi32>\n"
      "return\n}\n}\n";
  const std::string resources =
      "{-#\n  dialect_resources: {\n    builtin: {\n"
      "      torch_tensor_2_torch.float32: \"0x040000000000803F000000C0\",\n"
      "      \"odd name\": \"0x0400000001FE03\"\n    }\n  }\n#-}\n";
  const Graph graph = Parsed(text + resources);
  const Block& block = graph.main();
  ASSERT_EQ(block.operators.size(), 3U);
  for (const GraphOperator& op : block.operators) EXPECT_EQ(op.op, "CONST");
  EXPECT_THAT(block.Find("w")->values->Elements(), ElementsAre(1, -2));
  EXPECT_THAT(block.Find("k")->values->Integers(), ElementsAre(1, -2, 3));
  EXPECT_THAT(block.Find("one")->values->Integers(), ElementsAre(1));
  EXPECT_THAT(Failure(text),
              HasSubstr("net.mlir:3:47: found no resource torch_tensor_2_torch.float32"));
  std::string other = text + resources;
  other.replace(other.find("0x040000000000803F000000C0"), 26, "0x040000000000803F");
  EXPECT_THAT(Failure(other), HasSubstr("found 8 characters, expected 16 hexadecimal digits"));
  EXPECT_THAT(Failure(text + "{-# a: \"x"), HasSubstr("expected the end of a string"));
  EXPECT_THAT(Failure(text + "{-# a:"), HasSubstr("expected \"#-}\""));
}

// RESCALE alone takes bits for unsigned numbers, and its attributes say so as well.
TEST(MlirParse, ReadsUnsignedTypes) {
  const auto rescale = [](const std::string& flags, const std::string& type) {
    return StrCat(
        "func.func @f(%a: tensor<2x", type, ">) -> tensor<2xi8> {\n",
        "%m = \"tosa.const\"() {values = dense<1> : tensor<1xi32>} : () -> tensor<1xi32>\n",
        "%s = \"tosa.const\"() {values = dense<30> : tensor<1xi8>} : () -> tensor<1xi8>\n",
        "%zp = \"tosa.const\"() {values = dense<128> : tensor<1x", type, ">} : () -> tensor<1x",
        type, ">\n",
        "%o = \"tosa.const\"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>\n",
        "%r = tosa.reshape %a, %m : (tensor<2x", type, ">, tensor<1xi32>) -> tensor<2x", type,
        ">\n%y = \"tosa.rescale\"(%r, %m, %s, %zp, %o) {", flags, "} : (tensor<2x", type,
        ">, tensor<1xi32>, tensor<1xi8>, tensor<1x", type, ">, tensor<1xi8>) -> ",
        "tensor<2xi8>\nreturn %y : tensor<2xi8>\n}\n");
  };
  const Graph graph = Parsed(rescale("input_unsigned = true, output_unsigned = false", "ui8"));
  EXPECT_EQ(graph.main().Find("a")->dtype, DType::kI8);
  EXPECT_THAT(graph.main().Find("zp")->values->Integers(), ElementsAre(-128));
  EXPECT_THAT(Failure(rescale("input_unsigned = false, output_unsigned = true", "ui8")),
              HasSubstr("net.mlir:7:21: tosa.rescale: found unsigned numbers"));
  EXPECT_THAT(Failure(rescale("input_unsigned = true", "i8")),
              HasSubstr("expected an integer between -128 and 127"));
  const std::string zero = "func.func @f(%a: tensor<1xui8>) -> tensor<1xui8> {\n";
  EXPECT_THAT(Failure(zero + "%b = tosa.abs %a : (tensor<1xui8>) -> tensor<1xui8>\n"
                             "return %b : tensor<1xui8>\n}"),
              HasSubstr("net.mlir:2:15: tosa.abs: found unsigned numbers, which TOSA has in "
                        "tosa.rescale alone"));
  EXPECT_THAT(Failure(zero + "return %a : tensor<1xi8>\n}"),
              HasSubstr("found a value of type ui8[1], expected i8[1]"));
  EXPECT_THAT(Failure("func.func @f(%a: tensor<1xui4>) {\nreturn\n}"),
              HasSubstr("found element type ui4, expected one of i1, i4, i8,"));
  EXPECT_THAT(
      Failure(Function("%c = \"tosa.const\"() {values = dense<256> : tensor<1xui8>} : () -> "
                       "tensor<1xui8>")),
      HasSubstr("expected an integer between 0 and 255"));
}

// A static body whose caller knows less of the shapes, as Arm's converter writes it.
TEST(MlirParse, ReadsACastThatForgetsDimensions) {
  const Graph graph = Parsed(
      "func.func @f(%a: tensor<2x3xi8>) -> tensor<?x3xi8> {\n"
      "%b = tosa.abs %a : (tensor<2x3xi8>) -> tensor<2x3xi8>\n"
      "%c = tensor.cast %b : tensor<2x3xi8> to tensor<?x3xi8>\n"
      "return %c : tensor<?x3xi8>\n}\n");
  EXPECT_THAT(graph.main().outputs, ElementsAre("b"));
  EXPECT_EQ(graph.main().operators.size(), 1U);
  const auto cast = [](const std::string& to) {
    return Failure("func.func @f(%a: tensor<2x3xi8>) -> tensor<" + to + "> {\n" +
                   "%c = tensor.cast %a : tensor<2x3xi8> to tensor<" + to + ">\n" +
                   "return %c : tensor<" + to + ">\n}\n");
  };
  EXPECT_EQ(cast("2x?xi8"), "OK");
  EXPECT_THAT(cast("?x4xi8"), HasSubstr("net.mlir:2:1: found a cast of i8[2,3] to i8[-1,4]"));
  EXPECT_THAT(cast("?x3xi16"), HasSubstr("expected one that forgets dimensions"));
  EXPECT_THAT(cast("*xi8"), HasSubstr("expected a shape of known rank"));
  EXPECT_THAT(Failure("func.func @f(%a: tensor<?x3xi8>) {\nreturn\n}"),
              HasSubstr("expected a shape without unknowns"));
}

TEST(MlirParse, NamesEveryOperationThatWasNotLegalized) {
  const std::string text = Function(
      "%0 = tosa.abs %a : (tensor<2x3xi8>) -> tensor<2x3xi8>\n"
      "%1 = tfl.equal(%0, %b) : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x3xi1>\n"
      "%2 = \"tfl.a_name_that_is_longer_than_what_is_shown\"(%1) : (tensor<2x3xi1>) -> "
      "tensor<2xi8>\n"
      "%3, %4 = tfl.equal(%0, %b) : (tensor<2x3xi8>) -> (tensor<1xi1>, tensor<1xi1>)");
  EXPECT_EQ(
      Failure(text),
      "net.mlir:3:1: found operations outside of the tosa dialect: tfl.equal (2), "
      "tfl.a_name_that_is_longer_than_what_is_shown (1); expected none: what a converter left "
      "is not legalized");
}

TEST(MlirParse, ReadsAttributesOfEveryKind) {
  const Graph graph = Parsed(
      Function("// A comment.\n"
               "%c = \"tosa.clamp\"(%a) <{max_val = 7 : i8, min_val = 1.5 : bf16}> {a = true, "
               "\"b c\" = \"x\\22\\0A\", d = array<i32: 1, -2>, e = array<i64>, f = [3], g = -4, "
               "h = 0x3FF8000000000000 : f64, quant.scale = 0.5, quant.on, i = BILINEAR, "
               "k = #tosa.nan_mode<IGNORE>} : (tensor<2x3xi8>) -> tensor<2x3xi8>\n"
               "%p = tosa.avg_pool2d %a {acc_type = i48} : (tensor<2x3xi8>) -> tensor<2x3xi8>"));
  ASSERT_EQ(graph.main().operators.size(), 2U);
  const std::map<std::string, AttributeValue> expected = {{"max_val", int64_t{7}},
                                                          {"min_val", 1.5},
                                                          {"a", true},
                                                          {"b c", std::string("x\"\n")},
                                                          {"d", std::vector<int64_t>{1, -2}},
                                                          {"e", std::vector<int64_t>()},
                                                          {"f", std::vector<int64_t>{3}},
                                                          {"g", int64_t{-4}},
                                                          {"h", 1.5},
                                                          {"i", std::string("BILINEAR")},
                                                          {"k", std::string("IGNORE")}};
  EXPECT_TRUE(graph.main().operators[0].attributes == expected);
  EXPECT_EQ(std::get<std::string>(graph.main().operators[1].attributes.at("acc_type")), "INT48");
}

TEST(MlirParse, MakesNamesOfItsOwn) {
  const Graph graph = Parsed(
      "func.func @f(%0: tensor<i8>, %a.b: tensor<i8>, %a_b: tensor<i8>, %v0: tensor<i8>) {\n"
      "return\n}");
  EXPECT_THAT(graph.main().inputs, ElementsAre("v0", "a_b", "a_b_2", "v0_2"));
  const Graph long_name =
      Parsed("func.func @f(%" + std::string(1000, 'x') + ": tensor<i8>) {\nreturn\n}");
  EXPECT_LE(long_name.main().inputs[0].size(), 100U);
}

TEST(MlirParse, TellsWhatItRenamed) {
  std::map<std::string, std::string> renamed;
  const auto graph = ParseMlir(
      "func.func @f(%0: tensor<1xi8>, %v0: tensor<1xi8>, %a.b: tensor<1xi8>, %c: tensor<1xi8>) {\n"
      "return\n}\n",
      Tosa10(), "net.mlir", &renamed);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(graph->main().inputs, ElementsAre("v0", "v0_2", "a_b", "c"));
  EXPECT_EQ(renamed,
            (std::map<std::string, std::string>{{"0", "v0"}, {"v0", "v0_2"}, {"a.b", "a_b"}}));
}

TEST(MlirParse, KeepsNamesOfVariablesThatAreNotOurs) {
  const Graph graph = Parsed(
      "module @m attributes {x = {y = \"}\"}} {\n"
      "tosa.variable @\"f.a b\" : tensor<f32>\ntosa.variable @c : tensor<1xf32>\n"
      "func.func private @f() { return }\n}");
  ASSERT_EQ(graph.main().operators.size(), 2U);
  EXPECT_EQ(std::get<std::string>(graph.main().operators[0].attributes.at("name")), "f.a b");
  EXPECT_EQ(std::get<std::string>(graph.main().operators[1].attributes.at("name")), "c");
  EXPECT_EQ(graph.main().operators[0].attributes.count("initial_value"), 0U);
}

TEST(MlirParse, SaysWhereAndWhat) {
  const std::string types = "(tensor<2x3xi8>) -> tensor<2x3xi8>";
  const std::pair<std::string, std::string> cases[] = {
      {"", "net.mlir:1:1: found the end, expected func.func"},
      {"module {}", "net.mlir:1:10: found the end, expected func.func"},
      {"func.func @f() {\n return\n}\n}", R"(net.mlir:4:1: found "}", expected an operation)"},
      {Function("") + Function(""),
       "net.mlir:5:1: found a second function, expected one; each of several cases, separated by "
       "\"// -----\", is a text of its own"},
      {Function("%c = arith.constant 1"),
       R"(net.mlir:2:21: found "1", expected dense values of a tensor)"},
      {Function("%c = arith.addi %a, %b : tensor<2x3xi8>"),
       "net.mlir:2:1: found operations outside of the tosa dialect: arith.addi (1); expected none"},
      {Function("%c = tosa.frobnicate %a : " + types),
       "net.mlir:2:1: tosa-1.0 has no operator FROBNICATE"},
      // The dialect of LLVM 12 had it, no TOSA of ours has (notes.md, Graphs).
      {Function("%c:2 = \"tosa.identityn\"(%a, %b) : (tensor<2x3xi8>, tensor<2x3xi8>) -> "
                "(tensor<2x3xi8>, tensor<2x3xi8>)"),
       "net.mlir:2:1: tosa-1.0 has no operator IDENTITYN"},
      {Function("%c = \"tosa.\\1B[31m\"(%a) : " + types),
       "net.mlir:2:1: tosa-1.0 has no operator ?[31M"},
      {Function("%c = tosa.abs %d : " + types), "net.mlir:2:15: %d is not defined before it"},
      {Function("%c = tosa.abs %a : (tensor<3xi8>) -> tensor<2x3xi8>"),
       "net.mlir:2:15: found a value of type i8[2,3], expected i8[3] as the operation says"},
      {Function("%c = tosa.abs %a, %b : " + types),
       "net.mlir:2:1: found 2 values and 1 types for them"},
      {Function("%a = tosa.abs %a : " + types), "net.mlir:2:1: %a is defined a second time"},
      {Function("%c:2 = tosa.abs %a : " + types),
       "net.mlir:2:1: found 2 results and 1 types for them"},
      {Function("%c = tosa.abs %a {x = dense<1> : tensor<i8>} : " + types),
       "net.mlir:2:1: tosa.abs: x: found a constant, expected none"},
      {Function("%c = tosa.abs %a {x = i8} : " + types),
       "net.mlir:2:1: tosa.abs: x: no graph has the type i8 there"},
      {Function("%c = tosa.abs %a {x = 1, x = 2} : " + types), "net.mlir:2:26: x stands there"},
      {Function("%c = tosa.abs %a {x = #tosa.other<A>} : " + types),
       R"(net.mlir:2:23: found "#tosa.other<A>} : (tenso", expected an attribute of the tosa)"},
      {Function("%c = tosa.abs %a {x = 128 : i8} : " + types),
       "expected an integer between -128 and 127"},
      {Function("%c = tosa.abs %a {x = \"\\q\"} : " + types), "expected an escape such as"},
      {Function("%c = tosa.abs %a {x = \"\n\"} : " + types), "expected the end of a string"},
      {Function("%c = tosa.abs %a : (tensor<2x?xi8>) -> tensor<2x3xi8>"),
       "net.mlir:2:30: found \"?xi8>) -> tensor<2x3xi8>\", expected a shape without unknowns"},
      {Function("%c = tosa.abs %a : (tensor<2x3xui8>) -> tensor<2x3xi8>"),
       "net.mlir:2:15: found a value of type i8[2,3], expected ui8[2,3] as the operation says"},
      {Function("%c = tosa.abs %a : (tensor<9223372036854775808xi8>) -> tensor<2x3xi8>"),
       "expected a dimension below 2^63"},
      {Function("tosa.yield %a : tensor<2x3xi8>"),
       "net.mlir:2:1: found tosa.yield, expected return"},
      {Function("tosa.variable @v : tensor<i8>"), "found tosa.variable in a function"},
      {Function("%c = tosa.cond_if %a : tensor<2x3xi8> -> tensor<2x3xi8> {\n"
                "tosa.yield %b : tensor<2x3xi8>\n}"),
       "net.mlir:3:12: %b is not defined before it in this block; a value that a region uses from "
       "outside has to be an operand of its operation"},
      {Function("%c = \"tosa.abs\"(%a) ({}) : " + types), "found more regions than it has"},
      {"func.func @f(%a: tensor<i8>) -> tensor<i16> { return %a : tensor<i8> }",
       "net.mlir:1:11: the function does not return what it says"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(Failure(text), HasSubstr(message)) << text;
    EXPECT_THAT(Failure(text), StartsWith("net.mlir:")) << text;
  }
  EXPECT_EQ(Message(ParseMlir(Function(""), **FindEdition("tosa-0.100"), "x").status()),
            "x: edition tosa-0.100: text is read in the dialect of MLIR 22, tosa-1.0");
}

TEST(MlirParse, RefusesConstantsThatAreNotWhatTheySay) {
  const auto failure = [](const std::string& values, const std::string& type,
                          const std::string& result) {
    return Failure(Function(StrCat("%c = \"tosa.const\"() {values = dense<", values, "> : ", type,
                                   "} : () -> ", result)));
  };
  EXPECT_THAT(failure("[1]", "tensor<1xi8>", "tensor<2xi8>"),
              HasSubstr("values: found i8[1], expected i8[2] as of the result"));
  EXPECT_THAT(failure("[1, 2, 3]", "tensor<2xi8>", "tensor<2xi8>"), HasSubstr("expected \"]\""));
  EXPECT_THAT(failure("[1]", "tensor<2xi8>", "tensor<2xi8>"), HasSubstr("expected \",\""));
  EXPECT_THAT(failure("[[1]]", "tensor<1xi8>", "tensor<1xi8>"), HasSubstr("expected an integer"));
  EXPECT_THAT(failure("-8", "tensor<1xi4>", "tensor<1xi4>"),
              HasSubstr("expected an integer between -7 and 7"));
  EXPECT_THAT(failure("\"0x08\"", "tensor<1xi4>", "tensor<1xi4>"),
              HasSubstr("element 0: found -8, expected at least -7"));
  EXPECT_THAT(failure("1", "tensor<1xf32>", "tensor<1xf32>"), HasSubstr("expected a number such"));
  EXPECT_THAT(failure("0x10000", "tensor<1xbf16>", "tensor<1xbf16>"),
              HasSubstr("expected at most 16 bits"));
  EXPECT_THAT(failure("2", "tensor<1xi1>", "tensor<1xi1>"), HasSubstr("expected true or false"));
  EXPECT_THAT(failure("\"0x0102\"", "tensor<1xi8>", "tensor<1xi8>"),
              HasSubstr("expected 2 hexadecimal digits"));
  EXPECT_THAT(failure("", "tensor<0xi8>", "tensor<0xi8>"), HasSubstr("net.mlir:2:36: "));
  EXPECT_THAT(failure("", "tensor<1xi8>", "tensor<1xi8>"), HasSubstr("expected an integer"));
}

TEST(MlirParse, HasLimits) {
  const auto splat = [](const std::string& type) {
    return Failure(
        Function("%c = \"tosa.const\"() {values = dense<0> : " + type + "} : () -> " + type));
  };
  EXPECT_THAT(splat("tensor<1048576x1048576xi8>"), HasSubstr("bytes of constants"));
  EXPECT_THAT(splat("tensor<4611686018427387904x4xi8>"), HasSubstr("net.mlir:2:36: "));
  EXPECT_THAT(Failure(Function("%c = \"tosa.const\"() {values = dense<[0]> : tensor<999999999xi8>} "
                               ": () -> tensor<999999999xi8>")),
              HasSubstr("found fewer values than 999999999"));
  std::string dimensions;
  for (int i = 0; i < 65; ++i) dimensions += "1x";
  EXPECT_THAT(splat("tensor<" + dimensions + "i8>"), HasSubstr("expected at most 64 dimensions"));
  EXPECT_THAT(Failure(Function("%c:99999999 = tosa.abs %a : (tensor<2x3xi8>) -> tensor<2x3xi8>")),
              HasSubstr("expected 1 to 65536 results"));

  std::string many, deep;
  for (int i = 0; i < 65537; ++i) many += "tosa.abs : () -> ()\n";
  EXPECT_THAT(Failure(Function(many)), HasSubstr("expected at most 65536 operations"));
  for (int i = 0; i < 600; ++i) deep += "\"tosa.cond_if\"() ({\n";
  EXPECT_THAT(Failure(Function(deep)), HasSubstr("net.mlir:514:19: nested more than 512 deep"));
}

TEST(MlirParse, RefusesEveryBeginningOfAText) {
  for (const std::string_view text : {kGeneric, kPretty}) {
    for (size_t length = 0; length + 1 < text.size(); ++length) {
      EXPECT_THAT(Failure(text.substr(0, length)), StartsWith("net.mlir:")) << length;
    }
  }
}

// Every graph that is read can be written and read again, and is then the same.
TEST(MlirParse, SurvivesAnyChangeOfAByte) {
  int read = 0, refused = 0;
  for (const std::string_view text : {kGeneric, kPretty}) {
    for (size_t at = 0; at < text.size(); ++at) {
      for (const char c : std::string_view("0%<>{}(\"\\:^#=-x\0\xFF\n", 18)) {
        std::string changed(text);
        changed[at] = c;
        const StatusOr<Graph> graph = ParseMlir(changed, Tosa10(), "net.mlir");
        if (!graph.ok()) {
          ++refused;
          EXPECT_THAT(Message(graph.status()), StartsWith("net.mlir:"));
          continue;
        }
        ++read;
        const StatusOr<std::string> again = RenderMlir(*graph, Tosa10(), "f");
        if (!again.ok()) continue;  // such as the length of a shape that is a tensor
        EXPECT_EQ(RenderMlir(Parsed(*again), Tosa10(), "f").value_or(""), *again);
      }
    }
  }
  EXPECT_GT(read, 1000);
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace cts
