// Properties that hold whatever the program, on one program that has every kind of symbolic
// operator; sizes are counted here once more. The answers of the static graphs are tested in
// reference/evaluate/resolve_test.cc.
#include "reference/symbolic/resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "reference/graph/structure.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Names = std::vector<std::string>;
using Tensors = std::map<std::string, Tensor>;

const Edition& Tosa10() { return **FindEdition("tosa-1.0"); }

// "N" or "4": a symbol or a size.
GraphTensor Sized(std::string name, DType dtype, const Names& dimensions) {
  GraphTensor tensor{std::move(name), dtype, {}, nullptr};
  for (const std::string& dimension : dimensions) {
    const bool size = dimension.find_first_not_of("0123456789") == std::string::npos;
    tensor.shape.push_back(size ? std::stoll(dimension) : -1);
    tensor.symbols.push_back(size ? "" : dimension);
  }
  const auto is_empty = [](const std::string& symbol) { return symbol.empty(); };
  if (std::all_of(tensor.symbols.begin(), tensor.symbols.end(), is_empty)) tensor.symbols.clear();
  return tensor;
}

// A program that is written operator by operator.
class Program {
 public:
  explicit Program(const std::vector<GraphTensor>& inputs) : graph_(EmptyGraph()) {
    for (const GraphTensor& input : inputs) {
      block().inputs.push_back(input.name);
      block().tensors.push_back(input);
    }
  }

  Program& Add(std::string op, Names inputs, GraphTensor output,
               std::map<std::string, AttributeValue> attributes = {}) {
    block().operators.push_back(
        {std::move(op), std::move(inputs), {output.name}, std::move(attributes)});
    block().tensors.push_back(std::move(output));
    return *this;
  }
  Program& Index(const std::string& name, int64_t value) {
    return Add("INDEX_CONST", {}, {name, DType::kShape, {1}, nullptr}, {{"value", value}});
  }
  Program& Dimension(const std::string& name, const std::string& of, int64_t i) {
    return Add("GET_DIM", {of}, {name, DType::kShape, {1}, nullptr}, {{"dim_index", i}});
  }

  Graph Yielding(Names outputs) const {
    Graph graph = graph_;
    graph.main().outputs = std::move(outputs);
    return graph;
  }

 private:
  Block& block() { return graph_.main(); }
  Graph graph_;
};

// Every kind of symbolic operator. Dimensions that follow have symbols of their own.
Graph Everything() {
  const auto i32 = [](std::string name, const Names& dimensions) {
    return Sized(std::move(name), DType::kI32, dimensions);
  };
  GraphTensor seven = i32("seven", {"1"});
  seven.values = std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kI32, {1}, {7}));
  return Program({i32("x", {"N", "M", "4"}), i32("where", {"2"})})
      .Add("CONST", {}, seven)
      .Dimension("n", "x", 0)
      .Dimension("m", "x", 1)
      .Index("zero", 0)
      .Index("two", 2)
      .Add("RESHAPE", {"x", "n", "m"}, i32("parts", {"p_0", "p_1", "2", "2"}),
           {{"new_shape", std::vector<int64_t>{-1, -1, 2, 2}}})
      .Add("EXPAND_DIMS", {"x"}, i32("wide", {"w_0", "1", "w_2", "4"}),
           {{"indices", std::vector<int64_t>{1}}})
      .Add("COLLAPSE_DIMS", {"wide"}, i32("again", {"N", "M", "4"}),
           {{"indices", std::vector<int64_t>{1}}})
      .Add("ADD", {"again", "x"}, i32("sum", {"N", "M", "4"}))
      .Add("DIMS_TO_TENSOR", {"n", "m", "two"}, i32("sizes", {"3"}))
      .Add("EXTRACT_DIM", {"sizes"}, {"last", DType::kShape, {1}, nullptr},
           {{"dim_index", int64_t{2}}})
      .Add("EXTRACT_DIM", {"where"}, {"start", DType::kShape, {1}, nullptr},
           {{"dim_index", int64_t{1}}})
      .Add("DATA_DEPENDENT_SLICE", {"sum", "zero", "zero", "start", "n", "m", "last"},
           i32("cut", {"c_0", "c_1", "c_2"}))
      .Add("DATA_DEPENDENT_PAD", {"cut", "seven", "zero", "two", "zero", "zero", "zero", "zero"},
           i32("padded", {"d_0", "d_1", "d_2"}))
      .Add("IOTA", {"m"}, i32("count", {"i_0"}))
      .Yielding({"parts", "sizes", "padded", "count"});
}

struct Made {
  Graph graph;
  Binding symbols;
  std::vector<Violation> violations;
  Status status;
};

// The static graph, or the violations that left none. `data` holds the values of tensors that
// dimensions depend on.
Made Make(const Graph& program, const Binding& binding, const Tensors& data = {}) {
  Resolver resolver(program, Tosa10(), *Tosa10().FindLevel("8K"));
  Made made;
  resolver.Bind(binding, {}, made.violations);
  for (size_t i = 0; i < program.main().operators.size() && made.violations.empty(); ++i) {
    const auto wanted = data.find(resolver.WantedBy(i));
    made.status =
        resolver.Append(i, wanted == data.end() ? nullptr : &wanted->second, made.violations);
    if (!made.status.ok()) return made;
  }
  made.graph = made.violations.empty() ? resolver.Finish(program.main().outputs) : resolver.graph();
  made.symbols = resolver.symbols();
  return made;
}

const Tensors& Data() {
  static const auto& data = *new Tensors{{"where", Tensor::OfIntegers(DType::kI32, {2}, {9, 1})}};
  return data;
}

Made MakeEverything(const Graph& program, const Binding& binding) {
  Made made = Make(program, binding, Data());
  EXPECT_TRUE(made.status.ok()) << made.status;
  for (const Violation& violation : made.violations) ADD_FAILURE() << violation.message;
  return made;
}

void ExpectSame(const Graph& one, const Graph& other) {
  const Block &a = one.main(), &b = other.main();
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.outputs, b.outputs);
  ASSERT_EQ(a.operators.size(), b.operators.size());
  for (size_t i = 0; i < a.operators.size(); ++i) {
    EXPECT_EQ(a.operators[i].op, b.operators[i].op) << i;
    EXPECT_EQ(a.operators[i].inputs, b.operators[i].inputs) << i;
    EXPECT_EQ(a.operators[i].outputs, b.operators[i].outputs) << i;
    EXPECT_EQ(a.operators[i].attributes, b.operators[i].attributes) << i;
  }
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (const GraphTensor& tensor : a.tensors) {
    const GraphTensor* const same = b.Find(tensor.name);
    ASSERT_NE(same, nullptr) << tensor.name;
    EXPECT_EQ(Describe(tensor), Describe(*same));
    ASSERT_EQ(tensor.values == nullptr, same->values == nullptr) << tensor.name;
    EXPECT_TRUE(tensor.values == nullptr || *tensor.values == *same->values) << tensor.name;
  }
}

// Dimensions of the program with the symbols replaced.
template <class Replace>
Graph WithSymbols(Graph program, Replace replace) {
  for (GraphTensor& tensor : program.main().tensors) {
    Names dimensions;
    for (size_t i = 0; i < tensor.shape.size(); ++i) {
      const std::string& symbol = SymbolOf(tensor, i);
      dimensions.push_back(symbol.empty() ? StrCat(tensor.shape[i]) : replace(symbol));
    }
    const GraphTensor sized = Sized(tensor.name, tensor.dtype, dimensions);
    tensor.shape = sized.shape;
    tensor.symbols = sized.symbols;
  }
  return program;
}

const std::vector<Binding>& Bindings() {
  static const auto& bindings = *new std::vector<Binding>{
      {{"M", 5}, {"N", 3}}, {{"M", 2}, {"N", 2}}, {{"M", 1}, {"N", 7}}, {{"M", 6}, {"N", 1}}};
  return bindings;
}

TEST(Resolver, EverySizeFollowsFromTheBinding) {
  const Graph program = Everything();
  for (const Binding& binding : Bindings()) {
    const int64_t n = binding.at("N"), m = binding.at("M");
    const Made made = MakeEverything(program, binding);
    const Block& block = made.graph.main();
    EXPECT_EQ(block.Find("parts")->shape, (Shape{n, m, 2, 2}));
    EXPECT_EQ(block.Find("wide")->shape, (Shape{n, 1, m, 4}));
    EXPECT_EQ(block.Find("sum")->shape, (Shape{n, m, 4}));
    // From the start that `where` holds, as many as DIMS_TO_TENSOR says; two rows behind.
    EXPECT_EQ(block.Find("cut")->shape, (Shape{n, m, 2}));
    EXPECT_EQ(block.Find("padded")->shape, (Shape{n + 2, m, 2}));
    EXPECT_EQ(block.Find("count")->shape, (Shape{m}));
    EXPECT_EQ(block.Find("sizes")->values->Integers(), (std::vector<int64_t>{n, m, 2}));
  }
}

TEST(Resolver, ASymbolIsTheSizeOfItsDimensions) {
  const Graph program = Everything();
  for (const Binding& binding : Bindings()) {
    const Made made = MakeEverything(program, binding);
    for (const std::string& symbol : AllSymbols(program)) {
      EXPECT_TRUE(made.symbols.contains(symbol)) << symbol;
    }
    for (const GraphTensor& declared : program.main().tensors) {
      const GraphTensor* const tensor = made.graph.main().Find(declared.name);
      if (tensor == nullptr) continue;  // an index value that nothing reads
      ASSERT_EQ(tensor->shape.size(), declared.shape.size()) << declared.name;
      EXPECT_EQ(tensor->dtype, declared.dtype) << declared.name;
      for (size_t i = 0; i < tensor->shape.size(); ++i) {
        const std::string& symbol = SymbolOf(declared, i);
        EXPECT_EQ(tensor->shape[i], symbol.empty() ? declared.shape[i] : made.symbols.at(symbol))
            << declared.name << " " << i;
      }
    }
  }
}

TEST(Resolver, MakesAStaticGraphOfTheEdition) {
  const Graph program = Everything();
  for (const Binding& binding : Bindings()) {
    const Made made = MakeEverything(program, binding);
    EXPECT_TRUE(RequireStatic(made.graph).ok());
    const Status legal = CheckStructure(made.graph, Tosa10());
    EXPECT_TRUE(legal.ok()) << legal;
    EXPECT_EQ(made.graph.main().inputs, program.main().inputs);
    EXPECT_EQ(made.graph.main().outputs, program.main().outputs);
  }
}

TEST(Resolver, LeavesAStaticGraphAsItIs) {
  const Graph once = MakeEverything(Everything(), Bindings()[0]).graph;
  ExpectSame(MakeEverything(once, {}).graph, once);
}

TEST(Resolver, NamesOfSymbolsMeanNothing) {
  const Graph program = Everything();
  // In another order than before.
  const auto other = [](const std::string& symbol) {
    return symbol == "N" ? std::string("a") : symbol == "M" ? "Z" : "q" + symbol;
  };
  const Graph renamed = WithSymbols(program, other);
  for (const Binding& binding : Bindings()) {
    Binding same;
    for (const auto& [symbol, value] : binding) same[other(symbol)] = value;
    ExpectSame(MakeEverything(renamed, same).graph, MakeEverything(program, binding).graph);
  }
}

TEST(Resolver, ALiteralSizeIsTheSameAsItsSymbol) {
  const Graph program = Everything();
  for (const Binding& binding : Bindings()) {
    for (const auto& [bound, value] : binding) {
      Binding rest = binding;
      rest.erase(bound);
      const std::string name = bound, size = StrCat(value);
      const Graph literal = WithSymbols(
          program, [&](const std::string& symbol) { return symbol == name ? size : symbol; });
      ExpectSame(MakeEverything(literal, rest).graph, MakeEverything(program, binding).graph);
    }
  }
}

TEST(Resolver, WhatIsAppendedStays) {
  const Graph program = Everything();
  Resolver resolver(program, Tosa10(), *Tosa10().FindLevel("8K"));
  std::vector<Violation> violations;
  resolver.Bind(Bindings()[0], {}, violations);
  Graph before = resolver.graph();
  for (size_t i = 0; i < program.main().operators.size(); ++i) {
    const auto wanted = Data().find(resolver.WantedBy(i));
    ASSERT_TRUE(
        resolver.Append(i, wanted == Data().end() ? nullptr : &wanted->second, violations).ok());
    ASSERT_THAT(violations, IsEmpty());
    Graph prefix = resolver.graph();
    EXPECT_GT(prefix.main().operators.size(), before.main().operators.size()) << i;
    EXPECT_EQ(prefix.main().operators.back().outputs, program.main().operators[i].outputs);
    prefix.main().operators.resize(before.main().operators.size());
    prefix.main().tensors.resize(before.main().tensors.size());
    ExpectSame(prefix, before);
    before = resolver.graph();
  }
}

TEST(Resolver, WantsTheValuesOfDataAlone) {
  const Graph program = Everything();
  Resolver resolver(program, Tosa10(), *Tosa10().FindLevel("8K"));
  std::vector<Violation> violations;
  resolver.Bind(Bindings()[0], {}, violations);
  Names wanted;
  for (size_t i = 0; i < program.main().operators.size(); ++i) {
    const std::string name = resolver.WantedBy(i);
    if (!name.empty()) wanted.push_back(name);
    ASSERT_TRUE(resolver.Append(i, name.empty() ? nullptr : &Data().at(name), violations).ok());
  }
  // `sizes` is known: its elements are dimensions.
  EXPECT_THAT(wanted, ElementsAre("where"));
}

TEST(Resolver, KeepsTheProgramsConstantsAndThoseThatAreRead) {
  const Graph program = Everything();
  Graph unread = program;
  const auto value = std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kI32, {1}, {1}));
  unread.main().tensors.push_back({"unread", DType::kI32, {1}, value});
  unread.main().operators.insert(unread.main().operators.begin(), {"CONST", {}, {"unread"}, {}});
  const Block made = MakeEverything(unread, Bindings()[0]).graph.main();
  std::set<std::string> read(made.outputs.begin(), made.outputs.end()), names;
  for (const GraphOperator& op : made.operators) read.insert(op.inputs.begin(), op.inputs.end());
  for (const GraphOperator& op : made.operators) {
    for (const std::string& name : op.outputs) {
      EXPECT_TRUE(names.insert(name).second) << name << " is made twice";
      EXPECT_TRUE(!IsConstant(op) || read.contains(name) || name == "unread") << name;
    }
  }
  EXPECT_TRUE(names.contains("unread"));
  EXPECT_FALSE(names.contains("zero"));  // its value is within the shapes that are read
}

TEST(Resolver, IotaIsARange) {
  for (int64_t start = -4; start <= 4; ++start) {
    for (int64_t limit = -4; limit <= 4; ++limit) {
      for (int64_t step = -3; step <= 3; ++step) {
        std::vector<int64_t> expected;
        for (int64_t i = start; step > 0 ? i < limit : step < 0 && i > limit; i += step) {
          expected.push_back(i);
        }
        const Graph program =
            Program({})
                .Index("start", start)
                .Index("limit", limit)
                .Index("step", step)
                .Add("IOTA", {"start", "limit", "step"}, Sized("y", DType::kI32, {"n"}))
                .Yielding({"y"});
        const Made made = Make(program, {});
        if (expected.empty()) {
          ASSERT_EQ(made.violations.size(), 1u) << start << " " << limit << " " << step;
          EXPECT_EQ(made.violations[0].condition, "iota.range");
          continue;
        }
        ASSERT_THAT(made.violations, IsEmpty()) << start << " " << limit << " " << step;
        EXPECT_EQ(made.graph.main().Find("y")->values->Integers(), expected);
      }
    }
  }
}

TEST(Resolver, CollapsingTakesBackWhatExpandingGave) {
  const Names sizes = {"N", "3", "M"};
  for (unsigned subset = 1; subset < 16; ++subset) {
    std::vector<int64_t> before, ones;  // as EXPAND_DIMS, and as COLLAPSE_DIMS counts
    Names wide;
    for (size_t i = 0; i <= sizes.size(); ++i) {
      if ((subset >> i & 1) != 0) {
        before.push_back(static_cast<int64_t>(i));
        ones.push_back(static_cast<int64_t>(wide.size()));
        wide.push_back("1");
      }
      if (i < sizes.size()) wide.push_back(sizes[i]);
    }
    const Graph program =
        Program({Sized("x", DType::kI8, sizes)})
            .Add("EXPAND_DIMS", {"x"}, Sized("wide", DType::kI8, wide), {{"indices", before}})
            .Add("COLLAPSE_DIMS", {"wide"}, Sized("y", DType::kI8, {"y_0", "y_1", "y_2"}),
                 {{"indices", ones}})
            .Yielding({"y"});
    const Made made = Make(program, {{"N", 2}, {"M", 5}});
    ASSERT_THAT(made.violations, IsEmpty()) << subset;
    EXPECT_EQ(made.graph.main().Find("y")->shape, (Shape{2, 3, 5}));
  }
}

// ---- What is refused, with its place
// --------------------------------------------------------------

std::string Refused(const Graph& program, const Binding& binding, const Tensors& data = {}) {
  const Made made = Make(program, binding, data);
  EXPECT_TRUE(made.status.ok()) << made.status;
  std::string text;
  for (const Violation& v : made.violations) {
    text += StrCat(text.empty() ? "" : "\n", v.condition, " at ", v.op, ": ", v.message);
  }
  return text;
}

TEST(Resolver, NamesEveryFaultOfABinding) {
  const Graph program = Everything();
  EXPECT_EQ(Refused(program, {}),
            "symbol.unbound at binding: found no value for M\n"
            "symbol.unbound at binding: found no value for N");
  EXPECT_EQ(Refused(program, {{"M", 0}, {"N", -3}}),
            "symbol.not_positive at binding: M: found 0\n"
            "symbol.not_positive at binding: N: found -3");
  // A dimension that follows is another.
  EXPECT_EQ(Refused(program, {{"M", 5}, {"N", 3}, {"i_0", 4}}, Data()),
            "symbol.contradiction at IOTA (operator 14): count: i_0 is 4, the operator makes 5");
}

TEST(Resolver, HoldsTheInputsToTheBinding) {
  const Graph program = Everything();
  Resolver resolver(program, Tosa10(), *Tosa10().FindLevel("8K"));
  std::vector<Violation> violations;
  Tensors inputs = Data();
  inputs.emplace("x", Tensor(DType::kI32, {3, 4, 4}));
  resolver.Bind({{"M", 5}, {"N", 3}}, inputs, violations);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].condition, "symbol.contradiction");
  EXPECT_EQ(violations[0].message, "x: found shape [3,4,4], expected i32[N,M,4] = [3,5,4]");
}

TEST(Resolver, RefusesDimensionsThatATensorDoesNotHave) {
  const GraphTensor x = Sized("x", DType::kI32, {"N", "4"});
  for (const int64_t i : {-1, 2}) {
    EXPECT_EQ(
        Refused(Program({x}).Dimension("n", "x", i).Yielding({"x"}), {{"N", 3}}),
        StrCat("get_dim.dim_index at GET_DIM (operator 0): found ", i, " for x of shape [3,4]"));
    EXPECT_EQ(Refused(Program({Sized("where", DType::kI32, {"2"})})
                          .Add("EXTRACT_DIM", {"where"}, {"n", DType::kShape, {1}, nullptr},
                               {{"dim_index", i}})
                          .Yielding({"where"}),
                      {}, Data()),
              StrCat("extract_dim.dim_index at EXTRACT_DIM (operator 0): found ", i,
                     " for where of 2 elements"));
  }
  const auto with = [&](const std::string& op, std::vector<int64_t> indices, GraphTensor y) {
    return Refused(Program({Sized("x", DType::kI32, {"N", "1"})})
                       .Add(op, {"x"}, std::move(y), {{"indices", std::move(indices)}})
                       .Yielding({"y"}),
                   {{"N", 1}});
  };
  EXPECT_EQ(with("EXPAND_DIMS", {1, 0}, Sized("y", DType::kI32, {"1", "1", "a", "b"})),
            "expand_dims.indices at EXPAND_DIMS (operator 0): found [1,0] for x of rank 2");
  EXPECT_EQ(with("COLLAPSE_DIMS", {2}, Sized("y", DType::kI32, {"a"})),
            "collapse_dims.indices at COLLAPSE_DIMS (operator 0): found [2] for x of rank 2");
  // A symbol that is 1 is no literal one.
  EXPECT_EQ(with("COLLAPSE_DIMS", {0}, Sized("y", DType::kI32, {"1"})),
            "collapse_dims.not_one at COLLAPSE_DIMS (operator 0): dimension 0 of x: i32[N,1]");
}

TEST(Resolver, RefusesAWrongNumberOfIndexValues) {
  const auto slice = [](const Names& values) {
    Names operands = {"x"};
    operands.insert(operands.end(), values.begin(), values.end());
    return Refused(Program({Sized("x", DType::kI32, {"N", "4"})})
                       .Index("one", 1)
                       .Add("DATA_DEPENDENT_SLICE", operands, Sized("y", DType::kI32, {"a", "b"}))
                       .Yielding({"y"}),
                   {{"N", 3}});
  };
  const std::string place = "symbol.index_count at DATA_DEPENDENT_SLICE (operator 1): ";
  EXPECT_EQ(slice({"one"}), place + "start: found 1 index values, expected 2");
  EXPECT_EQ(slice({"one", "one", "one"}), place + "size: found 1 index values, expected 2");
  EXPECT_EQ(slice({"one", "one", "one", "one"}), "");
  EXPECT_EQ(slice({"one", "one", "one", "one", "one"}),
            place + "size: found 3 index values, expected 2");
}

TEST(Resolver, RefusesValuesThatATypeDoesNotHave) {
  EXPECT_EQ(Refused(Program({})
                        .Index("large", 128)
                        .Add("DIMS_TO_TENSOR", {"large"}, Sized("y", DType::kI8, {"1"}))
                        .Yielding({"y"}),
                    {}),
            "symbol.value_range at DIMS_TO_TENSOR (operator 1): large is 128, which i8 has not");
  EXPECT_EQ(Refused(Program({})
                        .Index("large", 128)
                        .Add("DIMS_TO_TENSOR", {"large"}, Sized("y", DType::kI32, {"2"}))
                        .Yielding({"y"}),
                    {}),
            "graph.output_shape at DIMS_TO_TENSOR (operator 1): y: found i32[2], expected [1]");
}

// A symbol that is 1 may mean a channel for each, or one for all.
TEST(Resolver, RefusesASymbolThatWouldBroadcast) {
  const auto add = [](const Names& x, const Names& y, const Binding& binding) {
    return Refused(Program({Sized("x", DType::kI32, x), Sized("y", DType::kI32, y)})
                       .Add("ADD", {"x", "y"}, Sized("z", DType::kI32, {"a", "b"}))
                       .Yielding({"z"}),
                   binding);
  };
  EXPECT_EQ(add({"N", "M"}, {"K", "M"}, {{"N", 3}, {"K", 1}, {"M", 1}}),
            "symbol.broadcast at ADD (operator 0): y: K is 1, x has 3");
  EXPECT_EQ(add({"N", "M"}, {"1", "M"}, {{"N", 3}, {"M", 1}}), "");
  EXPECT_EQ(add({"N", "M"}, {"K", "M"}, {{"N", 1}, {"K", 1}, {"M", 1}}), "");
}

TEST(Resolver, AddsNothingAfterAViolation) {
  const Graph program = Program({Sized("x", DType::kI32, {"N", "4"})})
                            .Dimension("n", "x", 0)
                            .Dimension("none", "x", 2)
                            .Dimension("m", "x", 1)
                            .Yielding({"x"});
  const Made made = Make(program, {{"N", 3}});
  ASSERT_EQ(made.violations.size(), 1u);
  EXPECT_EQ(made.graph.main().operators.size(), 1u);
  EXPECT_EQ(made.graph.main().Find("none"), nullptr);
}

}  // namespace
}  // namespace cts
