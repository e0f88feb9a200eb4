// Input that is no graph, or a graph that could never run, gets an answer or an error that names
// the place. It never causes a crash, or an allocation before the check.
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "reference/evaluate/native.h"
#include "reference/evaluate/testing.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

using namespace testing_graph;  // NOLINT(google-build-using-namespace): helpers of these tests
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// y = c ? x : x, by way of region "same".
Graph Valid() {
  return {{R("main", {"c", "x"}, {"y"}, {Bool("c"), I32("x"), I32("y")},
             {CondIf({"c", "x"}, {"y"}, "same", "same")}),
           R("same", {"x1"}, {"y1"}, {I32("x1"), I32("y1")}, {Op("IDENTITY", {"x1"}, {"y1"})})}};
}

Tensors Given() { return {{"c", Integers({1}, DType::kBool)}, {"x", Integers({7})}}; }

template <class Change>
std::string Changed(Change change) {
  Graph graph = Valid();
  change(graph, graph.main(), graph.regions[1].blocks[0]);
  return Verdict(graph, {Given()});
}

TEST(BadInput, NamesTheOperatorAndTheBlock) {
  EXPECT_EQ(Changed([](Graph&, Block&, Block&) {}), "valid");
  EXPECT_THAT(Changed([](Graph&, Block&, Block& same) { same.operators[0].op = "IDENTITTY"; }),
              StartsWith("graph, IDENTITTY (operator 0 of block same): tosa-1.0 has no operator of "
                         "that name; did you mean IDENTITY, "));
  // Names of other editions.
  EXPECT_EQ(
      Changed([](Graph&, Block&, Block& same) { same.operators[0].op = "FULLY_CONNECTED"; }),
      "graph, FULLY_CONNECTED (operator 0 of block same): tosa-1.0 has no operator of that name; "
      "one of tosa-0.100, rvtensor: a graph is of one edition, which its case names");
  EXPECT_EQ(Changed([](Graph&, Block&, Block& same) { same.operators[0].inputs = {"q"}; }),
            "graph, IDENTITY (operator 0 of block same): tensor q is not declared in the block");
  EXPECT_EQ(
      Changed([](Graph&, Block&, Block& same) { same.operators[0].inputs = {"y1"}; }),
      "graph, IDENTITY (operator 0 of block same): input y1 is used before an operator or the "
      "graph's inputs define it");
  EXPECT_EQ(Changed([](Graph&, Block&, Block& same) { same.operators[0].outputs = {"x1"}; }),
            "graph, IDENTITY (operator 0 of block same): tensor x1 is defined twice");
  EXPECT_EQ(Changed([](Graph&, Block&, Block& same) { same.outputs = {"z"}; }),
            "graph, outputs: tensor z is not declared in the block");
  EXPECT_EQ(Changed([](Graph&, Block&, Block& same) { same.operators.clear(); }),
            "graph, block same, outputs: no operator defines y1");
  EXPECT_EQ(Changed([](Graph&, Block&, Block& same) {
              same.inputs = {"x1", "x1"};
            }),
            "graph, block same, inputs: x1 is an input twice");
  EXPECT_EQ(Changed([](Graph&, Block&, Block& same) { same.tensors.push_back(I32("x1")); }),
            "graph, block same, tensors: tensor x1 is declared twice");
}

TEST(BadInput, NamesACycleOfOperators) {
  EXPECT_THAT(Changed([](Graph&, Block& main, Block&) {
                main.tensors.push_back(I32("z"));
                main.operators = {Op("IDENTITY", {"z"}, {"y"}), Op("IDENTITY", {"y"}, {"z"})};
              }),
              HasSubstr("IDENTITY (operator 0): input z is used before"));
}

TEST(BadInput, NamesRegionsThatAreMissingOrContainThemselves) {
  EXPECT_EQ(Changed([](Graph&, Block& main, Block&) {
              main.operators[0].attributes["else_graph"] = std::string("other");
            }),
            "graph, COND_IF (operator 0): found no region other");
  EXPECT_EQ(Changed([](Graph&, Block&, Block& same) {
              same.tensors.push_back(Bool("c1"));
              same.inputs = {"c1", "x1"};
              same.operators = {CondIf({"c1", "c1", "x1"}, {"y1"}, "same", "same")};
            }),
            "graph, region same: contains itself, by way of region same");
  EXPECT_EQ(Changed([](Graph&, Block&, Block& same) {
              same.operators = {CondIf({"x1"}, {"y1"}, "main", "main")};
            }),
            "graph, region main: contains itself, by way of region same");
  EXPECT_EQ(Changed([](Graph& graph, Block&, Block&) { graph.regions[1].name = "main"; }),
            "graph: two regions have the name main");
  EXPECT_EQ(Changed([](Graph& graph, Block&, Block&) { graph.regions[1].blocks.clear(); }),
            "graph, region same: found 0 blocks, expected one");
  EXPECT_EQ(Changed([](Graph& graph, Block&, Block& same) {
              graph.regions[1].blocks.push_back(Block(same));
            }),
            "graph, region same: found 2 blocks, expected one");
}

TEST(BadInput, FollowsNestingAsDeepAsItIs) {
  constexpr int kDepth = 10000;
  Graph graph;
  for (int k = 0; k < kDepth; ++k) {
    const std::string c = StrCat("c", k), next = StrCat("r", (k + 1) % kDepth);
    graph.regions.push_back(
        R(StrCat("r", k), {c}, {}, {Bool(c)}, {CondIf({c, c}, {}, next, next)}));
  }
  const Tensors inputs = {{"c0", Integers({1}, DType::kBool)}};
  EXPECT_EQ(Verdict(graph, {inputs}), "graph, region r0: contains itself, by way of region r9999");
  graph.regions.back().blocks[0].operators.clear();
  EXPECT_EQ(Verdict(graph, {inputs}), "error: cond_if.nesting");
  EXPECT_EQ(Verdict(graph, {inputs}, Setting("tosa-1.0", "none")), "error: cond_if.nesting");
}

TEST(BadInput, AttributesOfAnotherKindAreErrors) {
  const auto with = [](const std::string& name, const AttributeValue& value) {
    return Changed(
        [&](Graph&, Block& main, Block&) { main.operators[0].attributes[name] = value; });
  };
  EXPECT_EQ(with("then_graph", int64_t{1}), "error: graph.attribute");
  EXPECT_EQ(with("axis", int64_t{1}), "error: graph.attribute");
  const auto argmax = [](const AttributeValue& axis) {
    return Changed([&](Graph&, Block& main, Block&) {
      main.tensors[2] = I32("y", {});
      main.tensors.push_back(T("i", DType::kI8));
      main.operators = {
          Op("CAST", {"x"}, {"i"}),
          Op("ARGMAX", {"i"}, {"y"}, {{"axis", axis}, {"nan_mode", std::string("PROPAGATE")}})};
    });
  };
  EXPECT_EQ(argmax(int64_t{0}), "valid");
  EXPECT_EQ(argmax(int64_t{1}), "error: argmax.axis_range");
  EXPECT_EQ(argmax(int64_t{1} << 31), "error: graph.attribute");
  EXPECT_EQ(argmax(0.0), "error: graph.attribute");
  EXPECT_EQ(argmax(std::string("0")), "error: graph.attribute");
  EXPECT_EQ(argmax(false), "error: graph.attribute");
  EXPECT_EQ(argmax(std::vector<int64_t>{0}), "error: graph.attribute");
}

// Zero points of 0.100 are bit patterns of the type: signed or unsigned, and nothing beyond.
TEST(BadInput, ZeroPointsAreNumbersOfTheirType) {
  const auto matmul = [](int64_t zero_point) {
    const DType i8 = DType::kI8;
    const Graph graph = {
        {R("main", {"a", "b"}, {"y"},
           {T("a", i8, {1, 1, 1}), T("b", i8, {1, 1, 1}), I32("y", {1, 1, 1})},
           {Op("MATMUL", {"a", "b"}, {"y"}, {{"A_zp", zero_point}, {"B_zp", int64_t{0}}})})}};
    const Tensor one(i8, {1, 1, 1});
    return Verdict(graph, {{{"a", one}, {"b", one}}}, Setting("tosa-0.100"));
  };
  EXPECT_EQ(matmul(-128), "valid");
  EXPECT_EQ(matmul(127), "valid");
  EXPECT_EQ(matmul(-129), "error: graph.attribute");
  EXPECT_EQ(matmul(128), "error: graph.attribute");
}

// The verdict on one IDENTITY over a tensor without values.
std::string Sized(DType type, const Shape& shape, const Setting& setting) {
  const Graph graph = {{R("main", {"x"}, {"y"}, {T("x", type, shape), T("y", type, shape)},
                          {Op("IDENTITY", {"x"}, {"y"})})}};
  return Verdict(graph, {{}}, setting);
}

TEST(BadInput, TensorsBeyondTheLevelAreUnpredictable) {
  const Setting released, unlimited("tosa-1.0", "none"), draft("tosa-0.100");
  const std::string beyond = "unpredictable: graph.tensor_size, graph.tensor_size";
  // 4 GiB, and a byte more than 2^31 - 1.
  EXPECT_EQ(Sized(DType::kFp32, {1 << 30}, released), beyond);
  EXPECT_EQ(Sized(DType::kI8, {int64_t{1} << 31}, released), beyond);
  EXPECT_THAT(Sized(DType::kI8, {(int64_t{1} << 31) - 1}, released), HasSubstr("unsupported: "));
  // i48 has six bytes, bool and i4 have one.
  EXPECT_EQ(Sized(DType::kI48, {357913942}, released), beyond);
  EXPECT_THAT(Sized(DType::kI48, {357913941}, released), HasSubstr("unsupported: "));
  // 0.100: 2^32 - 1 bytes, and 2^31 - 1 along a dimension.
  EXPECT_EQ(Sized(DType::kFp32, {1 << 30}, draft), beyond);
  EXPECT_THAT(Sized(DType::kFp32, {(1 << 30) - 1}, draft), HasSubstr("unsupported: "));
  EXPECT_EQ(Sized(DType::kI8, {int64_t{1} << 31}, draft), beyond);
  EXPECT_THAT(Sized(DType::kI8, {2, (int64_t{1} << 31) - 1}, draft), HasSubstr("unsupported: "));
  // Products that overflow 64 bits, also where they come out as zero.
  EXPECT_EQ(Sized(DType::kI8, {int64_t{1} << 32, int64_t{1} << 32}, unlimited), beyond);
  EXPECT_EQ(Sized(DType::kFp32, {INT64_MAX, INT64_MAX, INT64_MAX}, unlimited), beyond);
}

// RVTensor has the sizes of 0.100: 4 GiB are a byte too many, and so are 2^31 in a dimension.
TEST(BadInput, TensorsOfRvtensorHaveTheSizesOfTheDraft) {
  const auto sized = [](DType type, const Shape& shape) {
    std::vector<int64_t> perms(shape.size());
    std::iota(perms.begin(), perms.end(), int64_t{0});
    const Graph graph = {{R("main", {"x"}, {"y"}, {T("x", type, shape), T("y", type, shape)},
                            {Op("TRANSPOSE", {"x"}, {"y"}, {{"perms", perms}})})}};
    return Verdict(graph, {{}}, Setting("rvtensor"));
  };
  const std::string beyond = "unpredictable: graph.tensor_size, graph.tensor_size";
  EXPECT_EQ(sized(DType::kFp32, {1 << 30}), beyond);
  EXPECT_THAT(sized(DType::kFp32, {(1 << 30) - 1}), HasSubstr("unsupported: "));
  EXPECT_EQ(sized(DType::kI8, {int64_t{1} << 31}), beyond);
  EXPECT_THAT(sized(DType::kI8, {2, (int64_t{1} << 31) - 1}), HasSubstr("unsupported: "));
}

TEST(BadInput, TensorsBeyondTheReferenceAreUnsupported) {
  EXPECT_THAT(Sized(DType::kI8, {int64_t{1} << 40}, Setting("tosa-1.0", "none")),
              AllOf(HasSubstr("unsupported: graph: tensor x of shape [1099511627776]"),
                    HasSubstr("at most 268435456 elements")));
  const Setting unlimited("tosa-1.0", "none");
  EXPECT_THAT(Verdict({{R("main", {}, {}, {},
                          {Op("VARIABLE", {}, {},
                              {{"name", std::string("v")},
                               {"type", std::string("FP32")},
                               {"var_shape", std::vector<int64_t>{1 << 20, 1 << 20}}})})}},
                      {{}}, unlimited),
              HasSubstr("unsupported: VARIABLE (operator 0): tensor var_shape"));
}

TEST(BadInput, VariablesHaveShapes) {
  const auto declared = [](const std::vector<int64_t>& shape) {
    return Verdict({{R("main", {}, {}, {},
                       {Op("VARIABLE", {}, {},
                           {{"name", std::string("v")},
                            {"type", std::string("FP32")},
                            {"var_shape", shape}})})}},
                   {{}});
  };
  EXPECT_EQ(declared({}), "valid");
  EXPECT_EQ(declared({2, 0}), "unpredictable: graph.dimension");
  EXPECT_EQ(declared({INT64_MIN}), "unpredictable: graph.dimension");
  EXPECT_EQ(declared({INT64_MAX, 3}), "unpredictable: graph.tensor_size");
}

TEST(BadInput, InitialValuesAreConstantsOfTheBlock) {
  const auto with = [](const AttributeValue& initial) {
    return Verdict({{R("main", {"x"}, {}, {T("x", DType::kI8)},
                       {Op("VARIABLE", {}, {},
                           {{"name", std::string("v")},
                            {"type", std::string("INT8")},
                            {"var_shape", std::vector<int64_t>{1}},
                            {"initial_value", initial}})})}},
                   {{{"x", Integers({1}, DType::kI8)}}});
  };
  EXPECT_EQ(with(std::string("nobody")),
            "graph, VARIABLE (operator 0): tensor nobody is not declared in the block");
  EXPECT_EQ(with(std::string("x")),
            "graph, VARIABLE (operator 0): attribute initial_value: tensor x has no values");
  EXPECT_EQ(with(int64_t{3}), "error: graph.attribute");
}

// Operators with absurd arguments get some answer. For the sanitizers.
class Absurd {
 public:
  Absurd(const Setting& setting, const OperatorSpec& spec, uint64_t seed)
      : setting_(setting), state_(seed * 2654435761u + 99), row_(Pick(spec.type_rows)) {
    GraphOperator node{spec.name, {}, {}, {}};
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.category == ArgumentCategory::kAttribute) {
        SetAttribute(argument, node);
        continue;
      }
      const int count =
          argument.type.find("list") != std::string::npos ? static_cast<int>(Next(4)) : 1;
      for (int k = 0; k < count; ++k) {
        const bool input = argument.category == ArgumentCategory::kInput;
        (input ? node.inputs : node.outputs).push_back(AddTensor(argument, input));
      }
    }
    main_.outputs = node.outputs;
    main_.operators.push_back(std::move(node));
  }

  // Two graphs to name, neither of which is "main".
  Graph graph() const {
    return {{{"main", {main_}}, R("r", {"p"}, {"p"}, {I32("p")}, {}), R("s", {}, {}, {}, {})}};
  }
  const Tensors& inputs() const { return inputs_; }

 private:
  uint64_t Next(uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }
  template <class List>
  auto Pick(const List& list) -> decltype(list[0]) {
    return list[Next(std::size(list))];
  }
  int64_t Number() {
    static constexpr int64_t kNumbers[] = {0,         1,          2,         3,
                                           -1,        -2,         7,         8,
                                           31,        32,         63,        64,
                                           INT32_MIN, INT32_MAX,  INT64_MIN, INT64_MAX,
                                           1 << 15,   -(1 << 15), 1 << 30,   int64_t{1} << 62};
    return Next(2) != 0 ? kNumbers[Next(6)] : Pick(kNumbers);
  }
  DType TypeOf(const ArgumentSpec& argument) {
    if (argument.type.starts_with("shape")) return DType::kShape;
    const std::string& name = argument.element_type == "-" ? argument.type : argument.element_type;
    if (const auto type = row_.PlainType(name)) return *type;
    const std::string plain = name.substr(0, name.find("_t"));
    return ParseDType(plain).value_or(Pick(kDTypes).dtype);
  }
  Shape SomeShape(const ArgumentSpec& argument) {
    static constexpr int64_t kSizes[] = {1, 1, 1, 2, 3, 4, 5};
    static constexpr int64_t kAbsurd[] = {0, -1, 513, 1 << 28, int64_t{1} << 40, INT64_MAX};
    const auto commas = std::count(argument.shape.begin(), argument.shape.end(), ',');
    size_t rank = argument.shape.starts_with("[") ? static_cast<size_t>(commas) + 1 : Next(5);
    if (Next(20) == 0) rank = Next(9);
    Shape shape(rank);
    for (int64_t& size : shape) size = Next(25) == 0 ? Pick(kAbsurd) : Pick(kSizes);
    return shape;
  }
  std::string AddTensor(const ArgumentSpec& argument, bool input) {
    const std::string name = StrCat("t", main_.tensors.size());
    GraphTensor tensor = T(name, TypeOf(argument), SomeShape(argument));
    if (tensor.dtype == DType::kShape) tensor.shape = {static_cast<int64_t>(Next(6))};
    const auto count = CheckedElementCount(tensor.shape);
    if (input && (tensor.dtype == DType::kShape || (count.ok() && *count < 100000))) {
      auto values = std::make_shared<Tensor>(tensor.dtype, tensor.shape);
      for (int64_t i = 0; i < values->size(); ++i) {
        if (IsFloat(tensor.dtype)) {
          values->SetBits(i, static_cast<uint64_t>(Number()));
        } else {
          values->SetInteger(
              i, std::clamp(Number(), IntegerMin(tensor.dtype), IntegerMax(tensor.dtype)));
        }
      }
      if (tensor.dtype == DType::kShape) {
        tensor.values = values;
        main_.operators.push_back(Op("CONST_SHAPE", {}, {name}));
      } else {
        inputs_.emplace(name, *values);
      }
    }
    if (input && tensor.dtype != DType::kShape) main_.inputs.push_back(name);
    main_.tensors.push_back(std::move(tensor));
    return name;
  }
  void SetAttribute(const ArgumentSpec& argument, GraphOperator& node) {
    AttributeValue& value = node.attributes[argument.name];
    const std::string& type = argument.type == "tensor_t" ? argument.element_type : argument.type;
    if (const EnumSpec* enumeration = setting_.edition.FindEnum(type)) {
      value = Pick(enumeration->values).name;
    } else if (type == "bool_t") {
      value = Next(2) == 0;
    } else if (type == "tosa_graph_t") {
      value = std::string(Next(2) == 0 ? "r" : "s");
    } else if (type == "String" || argument.name == "initial_value") {
      value = main_.tensors.empty() ? std::string("x") : main_.tensors[0].name;
      if (argument.name == "initial_value") node.attributes.erase(argument.name);
    } else if (argument.shape.starts_with("[") || argument.name == "var_shape") {
      const auto length = static_cast<size_t>(std::atoi(argument.shape.c_str() + 1));
      std::vector<int64_t> list(length > 0 && Next(20) != 0 ? length : Next(7));
      for (int64_t& x : list) x = Number();
      value = list;
    } else if (IsFloat(TypeOf(argument)) && Next(3) != 0) {
      value = static_cast<double>(Number());
    } else {
      value = Number();
    }
  }

  const Setting& setting_;
  uint64_t state_;
  const TypeRow& row_;
  Block main_{.name = "main", .inputs = {}, .outputs = {}, .tensors = {}, .operators = {}};
  Tensors inputs_;
};

TEST(BadInput, AbsurdArgumentsHaveAnAnswer) {
  int valid = 0, answered = 0;
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const char* level : {"8K", "none"}) {
      const Setting setting(edition, level);
      for (const OperatorSpec& spec : setting.edition.operators) {
        for (uint64_t seed = 0; seed < 300; ++seed) {
          const Absurd absurd(setting, spec, seed);
          const Graph graph = absurd.graph();
          const auto evaluation = Evaluate(graph, absurd.inputs(), setting.edition, setting.level);
          const auto native = ExecuteNative(graph, absurd.inputs(), setting.edition, setting.level);
          EXPECT_EQ(evaluation.ok(), native.ok()) << spec.name << " " << seed;
          if (!evaluation.ok()) continue;
          ++answered;
          valid += evaluation->outcome == Outcome::kValid;
        }
      }
    }
  }
  EXPECT_GT(answered, 50000);
  EXPECT_GT(valid, 1000);
}

}  // namespace
}  // namespace cts
