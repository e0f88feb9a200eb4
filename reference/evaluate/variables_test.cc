// VARIABLE, VARIABLE_WRITE and VARIABLE_READ over several executions of a graph; CUSTOM.
#include <gmock/gmock.h>

#include <cmath>

#include "reference/evaluate/testing.h"
#include "reference/evaluate/trace.h"

namespace cts {
namespace {

using namespace testing_graph;  // NOLINT(google-build-using-namespace): helpers of these tests
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Variables : public testing::TestWithParam<const char*> {
 protected:
  // The attribute that names a variable: its name, or in 0.100 its uid.
  std::map<std::string, AttributeValue> Named(int64_t number = 7) const {
    if (setting_.edition.id == "tosa-0.100") return {{"uid", number}};
    return {{"name", StrCat("state", number)}};
  }
  GraphOperator Read(const std::string& tensor, int64_t number = 7) const {
    return Op("VARIABLE_READ", {}, {tensor}, Named(number));
  }
  GraphOperator Write(const std::string& tensor, int64_t number = 7) const {
    return Op("VARIABLE_WRITE", {tensor}, {}, Named(number));
  }
  GraphOperator Declare(const std::string& type, const Shape& shape,
                        const std::string& initial = "", int64_t number = 7) const {
    GraphOperator op = Op("VARIABLE", {}, {}, Named(number));
    op.attributes["var_shape"] = shape;
    op.attributes["type"] = type;
    if (!initial.empty()) op.attributes["initial_value"] = initial;
    return op;
  }
  static GraphTensor Initial(Tensor values, const std::string& name = "initial") {
    return {name, values.dtype(), values.shape(), std::make_shared<const Tensor>(values)};
  }
  // before = state; state = state XOR x, in i8; from (1, 2).
  Graph Toggle() const {
    const DType t = DType::kI8;
    Graph graph = {
        {{"main",
          {{"main",
            {"x"},
            {"before", "after"},
            {T("x", t, {2}), Initial(Integers({1, 2}, t)), T("before", t, {2}), T("after", t, {2})},
            {Declare("INT8", {2}, "initial"), Read("before"),
             Op("BITWISE_XOR", {"before", "x"}, {"after"}), Write("after")}}}}}};
    return graph;
  }
  static Tensors X(const std::vector<int64_t>& values) {
    return {{"x", Integers(values, DType::kI8)}};
  }

  const Setting setting_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Editions, Variables, testing::Values("tosa-1.0", "tosa-0.100"),
                         [](const auto& edition) {
                           return std::string(edition.index == 0 ? "Released" : "Draft");
                         });

TEST_P(Variables, KeepTheirValueFromExecutionToExecution) {
  const auto out = Outputs(Toggle(), {X({4, 4}), X({8, 3}), X({0, 0})}, setting_);
  ASSERT_EQ(out.size(), 6u);
  const std::vector<std::vector<int64_t>> expected = {{1, 2},  {5, 6},  {5, 6},
                                                      {13, 5}, {13, 5}, {13, 5}};
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i].name, i % 2 == 0 ? "before" : "after");
    EXPECT_EQ(out[i].execution, static_cast<int>(i / 2));
    EXPECT_EQ(out[i].answers[0].expected.Integers(), expected[i]) << i;
    EXPECT_EQ(out[i].rule.kind, RuleKind::kExact);
  }
  EXPECT_EQ(out[0].rule.clause, StrCat(GetParam(), ", VARIABLE_READ: exact"));
}

TEST_P(Variables, BelongToOneSequenceOfExecutions) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Outputs(Toggle(), {X({4, 4})}, setting_)[0].answers[0].expected.Integers(),
                ElementsAre(1, 2));
  }
}

TEST_P(Variables, AreTracedInTheirExecution) {
  const Tensors first = X({4, 4}), second = X({8, 3});
  const auto elements =
      TraceSequence(Toggle(), {&first, &second}, setting_.edition, setting_.level, "after", 1);
  ASSERT_TRUE(elements.ok()) << elements.status();
  ASSERT_EQ(elements->size(), 2u);
  EXPECT_EQ((*elements)[0].integer, 6);
  EXPECT_EQ((*elements)[1].integer, 3);
}

TEST_P(Variables, NeedADeclarationAndAValue) {
  Graph undeclared = Toggle();
  undeclared.main().operators.erase(undeclared.main().operators.begin());
  EXPECT_EQ(Verdict(undeclared, {X({1, 1})}, setting_), "unpredictable: variable_read.undeclared");
  Graph unwritten = Toggle();
  unwritten.main().operators[0].attributes.erase("initial_value");
  EXPECT_EQ(Verdict(unwritten, {X({1, 1})}, setting_), "unpredictable: variable_read.unwritten");
  Graph only_written = Toggle();
  only_written.main().operators = {Op("IDENTITY", {"x"}, {"before"}),
                                   Op("IDENTITY", {"x"}, {"after"}), Write("x")};
  EXPECT_EQ(Verdict(only_written, {X({1, 1})}, setting_),
            "unpredictable: variable_write.undeclared");
  only_written.main().operators.insert(only_written.main().operators.begin(), Declare("INT8", {2}));
  EXPECT_EQ(Verdict(only_written, {X({1, 1}), X({2, 2})}, setting_), "valid");
}

TEST_P(Variables, AreDeclaredOnceAnExecution) {
  Graph graph = Toggle();
  graph.main().operators.insert(graph.main().operators.begin(), Declare("INT8", {2}));
  EXPECT_EQ(Verdict(graph, {X({1, 1})}, setting_), "unpredictable: variable.declared_twice");
  // A declaration with another type is, too: no condition compares the two.
  graph.main().operators[0] = Declare("FP16", {2});
  EXPECT_EQ(Verdict(graph, {X({1, 1})}, setting_), "unpredictable: variable.declared_twice");
  // Another name is another variable.
  graph.main().operators[0] = Declare("INT8", {2}, "", 8);
  EXPECT_EQ(Verdict(graph, {X({1, 1})}, setting_), "valid");
}

TEST_P(Variables, HaveOneShapeAndOneType) {
  Graph shape = Toggle();
  shape.main().operators[0].attributes["var_shape"] = std::vector<int64_t>{3};
  EXPECT_EQ(Verdict(shape, {X({1, 1})}, setting_), "unpredictable: variable.initial_shape");
  shape.main().operators[0].attributes.erase("initial_value");
  shape.main().operators = {shape.main().operators[0], Op("IDENTITY", {"x"}, {"before"}),
                            Op("IDENTITY", {"x"}, {"after"}), Write("x")};
  EXPECT_EQ(Verdict(shape, {X({1, 1})}, setting_), "unpredictable: variable_write.shape");
  shape.main().operators[0].attributes["type"] = std::string("FP16");
  shape.main().operators[0].attributes["var_shape"] = std::vector<int64_t>{2};
  EXPECT_EQ(Verdict(shape, {X({1, 1})}, setting_), "unpredictable: variable_write.type");

  Graph type = Toggle();
  type.main().operators[0].attributes["type"] = std::string("FP16");
  EXPECT_EQ(Verdict(type, {X({1, 1})}, setting_), "unpredictable: variable.initial_type");

  Graph read = Toggle();
  read.main().tensors.push_back(Initial(Tensor(DType::kFp16, {2, 1}), "other"));
  read.main().operators[0] = Declare("FP16", {2, 1}, "other");
  EXPECT_EQ(Verdict(read, {X({1, 1})}, setting_),
            "unpredictable: variable_read.shape, variable_read.type");
}

TEST_P(Variables, SayWhatTheirConditionsFound) {
  const std::string name = setting_.edition.id == "tosa-0.100" ? "uid 7" : "name state7";
  const auto found = [&](auto change) {
    Graph graph = Toggle();
    change(graph.main());
    return Findings(graph, {X({1, 1})}, setting_);
  };
  EXPECT_EQ(found([](Block& b) { b.operators.erase(b.operators.begin()); }),
            "variable_read.undeclared: there is no variable of this name: found " + name);
  EXPECT_EQ(found([](Block& b) { b.operators[0].attributes.erase("initial_value"); }),
            "variable_read.unwritten: the variable has no value yet: found " + name);
  EXPECT_EQ(found([&](Block& b) { b.operators.insert(b.operators.begin(), Declare("INT8", {2})); }),
            "variable.declared_twice: a variable of this name has been declared in the same "
            "execution: found " +
                name);
  EXPECT_EQ(
      found([](Block& b) { b.operators[0].attributes["var_shape"] = std::vector<int64_t>{3}; }),
      "variable.initial_shape: the initial value has another shape than the variable: found "
      "[2] for a variable of [3]");
  EXPECT_EQ(found([](Block& b) { b.operators[0].attributes["type"] = std::string("FP16"); }),
            "variable.initial_type: the initial value has another type than the variable: found i8 "
            "for a variable of fp16");
  EXPECT_EQ(found([&](Block& b) {
              b.operators = {Declare("FP16", {3}), Op("IDENTITY", {"x"}, {"before"}),
                             Op("IDENTITY", {"x"}, {"after"}), Write("x")};
            }),
            "variable_write.shape: input1 and the variable differ in shape: found [2] and [3]\n"
            "variable_write.type: input1 and the variable differ in type: found i8 and fp16");
}

TEST_P(Variables, HaveTheTypesOfTheTable) {
  Graph graph = Toggle();
  graph.main().tensors[1] = Initial(Tensor(DType::kI16, {2}));
  graph.main().operators[0].attributes["type"] = std::string("INT16");
  EXPECT_EQ(Verdict(graph, {X({1, 1})}, setting_), "error: graph.type_row");
  graph.main().operators[0].attributes["type"] = std::string("INT17");
  EXPECT_EQ(Verdict(graph, {X({1, 1})}, setting_), "error: graph.attribute");
  graph.main().operators[0].attributes["type"] = int64_t{8};
  EXPECT_EQ(Verdict(graph, {X({1, 1})}, setting_), "error: graph.attribute");
  Graph read = Toggle();
  for (size_t i : {0, 2, 3}) read.main().tensors[i].dtype = DType::kI16;
  EXPECT_EQ(Verdict(read, {{{"x", Tensor(DType::kI16, {2})}}}, setting_), "error: graph.type_row");
}

TEST_P(Variables, HaveNoMoreRankThanTheLevelAllows) {
  Graph graph = Toggle();
  graph.main().tensors[1] = Initial(Tensor(DType::kI8, Shape(7, 1)));
  graph.main().operators[0].attributes["var_shape"] = Shape(7, 1);
  EXPECT_EQ(Verdict(graph, {X({1, 1})}, setting_), "unpredictable: variable.level_rank");
  // Without an initial value no tensor has that rank, and var_shape alone has no limit.
  Graph declared = Toggle();
  declared.main().operators = {Declare("INT8", Shape(7, 1)), Op("IDENTITY", {"x"}, {"before"}),
                               Op("IDENTITY", {"x"}, {"after"})};
  EXPECT_EQ(Verdict(declared, {X({1, 1})}, setting_), "valid");
}

// The editions let an implementation choose any order that the tensors allow.
TEST_P(Variables, AreUnpredictableWhereNoTensorOrdersReadingAndWriting) {
  Graph write_first = Toggle();
  write_first.main().operators = {Declare("INT8", {2}, "initial"), Write("x"), Read("before"),
                                  Op("IDENTITY", {"x"}, {"after"})};
  EXPECT_EQ(Verdict(write_first, {X({1, 1})}, setting_), "unpredictable: graph.variable_order");
  Graph independent = Toggle();
  independent.main().operators[3] = Write("x");
  EXPECT_EQ(Verdict(independent, {X({1, 1})}, setting_), "unpredictable: graph.variable_order");
  Graph two_writes = Toggle();
  two_writes.main().operators.push_back(Write("before"));
  EXPECT_EQ(Verdict(two_writes, {X({1, 1})}, setting_), "unpredictable: graph.variable_order");
  Graph two_reads = Toggle();
  two_reads.main().tensors.push_back(T("again", DType::kI8, {2}));
  two_reads.main().operators.push_back(Read("again"));
  EXPECT_EQ(Verdict(two_reads, {X({1, 1})}, setting_), "unpredictable: graph.variable_order");
  two_reads.main().operators.pop_back();
  two_reads.main().operators.insert(two_reads.main().operators.begin() + 1, Read("again"));
  two_reads.main().operators[3].inputs[1] = "again";
  EXPECT_EQ(Verdict(two_reads, {X({1, 1})}, setting_), "valid");
}

// By the letter a sub-graph clears the mark that VARIABLE_WRITE requires. The text means the
// execution as a whole.
TEST_P(Variables, AreWrittenFromAndAfterASubgraph) {
  const DType t = DType::kI8;
  Graph graph = Toggle();
  graph.main().inputs.push_back("c");
  graph.main().tensors.push_back(Bool("c"));
  graph.regions.push_back(R("writes", {"y"}, {"y"}, {T("y", t, {2})}, {Write("y")}));
  graph.regions.push_back(R("same", {"z"}, {"z"}, {T("z", t, {2})}, {}));
  graph.main().tensors.push_back(T("through", t, {2}));
  const auto inputs = [](const std::vector<int64_t>& x, int64_t c) {
    Tensors tensors = X(x);
    tensors.emplace("c", Integers({c}, DType::kBool));
    return tensors;
  };
  const std::vector<Tensors> executions = {inputs({4, 4}, 1), inputs({8, 3}, 0), inputs({0, 0}, 0)};
  const auto before = [&] {
    std::vector<std::vector<int64_t>> values;
    for (const ExpectedOutput& output : Outputs(graph, executions, setting_)) {
      if (output.name == "before") values.push_back(output.answers[0].expected.Integers());
    }
    return values;
  };
  using Values = std::vector<int64_t>;
  // Within: only the first execution takes the branch that writes.
  graph.main().operators[3] = CondIf({"c", "after"}, {"through"}, "writes", "same");
  EXPECT_THAT(before(), ElementsAre(Values{1, 2}, Values{5, 6}, Values{5, 6}));
  // After: each does.
  graph.main().operators[3] = CondIf({"c", "after"}, {"through"}, "same", "same");
  graph.main().operators.push_back(Write("through"));
  EXPECT_THAT(before(), ElementsAre(Values{1, 2}, Values{5, 6}, Values{13, 5}));
}

TEST_P(Variables, AreNotWrittenInAnExecutionThatDoesNotDeclareThem) {
  const DType t = DType::kI8;
  Graph graph = {{R("main", {"c", "x"}, {"y"}, {Bool("c"), T("x", t, {2}), T("y", t, {2})},
                    {CondIf({"c", "x"}, {"y"}, "declares", "same"), Write("y")}),
                  R("declares", {"x1"}, {"x1"}, {T("x1", t, {2})}, {Declare("INT8", {2})}),
                  R("same", {"x2"}, {"x2"}, {T("x2", t, {2})}, {})}};
  Tensors declares = X({1, 1}), does_not = X({1, 1});
  declares.emplace("c", Integers({1}, DType::kBool));
  does_not.emplace("c", Integers({0}, DType::kBool));
  EXPECT_EQ(Verdict(graph, {declares, declares}, setting_), "valid");
  EXPECT_EQ(Verdict(graph, {declares, does_not}, setting_), "unpredictable: variable_write.unseen");
}

// By the letter the second iteration may declare again, since its graph is another execution.
TEST_P(Variables, AreNotDeclaredAgainByAnIteration) {
  const Graph graph = {{R("main", {"i"}, {"n"}, {I32("i"), I32("n")}, {WhileLoop({"i"}, {"n"})}),
                        R("cond", {"i1"}, {"c1"}, {I32("i1"), Constant("two", 2), Bool("c1")},
                          {Op("GREATER", {"two", "i1"}, {"c1"})}),
                        R("body", {"i2"}, {"j2"}, {I32("i2"), Constant("one", 1), I32("j2")},
                          {Declare("INT8", {2}), Op("ADD", {"i2", "one"}, {"j2"})})}};
  EXPECT_EQ(Verdict(graph, {{{"i", Integers({1})}}}, setting_), "valid");
  EXPECT_EQ(Verdict(graph, {{{"i", Integers({0})}}}, setting_),
            "unpredictable: variable.declared_twice");
}

TEST_P(Variables, ReadWithinASubgraphCountsForTheOrder) {
  const DType t = DType::kI8;
  Graph graph = Toggle();
  graph.main().inputs.push_back("c");
  graph.main().tensors.push_back(Bool("c"));
  graph.main().tensors.push_back(T("inner", t, {2}));
  graph.main().outputs.push_back("inner");
  graph.regions.push_back(R("reads", {}, {"y"}, {T("y", t, {2})}, {Read("y")}));
  graph.main().operators.push_back(CondIf({"c"}, {"inner"}, "reads", "reads"));
  Tensors inputs = X({1, 1});
  inputs.emplace("c", Integers({1}, DType::kBool));
  EXPECT_EQ(Verdict(graph, {inputs}, setting_), "unpredictable: graph.variable_order");
  graph.main().operators.erase(graph.main().operators.begin() + 3);  // nothing writes
  EXPECT_EQ(Verdict(graph, {inputs}, setting_), "valid");
}

// state = EXP(max(state, x)): a value with a bound is kept, but nothing starts from it.
TEST_P(Variables, KeepWhatHasABoundAndNoOperatorStartsFromIt) {
  const DType f = DType::kFp32;
  Graph graph = {
      {R("main", {"x"}, {"exp"}, {T("x", f), T("before", f), T("max", f), T("exp", f)},
         {Declare("FP32", {1}, "initial"), Read("before"), Op("MAXIMUM", {"before", "x"}, {"max"}),
          Op("EXP", {"max"}, {"exp"}), Write("exp")})}};
  graph.main().tensors.push_back(Initial(Floats({5})));
  if (setting_.edition.id == "tosa-1.0") {
    graph.main().operators[2].attributes["nan_mode"] = std::string("PROPAGATE");
  }
  const Tensors inputs = {{"x", Floats({1})}};
  EXPECT_EQ(Verdict(graph, {inputs}, setting_), "valid");
  EXPECT_THAT(Verdict(graph, {inputs, inputs}, setting_),
              HasSubstr("MAXIMUM (operator 2): before is judged within bounds"));
}

TEST_P(Variables, KeepSubnormalsOrFlushThem) {
  Graph graph = Toggle();
  const double tiny = std::ldexp(1, -140);
  graph.main().tensors = {T("x", DType::kFp32), Initial(Floats({tiny})), T("before", DType::kFp32)};
  graph.main().operators = {Declare("FP32", {1}, "initial"), Read("before")};
  graph.main().outputs = {"before"};
  const auto out = Outputs(graph, {{{"x", Floats({0})}}, {{"x", Floats({0})}}}, setting_);
  ASSERT_EQ(out.size(), 2u);
  for (const ExpectedOutput& output : out) {
    ASSERT_EQ(output.answers.size(), 2u);
    EXPECT_EQ(output.answers[0].expected.Element(0), tiny);
    EXPECT_EQ(output.answers[1].expected.Element(0), 0);
  }
}

TEST_P(Variables, StopAtTheFirstExecutionThatIsNotValid) {
  Graph graph = Toggle();
  graph.main().operators.push_back(Op("ADD", {"n", "n"}, {"m"}));
  graph.main().inputs.push_back("n");
  graph.main().tensors.push_back(I32("n"));
  graph.main().tensors.push_back(I32("m"));
  Tensors good = X({1, 1}), bad = X({1, 1});
  good.emplace("n", Integers({1}));
  bad.emplace("n", Integers({INT32_MAX}));
  EXPECT_EQ(Verdict(graph, {good, good}, setting_), "valid");
  EXPECT_EQ(Verdict(graph, {good, bad, good}, setting_), "unpredictable: integer.overflow");
  const auto evaluations =
      EvaluateSequence(graph, {&good, &bad, &good}, setting_.edition, setting_.level);
  ASSERT_TRUE(evaluations.ok());
  EXPECT_EQ(evaluations->size(), 2u);
}

TEST_P(Variables, CustomIsKnownOnlyToAnImplementation) {
  Graph graph = {{R("main", {"x"}, {"y"}, {I32("x"), I32("y", {5})},
                    {Op("CUSTOM", {"x"}, {"y"},
                        {{"operator_name", std::string("warp")},
                         {"domain_name", std::string("example.org")},
                         {"implementation_attrs", std::string()}})})}};
  const Tensors inputs = {{"x", Integers({1})}};
  EXPECT_EQ(Verdict(graph, {inputs}, setting_),
            "unsupported: CUSTOM (operator 0): only an implementation knows operator \"warp\" of "
            "domain \"example.org\"");
  graph.main().operators[0].attributes.erase("domain_name");
  EXPECT_EQ(Verdict(graph, {inputs}, setting_), "error: graph.attribute");
}

}  // namespace
}  // namespace cts
