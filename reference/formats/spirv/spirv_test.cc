#include "reference/formats/spirv/spirv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "reference/evaluate/testing.h"
#include "reference/formats/spirv/spirv_wire.h"

namespace cts {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using testing_graph::Op;
using testing_graph::R;
using testing_graph::T;
using Words = std::vector<uint32_t>;

const Edition& Tosa() { return **FindEdition("tosa-1.0"); }

GraphTensor ConstantTensor(std::string name, Tensor values) {
  const DType dtype = values.dtype();
  const Shape shape = values.shape();
  return {std::move(name), dtype, shape, std::make_shared<const Tensor>(std::move(values))};
}

// A graph of one operator from `x`, and from constants, to `y`.
Graph OneOperator(GraphOperator op, std::vector<GraphTensor> tensors) {
  return {{R("main", {"x"}, {"y"}, std::move(tensors), {std::move(op)})}};
}
Graph Abs(DType dtype, const Shape& shape) {
  return OneOperator(Op("ABS", {"x"}, {"y"}), {T("x", dtype, shape), T("y", dtype, shape)});
}
Graph Add(const Tensor& constant) {
  const Shape shape(constant.shape().size(), 1);
  const DType dtype = constant.dtype();
  return OneOperator(
      Op("ADD", {"x", "c"}, {"y"}),
      {T("x", dtype, shape), ConstantTensor("c", constant), T("y", dtype, constant.shape())});
}

SpirvModule Encoded(const Graph& graph, const SpirvOptions& options = {}) {
  auto module = EncodeSpirv(graph, Tosa(), options);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : SpirvModule{};
}

std::string Refusal(const Graph& graph, const SpirvOptions& options = {}) {
  const Status status = EncodeSpirv(graph, Tosa(), options).status();
  EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
  return Message(status);
}
constexpr SpirvOptions kLower{.lower = true};

Words WordsOf(const std::string& bytes) {
  Words words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), 4 * words.size());
  return words;
}
std::string BytesOf(const Words& words) {
  std::string bytes(4 * words.size(), '\0');
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

// The operands of every instruction of a number.
std::vector<Words> Find(const std::string& bytes, spirv::Op op) {
  std::vector<Words> found;
  const Words words = WordsOf(bytes);
  for (size_t at = spirv::kHeaderWords; at < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffff) != static_cast<uint32_t>(op)) continue;
    const auto begin = words.begin() + static_cast<int64_t>(at);
    found.emplace_back(begin + 1, begin + (words[at] >> 16));
  }
  return found;
}

void Put(Words& words, uint32_t opcode, Words operands, const std::string& text = "",
         const Words& behind = {}) {
  if (!text.empty()) {
    std::string padded = text;
    padded.resize(text.size() / 4 * 4 + 4);
    for (const uint32_t word : WordsOf(padded)) operands.push_back(word);
  }
  operands.insert(operands.end(), behind.begin(), behind.end());
  words.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | opcode);
  words.insert(words.end(), operands.begin(), operands.end());
}

// ---- The writer ----

// Assembled by hand from spirv.core.grammar.json and SPV_ARM_graph.
TEST(EncodeSpirv, WritesTheWordsOfASmallModule) {
  Words words = {0x07230203, 0x00010600, 0, 17, 0};
  for (const uint32_t capability : {1, 4174, 4191, 5345}) Put(words, 17, {capability});
  Put(words, 10, {}, "SPV_ARM_graph");
  Put(words, 10, {}, "SPV_ARM_tensors");
  Put(words, 11, {1}, "TOSA.001000.1");
  Put(words, 14, {0, 3});
  for (const auto& [id, name] : {std::pair(10u, "x"), {11, "y"}, {14, "x"}, {16, "y"}}) {
    Put(words, 5, {id}, name);
  }
  for (const uint32_t binding : {0, 1}) {
    Put(words, 71, {10 + binding, 34, 0});
    Put(words, 71, {10 + binding, 33, binding});
  }
  Put(words, 22, {2, 32});          // float
  Put(words, 21, {3, 32, 0});       // u32
  Put(words, 43, {3, 4, 1});        // 1: the rank
  Put(words, 28, {5, 3, 4});        // u32[1]
  Put(words, 43, {3, 6, 2});        // 2: the size
  Put(words, 44, {5, 7, 6});        // the shape
  Put(words, 4163, {8, 2, 4, 7});   // the tensor
  Put(words, 32, {9, 0, 8});        // a pointer to it
  Put(words, 59, {9, 10, 0});       // x
  Put(words, 59, {9, 11, 0});       // y
  Put(words, 4190, {12, 1, 8, 8});  // the graph's type
  Put(words, 43, {3, 15, 0});       // 0
  Put(words, 4182, {13}, "main", {10, 11});
  Put(words, 4183, {12, 13});
  Put(words, 4184, {8, 14, 15});
  Put(words, 12, {8, 16, 1, 31, 14});  // ABS is instruction 31
  Put(words, 4185, {16, 15});
  Put(words, 4186, {});
  EXPECT_THAT(WordsOf(Encoded(Abs(DType::kFp32, {2})).bytes), ElementsAreArray(words));
}

TEST(EncodeSpirv, HoldsConstantsAsItIsTold) {
  const Tensor zeros(DType::kI8, {2, 3});
  const Tensor values = Tensor::OfIntegers(DType::kI8, {2, 3}, {-1, 2, 3, -1, 2, 3});
  const auto count = [](const Tensor& constant, SpirvConstants way, spirv::Op op) {
    return Find(Encoded(Add(constant), {.constants = way}).bytes, op).size();
  };
  EXPECT_EQ(count(zeros, SpirvConstants::kNull, spirv::Op::kConstantNull), 1U);
  EXPECT_EQ(count(values, SpirvConstants::kNull, spirv::Op::kConstantNull), 0U);
  EXPECT_EQ(count(zeros, SpirvConstants::kModule, spirv::Op::kConstantNull), 0U);
  EXPECT_EQ(count(zeros, SpirvConstants::kReplicated, spirv::Op::kConstantCompositeReplicate), 1U);
  EXPECT_EQ(count(values, SpirvConstants::kReplicated, spirv::Op::kConstantCompositeReplicate), 0U);
  // The two rows are one constant, and the whole is another.
  EXPECT_EQ(count(values, SpirvConstants::kSpecialization, spirv::Op::kSpecConstantComposite), 2U);
  EXPECT_EQ(count(values, SpirvConstants::kSpecialization, spirv::Op::kSpecConstant), 3U);
}

TEST(EncodeSpirv, GivesEachSpecializationConstantANumber) {
  const Tensor values = Tensor::OfIntegers(DType::kI16, {4}, {7, 8, 7, 9});
  const std::string bytes =
      Encoded(Add(values), {.constants = SpirvConstants::kSpecialization}).bytes;
  std::vector<uint32_t> numbers;
  for (const Words& operands : Find(bytes, spirv::Op::kDecorate)) {
    if (operands[1] == spirv::kSpecId) numbers.push_back(operands[2]);
  }
  EXPECT_THAT(numbers, ElementsAreArray({0, 1, 2}));
}

TEST(EncodeSpirv, PutsTheTensorsOfItsBorderWhereItIsTold) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  std::vector<GraphTensor> tensors = {T("y", DType::kI8, {5})};
  for (const std::string& name : names) tensors.push_back(T(name, DType::kI8, {1}));
  Graph graph = OneOperator(Op("CONCAT", names, {"y"}, {{"axis", int64_t{0}}}), tensors);
  graph.main().inputs = names;
  using Places = std::vector<std::pair<uint32_t, uint32_t>>;
  const std::pair<SpirvPlaces, Places> expected[] = {
      {SpirvPlaces::kInOrder, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}}},
      {SpirvPlaces::kUnordered, {{0, 11}, {0, 9}, {0, 7}, {0, 5}, {0, 3}, {0, 1}}},
      {SpirvPlaces::kSets, {{1, 1}, {0, 1}, {3, 0}, {2, 0}, {1, 0}, {0, 0}}}};
  for (const auto& [places, listed] : expected) {
    const SpirvModule module = Encoded(graph, {.places = places});
    Places ports, decorations(listed.size());
    for (const auto* border : {&module.inputs, &module.outputs}) {
      for (const SpirvPort& port : *border) ports.emplace_back(port.set, port.binding);
    }
    // The variables stand behind the name of the entry point, which is two words.
    const Words variables = Find(module.bytes, spirv::Op::kGraphEntryPoint)[0];
    for (const Words& operands : Find(module.bytes, spirv::Op::kDecorate)) {
      const auto variable = std::find(variables.begin() + 3, variables.end(), operands[0]);
      auto& place = decorations[static_cast<size_t>(variable - variables.begin() - 3)];
      (operands[1] == spirv::kBinding ? place.second : place.first) = operands[2];
    }
    EXPECT_THAT(ports, ElementsAreArray(listed));
    EXPECT_THAT(decorations, ElementsAreArray(listed));
    // No part of the graph.
    EXPECT_EQ(Encoded(DecodeSpirv(module.bytes, "m")->graph).bytes, Encoded(graph).bytes);
  }
}

TEST(EncodeSpirv, HandsOverConstantsOfTheGraph) {
  const Tensor shape = Tensor::OfIntegers(DType::kShape, {1}, {6});
  const Graph graph = OneOperator(
      Op("RESHAPE", {"x", "s"}, {"y"}),
      {T("x", DType::kI8, {2, 3}), ConstantTensor("s", shape), T("y", DType::kI8, {6})});
  GraphOperator constant = Op("CONST_SHAPE", {}, {"s"});
  Graph fixed = graph;
  fixed.main().operators[0] = constant;
  const SpirvModule module = Encoded(fixed, {.constants = SpirvConstants::kGraph});
  ASSERT_EQ(module.constants.size(), 1U);
  EXPECT_EQ(module.constants.at(0), Tensor::OfIntegers(DType::kI32, {1}, {6}));
  EXPECT_EQ(Find(module.bytes, spirv::Op::kGraphConstant)[0][2], 0U);
}

TEST(EncodeSpirv, WritesWideConstantsLowWordFirstAndNarrowOnesWithoutTheirSign) {
  const auto scalar = [](DType dtype, int64_t value) {
    return Find(Encoded(Add(Tensor::OfIntegers(dtype, {1}, {value}))).bytes, spirv::Op::kConstant);
  };
  const auto has = [&](DType dtype, const Words& value) {
    for (const Words& operands : scalar(dtype, -2)) {
      if (Words(operands.begin() + 2, operands.end()) == value) return true;
    }
    return false;
  };
  EXPECT_TRUE(has(DType::kI48, {0xfffffffe, 0xffffffff}));
  EXPECT_TRUE(has(DType::kI8, {0xfe}));
}

TEST(EncodeSpirv, RefusesByNameWhatTheInstructionSetHasNoWordFor) {
  EXPECT_EQ(Refusal(Abs(DType::kFp32, {})),
            "tensor x: SPIR-V has no tensor without dimensions; lowering makes its shape [1]");
  EXPECT_EQ(Refusal(Abs(DType::kI4, {2})),
            "tensor x: SPIR-V has no tensors of i4; lowering makes them i8");
  const auto copy = [](const std::string& op) {
    return OneOperator(Op(op, {"x"}, {"y"}), {T("x", DType::kI8), T("y", DType::kI8)});
  };
  EXPECT_EQ(Refusal(copy("IDENTITY")),
            "operator 0 (IDENTITY): TOSA.001000.1 has no instruction for it; "
            "lowering leaves it out");
  for (const char* op : {"COND_IF", "WHILE_LOOP", "VARIABLE_READ", "CUSTOM"}) {
    EXPECT_EQ(Refusal(copy(op)),
              StrCat("operator 0 (", op, "): TOSA.001000.1 has no instruction for it"));
  }
  Graph unused = Abs(DType::kI32, {1});
  unused.main().tensors.push_back(testing_graph::Constant("c", 1));
  unused.main().operators.push_back(Op("CONST", {}, {"c"}));
  EXPECT_THAT(Refusal(unused), HasSubstr("no place for CONST c, which nothing uses"));
}

TEST(EncodeSpirv, RefusesATensorWhereAConstantMustStand) {
  const Graph graph =
      OneOperator(Op("TABLE", {"x", "x"}, {"y"}), {T("x", DType::kI8), T("y", DType::kI8)});
  EXPECT_EQ(Refusal(graph),
            "operator 0 (TABLE): operand table: a constant must stand there, and x is none");
}

// Both are lists of 32 bits: an illegal graph would become a legal one.
TEST(EncodeSpirv, RefusesIntegersWhereAShapeMustStand) {
  const Graph graph = OneOperator(
      Op("RESHAPE", {"x", "s"}, {"y"}),
      {T("x", DType::kI8), ConstantTensor("s", testing_graph::Integers({1})), T("y", DType::kI8)});
  EXPECT_EQ(Refusal(graph),
            "operator 1 (RESHAPE): operand shape: SPIR-V cannot tell a shape from i32, and it is "
            "of i32");
}

TEST(EncodeSpirv, SaysWhereAConstantNeedsAnotherWay) {
  const Tensor zeros(DType::kI8, {70000});
  EXPECT_EQ(Refusal(Add(zeros)),
            "an instruction of SPIR-V has at most 65535 words, and this graph needs one of 70003; "
            "constants of the graph have no such limit");
  EXPECT_EQ(Encoded(Add(zeros), {.constants = SpirvConstants::kGraph}).constants.size(), 1U);
  EXPECT_LT(Encoded(Add(zeros), {.constants = SpirvConstants::kNull}).bytes.size(), 1000U);
}

TEST(EncodeSpirv, RefusesOtherEditions) {
  const Status status = EncodeSpirv(Abs(DType::kFp32, {2}), **FindEdition("tosa-0.100")).status();
  EXPECT_EQ(Message(status), "edition tosa-0.100: TOSA.001000.1 is of tosa-1.0");
}

// ---- Lowering ----

Shape LoweredShape(const Graph& graph, const std::string& tensor) {
  const auto lowered = LowerForSpirv(graph, Tosa());
  EXPECT_TRUE(lowered.ok()) << lowered.status();
  return lowered.ok() ? lowered->main().Find(tensor)->shape : Shape{-1};
}

TEST(LowerForSpirv, GivesATensorWithoutDimensionsOne) {
  EXPECT_EQ(LoweredShape(Abs(DType::kFp32, {}), "x"), Shape{1});
  EXPECT_EQ(LoweredShape(Abs(DType::kFp32, {}), "y"), Shape{1});
  const SpirvModule module = Encoded(Abs(DType::kFp32, {}), kLower);
  EXPECT_EQ(module.inputs[0].shape, Shape{1});
}

// ARGMAX's result has one dimension less than its input.
TEST(LowerForSpirv, ReshapesTheOperandOfArgmaxOfOneDimension) {
  // Another operator reads the operand, too, and has a tensor of the name that the new one would
  // get.
  const Graph graph{{R(
      "main", {"x"}, {"y", "x_row"},
      {T("x", DType::kI8, {4}), T("y", DType::kI32, {}), T("x_row", DType::kI8, {4})},
      {Op("BITWISE_NOT", {"x"}, {"x_row"}), Op("ARGMAX", {"x"}, {"y"}, {{"axis", int64_t{0}}})})}};
  EXPECT_EQ(LoweredShape(graph, "x"), Shape{4});
  EXPECT_EQ(LoweredShape(graph, "x_row"), Shape{4});
  EXPECT_EQ(LoweredShape(graph, "x_row_"), (Shape{1, 4}));
  EXPECT_EQ(LoweredShape(graph, "y"), Shape{1});
  const auto lowered = LowerForSpirv(graph, Tosa());
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  const GraphOperator& argmax = lowered->main().operators.back();
  EXPECT_EQ(argmax.inputs[0], "x_row_");
  EXPECT_EQ(argmax.attributes.at("axis"), AttributeValue(int64_t{1}));
  EXPECT_EQ(Encoded(graph, kLower).outputs[0].shape, Shape{1});
}

// [] and [1] do not broadcast, an axis of ARGMAX may not be there, and [] has no channels.
TEST(LowerForSpirv, RefusesWhatWouldTurnAnIllegalGraphIntoALegalOne) {
  EXPECT_THAT(
      Refusal(OneOperator(Op("ADD", {"x", "z"}, {"y"}),
                          {T("x", DType::kI32, {}),
                           ConstantTensor("z", testing_graph::Integers({1})), T("y", DType::kI32)}),
              kLower),
      HasSubstr("a shape of [] becomes [1] where all are [], and input2 has [1]"));
  for (const int64_t axis : {-1, 1}) {
    EXPECT_THAT(Refusal(OneOperator(Op("ARGMAX", {"x"}, {"y"}, {{"axis", axis}}),
                                    {T("x", DType::kI8, {4}), T("y", DType::kI32, {})}),
                        kLower),
                HasSubstr("a shape of [] becomes [1] where all are []"));
  }
  EXPECT_THAT(Refusal(OneOperator(Op("IDENTITY", {"x"}, {"y"}),
                                  {T("x", DType::kI8, {4}), T("y", DType::kI16, {4})}),
                      kLower),
              HasSubstr("cannot be left out: its output is not as its input"));
}

TEST(LowerForSpirv, LeavesOutIdentityAndKeepsTheNamesOfOutputs) {
  const Graph graph{
      {R("main", {"x"}, {"y"}, {T("x", DType::kI8), T("m", DType::kI8), T("y", DType::kI8)},
         {Op("IDENTITY", {"x"}, {"m"}), Op("IDENTITY", {"m"}, {"y"})})}};
  const SpirvModule module = Encoded(graph, kLower);
  EXPECT_TRUE(Find(module.bytes, spirv::Op::kExtInst).empty());
  EXPECT_EQ(module.outputs[0].tensor, "y");
  // The input is what the graph hands out.
  EXPECT_EQ(Find(module.bytes, spirv::Op::kGraphSetOutput)[0][0],
            Find(module.bytes, spirv::Op::kGraphInput)[0][1]);
}

Graph Convolution(DType input, const std::vector<int64_t>& weights, const std::string& acc_type) {
  const auto one = [](std::string name, DType dtype) {
    return ConstantTensor(std::move(name), Tensor::OfIntegers(dtype, {1}, {0}));
  };
  return OneOperator(Op("CONV2D", {"x", "w", "b", "xz", "wz"}, {"y"},
                        {{"pad", std::vector<int64_t>{0, 0, 0, 0}},
                         {"stride", std::vector<int64_t>{1, 1}},
                         {"dilation", std::vector<int64_t>{1, 1}},
                         {"acc_type", acc_type}}),
                     {T("x", input, {1, 1, 1, 2}),
                      ConstantTensor("w", Tensor::OfIntegers(DType::kI4, {1, 1, 1, 2}, weights)),
                      one("b", DType::kI32), one("xz", input), one("wz", DType::kI4),
                      T("y", DType::kI32, {1, 1, 1, 1})});
}

TEST(LowerForSpirv, MakesWeightsOfFourBitsEight) {
  const auto lowered = LowerForSpirv(Convolution(DType::kI8, {-7, 7}, "INT32"), Tosa());
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  EXPECT_EQ(*lowered->main().Find("w")->values,
            Tensor::OfIntegers(DType::kI8, {1, 1, 1, 2}, {-7, 7}));
  EXPECT_EQ(lowered->main().Find("wz")->dtype, DType::kI8);
}

TEST(LowerForSpirv, KeepsWeightsThatOnlyEightBitsAllow) {
  EXPECT_THAT(Refusal(Convolution(DType::kI8, {-8, 7}, "INT32"), kLower),
              HasSubstr("tensor w: -8 is below -7 as i4, and allowed as i8"));
  EXPECT_THAT(Refusal(Convolution(DType::kI16, {1, 7}, "INT32"), kLower),
              HasSubstr("i4 becomes i8 beside i8 alone, and input is of i16"));
  EXPECT_THAT(Refusal(Convolution(DType::kI8, {1, 7}, "FP32"), kLower),
              HasSubstr("i4 becomes i8 with acc_type INT32 alone"));
}

// ---- The reader ----

std::string ReadError(const std::string& bytes) {
  const Status status = DecodeSpirv(bytes, "m.spv").status();
  EXPECT_FALSE(status.ok());
  return Message(status);
}

// Replaces a word by its value; it must stand there once.
std::string With(const std::string& bytes, uint32_t old_word, uint32_t new_word) {
  Words words = WordsOf(bytes);
  EXPECT_EQ(std::count(words.begin(), words.end(), old_word), 1);
  std::replace(words.begin(), words.end(), old_word, new_word);
  return BytesOf(words);
}

TEST(DecodeSpirv, RefusesWhatIsNoModule) {
  const std::string bytes = Encoded(Abs(DType::kFp32, {2})).bytes;
  EXPECT_EQ(ReadError(bytes.substr(0, 21)),
            "m.spv: found 21 bytes, expected whole words, 5 of them at least");
  EXPECT_THAT(ReadError(std::string(24, 'x')), HasSubstr("expected SPIR-V's 119734787"));
  Words words = WordsOf(bytes);
  for (uint32_t& word : words) word = __builtin_bswap32(word);
  EXPECT_EQ(ReadError(BytesOf(words)), "m.spv: word 0: the words are big-endian");
  EXPECT_THAT(ReadError(bytes.substr(0, bytes.size() - 4)), HasSubstr("found no graph that ends"));
}

TEST(DecodeSpirv, NamesWhatItDoesNotKnow) {
  const std::string bytes = Encoded(Abs(DType::kFp32, {2})).bytes;
  EXPECT_THAT(ReadError(With(bytes, 31, 66)), HasSubstr("found instruction 66 of set 1"));
  // OpTypeTensorARM without a shape, as shaders have it.
  EXPECT_THAT(ReadError(With(bytes, 5 << 16 | 4163, 5 << 16 | 4164)),
              HasSubstr("instruction 4164 is not one that a graph of TOSA needs"));
  EXPECT_THAT(ReadError(With(bytes, 0x3130302e, 0x3230302e)),  // ".001"
              HasSubstr("found the instruction set TOSA_002000_1, expected TOSA.001000.1"));
}

TEST(DecodeSpirv, AsksForTheValuesOfTheGraphsConstants) {
  const Tensor values = Tensor::OfIntegers(DType::kI8, {2}, {5, 6});
  const std::string bytes = Encoded(Add(values), {.constants = SpirvConstants::kGraph}).bytes;
  EXPECT_EQ(ReadError(bytes),
            "m.spv: constant 0 of the graph, i8[2]: it has no values in the module");
  const auto other = [](uint32_t, DType, const Shape&) {
    return StatusOr<Tensor>(testing_graph::Integers({1}));
  };
  EXPECT_THAT(Message(DecodeSpirv(bytes, "m.spv", other).status()),
              HasSubstr("found i32[1], expected i8[2]"));
}

TEST(DecodeSpirv, RefusesConstantsFarLargerThanTheModule) {
  EXPECT_THAT(
      ReadError(
          Encoded(Add(Tensor(DType::kI8, {1 << 25})), {.constants = SpirvConstants::kNull}).bytes),
      HasSubstr("a constant of [33554432] is too large for a module of this length"));
}

// Whatever stands in a word, the module is read or refused, and the refusal names the file.
TEST(DecodeSpirv, ReadsOrRefusesAnyWord) {
  const Words words = WordsOf(Encoded(Convolution(DType::kI8, {-7, 7}, "INT32"), kLower).bytes);
  size_t refused = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    for (const uint32_t word : {0u, 1u, 0xffffffffu, words[i] + 1, words[i] ^ 0x10000u}) {
      Words changed = words;
      changed[i] = word;
      const auto read = DecodeSpirv(BytesOf(changed), "m.spv");
      if (read.ok()) continue;
      ++refused;
      EXPECT_THAT(Message(read.status()), HasSubstr("m.spv: "));
    }
  }
  EXPECT_GT(refused, words.size());
}

}  // namespace
}  // namespace cts
