#include "reference/formats/tosa/tosa_flatbuffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <utility>

#include "reference/bundle/case.h"
#include "reference/evaluate/testing.h"
#include "reference/formats/tosa/tosa_wire.h"
#include "reference/spec/type_names.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing_graph::Bool;
using testing_graph::CondIf;
using testing_graph::Constant;
using testing_graph::I32;
using testing_graph::Integers;
using testing_graph::Op;
using testing_graph::R;
using testing_graph::T;
using testing_graph::WhileLoop;

namespace fb = flatbuffers;

const Edition& Tosa() { return **FindEdition("tosa-1.0"); }

std::string Encoded(const Graph& graph) {
  const auto bytes = EncodeTosa(graph, Tosa());
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

TosaFile Decoded(const std::string& bytes) {
  auto file = DecodeTosa(bytes, "f.tosa");
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? *std::move(file) : TosaFile{"", EmptyGraph(), {}};
}

// Everything that a graph says, as a bundle says it.
std::string Text(const Graph& graph) {
  Case c;
  c.graph = graph;
  std::string text;
  for (const BundleFile& file : EncodeCase(c)) text += file.path + "\n" + file.bytes + "\n";
  return text;
}

void ExpectSurvives(const Graph& graph) {
  EXPECT_EQ(Text(Decoded(Encoded(graph)).graph), Text(graph));
}

std::string EncodeError(const Graph& graph, absl::StatusCode code) {
  const auto bytes = EncodeTosa(graph, Tosa());
  EXPECT_EQ(bytes.status().code(), code) << bytes.status();
  return Message(bytes.status());
}

std::string DecodeError(std::string_view bytes,
                        absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
  const auto file = DecodeTosa(bytes, "f.tosa");
  EXPECT_EQ(file.status().code(), code) << file.status();
  return Message(file.status());
}

// One operator on tensors of the main block: inputs first, then outputs.
Graph OneOperator(GraphOperator op, std::vector<GraphTensor> tensors) {
  Graph graph = EmptyGraph();
  graph.main().inputs = op.inputs;
  graph.main().outputs = op.outputs;
  graph.main().tensors = std::move(tensors);
  graph.main().operators = {std::move(op)};
  return graph;
}

Graph ConstantGraph(const Tensor& values) {
  Graph graph = EmptyGraph();
  const bool shape = values.dtype() == DType::kShape;
  graph.main().tensors = {
      {"c", values.dtype(), values.shape(), std::make_shared<const Tensor>(values)}};
  graph.main().operators = {Op(shape ? "CONST_SHAPE" : "CONST", {}, {"c"})};
  return graph;
}

// ---- The format ----

// Numbers that stand in files of others: the conformance examples of the public reference model.
TEST(TosaWire, HasThePublicNumbers) {
  EXPECT_EQ(static_cast<int>(tosa::Op::ADD), 0x0f);
  EXPECT_EQ(static_cast<int>(tosa::Op::TRANSPOSE), 0x3d);
  EXPECT_EQ(static_cast<int>(tosa::Op::CONST), 0x43);
  EXPECT_EQ(static_cast<int>(tosa::Op::CONST_SHAPE), 75);
  EXPECT_EQ(static_cast<int>(tosa::DType::FP32), 7);
  EXPECT_EQ(static_cast<int>(tosa::DType::FP8E5M2), 12);
  EXPECT_STREQ(tosa::TosaGraphIdentifier(), "TOSA");
}

// Arguments that are no field of an attribute table: the format has tensors for them.
bool IsElsewhere(const std::string& op, const std::string& argument) {
  return op == "CONST" || op == "CONST_SHAPE" || op.starts_with("VARIABLE") || argument.empty();
}

TEST(TosaWire, HasEveryOperatorAndAttributeOfTheEditionUnderItsName) {
  std::set<std::string> known = {"UNKNOWN"};
  for (const OperatorSpec& spec : Tosa().operators) {
    const auto number = tosa::NumberOf(*tosa::OpTypeTable(), spec.name);
    ASSERT_TRUE(number) << spec.name;
    known.insert(spec.name);
    const fb::TypeTable* fields = tosa::AttributeFields(static_cast<tosa::Op>(*number));
    ASSERT_NE(fields, nullptr) << spec.name;
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.category != ArgumentCategory::kAttribute) continue;
      EXPECT_NE(tosa::NumberOf(*fields, argument.name).has_value(),
                IsElsewhere(spec.name, argument.name))
          << spec.name << " " << argument.name;
    }
    for (size_t i = 0; i < fields->num_elems; ++i) {
      const ArgumentSpec* argument = spec.FindArgument(fields->names[i]);
      ASSERT_NE(argument, nullptr) << spec.name << " " << fields->names[i];
      EXPECT_EQ(argument->category, ArgumentCategory::kAttribute);
    }
  }
  const fb::TypeTable& operators = *tosa::OpTypeTable();
  for (size_t i = 0; i < operators.num_elems; ++i) EXPECT_EQ(known.count(operators.names[i]), 1);
}

// The editions number their enumerations as the format does.
TEST(TosaWire, HasTheNumbersOfTheEditionsEnumerations) {
  const std::pair<const char*, const fb::TypeTable*> pairs[] = {
      {"resize_mode_t", tosa::ResizeModeTypeTable()},
      {"nan_propagation_mode_t", tosa::NanPropagationModeTypeTable()},
      {"rounding_mode_t", tosa::RoundingModeTypeTable()}};
  for (const auto& [name, wire] : pairs) {
    const EnumSpec& spec = *Tosa().FindEnum(name);
    EXPECT_EQ(spec.values.size() + 1, wire->num_elems);
    for (const EnumValue& value : spec.values) {
      const std::string there = wire->names[value.value];
      EXPECT_EQ(there, value.name == "NEAREST_NEIGHBOR" ? "NEAREST" : value.name);
    }
  }
  for (const EnumValue& value : Tosa().FindEnum("acc_type_t")->values) {
    EXPECT_TRUE(tosa::NumberOf(*tosa::DTypeTypeTable(), value.name)) << value.name;
  }
  for (const EnumValue& value : Tosa().FindEnum("var_t")->values) {
    EXPECT_EQ(tosa::NumberOf(*tosa::DTypeTypeTable(), value.name).has_value(),
              value.name != "BOOLEAN");
  }
}

// Each name leads to its row and back; the names are the edition's and the schema's.
TEST(TosaWire, HasEachTypeOnceInEveryNotation) {
  using tosa::FindType, tosa::WireType;
  for (const WireType& row : tosa::kTypes) {
    EXPECT_EQ(FindType(&WireType::dtype, row.dtype), &row);
    EXPECT_EQ(FindType(&WireType::number, row.number), &row);
    if (row.dtype != DType::kBool && row.dtype != DType::kShape) {
      EXPECT_EQ(EnumeratorOf(row.dtype), tosa::EnumNameDType(row.number));
    }
  }
  for (const TypeEnumerator& type : kTypeEnumerators) {
    EXPECT_EQ(TypeOfEnumerator(type.name), type.dtype);
    EXPECT_EQ(EnumeratorOf(type.dtype), type.name);
    EXPECT_NE(FindType(&WireType::dtype, type.dtype), nullptr) << type.name;
  }
  EXPECT_EQ(FindType(&WireType::dtype, DType::kFp64), nullptr);
  EXPECT_EQ(TypeOfEnumerator("BOOL"), std::nullopt);
}

struct Layout {
  Tensor tensor;
  std::vector<uint8_t> bytes;
};

class TosaData : public ::testing::TestWithParam<Layout> {};

std::vector<Layout> Layouts() {
  const auto integers = [](DType dtype, const std::vector<int64_t>& values) {
    return Tensor::OfIntegers(dtype, {static_cast<int64_t>(values.size())}, values);
  };
  const auto floats = [](DType dtype, double value) {
    return Tensor::OfFloats(dtype, {}, {value});
  };
  return {{integers(DType::kBool, {1, 0, 1}), {1, 0, 1}},
          {integers(DType::kI4, {1, -2, 7}), {0xE1, 0x07}},
          {integers(DType::kI4, {-7, 0}), {0x09}},
          {integers(DType::kI8, {-1, 127}), {0xFF, 0x7F}},
          {integers(DType::kI16, {-2, 258}), {0xFE, 0xFF, 2, 1}},
          {integers(DType::kI32, {-2}), {0xFE, 0xFF, 0xFF, 0xFF}},
          {integers(DType::kI48, {-2, 0x010203040506}),
           {0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 6, 5, 4, 3, 2, 1}},
          {integers(DType::kI48, {-140737488355328}), {0, 0, 0, 0, 0, 0x80}},
          {integers(DType::kShape, {-1, 258}),
           {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2, 1, 0, 0, 0, 0, 0, 0}},
          {floats(DType::kFp32, -1), {0, 0, 0x80, 0xBF}},
          {floats(DType::kFp16, 1), {0, 0x3C}},
          {floats(DType::kBf16, 1), {0x80, 0x3F}},
          {floats(DType::kFp8E4M3, 1), {0x38}},
          {floats(DType::kFp8E5M2, 1), {0x3C}}};
}

TEST_P(TosaData, HasTheLayoutOfItsType) {
  const Graph graph = ConstantGraph(GetParam().tensor);
  const std::string bytes = Encoded(graph);
  const auto& block = *tosa::GetTosaGraph(bytes.data())->regions()->Get(0)->blocks()->Get(0);
  const auto* data = GetParam().tensor.dtype() == DType::kShape ? block.shapes()->Get(0)->data()
                                                                : block.tensors()->Get(0)->data();
  EXPECT_EQ(std::vector<uint8_t>(data->begin(), data->end()), GetParam().bytes);
  EXPECT_EQ(
      (reinterpret_cast<uintptr_t>(data->data()) - reinterpret_cast<uintptr_t>(bytes.data())) % 8,
      0U);
  ExpectSurvives(graph);
}

INSTANTIATE_TEST_SUITE_P(All, TosaData, ::testing::ValuesIn(Layouts()));

// ---- Graphs there and back ----

TEST(Tosa, KeepsAttributesApartFromThoseThatAreNotThere) {
  const auto conv = [](std::map<std::string, AttributeValue> attributes) {
    return OneOperator(Op("CONV2D", {"a"}, {"b"}, std::move(attributes)), {I32("a"), I32("b")});
  };
  using List = std::vector<int64_t>;
  ExpectSurvives(conv({{"pad", List{0, -1, 2, INT32_MAX}},
                       {"stride", List{}},
                       {"dilation", List{1, 1}},
                       {"acc_type", std::string("INT48")},
                       {"local_bound", false}}));
  ExpectSurvives(conv({{"local_bound", true}}));
  ExpectSurvives(conv({}));
}

TEST(Tosa, KeepsBoundsInTheTypeOfTheInput) {
  const auto clamp = [](DType dtype, AttributeValue min, AttributeValue max) {
    return OneOperator(Op("CLAMP", {"a"}, {"b"}, {{"min_val", min}, {"max_val", max}}),
                       {T("a", dtype), T("b", dtype)});
  };
  ExpectSurvives(clamp(DType::kFp16, -0.0, 65504.0));
  ExpectSurvives(clamp(DType::kBf16, std::numeric_limits<double>::quiet_NaN(),
                       std::numeric_limits<double>::infinity()));
  ExpectSurvives(clamp(DType::kI8, int64_t{-128}, int64_t{127}));
  ExpectSurvives(clamp(DType::kI16, int64_t{-1}, int64_t{0}));
  EXPECT_THAT(EncodeError(clamp(DType::kFp16, 0.1, 1.0), absl::StatusCode::kUnimplemented),
              HasSubstr("attribute min_val: a .tosa file cannot hold 0.1 as fp16"));
  EXPECT_THAT(
      EncodeError(clamp(DType::kI8, int64_t{0}, int64_t{128}), absl::StatusCode::kUnimplemented),
      HasSubstr("attribute max_val: a .tosa file cannot hold this value as i8"));
}

TEST(Tosa, KeepsTheOrderOfTensorsAndShapes) {
  for (const char* order : {"atbs", "tabs", "stab", "ab", "ts", "t", ""}) {
    Graph graph = EmptyGraph();
    for (const char* name = order; *name != '\0'; ++name) {
      const bool shape = *name == 's' || *name == 't';
      graph.main().tensors.push_back(T({*name}, shape ? DType::kShape : DType::kI8, {2}));
    }
    ExpectSurvives(graph);
  }
}

TEST(Tosa, KeepsEmptyShapes) {
  ExpectSurvives(ConstantGraph(Tensor(DType::kShape, {0})));
  Graph unknown = ConstantGraph(Tensor(DType::kShape, {0}));
  unknown.main().tensors[0].values = nullptr;
  unknown.main().operators.clear();
  ExpectSurvives(unknown);
}

TEST(Tosa, KeepsShapesOutsideOfTheSpecification) {
  Graph graph = EmptyGraph();
  graph.main().tensors = {T("a", DType::kI8, {0, -1, INT32_MAX}), T("b", DType::kI8, {}),
                          T("c", DType::kI8, Shape(64, 1))};
  ExpectSurvives(graph);
  graph.main().tensors[0].shape[0] = int64_t{1} << 31;
  EXPECT_THAT(EncodeError(graph, absl::StatusCode::kUnimplemented),
              HasSubstr("tensor a: a .tosa file cannot hold 2147483648: 32 bits"));
}

TEST(Tosa, KeepsRegionsAndCustomOperators) {
  Graph graph =
      OneOperator(CondIf({"c", "x"}, {"y"}, "yes", "no"), {Bool("c"), I32("x"), I32("y")});
  graph.regions.push_back(R("yes", {"p"}, {"q"}, {I32("p"), I32("q")},
                            {Op("CUSTOM", {"p"}, {"q"},
                                {{"operator_name", std::string("warp")},
                                 {"domain_name", std::string("d\xC3\xA9")},
                                 {"implementation_attrs", std::string("a\nb")}})}));
  graph.regions.push_back(R("no", {"r"}, {"r"}, {I32("r")}, {}));
  graph.regions.push_back(R("unused", {}, {"k"}, {Constant("k", 3)}, {}));
  ExpectSurvives(graph);
}

GraphOperator Variable(const std::string& name, const std::string& type, const Shape& shape,
                       const std::string& initial = "") {
  GraphOperator op = Op("VARIABLE", {}, {}, {{"name", name}, {"type", type}, {"var_shape", shape}});
  if (!initial.empty()) op.attributes.emplace("initial_value", initial);
  return op;
}

TEST(Tosa, KeepsVariables) {
  const auto read = [](const std::string& name, const std::string& to) {
    return Op("VARIABLE_READ", {}, {to}, {{"name", name}});
  };
  const auto write = [](const std::string& from, const std::string& name) {
    return Op("VARIABLE_WRITE", {from}, {}, {{"name", name}});
  };
  Graph graph = EmptyGraph();
  Block& main = graph.main();
  main.tensors = {Constant("start", 7), I32("x"), Bool("flag", {2}), I32("y")};
  main.operators = {read("never declared", "y"),
                    Variable("with", "INT32", {1}, "start"),
                    Variable("without", "BOOLEAN", {2}),
                    Variable("without", "FP16", {3, 4}),  // twice, which is an error
                    write("x", "with"),
                    read("without", "flag")};
  graph.regions.push_back(
      R("inner", {"p"}, {"q"}, {I32("p"), I32("q")}, {write("p", "with"), read("with", "q")}));
  ExpectSurvives(graph);

  // The tensor that stands for a variable has the same name in every block.
  const std::string bytes = Encoded(graph);
  const auto* regions = tosa::GetTosaGraph(bytes.data())->regions();
  const auto* inner = regions->Get(1)->blocks()->Get(0)->tensors();
  ASSERT_EQ(inner->size(), 3U);
  EXPECT_EQ(inner->Get(2)->name()->str(), "start");
  EXPECT_EQ(inner->Get(2)->variable_name()->str(), "with");
  EXPECT_TRUE(inner->Get(2)->variable());
}

TEST(Tosa, SaysWhatTheFormatCannotHold) {
  const auto graph_of = [](GraphOperator op) {
    return OneOperator(std::move(op), {I32("a"), I32("b")});
  };
  const std::pair<Graph, std::string> cases[] = {
      {graph_of(Op("REDUCE_SUM", {"a"}, {"b"})),
       "block main: operator 0 (REDUCE_SUM): a .tosa file cannot leave out attribute axis"},
      {graph_of(Op("REDUCE_SUM", {"a"}, {"b"}, {{"axis", int64_t{1} << 31}})),
       "block main: operator 0 (REDUCE_SUM): attribute axis: a .tosa file cannot hold 2147483648: "
       "32 bits"},
      {graph_of(Op("REDUCE_SUM", {"a"}, {"b"}, {{"axis", std::string("x")}})),
       "block main: operator 0 (REDUCE_SUM): attribute axis: a .tosa file cannot hold a value of "
       "this type"},
      {graph_of(Op("ABS", {"a"}, {"b"}, {{"axis", int64_t{1}}})),
       "block main: operator 0 (ABS): a .tosa file has no place for attribute axis"},
      {graph_of(Op("RESIZE", {"a"}, {"b"}, {{"mode", std::string("CUBIC")}})),
       "block main: operator 0 (RESIZE): attribute mode: a .tosa file has no resize_mode_t of name "
       "CUBIC"},
      {graph_of(Variable("v", "INT32", {2}, "a")),
       "block main: VARIABLE v: a .tosa file cannot hold an initial_value that is no tensor with "
       "values"},
      {graph_of(Variable("", "INT32", {2})),
       "block main: a .tosa file cannot hold a variable without a name"},
      {graph_of(Variable("v", "SHAPE", {2})),
       "block main: VARIABLE v: a .tosa file has no variables of type SHAPE"},
      {ConstantGraph(Tensor::OfIntegers(DType::kI4, {1}, {-8})),
       "block main: tensor c: a .tosa file cannot hold -8 as i4"},
      {ConstantGraph(Tensor(DType::kI64, {1})),
       "block main: tensor c: a .tosa file has no tensors of i64"},
      {ConstantGraph(*Tensor::BlockScaled(DType::kFp8E5M2, {32})),
       "block main: tensor c: a .tosa file of 1.0 cannot hold scales, and its values are "
       "bs32_fp8ue8m0_fp8e5m2"},
      {ConstantGraph(Tensor(DType::kShape, {1, 2})),
       "block main: tensor c: a .tosa file has only lists of sizes of type shape, found [1,2]"},
  };
  for (const auto& [graph, expected] : cases) {
    EXPECT_EQ(EncodeError(graph, absl::StatusCode::kUnimplemented), expected);
  }
  const auto other = EncodeTosa(EmptyGraph(), **FindEdition("tosa-0.100"));
  EXPECT_EQ(
      Message(other.status()),
      "edition tosa-0.100: .tosa files are those of tosa-1.0; render writes the text of MLIR");
  EXPECT_THAT(EncodeError(graph_of(Op("NONE", {}, {})), absl::StatusCode::kInvalidArgument),
              testing::StartsWith("block main: operator 0 (NONE): tosa-1.0 has no operator of that "
                                  "name; did you mean "));
  EXPECT_EQ(EncodeError(graph_of(Op("ABS", {"a"}, {"b", "z"})), absl::StatusCode::kInvalidArgument),
            "block main: tensor z is not declared");
  EXPECT_EQ(EncodeError(Graph{}, absl::StatusCode::kInvalidArgument), "the graph has no block");
}

// ---- Files of others, good and bad ----

// A file of one block, made by hand.
class File {
 public:
  using Tensors = std::vector<fb::Offset<tosa::TosaTensor>>;
  using Operators = std::vector<fb::Offset<tosa::TosaOperator>>;

  fb::FlatBufferBuilder b;
  Tensors tensors;
  Operators operators;
  std::vector<fb::Offset<tosa::TosaShape>> shapes;
  std::vector<fb::Offset<tosa::TosaRegion>> regions;
  std::vector<std::string> inputs, outputs;

  fb::Offset<fb::Vector<fb::Offset<fb::String>>> Names(const std::vector<std::string>& names) {
    return b.CreateVectorOfStrings(names);
  }
  void Tensor(const std::string& name, std::vector<int32_t> shape = {1},
              tosa::DType type = tosa::DType::INT32, std::vector<uint8_t> data = {}) {
    tensors.push_back(tosa::CreateTosaTensorDirect(b, name.c_str(), &shape, type, &data));
  }
  void VariableTensor(const std::string& name, const std::string& variable,
                      std::vector<uint8_t> data) {
    const std::vector<int32_t> shape = {1};
    tensors.push_back(tosa::CreateTosaTensorDirect(b, name.c_str(), &shape, tosa::DType::INT32,
                                                   &data, true, false, variable.c_str()));
  }
  void Operator(tosa::Op op, const std::vector<std::string>& in,
                const std::vector<std::string>& out, tosa::Attribute type,
                fb::Offset<void> attribute) {
    operators.push_back(tosa::CreateTosaOperator(b, op, type, attribute, Names(in), Names(out)));
  }
  // An operator whose attributes have no fields.
  void Operator(tosa::Op op, const std::vector<std::string>& in,
                const std::vector<std::string>& out) {
    Operator(op, in, out, static_cast<tosa::Attribute>(op), tosa::CreateAbsAttribute(b).Union());
  }
  void EndRegion(const std::string& name) {
    const std::vector<fb::Offset<tosa::TosaBasicBlock>> blocks = {tosa::CreateTosaBasicBlock(
        b, b.CreateString(name), b.CreateVector(operators), b.CreateVector(tensors), Names(inputs),
        Names(outputs), b.CreateVector(shapes))};
    regions.push_back(tosa::CreateTosaRegion(b, b.CreateString(name), b.CreateVector(blocks)));
    tensors.clear();
    operators.clear();
    shapes.clear();
    inputs.clear();
    outputs.clear();
  }
  fb::Offset<tosa::SerializationCompatibility> compatibility = 0;
  std::string End(int major = 1, int minor = 0, bool draft = false) {
    if (regions.empty()) EndRegion("main");
    const auto version = tosa::CreateVersion(b, major, minor, 0, draft);
    tosa::FinishTosaGraphBuffer(
        b, tosa::CreateTosaGraph(b, version, b.CreateVector(regions), 0, compatibility));
    return {reinterpret_cast<const char*>(b.GetBufferPointer()), b.GetSize()};
  }
};

// y = ABS(x)
std::string AbsFile(
    const std::function<void(File&)>& change = [](File&) {}, int major = 1, int minor = 0,
    bool draft = false) {
  File file;
  file.inputs = {"x"};
  file.outputs = {"y"};
  file.Tensor("x");
  file.Tensor("y");
  change(file);
  if (file.operators.empty()) file.Operator(tosa::Op::ABS, {"x"}, {"y"});
  return file.End(major, minor, draft);
}

// The shape of a scalar has no element; tosa-tools leaves eight bytes for one all the same.
TEST(TosaReader, ReadsAnEmptyShapeWithRoomForANumber) {
  const auto reshape = [](std::vector<uint8_t> data) {
    return AbsFile([&](File& f) {
      f.shapes.push_back(tosa::CreateTosaShapeDirect(f.b, "s", 0, &data));
      f.Operator(tosa::Op::CONST_SHAPE, {}, {"s"});
      f.Operator(tosa::Op::RESHAPE, {"x", "s"}, {"y"});
    });
  };
  const TosaFile file = Decoded(reshape(std::vector<uint8_t>(8)));
  const GraphTensor* const shape = file.graph.main().Find("s");
  ASSERT_NE(shape, nullptr);
  ASSERT_NE(shape->values, nullptr);
  EXPECT_EQ(shape->values->shape(), Shape{0});
  EXPECT_THAT(DecodeError(reshape({1, 0, 0, 0, 0, 0, 0, 0})), HasSubstr("shape s"));
  EXPECT_THAT(DecodeError(reshape(std::vector<uint8_t>(16))), HasSubstr("shape s"));
}

TEST(TosaReader, ReadsAnotherWritersFile) {
  const TosaFile file = Decoded(AbsFile([](File&) {}, 1, 1, true));
  EXPECT_EQ(file.version, "1.1.0 draft");
  EXPECT_EQ(Text(file.graph), Text(OneOperator(Op("ABS", {"x"}, {"y"}), {I32("x"), I32("y")})));
  EXPECT_THAT(file.renamed, IsEmpty());
}

// Type numbers 13 and 14, operators behind WHILE_LOOP and the sizes of constants differ there.
TEST(TosaReader, SaysThatAFileMayBeOfADraftBeforeTheRelease) {
  EXPECT_TRUE(Decoded(AbsFile([](File&) {}, 1, 1, true)).may_be_old_draft);
  EXPECT_TRUE(Decoded(AbsFile([](File&) {}, 1, 0, true)).may_be_old_draft);
  EXPECT_FALSE(Decoded(AbsFile([](File&) {}, 1, 1)).may_be_old_draft);
  const Graph graph = OneOperator(Op("ABS", {"x"}, {"y"}), {I32("x"), I32("y")});
  EXPECT_FALSE(
      Decoded(*EncodeTosa(graph, Tosa(), *ParseTosaVersion("1.1.0 draft"))).may_be_old_draft);
  const auto unknown = [](File& f) {
    f.tensors.push_back(tosa::CreateTosaTensorDirect(f.b, "z", nullptr, tosa::DType(14)));
  };
  const std::string hint =
      "; the file says 1.1.0 draft and names no release, as files of the drafts before 1.0 (until "
      "January 2025) do, which number types and operators otherwise (8 is FP16, and was FP32); if "
      "it is one, have it written again by a serializer of 1.0 or later";
  const std::string found = "f.tosa: block main, tensor z: found type number 14, expected 1 to 12";
  EXPECT_EQ(Message(DecodeTosa(AbsFile(unknown), "f.tosa").status()), found);
  EXPECT_EQ(Message(DecodeTosa(AbsFile(unknown, 1, 1, true), "f.tosa").status()), found + hint);
}

std::string Needs(uint64_t features, int year, int month) {
  return AbsFile([&](File& file) {
    file.compatibility = tosa::CreateSerializationCompatibility(
        file.b, tosa::CreateSoftwareVersion(file.b, year, month, 0, file.b.CreateString("")),
        features);
  });
}

TEST(TosaReader, RefusesWhatTheFileSaysItsReaderMustKnow) {
  EXPECT_TRUE(DecodeTosa(Needs(0, 2026, 8), "f.tosa").ok());
  EXPECT_EQ(Message(DecodeTosa(Needs(0, 2026, 9), "f.tosa").status()),
            "f.tosa: compatibility: needs a reader of 2026.9, this one is of 2026.8");
  EXPECT_EQ(Message(DecodeTosa(Needs(0, 2027, 1), "f.tosa").status()),
            "f.tosa: compatibility: needs a reader of 2027.1, this one is of 2026.8");
  EXPECT_EQ(Message(DecodeTosa(Needs(2, 2026, 8), "f.tosa").status()),
            "f.tosa: compatibility: needs MXFP: version 1.0 has no block-scaled tensors");
  EXPECT_EQ(Message(DecodeTosa(Needs(14, 2026, 8), "f.tosa").status()),
            "f.tosa: compatibility: needs the features 0xc, which nobody knew in 2026.8");
}

TEST(TosaVersion, IsWrittenWithTheReleaseThatReadersAskFor) {
  const Graph graph = OneOperator(Op("ABS", {"x"}, {"y"}), {I32("x"), I32("y")});
  const Edition& edition = Tosa();
  const std::string plain = *EncodeTosa(graph, edition);
  EXPECT_EQ(Decoded(plain).version, "1.0.0");
  EXPECT_EQ(tosa::GetTosaGraph(plain.data())->software_version(), nullptr);
  for (const char* text : {"1.0.2", "1.1.0 draft"}) {
    const std::string bytes = *EncodeTosa(graph, edition, *ParseTosaVersion(text));
    const TosaFile file = Decoded(bytes);
    EXPECT_EQ(file.version, text);
    EXPECT_EQ(Text(file.graph), Text(graph));
    const tosa::SoftwareVersion* const release =
        tosa::GetTosaGraph(bytes.data())->software_version();
    ASSERT_NE(release, nullptr);
    ASSERT_NE(release->_modifier(), nullptr);  // without it readers crash
    EXPECT_EQ(release->_modifier()->str(), "");
    EXPECT_GE(release->_major(), 2026);
  }
  for (const char* text : {"", "1.0", "2.0.0", "1.0.2 final", "1.0.-2", "1.0.20000"}) {
    EXPECT_FALSE(ParseTosaVersion(text).ok()) << text;
  }
}

TEST(TosaReader, TakesPaddedDataAndValuesThatAreLeftOut) {
  const std::string bytes = AbsFile([](File& file) {
    file.Tensor("padded", {3}, tosa::DType::INT8, {1, 2, 255, 0, 0, 0, 0, 0});
    file.Operator(tosa::Op::REDUCE_SUM, {"x"}, {"y"}, tosa::Attribute::ReduceSumAttribute,
                  tosa::CreateReduceSumAttribute(file.b).Union());
    file.Operator(tosa::Op::RESCALE, {"x"}, {"y"}, tosa::Attribute::RescaleAttribute,
                  tosa::CreateRescaleAttribute(file.b, true).Union());
  });
  const Block block = Decoded(bytes).graph.main();
  EXPECT_THAT(block.tensors[2].values->Integers(), ElementsAre(1, 2, -1));
  EXPECT_EQ(block.operators[0].attributes,
            (std::map<std::string, AttributeValue>{{"axis", int64_t{0}}}));
  // rounding_mode has a number of its own for what is not there.
  EXPECT_EQ(block.operators[1].attributes,
            (std::map<std::string, AttributeValue>{{"scale32", true},
                                                   {"per_channel", false},
                                                   {"input_unsigned", false},
                                                   {"output_unsigned", false}}));
}

TEST(TosaReader, MakesNamesIdentifiersThatAreUnique) {
  File file;
  file.inputs = {"model/x:0", "model_x_0"};
  file.outputs = {"1"};
  file.Tensor("model/x:0");
  file.Tensor("model_x_0");
  file.Tensor("1");
  file.Tensor(std::string(300, 'n'));
  file.Operator(tosa::Op::ADD, {"model/x:0", "model_x_0"}, {"1"});
  file.EndRegion("main");
  file.Tensor("1");
  file.Tensor("p");
  file.Operator(tosa::Op::ABS, {"p"}, {"1"});
  file.EndRegion("a.region");
  const TosaFile read = Decoded(file.End());
  EXPECT_THAT(read.graph.main().inputs, ElementsAre("model_x_0", "model_x_0_1"));
  EXPECT_THAT(read.graph.main().outputs, ElementsAre("_1"));
  EXPECT_EQ(read.graph.main().tensors[3].name.size(), 100U);
  EXPECT_EQ(read.graph.regions[1].name, "a_region");
  EXPECT_THAT(read.graph.regions[1].blocks[0].operators[0].outputs, ElementsAre("_1_1"));
  EXPECT_EQ(read.renamed.at("model/x:0"), "model_x_0");
  EXPECT_EQ(read.renamed.at("model_x_0"), "model_x_0_1");
  EXPECT_EQ(read.renamed.at("1"), "_1");
}

TEST(TosaReader, TakesIdentityForAVariableThatNothingDeclares) {
  const std::string bytes = AbsFile([](File& file) {
    file.VariableTensor("v0", "model/v", {7, 0, 0, 0});
    const auto none = [&] { return tosa::CreateAbsAttribute(file.b).Union(); };
    file.Operator(tosa::Op::IDENTITY, {"v0"}, {"y"}, tosa::Attribute::VariableReadAttribute,
                  none());
    file.Operator(tosa::Op::IDENTITY, {"x"}, {"v0"}, tosa::Attribute::VariableWriteAttribute,
                  none());
  });
  const Block block = Decoded(bytes).graph.main();
  ASSERT_EQ(block.operators.size(), 3U);
  EXPECT_EQ(block.operators[0].op, "VARIABLE");
  EXPECT_EQ(block.operators[0].attributes,
            (std::map<std::string, AttributeValue>{{"name", std::string("model/v")},
                                                   {"type", std::string("INT32")},
                                                   {"var_shape", Shape{1}},
                                                   {"initial_value", std::string("model_v")}}));
  EXPECT_THAT(block.Find("model_v")->values->Integers(), ElementsAre(7));
  EXPECT_EQ(block.operators[1].op, "VARIABLE_READ");
  EXPECT_THAT(block.operators[1].inputs, IsEmpty());
  EXPECT_EQ(block.operators[2].op, "VARIABLE_WRITE");
  EXPECT_THAT(block.operators[2].outputs, IsEmpty());
}

TEST(TosaReader, RefusesOtherVersions) {
  const auto none = [](File&) {};
  constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;
  EXPECT_EQ(DecodeError(AbsFile(none, 0, 80), kUnimplemented),
            "f.tosa: version: found 0.80.0, expected 1.x");
  EXPECT_EQ(DecodeError(AbsFile(none, 2, 0, true), kUnimplemented),
            "f.tosa: version: found 2.0.0 draft, expected 1.x");
  EXPECT_EQ(DecodeError(AbsFile(none, -1, -1), kUnimplemented),
            "f.tosa: version: found -1.-1.0, expected 1.x");
}

TEST(TosaReader, RefusesWhatLaterVersionsAdded) {
  constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;
  const auto later = [](auto change) { return DecodeError(AbsFile(change), kUnimplemented); };
  EXPECT_EQ(later([](File& file) { file.Operator(static_cast<tosa::Op>(76), {"x"}, {"y"}); }),
            "f.tosa: block main, operator 0: found operator number 76, expected 1 to 75");
  EXPECT_EQ(later([](File& file) { file.Tensor("z", {1}, static_cast<tosa::DType>(13)); }),
            "f.tosa: block main, tensor z: found type number 13, expected 1 to 12");
  EXPECT_EQ(later([](File& file) {
              const auto start = file.b.StartTable();
              file.b.AddElement<uint8_t>(tosa::FieldOffset(0), 1, 0);
              const fb::Offset<void> attributes(file.b.EndTable(start));
              file.Operator(tosa::Op::CAST, {"x"}, {"y"}, tosa::Attribute::CastAttribute,
                            attributes);
            }),
            "f.tosa: block main, operator 0 (CAST): has an attribute that version 1.0 has not");
  EXPECT_EQ(later([](File& file) {
              const std::vector<int32_t> shape = {1};
              file.tensors.push_back(tosa::CreateTosaTensorDirect(
                  file.b, "u", &shape, tosa::DType::INT32, nullptr, false, /*is_unranked=*/true));
            }),
            "f.tosa: block main, tensor u: found is_unranked, expected a shape");
  EXPECT_EQ(
      later([](File& file) {
        const std::vector<int32_t> shape = {1};
        file.tensors.push_back(tosa::CreateTosaTensorDirect(
            file.b, "u", &shape, tosa::DType::INT32, nullptr, false, false, nullptr, 4096, 4));
      }),
      "f.tosa: block main, tensor u: its data lie outside of the FlatBuffer");
}

TEST(TosaReader, TakesEmptyScalesForNoneAndRefusesAnyOther) {
  const auto with = [](tosa::DType scale_type, const std::vector<uint8_t>& scales,
                       uint32_t block_shape, uint64_t scale_size) {
    return AbsFile([&](File& file) {
      const std::vector<int32_t> shape = {32};
      file.tensors.push_back(tosa::CreateTosaTensorDirect(
          file.b, "u", &shape, tosa::DType::FP8E4M3, nullptr, false, false, nullptr, 0, 0,
          scale_type, &scales, block_shape, 0, scale_size));
    });
  };
  const GraphTensor* none = Decoded(with(tosa::DType::UNKNOWN, {}, 0, 0)).graph.main().Find("u");
  ASSERT_NE(none, nullptr);
  EXPECT_EQ(none->dtype, DType::kFp8E4M3);
  const auto error = [](const std::string& bytes) {
    return DecodeError(bytes, absl::StatusCode::kUnimplemented);
  };
  EXPECT_EQ(error(with(tosa::DType::UNKNOWN, {127}, 0, 0)),
            "f.tosa: block main, tensor u: found scale_data of 1 bytes, expected none: version 1.0 "
            "has no block-scaled tensors");
  const auto stated = [&](uint32_t type, uint32_t block, uint64_t size) {
    EXPECT_EQ(
        error(with(static_cast<tosa::DType>(type), {}, block, size)),
        StrCat("f.tosa: block main, tensor u: found scale_type ", type, ", block_shape ", block,
               " and scale_size ", size, ", expected 0: version 1.0 has no block-scaled tensors"));
  };
  stated(16, 0, 0);
  stated(0, 32, 0);
  stated(0, 0, 1);
}

// As ExecuTorch writes zero points of convolutions per channel.
TEST(TosaReader, TakesASurplusThatSaysNothingWithANote) {
  for (const uint8_t value : {0, 7}) {
    for (const size_t bytes : {7, 8, 10, 16, 48}) {
      SCOPED_TRACE(bytes);
      const std::string file = AbsFile([&](File& made) {
        made.Tensor("z", {1}, tosa::DType::INT8, std::vector<uint8_t>(bytes, value));
      });
      const StatusOr<TosaFile> read = DecodeTosa(file, "f.tosa");
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_THAT(read->graph.main().Find("z")->values->Integers(), ElementsAre(value));
      // Eight bytes are one and its padding, whatever that holds.
      if (bytes == 8) {
        EXPECT_THAT(read->notes, IsEmpty());
      } else {
        EXPECT_THAT(
            read->notes,
            ElementsAre(HasSubstr(StrCat("tensor z: found ", bytes, " bytes for 1 of i8[1]"))));
      }
    }
  }
}

TEST(TosaReader, SaysWhatIsWrong) {
  const auto wrong = [](auto change) { return DecodeError(AbsFile(change)); };
  using A = tosa::Attribute;
  EXPECT_EQ(wrong([](File& file) { file.Tensor("x"); }),
            "f.tosa: block main: tensor x is declared twice");
  EXPECT_EQ(wrong([](File& file) { file.inputs = {"nobody"}; }),
            "f.tosa: block main, inputs: nobody names no tensor");
  EXPECT_EQ(wrong([](File& file) { file.Operator(tosa::Op::ABS, {"x\n"}, {"y"}); }),
            "f.tosa: block main, operator 0 (ABS), inputs: x_ names no tensor");
  EXPECT_EQ(wrong([](File& file) {
              file.Tensor("z", {2}, tosa::DType::INT32, {1, 2, 3, 4});
            }),
            "f.tosa: block main, tensor z: found 4 bytes, expected those of 2 elements of i32");
  EXPECT_EQ(wrong([](File& file) {
              std::vector<uint8_t> other(16, 7);
              other[9] = 8;
              file.Tensor("z", {1}, tosa::DType::INT8, other);
            }),
            "f.tosa: block main, tensor z: found 16 bytes, expected those of 1 elements of i8");
  EXPECT_EQ(wrong([](File& file) {
              file.Tensor("z", {2147483647, 2147483647, 2147483647}, tosa::DType::INT8, {1});
            }).substr(0, 45),
            "f.tosa: block main, tensor z: shape [21474836");
  EXPECT_EQ(wrong([](File& file) { file.Tensor("z", {1}, tosa::DType::BOOL, {2}); }),
            "f.tosa: block main, tensor z: element 0: found 2, expected 0 to 1");
  EXPECT_EQ(wrong([](File& file) { file.Tensor("z", {2}, tosa::DType::INT4, {0x81}); }),
            "f.tosa: block main, tensor z: element 1: found -8, expected -7 to 7");
  EXPECT_EQ(wrong([](File& file) { file.Tensor("z", std::vector<int32_t>(65, 1)); }),
            "f.tosa: block main, tensor z: found rank 65, expected at most 64");
  EXPECT_EQ(wrong([](File& file) { file.Tensor("z", {1}, tosa::DType::SHAPE); }),
            "f.tosa: block main, tensor z: found type SHAPE, expected it among the shapes");
  EXPECT_EQ(wrong([](File& file) {
              file.Operator(tosa::Op::ABS, {"x"}, {"y"}, A::CeilAttribute,
                            tosa::CreateCeilAttribute(file.b).Union());
            }),
            "f.tosa: block main, operator 0 (ABS): found attributes number 34, expected 32");
  EXPECT_EQ(wrong([](File& file) { file.Operator(tosa::Op::ABS, {"x"}, {"y"}, A::NONE, 0); }),
            "f.tosa: block main, operator 0 (ABS): found attributes number 0, expected 32");
  EXPECT_EQ(wrong([](File& file) {
              file.Operator(
                  tosa::Op::RESIZE, {"x"}, {"y"}, A::ResizeAttribute,
                  tosa::CreateResizeAttribute(file.b, static_cast<tosa::ResizeMode>(9)).Union());
            }),
            "f.tosa: block main, operator 0 (RESIZE), attribute mode: found 9, which is no "
            "resize_mode_t");
  EXPECT_EQ(wrong([](File& file) {
              const std::vector<uint8_t> bytes = {1, 2, 3};
              file.Operator(tosa::Op::CLAMP, {"x"}, {"y"}, A::ClampAttribute,
                            tosa::CreateClampAttributeDirect(file.b, &bytes, &bytes).Union());
            }),
            "f.tosa: block main, operator 0 (CLAMP), attribute min_val: found 3 bytes, expected "
            "those of 1 elements of i32");
  EXPECT_EQ(wrong([](File& file) { file.Operator(tosa::Op::VARIABLE_READ, {"x"}, {"y"}); }),
            "f.tosa: block main, operator 0 (VARIABLE_READ): x is no variable of the block");
  EXPECT_EQ(wrong([](File& file) { file.Operator(tosa::Op::VARIABLE, {}, {}); }),
            "f.tosa: block main, operator 0 (VARIABLE): found 0 outputs, expected the tensor of a "
            "variable");
  EXPECT_EQ(wrong([](File& file) { file.tensors.push_back(tosa::CreateTosaTensor(file.b)); }),
            "f.tosa: block main, name of a tensor: found nothing, expected a text");
  EXPECT_EQ(wrong([](File& file) {
              file.EndRegion("first");
              file.Operator(tosa::Op::ABS, {}, {});
              file.EndRegion("main");
            }),
            "f.tosa: graph: found region main behind another, expected it first");
  EXPECT_EQ(wrong([](File& file) {
              file.EndRegion("main");
              file.Operator(tosa::Op::ABS, {}, {});
              file.EndRegion("main");
            }),
            "f.tosa: region 1: its name is that of an earlier one");
}

TEST(TosaReader, RefusesGraphsWithoutBlocks) {
  fb::FlatBufferBuilder b;
  const auto end = [&](auto regions) {
    const auto version = tosa::CreateVersion(b, 1, 0, 0, false);
    tosa::FinishTosaGraphBuffer(b, tosa::CreateTosaGraph(b, version, regions));
    std::string bytes(reinterpret_cast<const char*>(b.GetBufferPointer()), b.GetSize());
    b.Clear();
    return bytes;
  };
  EXPECT_EQ(DecodeError(end(fb::Offset<fb::Vector<fb::Offset<tosa::TosaRegion>>>())),
            "f.tosa: graph: found no region, expected one at least");
  const std::vector<fb::Offset<tosa::TosaRegion>> regions = {
      tosa::CreateTosaRegionDirect(b, "main")};
  EXPECT_EQ(DecodeError(end(b.CreateVector(regions))),
            "f.tosa: region 0: found no block, expected one at least");
}

TEST(TosaReader, RefusesWhatIsNoFlatBufferOfItsKind) {
  EXPECT_EQ(DecodeError(""), "f.tosa: found 0 bytes, expected 8 to 2147483647");
  EXPECT_EQ(DecodeError("12345678"), "f.tosa: found no FlatBuffer with the identifier TOSA");
  EXPECT_EQ(DecodeError(std::string("\xFF\xFF\xFF\x7FTOSA", 8)),
            "f.tosa: damaged: not a FlatBuffer of schemas/tosa.fbs");
  EXPECT_EQ(DecodeError(std::string("\x04\0\0\0TOSA", 8)),
            "f.tosa: damaged: not a FlatBuffer of schemas/tosa.fbs");
}

// A small file with something of everything.
std::string Everything() {
  using List = std::vector<int64_t>;
  Graph graph = EmptyGraph();
  Block& main = graph.main();
  main.inputs = {"c", "x"};
  main.outputs = {"y"};
  main.tensors = {Bool("c"),
                  T("x", DType::kFp16, {2, 3}),
                  Constant("start", 7),
                  T("z", DType::kFp16, {2, 3}),
                  {"s",
                   DType::kShape,
                   {2},
                   std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kShape, {2}, {3, 2}))},
                  T("r", DType::kFp16, {3, 2}),
                  T("y", DType::kFp16, {3, 2})};
  main.operators = {Variable("v", "INT32", {1}, "start"),
                    Op("CLAMP", {"x"}, {"z"},
                       {{"min_val", -1.0}, {"max_val", 2.0}, {"nan_mode", std::string("IGNORE")}}),
                    Op("CONST_SHAPE", {}, {"s"}), Op("RESHAPE", {"z", "s"}, {"r"}),
                    CondIf({"c", "r"}, {"y"}, "yes", "no")};
  graph.regions.push_back(
      R("yes", {"p"}, {"q"}, {T("p", DType::kFp16, {3, 2}), T("q", DType::kFp16, {3, 2})},
        {Op("MAX_POOL2D", {"p"}, {"q"},
            {{"kernel", List{2, 2}}, {"stride", List{1, 1}}, {"pad", List{}}})}));
  graph.regions.push_back(R("no", {"n"}, {"n"}, {T("n", DType::kFp16, {3, 2})}, {}));
  ExpectSurvives(graph);
  return Encoded(graph);
}

TEST(TosaReader, RefusesAFileThatEndsTooEarly) {
  const std::string whole = Everything();
  const std::string text = Text(Decoded(whole).graph);
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto file = DecodeTosa(std::string_view(whole).substr(0, size), "f.tosa");
    // The last bytes may be filling.
    if (file.ok()) {
      EXPECT_GT(size + 8, whole.size());
      EXPECT_EQ(Text(file->graph), text);
    }
  }
}

// Every bit, and every byte at its extremes: what is read can be written and read again.
TEST(TosaReader, SurvivesDamage) {
  const std::string whole = Everything();
  int refused = 0, read = 0;
  const auto look = [&](const std::string& bytes) {
    const auto file = DecodeTosa(bytes, "f.tosa");
    if (!file.ok()) {
      ++refused;
      EXPECT_THAT(Message(file.status()), HasSubstr("f.tosa: "));
      return;
    }
    ++read;
    const auto again = EncodeTosa(file->graph, Tosa());
    if (!again.ok()) return;
    const auto twice = DecodeTosa(*again, "again");
    ASSERT_TRUE(twice.ok()) << twice.status();
    EXPECT_EQ(Text(twice->graph), Text(file->graph));
  };
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      look(bytes);
    }
    for (const char value : {'\0', '\x7F', '\xFF'}) {
      std::string bytes = whole;
      bytes[i] = value;
      look(bytes);
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read, 1000);
}

TEST(TosaReader, ReadsFromAnyAddress) {
  const std::string whole = Everything();
  const std::string moved = "1" + whole;
  const auto file = DecodeTosa(std::string_view(moved).substr(1), "f.tosa");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(Text(file->graph), Text(Decoded(whole).graph));
}

// FlatBuffers' Verifier would follow 2000 * 20000 references, a larger file of the kind 10^10.
TEST(TosaReader, RefusesListsThatAreSharedWithoutEnd) {
  File file;
  file.Tensor("x");
  const auto name = file.b.CreateString("x");
  const auto names = file.b.CreateVector(std::vector<fb::Offset<fb::String>>(20000, name));
  const auto none = tosa::CreateConcatAttribute(file.b).Union();
  for (int i = 0; i < 2000; ++i) {
    file.operators.push_back(tosa::CreateTosaOperator(
        file.b, tosa::Op::CONCAT, tosa::Attribute::ConcatAttribute, none, names, names));
  }
  EXPECT_EQ(DecodeError(file.End()), "f.tosa: damaged: not a FlatBuffer of schemas/tosa.fbs");
}

TEST(TosaReader, RefusesDataThatAreSharedWithoutEnd) {
  File file;
  const auto data = file.b.CreateVector(std::vector<uint8_t>(100000));
  const auto shape = file.b.CreateVector(std::vector<int32_t>{100000});
  for (int i = 0; i < 100; ++i) {
    file.tensors.push_back(tosa::CreateTosaTensor(file.b, file.b.CreateString(StrCat("t", i)),
                                                  shape, tosa::DType::INT8, data));
  }
  EXPECT_EQ(DecodeError(file.End()),
            "f.tosa: block main, tensor t1: its data are those of other tensors");
}

TEST(TosaReader, RefusesTextsThatAreTooLongOrNoText) {
  const std::string long_name = AbsFile([](File& file) { file.Tensor(std::string(70000, 'x')); });
  EXPECT_EQ(DecodeError(long_name),
            "f.tosa: block main, name of a tensor: found a text of 70000 bytes, too long");
  const std::string bytes = AbsFile([](File& file) {
    file.VariableTensor("v", "\xFFname", {1, 2, 3, 4});
  });
  EXPECT_EQ(DecodeError(bytes, absl::StatusCode::kUnimplemented),
            "f.tosa: block main, tensor v, variable_name: found a text that is not UTF-8");
}

// ---- Sub-graphs that use tensors of the graph around them ----

// while (i < n) { i = i + step }, where n and step are main's.
Graph Counting(const std::string& step_operator) {
  File file;
  file.inputs = {"i", "n"};
  file.outputs = {"o"};
  for (const char* name : {"i", "n", "o"}) file.Tensor(name);
  file.Tensor("step", {1}, tosa::DType::INT32, {3, 0, 0, 0});
  file.Tensor("stride");
  file.Operator(tosa::Op::CONST, {}, {"step"});
  if (step_operator == "ABS") file.Operator(tosa::Op::ABS, {"step"}, {"stride"});
  file.Operator(tosa::Op::WHILE_LOOP, {"i"}, {"o"}, tosa::Attribute::WhileLoopAttribute,
                tosa::CreateWhileLoopAttributeDirect(file.b, "cond", "body").Union());
  file.EndRegion("main");
  file.inputs = {"a"};
  file.outputs = {"more"};
  file.Tensor("a");
  file.Tensor("more", {1}, tosa::DType::BOOL);
  file.Operator(tosa::Op::GREATER, {"n", "a"}, {"more"});
  file.EndRegion("cond");
  file.inputs = {"b"};
  file.outputs = {"sum"};
  file.Tensor("b");
  file.Tensor("sum");
  file.Operator(tosa::Op::ADD, {"b", step_operator == "ABS" ? "stride" : "step"}, {"sum"});
  file.EndRegion("body");
  return Decoded(file.End()).graph;
}

TEST(TosaReader, HandsOverWhatASubgraphTakesFromAroundIt) {
  for (const char* step : {"CONST", "ABS"}) {
    const Graph graph = Counting(step);
    // 1, 4, 7, 10
    const testing_graph::Tensors inputs = {{"i", Integers({1})}, {"n", Integers({9})}};
    EXPECT_THAT(testing_graph::Values(graph, {inputs}), ElementsAre(10)) << step;
    ExpectSurvives(graph);
  }
  const Graph constant = Counting("CONST");
  // The constant is the body's own; n goes round with the loop.
  EXPECT_THAT(constant.main().operators[1].inputs, ElementsAre("i", "n"));
  EXPECT_THAT(constant.regions[2].blocks[0].inputs, ElementsAre("b", "n_2"));
  EXPECT_THAT(constant.regions[2].blocks[0].outputs, ElementsAre("sum", "n_2"));
  EXPECT_EQ(constant.regions[2].blocks[0].operators[0].op, "CONST");
}

TEST(TosaReader, RefusesASubgraphOfTwoOperatorsThatTakesFromAroundThem) {
  File file;
  file.inputs = {"c", "n"};
  for (const char* name : {"n", "o", "p"}) file.Tensor(name);
  file.Tensor("c", {1}, tosa::DType::BOOL);
  for (const char* output : {"o", "p"}) {
    file.Operator(tosa::Op::COND_IF, {"c"}, {output}, tosa::Attribute::CondIfAttribute,
                  tosa::CreateCondIfAttributeDirect(file.b, "same", "same").Union());
  }
  file.EndRegion("main");
  file.outputs = {"n"};
  file.EndRegion("same");
  EXPECT_EQ(DecodeError(file.End()),
            "f.tosa: block same: two operators name it, and one of them has to hand over tensors "
            "of the block around it");
}

TEST(TosaReader, RefusesTensorsOfABlockThatIsNotAround) {
  File file;
  file.Tensor("x");
  file.Operator(tosa::Op::ABS, {"inner"}, {"x"});
  file.EndRegion("main");
  file.Tensor("inner");
  file.EndRegion("other");
  EXPECT_EQ(DecodeError(file.End()),
            "f.tosa: block main: inner names no tensor of the block or of one around it");
}

}  // namespace
}  // namespace cts
