#include "reference/formats/mlir/mlir_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <set>
#include <utility>

namespace cts {
namespace {

using ::testing::HasSubstr;

const Edition& Tosa10() { return **FindEdition("tosa-1.0"); }
const Edition& Tosa0100() { return **FindEdition("tosa-0.100"); }

// A graph of one block, put together tensor by tensor.
struct Builder {
  Graph graph = EmptyGraph();

  Builder& Add(std::string name, DType dtype, Shape shape) {
    graph.main().tensors.push_back({std::move(name), dtype, std::move(shape), nullptr});
    return *this;
  }
  Builder& Input(const std::string& name, DType dtype, Shape shape) {
    graph.main().inputs.push_back(name);
    return Add(name, dtype, std::move(shape));
  }
  Builder& Output(const std::string& name, DType dtype, Shape shape) {
    graph.main().outputs.push_back(name);
    return Add(name, dtype, std::move(shape));
  }
  Builder& Constant(const std::string& name, Tensor values) {
    Add(name, values.dtype(), values.shape());
    const bool shape = values.dtype() == DType::kShape;
    graph.main().tensors.back().values = std::make_shared<Tensor>(std::move(values));
    return Operator({shape ? "CONST_SHAPE" : "CONST", {}, {name}, {}});
  }
  Builder& Operator(GraphOperator op) {
    graph.main().operators.push_back(std::move(op));
    return *this;
  }
  StatusOr<std::string> Render(const Edition& edition = Tosa10()) const {
    return RenderMlir(graph, edition, "f");
  }
};

// An operator that takes `in` to `out`.
Builder Unary(DType dtype, std::string op, std::map<std::string, AttributeValue> attributes) {
  return Builder()
      .Input("in", dtype, {2})
      .Output("out", dtype, {2})
      .Operator({std::move(op), {"in"}, {"out"}, std::move(attributes)});
}

TEST(MlirText, RendersOperandsAttributesAndTypes) {
  const auto text = Builder()
                        .Input("x", DType::kI16, {1, 5, 6, 3})
                        .Input("w", DType::kI8, {4, 3, 2, 3})
                        .Input("b", DType::kI48, {4})
                        .Constant("xz", Tensor::OfIntegers(DType::kI16, {1}, {0}))
                        .Constant("wz", Tensor::OfIntegers(DType::kI8, {1}, {-128}))
                        .Output("y", DType::kI48, {1, 3, 6, 4})
                        .Operator({"CONV2D",
                                   {"x", "w", "b", "xz", "wz"},
                                   {"y"},
                                   {{"pad", std::vector<int64_t>{1, 1, 1, 0}},
                                    {"stride", std::vector<int64_t>{2, 1}},
                                    {"dilation", std::vector<int64_t>{1, 1}},
                                    {"acc_type", std::string("INT48")},
                                    {"local_bound", false}}})
                        .Render();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(
      *text,
      "func.func @f(%x: tensor<1x5x6x3xi16>, %w: tensor<4x3x2x3xi8>, %b: tensor<4xi48>) -> "
      "(tensor<1x3x6x4xi48>) attributes {llvm.emit_c_interface} {\n"
      "  %xz = \"tosa.const\"() {values = dense<[0]> : tensor<1xi16>} : () -> (tensor<1xi16>)\n"
      "  %wz = \"tosa.const\"() {values = dense<[-128]> : tensor<1xi8>} : () -> (tensor<1xi8>)\n"
      "  %y = \"tosa.conv2d\"(%x, %w, %b, %xz, %wz) {acc_type = i48, dilation = array<i64: 1, 1>, "
      "local_bound = false, pad = array<i64: 1, 1, 1, 0>, stride = array<i64: 2, 1>} : "
      "(tensor<1x5x6x3xi16>, tensor<4x3x2x3xi8>, tensor<4xi48>, tensor<1xi16>, tensor<1xi8>) -> "
      "(tensor<1x3x6x4xi48>)\n"
      "  return %y : tensor<1x3x6x4xi48>\n"
      "}\n");
}

TEST(MlirText, KeepsEveryBitOfFloatConstants) {
  Tensor values(DType::kFp32, {2, 2});
  values.SetBits(0, 0x7FA00001);  // a signaling NaN with a payload
  values.SetBits(1, 0x80000000);  // -0
  values.SetBits(2, 0x00000001);  // the smallest subnormal
  values.SetBits(3, 0xFF800000);
  const auto text = Builder().Constant("c", values).Render();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("dense<[[0x7FA00001, 0x80000000], [0x00000001, 0xFF800000]]> : "
                               "tensor<2x2xf32>"));
}

TEST(MlirText, RendersConstantsOfEveryType) {
  const auto text = Builder()
                        .Constant("b", Tensor::OfIntegers(DType::kBool, {2}, {1, 0}))
                        .Constant("i4", Tensor::OfIntegers(DType::kI4, {2}, {-7, 7}))
                        .Constant("i48", Tensor::OfIntegers(DType::kI48, {1}, {-140737488355328}))
                        .Constant("e4", Tensor::OfFloats(DType::kFp8E4M3, {1}, {1.0}))
                        .Constant("e5", Tensor::OfFloats(DType::kFp8E5M2, {1}, {1.0}))
                        .Constant("h", Tensor::OfFloats(DType::kFp16, {}, {1.0}))
                        .Constant("bf", Tensor::OfFloats(DType::kBf16, {1}, {1.0}))
                        .Constant("s", Tensor::OfIntegers(DType::kShape, {3}, {4, -1, 2}))
                        .Render();
  ASSERT_TRUE(text.ok()) << text.status();
  for (const char* expected : {
           "dense<[true, false]> : tensor<2xi1>",
           "dense<[-7, 7]> : tensor<2xi4>",
           "dense<[-140737488355328]> : tensor<1xi48>",
           // 1.0: biases 7, 15, 15 and 127; 3, 2, 10 and 7 fraction bits.
           "dense<[0x38]> : tensor<1xf8E4M3FN>",
           "dense<[0x3C]> : tensor<1xf8E5M2>",
           "dense<0x3C00> : tensor<f16>",
           "dense<[0x3F80]> : tensor<1xbf16>",
           "\"tosa.const_shape\"() {values = dense<[4, -1, 2]> : tensor<3xindex>} : () -> "
           "(!tosa.shape<3>)",
       }) {
    EXPECT_THAT(*text, HasSubstr(expected));
  }
}

TEST(MlirText, RendersScalarAttributesInTheTypeOfTheTensor) {
  const auto integer = Unary(DType::kI8, "CLAMP",
                             {{"min_val", int64_t{-128}},
                              {"max_val", int64_t{7}},
                              {"nan_mode", std::string("IGNORE")}})
                           .Render();
  ASSERT_TRUE(integer.ok()) << integer.status();
  EXPECT_THAT(*integer, HasSubstr("{max_val = 7 : i8, min_val = -128 : i8, "
                                  "nan_mode = #tosa.nan_mode<IGNORE>}"));

  const auto narrow = Unary(DType::kBf16, "CLAMP",
                            {{"min_val", -std::numeric_limits<double>::infinity()},
                             {"max_val", 1.5},
                             {"nan_mode", std::string("PROPAGATE")}})
                          .Render();
  ASSERT_TRUE(narrow.ok()) << narrow.status();
  EXPECT_THAT(*narrow, HasSubstr("{max_val = 0x3FC0 : bf16, min_val = 0xFF80 : bf16, "
                                 "nan_mode = #tosa.nan_mode<PROPAGATE>}"));
}

TEST(MlirText, RendersTensorListsInPlaceOfTheirArgument) {
  const auto text = Builder()
                        .Input("a", DType::kBool, {1})
                        .Input("b", DType::kBool, {2})
                        .Output("out", DType::kBool, {3})
                        .Operator({"CONCAT", {"a", "b"}, {"out"}, {{"axis", int64_t{0}}}})
                        .Render();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("%out = \"tosa.concat\"(%a, %b) {axis = 0 : i32} : "
                               "(tensor<1xi1>, tensor<2xi1>) -> (tensor<3xi1>)"));
}

TEST(MlirText, ReturnsEveryOutput) {
  const auto text = Builder()
                        .Input("a", DType::kFp32, {})
                        .Output("b", DType::kFp32, {})
                        .Output("c", DType::kFp32, {})
                        .Operator({"EXP", {"a"}, {"b"}, {}})
                        .Operator({"IDENTITY", {"b"}, {"c"}, {}})
                        .Render();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("  return %b, %c : tensor<f32>, tensor<f32>\n"));
}

TEST(MlirText, RendersIllegalGraphs) {
  // One operand too many, an axis out of range, another type: for the dialect to refuse.
  const auto text = Builder()
                        .Input("a", DType::kI8, {2, 3})
                        .Output("out", DType::kFp16, {2, 0})
                        .Operator({"REDUCE_SUM", {"a", "a"}, {"out"}, {{"axis", int64_t{-1}}}})
                        .Render();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("\"tosa.reduce_sum\"(%a, %a) {axis = -1 : i32} : "
                               "(tensor<2x3xi8>, tensor<2x3xi8>) -> (tensor<2x0xf16>)"));
}

// The status that a rendering fails with, as "CODE: message".
std::string Failure(const StatusOr<std::string>& text) {
  return text.ok() ? "OK" : text.status().ToString();
}

TEST(MlirText, SaysWhatHasNoRendering) {
  EXPECT_EQ(Failure(RenderMlir(EmptyGraph(), **FindEdition("tosa-1.1-draft"), "f")),
            "UNIMPLEMENTED: edition tosa-1.1-draft: the tosa dialect is that of tosa-1.0 in MLIR "
            "22, tosa-0.100 in MLIR 19");
  EXPECT_EQ(Failure(Builder().Input("a", DType::kI8, {-1}).Render()),
            "UNIMPLEMENTED: MLIR cannot write a dimension of size -1 (tensor a)");
  EXPECT_EQ(Failure(Builder().Input("s", DType::kShape, {2, 3}).Render()),
            "UNIMPLEMENTED: MLIR cannot write a shape that is a tensor of rank 2 (tensor s)");
  EXPECT_EQ(Failure(Builder().Input("a/b", DType::kI8, {1}).Render()),
            "UNIMPLEMENTED: MLIR cannot write the name of a tensor");
}

// An error case may have these values in place of an attribute. Each row says how the line goes on
// after "{".
TEST(MlirText, WritesAttributesOfTheWrongKindForMlirToRefuse) {
  const auto rendered = [](DType dtype, const std::string& op, AttributeValue value,
                           const std::string& name) {
    const auto text = Unary(dtype, op, {{name, std::move(value)}}).Render();
    EXPECT_TRUE(text.ok()) << text.status();
    const size_t at = text.value_or("").find(" {" + name);
    return text.value_or("").substr(at + 1, text.value_or("").find("} :") - at);
  };
  EXPECT_EQ(rendered(DType::kI8, "ARGMAX", std::string("wrong"), "axis"), R"({axis = "wrong"})");
  EXPECT_EQ(rendered(DType::kI8, "ARGMAX", 1.5, "axis"), "{axis = 0x3FF8000000000000 : f64}");
  EXPECT_EQ(rendered(DType::kI8, "ARGMAX", int64_t{1} << 31, "axis"), "{axis = 2147483648 : i64}");
  EXPECT_EQ(rendered(DType::kI8, "ARGMAX", true, "axis"), "{axis = true}");
  EXPECT_EQ(rendered(DType::kI8, "ARGMAX", std::vector<int64_t>{1, 2}, "axis"),
            "{axis = array<i64: 1, 2>}");
  EXPECT_EQ(rendered(DType::kI8, "ARGMAX", int64_t{1}, "nan_mode"), "{nan_mode = 1 : i64}");
  EXPECT_EQ(rendered(DType::kI8, "ARGMAX", std::string("NO_SUCH_VALUE"), "nan_mode"),
            R"({nan_mode = "NO_SUCH_VALUE"})");
  EXPECT_EQ(rendered(DType::kI8, "AVG_POOL2D", std::string("NO_SUCH_VALUE"), "acc_type"),
            R"({acc_type = "NO_SUCH_VALUE"})");
  EXPECT_EQ(rendered(DType::kI8, "CLAMP", int64_t{128}, "min_val"), "{min_val = 128 : i64}");
  EXPECT_EQ(rendered(DType::kFp16, "CLAMP", int64_t{0}, "min_val"), "{min_val = 0 : i64}");
  EXPECT_EQ(rendered(DType::kFp16, "CLAMP", 1e-9, "min_val"),
            "{min_val = 0x3E112E0BE826D695 : f64}");
  EXPECT_EQ(rendered(DType::kI8, "EXP", int64_t{0}, "axis"), "{axis = 0 : i64}");
  EXPECT_EQ(rendered(DType::kI8, "TRANSPOSE", std::vector<int64_t>{int64_t{1} << 40}, "perms"),
            "{perms = array<i64: 1099511627776>}");
}

TEST(MlirText, WritesStringsOfCustomOperators) {
  const auto text = Unary(DType::kI8, "CUSTOM",
                          {{"operator_name", std::string("gelu")},
                           {"domain_name", std::string("\"a\"\\")},
                           {"implementation_attrs", std::string("\n\xE4")}})
                        .Render();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr(R"("tosa.custom"(%in) {domain_name = "\22a\22\5C", )"
                               R"(implementation_attrs = "\0A\E4", operator_name = "gelu"})"));
}

// state = state + in, from 1, in a graph that runs several times.
Builder Accumulator() {
  Builder builder;
  builder.Input("in", DType::kI8, {1}).Output("out", DType::kI8, {1}).Add("old", DType::kI8, {1});
  builder.Add("initial", DType::kI8, {1});
  builder.graph.main().tensors.back().values =
      std::make_shared<Tensor>(Tensor::OfIntegers(DType::kI8, {1}, {1}));
  builder.Operator({"VARIABLE",
                    {},
                    {},
                    {{"name", std::string("state")},
                     {"var_shape", std::vector<int64_t>{1}},
                     {"type", std::string("INT8")},
                     {"initial_value", std::string("initial")}}});
  builder.Operator({"VARIABLE_READ", {}, {"old"}, {{"name", std::string("state")}}});
  builder.Operator({"ADD", {"in", "old"}, {"out"}, {}});
  return builder.Operator({"VARIABLE_WRITE", {"out"}, {}, {{"name", std::string("state")}}});
}

TEST(MlirText, DeclaresVariablesBesideTheFunction) {
  const auto text = Accumulator().Render();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            "\"tosa.variable\"() {initial_value = dense<[1]> : tensor<1xi8>, sym_name = "
            "\"f.state\", type = i8, var_shape = dense<[1]> : tensor<1xindex>} : () -> ()\n"
            "func.func @f(%in: tensor<1xi8>) -> (tensor<1xi8>) attributes "
            "{llvm.emit_c_interface} {\n"
            "  %old = \"tosa.variable_read\"() {name = \"f.state\"} : () -> (tensor<1xi8>)\n"
            "  %out = \"tosa.add\"(%in, %old) : (tensor<1xi8>, tensor<1xi8>) -> "
            "(tensor<1xi8>)\n"
            "  \"tosa.variable_write\"(%out) {name = \"f.state\"} : (tensor<1xi8>) -> ()\n"
            "  return %out : tensor<1xi8>\n"
            "}\n");
}

TEST(MlirText, CannotDeclareVariablesAnywhereElse) {
  Builder late = Accumulator();
  std::swap(late.graph.main().operators[0], late.graph.main().operators[1]);
  EXPECT_EQ(Failure(late.Render()), "UNIMPLEMENTED: VARIABLE: a module declares it before any use");
  Builder operand = Accumulator();
  operand.graph.main().operators[0].inputs = {"in"};
  EXPECT_EQ(Failure(operand.Render()),
            "UNIMPLEMENTED: VARIABLE: a module has no values for its operands");
}

// y = x, as long as c: a loop whose graphs are regions of one block each.
Graph Loop() {
  Graph graph = EmptyGraph();
  Block& main = graph.main();
  main.tensors = {{"c", DType::kBool, {}, nullptr},
                  {"x", DType::kI8, {2}, nullptr},
                  {"c_after", DType::kBool, {}, nullptr},
                  {"y", DType::kI8, {2}, nullptr}};
  main.inputs = {"c", "x"};
  main.outputs = {"y"};
  main.operators = {{"WHILE_LOOP",
                     {"c", "x"},
                     {"c_after", "y"},
                     {{"cond_graph", std::string("cond")}, {"body_graph", std::string("body")}}}};
  Block cond{"cond", {"c1", "x1"}, {"c1"}, {}, {}};
  cond.tensors = {{"c1", DType::kBool, {}, nullptr}, {"x1", DType::kI8, {2}, nullptr}};
  Block body{"body", {"c2", "x2"}, {"n2", "x2"}, {}, {}};
  body.tensors = {{"c2", DType::kBool, {}, nullptr},
                  {"x2", DType::kI8, {2}, nullptr},
                  {"n2", DType::kBool, {}, nullptr}};
  body.operators = {{"LOGICAL_NOT", {"c2"}, {"n2"}, {}}};
  graph.regions.push_back({"cond", {cond}});
  graph.regions.push_back({"body", {body}});
  return graph;
}

TEST(MlirText, WritesTheGraphsOfControlFlowAsRegions) {
  const auto text = RenderMlir(Loop(), Tosa10(), "f");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            "func.func @f(%c: tensor<i1>, %x: tensor<2xi8>) -> (tensor<2xi8>) attributes "
            "{llvm.emit_c_interface} {\n"
            "  %c_after, %y = \"tosa.while_loop\"(%c, %x) ({\n"
            "  ^cond(%c1: tensor<i1>, %x1: tensor<2xi8>):\n"
            "    \"tosa.yield\"(%c1) : (tensor<i1>) -> ()\n"
            "  }, {\n"
            "  ^body(%c2: tensor<i1>, %x2: tensor<2xi8>):\n"
            "    %n2 = \"tosa.logical_not\"(%c2) : (tensor<i1>) -> (tensor<i1>)\n"
            "    \"tosa.yield\"(%n2, %x2) : (tensor<i1>, tensor<2xi8>) -> ()\n"
            "  }) : (tensor<i1>, tensor<2xi8>) -> (tensor<i1>, tensor<2xi8>)\n"
            "  return %y : tensor<2xi8>\n"
            "}\n");
}

// Depth after depth: a region within a region, each indented by one more.
TEST(MlirText, WritesRegionsWithinRegions) {
  Graph graph = Loop();
  // The loop's body runs the loop once more where the condition holds; otherwise it does nothing.
  Block& body = graph.regions[2].blocks[0];
  body.tensors.push_back({"y2", DType::kI8, {2}, nullptr});
  body.operators.push_back(
      {"COND_IF",
       {"c2", "x2"},
       {"y2"},
       {{"then_graph", std::string("twice")}, {"else_graph", std::string("as_it_is")}}});
  body.outputs = {"n2", "y2"};
  Block twice{"twice", {"x3"}, {"y3"}, {}, {}};
  twice.tensors = {{"x3", DType::kI8, {2}, nullptr}, {"y3", DType::kI8, {2}, nullptr}};
  twice.operators = {{"BITWISE_NOT", {"x3"}, {"y3"}, {}}};
  Block same{"as_it_is", {"x4"}, {"x4"}, {}, {}};
  same.tensors = {{"x4", DType::kI8, {2}, nullptr}};
  graph.regions.push_back({"twice", {twice}});
  graph.regions.push_back({"as_it_is", {same}});
  const auto text = RenderMlir(graph, Tosa10(), "f");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text,
              HasSubstr("  ^body(%c2: tensor<i1>, %x2: tensor<2xi8>):\n"
                        "    %n2 = \"tosa.logical_not\"(%c2) : (tensor<i1>) -> (tensor<i1>)\n"
                        "    %y2 = \"tosa.cond_if\"(%c2, %x2) ({\n"
                        "    ^twice(%x3: tensor<2xi8>):\n"
                        "      %y3 = \"tosa.bitwise_not\"(%x3) : (tensor<2xi8>) -> "
                        "(tensor<2xi8>)\n"
                        "      \"tosa.yield\"(%y3) : (tensor<2xi8>) -> ()\n"
                        "    }, {\n"
                        "    ^as_it_is(%x4: tensor<2xi8>):\n"
                        "      \"tosa.yield\"(%x4) : (tensor<2xi8>) -> ()\n"
                        "    }) : (tensor<i1>, tensor<2xi8>) -> (tensor<2xi8>)\n"
                        "    \"tosa.yield\"(%n2, %y2) : (tensor<i1>, tensor<2xi8>) -> ()\n"
                        "  }) : (tensor<i1>, tensor<2xi8>) -> (tensor<i1>, tensor<2xi8>)\n"));
}

// The list that a tensor is split into: as many results, in the order of the outputs.
TEST(MlirText, ReturnsAListAsSeveralResults) {
  Builder builder;
  builder.Input("in", DType::kI8, {2, 6});
  builder.Constant("size", Tensor::OfIntegers(DType::kShape, {2}, {2, 3}));
  for (const int64_t begin : {0, 3}) {
    const std::string name = begin == 0 ? "left" : "right";
    builder.Constant(name + "_start", Tensor::OfIntegers(DType::kShape, {2}, {0, begin}));
    builder.Add(name + "_part", DType::kI8, {2, 3}).Output(name, DType::kI8, {2, 3});
    builder.Operator({"SLICE", {"in", name + "_start", "size"}, {name + "_part"}, {}});
    builder.Operator({"IDENTITY", {name + "_part"}, {name}, {}});
  }
  const auto text = builder.Render();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("func.func @f(%in: tensor<2x6xi8>) -> "
                               "(tensor<2x3xi8>, tensor<2x3xi8>) attributes"));
  EXPECT_THAT(*text, HasSubstr("  %left = \"tosa.identity\"(%left_part) : (tensor<2x3xi8>) -> "
                               "(tensor<2x3xi8>)\n"));
  EXPECT_THAT(*text, HasSubstr("  return %left, %right : tensor<2x3xi8>, tensor<2x3xi8>\n"));
  EXPECT_THAT(*text, testing::Not(HasSubstr("identityn")));
}

TEST(MlirText, WritesNoBlockWhereAnOperatorNamesNoGraph) {
  Graph graph = Loop();
  graph.main().operators[0].attributes.erase("cond_graph");
  graph.main().operators[0].attributes["body_graph"] = int64_t{1};
  const auto text = RenderMlir(graph, Tosa10(), "f");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("\"tosa.while_loop\"(%c, %x) ({}, {}) {body_graph = 1 : i64} : "));
}

TEST(MlirText, EndsWhereGraphsContainThemselvesOrGrowWithoutEnd) {
  Graph missing = Loop();
  missing.main().operators[0].attributes["body_graph"] = std::string("nowhere");
  EXPECT_EQ(Failure(RenderMlir(missing, Tosa10(), "f")),
            "INVALID_ARGUMENT: WHILE_LOOP: body_graph: found no region of that name");
  Graph itself = Loop();
  itself.main().operators[0].attributes["cond_graph"] = std::string("main");
  EXPECT_THAT(Failure(RenderMlir(itself, Tosa10(), "f")), HasSubstr("nested more than 512 deep"));
  // Each of 40 graphs runs the next one twice.
  Graph wide = EmptyGraph();
  for (int k = 1; k <= 40; ++k) {
    Block& block = wide.regions.back().blocks.front();
    const std::string name = StrCat("r", k);
    block.operators.assign(2, {"WHILE_LOOP", {}, {}, {{"cond_graph", name}, {"body_graph", name}}});
    wide.regions.push_back({name, {Block{name, {}, {}, {}, {}}}});
  }
  EXPECT_THAT(Failure(RenderMlir(wide, Tosa10(), "f")), HasSubstr("more than 65536 operators"));
}

// ---- tosa-0.100, the dialect of MLIR 19 --------------------------------------------------------

TEST(MlirText, FollowsTheEditionToAVersion) {
  EXPECT_EQ(MlirVersionOf(Tosa10()), "22");
  EXPECT_EQ(MlirVersionOf(**FindEdition("rvtensor")), "22");
  EXPECT_EQ(MlirVersionOf(Tosa0100()), "19");
  EXPECT_EQ(MlirVersionOf(**FindEdition("tosa-1.1-draft")), "");
}

TEST(Mlir19Text, WritesZeroPointsAsOneAttribute) {
  const std::map<std::string, AttributeValue> attributes = {
      {"pad", std::vector<int64_t>{1, 1, 1, 0}},
      {"stride", std::vector<int64_t>{2, 1}},
      {"dilation", std::vector<int64_t>{1, 1}},
      {"acc_type", std::string("INT32")},
      {"input_zp", int64_t{-128}},
      {"weight_zp", int64_t{3}}};
  const auto text = Builder()
                        .Input("x", DType::kI8, {1, 5, 6, 3})
                        .Input("w", DType::kI8, {4, 3, 2, 3})
                        .Input("b", DType::kI32, {4})
                        .Output("y", DType::kI32, {1, 3, 6, 4})
                        .Operator({"CONV2D", {"x", "w", "b"}, {"y"}, attributes})
                        .Render(Tosa0100());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            "func.func @f(%x: tensor<1x5x6x3xi8>, %w: tensor<4x3x2x3xi8>, %b: tensor<4xi32>) -> "
            "(tensor<1x3x6x4xi32>) attributes {llvm.emit_c_interface} {\n"
            "  %y = \"tosa.conv2d\"(%x, %w, %b) {dilation = array<i64: 1, 1>, pad = array<i64: 1, "
            "1, 1, 0>, stride = array<i64: 2, 1>, quantization_info = #tosa.conv_quant<input_zp = "
            "-128, weight_zp = 3>} : (tensor<1x5x6x3xi8>, tensor<4x3x2x3xi8>, tensor<4xi32>) -> "
            "(tensor<1x3x6x4xi32>)\n"
            "  return %y : tensor<1x3x6x4xi32>\n"
            "}\n");
}

// CONV2D of fp16 with one attribute other than usual.
StatusOr<std::string> HalfConv2d(const std::string& name, AttributeValue value) {
  std::map<std::string, AttributeValue> attributes = {{"pad", std::vector<int64_t>(4, 0)},
                                                      {"stride", std::vector<int64_t>{1, 1}},
                                                      {"dilation", std::vector<int64_t>{1, 1}},
                                                      {"acc_type", std::string("FP16")},
                                                      {"input_zp", 0.0},
                                                      {"weight_zp", 0.0}};
  attributes[name] = std::move(value);
  return Builder()
      .Input("x", DType::kFp16, {1, 1, 1, 1})
      .Input("w", DType::kFp16, {1, 1, 1, 1})
      .Input("b", DType::kFp16, {1})
      .Output("y", DType::kFp16, {1, 1, 1, 1})
      .Operator({"CONV2D", {"x", "w", "b"}, {"y"}, attributes})
      .Render(Tosa0100());
}

TEST(Mlir19Text, SaysWhichAccumulatorsAndZeroPointsHaveNoWords) {
  const auto usual = HalfConv2d("local_bound", true);
  ASSERT_TRUE(usual.ok()) << usual.status();
  EXPECT_THAT(*usual,
              HasSubstr("{dilation = array<i64: 1, 1>, local_bound = true, pad = array<i64: "
                        "0, 0, 0, 0>, stride = array<i64: 1, 1>} : "));
  EXPECT_EQ(Failure(HalfConv2d("acc_type", std::string("FP32"))),
            "UNIMPLEMENTED: CONV2D: acc_type: the dialect of MLIR 19 cannot say that it is "
            "\"FP32\" here");
  EXPECT_EQ(Failure(HalfConv2d("weight_zp", 1.0)),
            "UNIMPLEMENTED: CONV2D: weight_zp: the dialect of MLIR 19 cannot say that it is "
            "anything but zero here");
  // The only accumulator of bf16 needs no word.
  const auto only =
      Builder()
          .Input("x", DType::kBf16, {1, 1, 1, 1})
          .Input("w", DType::kBf16, {1, 1, 1, 1})
          .Input("b", DType::kBf16, {1})
          .Output("y", DType::kBf16, {1, 1, 1, 1})
          .Operator({"CONV2D",
                     {"x", "w", "b"},
                     {"y"},
                     {{"acc_type", std::string("FP32")}, {"input_zp", 0.0}, {"weight_zp", 0.0}}})
          .Render(Tosa0100());
  EXPECT_TRUE(only.ok()) << only.status();
}

TEST(Mlir19Text, WritesShapesAndShiftsAsAttributes) {
  const auto reshape = Builder()
                           .Input("x", DType::kI8, {2, 3})
                           .Constant("s", Tensor::OfIntegers(DType::kShape, {1}, {6}))
                           .Output("y", DType::kI8, {6})
                           .Operator({"RESHAPE", {"x", "s"}, {"y"}, {}})
                           .Render(Tosa0100());
  ASSERT_TRUE(reshape.ok()) << reshape.status();
  EXPECT_EQ(*reshape,
            "func.func @f(%x: tensor<2x3xi8>) -> (tensor<6xi8>) attributes {llvm.emit_c_interface} "
            "{\n"
            "  %y = \"tosa.reshape\"(%x) {new_shape = array<i64: 6>} : (tensor<2x3xi8>) -> "
            "(tensor<6xi8>)\n"
            "  return %y : tensor<6xi8>\n"
            "}\n");

  const auto mul = Builder()
                       .Input("x", DType::kI32, {2})
                       .Constant("n", Tensor::OfIntegers(DType::kI8, {}, {15}))
                       .Output("y", DType::kI32, {2})
                       .Operator({"MUL", {"x", "x", "n"}, {"y"}, {}})
                       .Render(Tosa0100());
  ASSERT_TRUE(mul.ok()) << mul.status();
  EXPECT_THAT(*mul, HasSubstr("%n = \"tosa.const\"() {value = dense<15> : tensor<i8>} : "));
  EXPECT_THAT(*mul, HasSubstr("\"tosa.mul\"(%x, %x) {shift = 15 : i8} : (tensor<2xi32>, "));

  const auto resize =
      Builder()
          .Input("x", DType::kI8, {1, 2, 2, 1})
          .Constant("s", Tensor::OfIntegers(DType::kShape, {4}, {2, 1, 4, 3}))
          .Constant("o", Tensor::OfIntegers(DType::kShape, {2}, {-1, 0}))
          .Constant("b", Tensor::OfIntegers(DType::kShape, {2}, {1, 0}))
          .Output("y", DType::kI8, {1, 3, 2, 1})
          .Operator(
              {"RESIZE", {"x", "s", "o", "b"}, {"y"}, {{"mode", std::string("NEAREST_NEIGHBOR")}}})
          .Render(Tosa0100());
  ASSERT_TRUE(resize.ok()) << resize.status();
  EXPECT_THAT(*resize, HasSubstr("\"tosa.resize\"(%x) {scale = array<i64: 2, 1, 4, 3>, offset = "
                                 "array<i64: -1, 0>, border = array<i64: 1, 0>, mode = "
                                 "\"NEAREST_NEIGHBOR\"} : "));
}

TEST(Mlir19Text, WritesPaddingAndPermutationsAsConstants) {
  const auto pad = Builder()
                       .Input("x", DType::kFp16, {2, 3})
                       .Constant("p", Tensor::OfIntegers(DType::kShape, {4}, {1, 0, 2, 3}))
                       .Output("y", DType::kFp16, {3, 8})
                       .Operator({"PAD", {"x", "p"}, {"y"}, {{"pad_const", -1.5}}})
                       .Render(Tosa0100());
  ASSERT_TRUE(pad.ok()) << pad.status();
  EXPECT_THAT(
      *pad,
      HasSubstr(
          "{\n  %y__padding = \"tosa.const\"() {value = dense<[[1, 0], [2, 3]]> : tensor<2x2xi64>} "
          ": () -> (tensor<2x2xi64>)\n"
          "  %y__pad_const = \"tosa.const\"() {value = dense<0xBE00> : tensor<f16>} : () -> "
          "(tensor<f16>)\n"
          "  %y = \"tosa.pad\"(%x, %y__padding, %y__pad_const) : (tensor<2x3xf16>, "
          "tensor<2x2xi64>, tensor<f16>) -> (tensor<3x8xf16>)\n"));

  const auto transpose =
      Builder()
          .Input("x", DType::kBool, {2, 3})
          .Output("y", DType::kBool, {3, 2})
          .Operator({"TRANSPOSE", {"x"}, {"y"}, {{"perms", std::vector<int64_t>{1, 0}}}})
          .Render(Tosa0100());
  ASSERT_TRUE(transpose.ok()) << transpose.status();
  EXPECT_THAT(*transpose,
              HasSubstr("  %y__perms = \"tosa.const\"() {value = dense<[1, 0]> : tensor<2xi32>} : "
                        "() -> (tensor<2xi32>)\n"
                        "  %y = \"tosa.transpose\"(%x, %y__perms) : (tensor<2x3xi1>, "
                        "tensor<2xi32>) -> (tensor<3x2xi1>)\n"));
}

TEST(Mlir19Text, WritesBoundsOfBothKinds) {
  const auto integer =
      Unary(DType::kI8, "CLAMP", {{"min_val", int64_t{-9}}, {"max_val", int64_t{7}}})
          .Render(Tosa0100());
  ASSERT_TRUE(integer.ok()) << integer.status();
  EXPECT_THAT(*integer, HasSubstr("{max_fp = 0x00000000 : f32, max_int = 7 : i64, min_fp = "
                                  "0x00000000 : f32, min_int = -9 : i64}"));
  const auto narrow =
      Unary(DType::kBf16, "CLAMP",
            {{"min_val", -std::numeric_limits<double>::infinity()}, {"max_val", 1.5}})
          .Render(Tosa0100());
  ASSERT_TRUE(narrow.ok()) << narrow.status();
  EXPECT_THAT(*narrow, HasSubstr("{max_fp = 0x3FC0 : bf16, max_int = 0 : i64, min_fp = 0xFF80 : "
                                 "bf16, min_int = 0 : i64}"));
  // Without a tensor that is all that is wrong with it.
  const auto of_nothing = Builder()
                              .Output("y", DType::kFp32, {2})
                              .Operator({"CLAMP", {}, {"y"}, {{"min_val", 0.0}, {"max_val", 2.0}}})
                              .Render(Tosa0100());
  ASSERT_TRUE(of_nothing.ok()) << of_nothing.status();
  EXPECT_THAT(*of_nothing, HasSubstr("{max_fp = 0x4000000000000000 : f64, max_int = 0 : i64, "
                                     "min_fp = 0x0000000000000000 : f64, min_int = 0 : i64}"));
}

// RESCALE of an i8 tensor, per channel, doubly rounded.
Builder Rescale(bool input_unsigned, bool output_unsigned) {
  return Builder()
      .Input("x", DType::kI8, {2, 2})
      .Constant("m", Tensor::OfIntegers(DType::kI32, {2}, {1 << 30, 1518500250}))
      .Constant("n", Tensor::OfIntegers(DType::kI8, {2}, {30, 38}))
      .Output("y", DType::kI8, {2, 2})
      .Operator({"RESCALE",
                 {"x", "m", "n"},
                 {"y"},
                 {{"input_zp", int64_t{3}},
                  {"output_zp", int64_t{-1}},
                  {"scale32", true},
                  {"double_round", true},
                  {"per_channel", true},
                  {"input_unsigned", input_unsigned},
                  {"output_unsigned", output_unsigned}}});
}

TEST(Mlir19Text, WritesDoubleRoundAndUnsignedTensors) {
  const auto both = Rescale(false, false).Render(Tosa0100());
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_THAT(*both,
              HasSubstr("\"tosa.rescale\"(%x) {multiplier = array<i32: 1073741824, 1518500250>, "
                        "shift = array<i8: 30, 38>, double_round = true, per_channel = true, "
                        "scale32 = true, input_zp = 3 : i32, output_zp = -1 : i32} : "
                        "(tensor<2x2xi8>) -> (tensor<2x2xi8>)\n"));
  const auto input = Rescale(true, false).Render(Tosa0100());
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_THAT(*input, HasSubstr("@f(%x: tensor<2x2xui8>) -> (tensor<2x2xi8>)"));
  EXPECT_THAT(*input, HasSubstr(" : (tensor<2x2xui8>) -> (tensor<2x2xi8>)\n"));
  const auto output = Rescale(false, true).Render(Tosa0100());
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_THAT(*output, HasSubstr("  return %y : tensor<2x2xui8>\n"));
  // The zero point is that of the bits -1, which an unsigned tensor has for 255.
  EXPECT_THAT(*output, HasSubstr("output_zp = 255 : i32"));

  // The other user takes the tensor for signed.
  const auto clash = Rescale(true, false)
                         .Output("z", DType::kI8, {2, 2})
                         .Operator({"IDENTITY", {"x"}, {"z"}, {}})
                         .Render(Tosa0100());
  EXPECT_EQ(Failure(clash),
            "UNIMPLEMENTED: tensor x: the dialect of MLIR 19 has no tensors that are both signed "
            "and unsigned");
}

TEST(Mlir19Text, WritesUnsignedConstantsAsTheirBits) {
  Builder builder = Rescale(true, false);
  builder.graph.main().inputs.clear();
  builder.graph.main().tensors[0].values =
      std::make_shared<Tensor>(Tensor::OfIntegers(DType::kI8, {2, 2}, {-1, -128, 0, 127}));
  auto& operators = builder.graph.main().operators;
  operators.insert(operators.begin(), {"CONST", {}, {"x"}, {}});
  const auto text = builder.Render(Tosa0100());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("dense<[[255, 128], [0, 127]]> : tensor<2x2xui8>"));
}

TEST(Mlir19Text, SpellsOperatorsItsOwnWay) {
  const auto product =
      Unary(DType::kFp32, "REDUCE_PRODUCT", {{"axis", int64_t{0}}}).Render(Tosa0100());
  ASSERT_TRUE(product.ok()) << product.status();
  EXPECT_THAT(*product, HasSubstr("\"tosa.reduce_prod\"(%in) {axis = 0 : i32} : "));
  const auto quotient = Builder()
                            .Input("a", DType::kI32, {})
                            .Output("b", DType::kI32, {})
                            .Operator({"INTDIV", {"a", "a"}, {"b"}, {}})
                            .Render(Tosa0100());
  ASSERT_TRUE(quotient.ok()) << quotient.status();
  EXPECT_THAT(*quotient, HasSubstr("\"tosa.int_div\"(%a, %a) : "));
  const auto transposed =
      Builder()
          .Input("x", DType::kFp32, {1, 1, 1, 1})
          .Output("y", DType::kFp32, {1, 2, 3, 1})
          .Operator({"TRANSPOSE_CONV2D",
                     {"x", "x", "x"},
                     {"y"},
                     {{"acc_type", std::string("FP32")}, {"input_zp", 0.0}, {"weight_zp", 0.0}}})
          .Render(Tosa0100());
  ASSERT_TRUE(transposed.ok()) << transposed.status();
  EXPECT_THAT(*transposed, HasSubstr("{out_shape = array<i64: 1, 2, 3, 1>} : "));
}

TEST(Mlir19Text, DeclaresVariablesByNumber) {
  Builder builder;
  builder.Input("in", DType::kFp16, {2}).Output("out", DType::kFp16, {2});
  builder.Operator({"VARIABLE",
                    {},
                    {},
                    {{"uid", int64_t{7}},
                     {"var_shape", std::vector<int64_t>{2}},
                     {"type", std::string("FP16")}}});
  builder.Operator({"VARIABLE_WRITE", {"in"}, {}, {{"uid", int64_t{7}}}});
  builder.Operator({"VARIABLE_READ", {}, {"out"}, {{"uid", int64_t{7}}}});
  const auto text = builder.Render(Tosa0100());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            "\"tosa.variable\"() {type = tensor<2xf16>, name = \"f.7\"} : () -> ()\n"
            "func.func @f(%in: tensor<2xf16>) -> (tensor<2xf16>) attributes "
            "{llvm.emit_c_interface} {\n"
            "  \"tosa.variable.write\"(%in) {name = \"f.7\"} : (tensor<2xf16>) -> ()\n"
            "  %out = \"tosa.variable.read\"() {name = \"f.7\"} : () -> (tensor<2xf16>)\n"
            "  return %out : tensor<2xf16>\n"
            "}\n");
}

TEST(Mlir19Text, WritesTheGraphsOfControlFlowAsRegions) {
  Graph loop = Loop();
  const auto text = RenderMlir(loop, Tosa0100(), "f");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, RenderMlir(loop, Tosa10(), "f").value());  // nothing in it differs

  Graph branch = EmptyGraph();
  branch.main().inputs = {"c", "x"};
  branch.main().outputs = {"y"};
  branch.main().tensors = {{"c", DType::kBool, {1}, nullptr},
                           {"x", DType::kI32, {2}, nullptr},
                           {"y", DType::kI32, {2}, nullptr}};
  branch.main().operators = {
      {"COND_IF",
       {"c", "x"},
       {"y"},
       {{"then_graph", std::string("then")}, {"else_graph", std::string("else")}}}};
  for (const std::string name : {"then", "else"}) {
    Block block{name, {name + "_x"}, {name + "_y"}, {}, {}};
    block.tensors = {{name + "_x", DType::kI32, {2}, nullptr},
                     {name + "_y", DType::kI32, {2}, nullptr}};
    block.operators = {{name == "then" ? "ABS" : "BITWISE_NOT", {name + "_x"}, {name + "_y"}, {}}};
    branch.regions.push_back({name, {block}});
  }
  const auto choice = RenderMlir(branch, Tosa0100(), "f");
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(*choice,
            "func.func @f(%c: tensor<1xi1>, %x: tensor<2xi32>) -> (tensor<2xi32>) attributes "
            "{llvm.emit_c_interface} {\n"
            "  %y = \"tosa.cond_if\"(%c, %x) ({\n"
            "  ^then(%then_x: tensor<2xi32>):\n"
            "    %then_y = \"tosa.abs\"(%then_x) : (tensor<2xi32>) -> (tensor<2xi32>)\n"
            "    \"tosa.yield\"(%then_y) : (tensor<2xi32>) -> ()\n"
            "  }, {\n"
            "  ^else(%else_x: tensor<2xi32>):\n"
            "    %else_y = \"tosa.bitwise_not\"(%else_x) : (tensor<2xi32>) -> (tensor<2xi32>)\n"
            "    \"tosa.yield\"(%else_y) : (tensor<2xi32>) -> ()\n"
            "  }) : (tensor<1xi1>, tensor<2xi32>) -> (tensor<2xi32>)\n"
            "  return %y : tensor<2xi32>\n"
            "}\n");
}

TEST(Mlir19Text, HasNoWordsForMuch) {
  const auto dim = Builder()
                       .Input("x", DType::kI8, {2})
                       .Add("s", DType::kShape, {1})
                       .Operator({"DIM", {"x"}, {"s"}, {{"axis", int64_t{0}}}})
                       .Render(Tosa0100());
  EXPECT_EQ(Failure(dim), "UNIMPLEMENTED: DIM: the dialect of MLIR 19 has no operators on shapes");
  const auto computed = Builder()
                            .Input("x", DType::kI8, {2})
                            .Input("s", DType::kShape, {1})
                            .Output("y", DType::kI8, {2})
                            .Operator({"RESHAPE", {"x", "s"}, {"y"}, {}})
                            .Render(Tosa0100());
  EXPECT_EQ(Failure(computed), "UNIMPLEMENTED: the dialect of MLIR 19 has no shapes (tensor s)");
  const auto varying = Builder()
                           .Input("x", DType::kI32, {2})
                           .Input("n", DType::kI8, {})
                           .Output("y", DType::kI32, {2})
                           .Operator({"MUL", {"x", "x", "n"}, {"y"}, {}})
                           .Render(Tosa0100());
  EXPECT_EQ(Failure(varying),
            "UNIMPLEMENTED: MUL: shift: the dialect of MLIR 19 cannot say that it is anything but "
            "a constant of i8 and rank 0");
  // An illegal CONST_SHAPE does not vanish into the operators that use it.
  Builder illegal;
  illegal.Constant("s", Tensor::OfIntegers(DType::kShape, {1}, {2}));
  illegal.graph.main().operators[0].inputs = {"s"};
  EXPECT_EQ(Failure(illegal.Render(Tosa0100())),
            "UNIMPLEMENTED: CONST_SHAPE: the dialect of MLIR 19 has no operators on shapes");
  // A missing attribute cannot be told from one that is left to a default.
  const auto no_pad = Builder()
                          .Input("x", DType::kI8, {2})
                          .Constant("p", Tensor::OfIntegers(DType::kShape, {2}, {0, 0}))
                          .Output("y", DType::kI8, {2})
                          .Operator({"PAD", {"x", "p"}, {"y"}, {}})
                          .Render(Tosa0100());
  EXPECT_EQ(Failure(no_pad),
            "UNIMPLEMENTED: PAD: pad_const: the dialect of MLIR 19 cannot say that it is missing");
  // A constant of i32 would pass for the missing padding.
  const auto no_padding = Builder()
                              .Input("x", DType::kI32, {2})
                              .Output("y", DType::kI32, {2})
                              .Operator({"PAD", {"x"}, {"y"}, {{"pad_const", int64_t{0}}}})
                              .Render(Tosa0100());
  EXPECT_EQ(Failure(no_padding),
            "UNIMPLEMENTED: PAD: pad_const: the dialect of MLIR 19 cannot say that it is there "
            "while an operand before it is missing");
}

TEST(MlirText, RefusesWhatIsNoGraph) {
  EXPECT_EQ(Failure(RenderMlir(Graph{}, Tosa10(), "f")),
            "INVALID_ARGUMENT: the graph has no block");
  EXPECT_EQ(Failure(Builder().Operator({"EXP", {"nowhere"}, {}, {}}).Render()),
            "INVALID_ARGUMENT: EXP: tensor nowhere is not declared in block main");
  EXPECT_THAT(Failure(Unary(DType::kI8, "FROBNICATE", {}).Render()),
              testing::StartsWith("INVALID_ARGUMENT: FROBNICATE: tosa-1.0 has no operator of that "
                                  "name; did you mean "));
  EXPECT_EQ(Failure(RenderMlir(EmptyGraph(), Tosa10(), "f() {")),
            "INVALID_ARGUMENT: function name \"f() {\": expected letters, digits and underscores, "
            "no digit first");
}

// ---- Symbolic programs ----

// y = x[N, 3] with a 1 put among its dimensions, or removed from them.
Builder Ones(const std::string& op, const std::vector<int64_t>& indices) {
  Builder builder;
  builder.Input("x", DType::kI8, {-1, 1, 3}).Output("y", DType::kI8, {});
  GraphTensor& x = builder.graph.main().tensors[0];
  x.symbols = {"N", "", ""};
  GraphTensor& y = builder.graph.main().tensors[1];
  y.shape = op == "EXPAND_DIMS" ? Shape{-1, 1, 3, 1} : Shape{-1, 3};
  y.symbols.assign(y.shape.size(), "");
  y.symbols[0] = "y_0";
  return builder.Operator({op, {"x"}, {"y"}, {{"indices", indices}}});
}

TEST(MlirText, WritesAQuestionMarkForASymbol) {
  const auto text = Ones("COLLAPSE_DIMS", {1}).Render();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            "func.func @f(%x: tensor<?x1x3xi8>) -> (tensor<?x3xi8>) attributes "
            "{llvm.emit_c_interface} {\n"
            "  %y__0 = \"arith.constant\"() {value = 0 : index} : () -> index\n"
            "  %y__1 = \"tensor.dim\"(%x, %y__0) : (tensor<?x1x3xi8>, index) -> index\n"
            "  %y__2 = \"arith.constant\"() {value = 3 : index} : () -> index\n"
            "  %y__3 = \"tensor.from_elements\"(%y__1, %y__2) : (index, index) -> "
            "tensor<2xindex>\n"
            "  %y = \"tensor.reshape\"(%x, %y__3) : (tensor<?x1x3xi8>, tensor<2xindex>) -> "
            "tensor<?x3xi8>\n"
            "  return %y : tensor<?x3xi8>\n"
            "}\n");
  EXPECT_THAT(*Ones("EXPAND_DIMS", {3}).Render(), HasSubstr("-> tensor<?x1x3x1xi8>\n  return %y"));
}

// It has sizes only: what is wrong with indices would be right again.
TEST(MlirText, HasNoWordsForIndicesThatAreWrong) {
  const auto refuses = [](const std::string& op, const std::vector<int64_t>& indices) {
    EXPECT_THAT(Message(Ones(op, indices).Render().status()),
                HasSubstr("MLIR has no words for indices"));
  };
  refuses("COLLAPSE_DIMS", {0});  // a symbol
  refuses("COLLAPSE_DIMS", {2});  // 3
  refuses("COLLAPSE_DIMS", {3});
  refuses("COLLAPSE_DIMS", {-1});
  refuses("COLLAPSE_DIMS", {1, 1});
  refuses("EXPAND_DIMS", {4});
  refuses("EXPAND_DIMS", {1, 0});
}

// A symbol where a 1 is inserted has the value 1.
TEST(MlirText, InsertsOnesWhateverTheResultSays) {
  Builder builder = Ones("EXPAND_DIMS", {3});
  GraphTensor& y = builder.graph.main().tensors[1];
  y.shape[3] = -1;
  y.symbols[3] = "y_3";
  EXPECT_THAT(*builder.Render(),
              HasSubstr("  %y__4 = \"arith.constant\"() {value = 1 : index} : () -> index\n"
                        "  %y__5 = \"tensor.from_elements\"(%y__1, %y__2, %y__3, %y__4)"));
  y.shape = {-1, 1, 3};
  y.symbols = {"y_0", "", ""};
  EXPECT_THAT(Message(builder.Render().status()),
              HasSubstr("MLIR has no words for indices [3] and a result of rank 3"));
}

// A name that is made up is that of no tensor.
TEST(MlirText, GivesNoNameTwice) {
  const auto index = [](const std::string& name) {
    return GraphTensor{name, DType::kShape, {1}, nullptr};
  };
  Builder builder = Ones("COLLAPSE_DIMS", {1});
  Block& block = builder.graph.main();
  for (const char* name : {"y__0", "y__2", "c_at", "c__1"}) block.tensors.push_back(index(name));
  block.tensors.push_back({"c", DType::kI8, {-1}, nullptr, {"c_0"}});
  const std::vector<GraphOperator> before = {
      {"GET_DIM", {"x"}, {"y__0"}, {{"dim_index", int64_t{0}}}},
      {"INDEX_CONST", {}, {"y__2"}, {{"value", int64_t{1}}}},
      {"INDEX_CONST", {}, {"c_at"}, {{"value", int64_t{2}}}},
      {"INDEX_CONST", {}, {"c__1"}, {{"value", int64_t{2}}}}};
  block.operators.insert(block.operators.begin(), before.begin(), before.end());
  block.operators.push_back({"IOTA", {"y__0"}, {"c"}, {}});
  block.outputs.push_back("c");
  const auto text = builder.Render();
  ASSERT_TRUE(text.ok()) << text.status();
  std::set<std::string> defined;
  size_t definitions = 0;
  for (size_t at = text->find('%'); at != std::string::npos; at = text->find('%', at + 1)) {
    const size_t end = text->find_first_of(" :,)", at);
    const bool defines =
        text->compare(end, 3, " = ") == 0 || text->compare(end, 8, ": index)") == 0;
    if (!defines) continue;
    ++definitions;
    EXPECT_TRUE(defined.insert(text->substr(at, end - at)).second) << *text;
  }
  EXPECT_GT(definitions, 15u);
}

TEST(MlirText, RefusesWhatIsNoSymbolicProgram) {
  const auto render = [](GraphOperator op, Shape shape) {
    Builder builder;
    builder.Input("x", DType::kI8, std::move(shape)).Output("y", DType::kI8, {-1});
    Block& block = builder.graph.main();
    block.tensors[1].symbols = {"y_0"};
    block.tensors.push_back({"i", DType::kShape, {1}, nullptr});
    builder.Operator(std::move(op));
    return Failure(builder.Operator({"IOTA", {"i"}, {"y"}, {}}).Render());
  };
  EXPECT_THAT(render({"INDEX_CONST", {}, {"i"}, {}}, {1}),
              HasSubstr("INVALID_ARGUMENT: graph, INDEX_CONST (operator 0): expected attribute"));
  EXPECT_THAT(render({"GET_DIM", {}, {"i"}, {{"dim_index", int64_t{0}}}}, {1}),
              HasSubstr("found 0 inputs, expected 1 tensor"));
  EXPECT_THAT(render({"GET_DIM", {"x"}, {}, {{"dim_index", int64_t{0}}}}, {1}),
              HasSubstr("INVALID_ARGUMENT: graph, IOTA (operator 1): input i is used before"));
  Builder gather;
  gather.Input("x", DType::kI8, {0, 2, 1}).Output("y", DType::kI8, {0, 1, 1});
  gather.graph.main().tensors.push_back({"i", DType::kShape, {1}, nullptr});
  gather.Operator({"INDEX_CONST", {}, {"i"}, {{"value", int64_t{0}}}});
  gather.Operator({"DATA_DEPENDENT_GATHER", {"x", "i"}, {"y"}, {}});
  EXPECT_THAT(Failure(gather.Render()), HasSubstr("no operation of MLIR takes these index values"));
}

TEST(MlirText, RefusesScales) {
  Graph graph = EmptyGraph();
  const auto values = std::make_shared<const Tensor>(*Tensor::BlockScaled(DType::kFp8E4M3, {32}));
  graph.main().tensors.push_back({"c", DType::kFp8E4M3, {32}, values});
  graph.main().operators.push_back({.op = "CONST", .inputs = {}, .outputs = {"c"}});
  graph.main().outputs = {"c"};
  const auto text = RenderMlir(graph, **FindEdition(kDefaultEdition), "main");
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(Message(text.status()),
              HasSubstr("MLIR text cannot hold scales, and the values of c are "
                        "bs32_fp8ue8m0_fp8e4m3"));
}

}  // namespace
}  // namespace cts
