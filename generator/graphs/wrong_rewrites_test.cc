// Graphs that are to tell a rewrite that does not hold: rewritten, each gives another answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "generator/graphs/testing.h"
#include "generator/recipe/recipe.h"
#include "reference/base/contains.h"
#include "reference/evaluate/native.h"
#include "reference/spec/edition.h"

namespace cts {
namespace wrong_rewrites {
namespace {

using testing_graphs::Cases;

// The cases of one graph in a release, without those that run it again.
Cases CasesOf(const std::string& graph) {
  Recipe recipe = *FindRecipe("graphs");
  recipe.ids = {"graphs/" + graph + "-*"};
  recipe.repeats = false;
  return testing_graphs::CasesOf(recipe);
}

// Reference values of floating-point outputs are fp64.
bool IsSame(const Tensor& result, const Tensor& expected) {
  if (result.shape() != expected.shape()) return false;
  if (!IsFloat(result.dtype())) return result == expected;
  for (int64_t i = 0; i < result.size(); ++i) {
    if (result.Element(i) != expected.Element(i)) return false;
  }
  return true;
}

// Whether an implementation that runs the changed graph is refused.
bool IsTold(const Case& c, const std::function<void(Case&)>& change) {
  Case changed = c;
  change(changed);
  const Edition& edition = **FindEdition(c.edition);
  const auto results = ExecuteNativeSequence(changed.graph, c.InputsOfExecutions(), edition,
                                             *edition.FindLevel(c.level));
  EXPECT_TRUE(results.ok()) << c.id << ": " << results.status();
  if (!results.ok()) return false;
  bool told = false;
  for (const ExpectedOutput& output : c.outputs) {
    const NativeResult& result = (*results)[static_cast<size_t>(output.execution)];
    EXPECT_EQ(result.outcome, Outcome::kValid) << c.id << ": " << result.message;
    if (result.outcome != Outcome::kValid) return false;
    told |= !IsSame(result.outputs.at(output.name), output.answers[0].expected);
  }
  return told;
}

bool Always(const Case&) { return true; }

// Every case of the graph tells the change, if `counts` says that the change is one.
void ExpectTold(const std::string& graph, const std::function<void(Case&)>& change,
                const std::function<bool(const Case&)>& counts = Always) {
  int told = 0;
  for (const auto& [id, c] : CasesOf(graph)) {
    if (!counts(c)) continue;
    EXPECT_FALSE(IsTold(c, [](Case&) {})) << id;
    EXPECT_TRUE(IsTold(c, change)) << id;
    ++told;
  }
  EXPECT_GT(told, 0) << graph;
}

GraphOperator& Operator(Case& c, std::string_view op, int which = 0) {
  Block& block = c.graph.main();
  for (GraphOperator& node : block.operators) {
    if (node.op == op && which-- == 0) return node;
  }
  ADD_FAILURE() << c.id << ": no " << op;
  return block.operators.front();
}

GraphTensor& TensorOf(Case& c, std::string_view name) {
  std::vector<GraphTensor>& tensors = c.graph.main().tensors;
  return *std::find_if(tensors.begin(), tensors.end(),
                       [&](const GraphTensor& tensor) { return tensor.name == name; });
}

Block& RegionOf(Case& c, std::string_view name) {
  for (Region& region : c.graph.regions) {
    if (region.name == name) return region.blocks.front();
  }
  ADD_FAILURE() << c.id << ": no region " << name;
  return c.graph.main();
}

std::function<bool(const Case&)> With(const std::string& parameter, const std::string& value) {
  return [=](const Case& c) { return c.parameters.at(parameter) == value; };
}
std::function<bool(const Case&)> Without(const std::string& parameter, const std::string& value) {
  return [=](const Case& c) { return c.parameters.at(parameter) != value; };
}

// Lets all readers of an operator's result read its operand instead.
void Bypass(Case& c, const std::string& op) {
  const GraphOperator bypassed = Operator(c, op);
  for (GraphOperator& node : c.graph.main().operators) {
    std::replace(node.inputs.begin(), node.inputs.end(), bypassed.outputs[0], bypassed.inputs[0]);
  }
}

// Exchanges two operators in a row, of which the second reads the first.
void Exchange(Case& c, const std::string& first, const std::string& second) {
  std::vector<GraphOperator>& operators = c.graph.main().operators;
  GraphOperator &a = Operator(c, first), &b = Operator(c, second);
  ASSERT_EQ(b.inputs[0], a.outputs[0]);
  std::swap(a.outputs[0], b.outputs[0]);
  b.inputs[0] = a.inputs[0];
  a.inputs[0] = b.outputs[0];
  const auto at = operators.begin();
  std::rotate(at + (&a - &*at), at + (&a - &*at) + 1, at + (&b - &*at) + 1);
}

// ---- Results that are read again ---------------------------------------------------------------

TEST(SecondReaders, ReadWhatAFusionWouldSwallow) {
  for (const char* op : {"conv2d", "depthwise-conv2d", "conv3d", "matmul", "avg-pool2d", "add",
                         "mul", "reduce-sum"}) {
    const std::string graph = StrCat(op, "-accumulator-read-again");
    std::set<std::string> readers;
    for (const auto& [id, c] : CasesOf(graph)) {
      Case copy = c;
      const std::string accumulator = Operator(copy, "RESCALE").inputs[0];
      if (c.parameters.at("readers") == "output") {
        EXPECT_TRUE(Contains(c.graph.main().outputs, accumulator)) << id;
      } else {
        EXPECT_EQ(Operator(copy, "RESCALE", 1).inputs[0], accumulator) << id;
      }
      readers.insert(c.parameters.at("readers"));
    }
    EXPECT_EQ(readers.size(), 2u) << op;
    // The second RESCALE is taken for the first.
    ExpectTold(
        graph,
        [](Case& c) {
          const std::vector<std::string> inputs = Operator(c, "RESCALE").inputs;
          Operator(c, "RESCALE", 1).inputs = inputs;
        },
        With("readers", "rescales"));
  }
}

TEST(SecondReaders, ReadWhatWasTransposed) {
  ExpectTold("turned-read-again", [](Case& c) {
    Operator(c, "REVERSE").inputs[0] = Operator(c, "TRANSPOSE").inputs[0];
  });
}

TEST(SecondReaders, OfPaddedTensorsStandBesideTheConvolution) {
  for (const auto& [id, c] : CasesOf("padded-read-again")) {
    Case copy = c;
    const std::string padded = Operator(copy, "PAD").outputs[0];
    const auto& operators = c.graph.main().operators;
    const auto reads = [&](const GraphOperator& node) { return Contains(node.inputs, padded); };
    EXPECT_EQ(std::count_if(operators.begin(), operators.end(), reads), 2) << id;
  }
}

TEST(ZeroPoints, AreNotTakenFromTheOperatorBeforeOrBehind) {
  for (const std::string op : {"CONV2D", "DEPTHWISE_CONV2D", "AVG_POOL2D"}) {
    std::string graph = StrCat("zero-points-before-", op);
    for (char& letter : graph) {
      letter = letter == '_' ? '-' : static_cast<char>(std::tolower(letter));
    }
    const size_t operand = op == "AVG_POOL2D" ? 1 : 3;
    for (const bool forward : {true, false}) {
      ExpectTold(graph, [&](Case& c) {
        const std::string before = Operator(c, "RESCALE").inputs[4];
        const std::string behind = Operator(c, op).inputs[operand];
        GraphTensor &a = TensorOf(c, before), &b = TensorOf(c, behind);
        (forward ? b : a).values = (forward ? a : b).values;
      });
    }
  }
}

// The first convolution computes what lies around the image, in place of the second one's padding.
TEST(Cascade, PadsWithTheZeroPoint) {
  ExpectTold("convolutions-in-cascade", [](Case& c) {
    const auto pad_of = [](GraphOperator& op) -> std::vector<int64_t>& {
      return std::get<std::vector<int64_t>>(op.attributes.at("pad"));
    };
    GraphOperator& first = Operator(c, "CONV2D");
    const bool depthwise = c.parameters.at("then") == "depthwise";
    GraphOperator& second = depthwise ? Operator(c, "DEPTHWISE_CONV2D") : Operator(c, "CONV2D", 1);
    std::vector<int64_t>&added = pad_of(second), &pad = pad_of(first);
    for (const std::string& name : {first.outputs[0], second.inputs[0]}) {
      Shape& shape = TensorOf(c, name).shape;
      shape[1] += added[0] + added[1];
      shape[2] += added[2] + added[3];
    }
    for (size_t side = 0; side < 4; ++side) pad[side] += added[side];
    added = {0, 0, 0, 0};
  });
}

// ---- Movement ----------------------------------------------------------------------------------

TEST(MovedGraphs, TellThatNothingMoved) {
  for (const char* graph : {"transpose-reduce-max", "transpose-reduce-sum", "transpose-reduce-any",
                            "transpose-argmax", "transpose-add", "transpose-concat"}) {
    ExpectTold(graph, [](Case& c) { Bypass(c, "TRANSPOSE"); });
  }
  ExpectTold("scatter-gather", [](Case& c) { Bypass(c, "SCATTER"); });
  ExpectTold(
      "slice-and-move",
      [](Case& c) { Operator(c, "SLICE", 1).inputs[0] = Operator(c, "SLICE").inputs[0]; },
      With("then", "slice"));
}

TEST(MovedGraphs, TellAnExchange) {
  ExpectTold(
      "scales-transposed", [](Case& c) { Exchange(c, "RESCALE", "TRANSPOSE"); },
      With("order", "rescale-first"));
  ExpectTold(
      "scales-transposed", [](Case& c) { Exchange(c, "TRANSPOSE", "RESCALE"); },
      With("order", "transpose-first"));
}

TEST(MovedGraphs, TellTheConstantOfAnotherPad) {
  ExpectTold(
      "pad-pad",
      [](Case& c) {
        TensorOf(c, Operator(c, "PAD").inputs[2]).values =
            TensorOf(c, Operator(c, "PAD", 1).inputs[2]).values;
      },
      With("then", "pad"));
}

// Two operators that look as if they undid each other: what comes out has the shape of what went
// in.
TEST(MovedGraphs, DoNotGiveBackWhatTheyTook) {
  for (const char* graph : {"shift-and-back", "intdiv-mul", "slice-and-move"}) {
    int compared = 0;
    for (const auto& [id, c] : CasesOf(graph)) {
      const Tensor &given = c.inputs.at("input"), &back = c.outputs[0].answers[0].expected;
      if (given.shape() != back.shape()) continue;
      EXPECT_FALSE(IsSame(given, back)) << id;
      ++compared;
    }
    EXPECT_GT(compared, 0) << graph;
  }
  // The part as it lies from the other end: reversed before it is taken.
  ExpectTold(
      "slice-and-move",
      [](Case& c) {
        GraphTensor& start = TensorOf(c, Operator(c, "SLICE").inputs[1]);
        Tensor turned = *start.values;
        turned.SetInteger(1, 9 - 6 - turned.Integer(1));
        start.values = std::make_shared<const Tensor>(std::move(turned));
      },
      With("then", "reverse"));
}

TEST(MovedGraphs, TellOneShiftFromTwo) {
  ExpectTold("shift-shift", [](Case& c) {
    GraphTensor &first = TensorOf(c, "bits_1"), &second = TensorOf(c, "bits_2");
    Tensor sum = *second.values;
    sum.SetInteger(0, sum.Integer(0) + first.values->Integer(0));
    second.values = std::make_shared<const Tensor>(std::move(sum));
    Bypass(c, "ARITHMETIC_RIGHT_SHIFT");
  });
}

// ---- Pairs that are not equal ------------------------------------------------------------------

std::vector<double> Elements(const Tensor& tensor) {
  std::vector<double> elements;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    elements.push_back(IsFloat(tensor.dtype()) ? tensor.Value(i)
                                               : static_cast<double>(tensor.Integer(i)));
  }
  return elements;
}

// The elements differ, whatever the shapes and types say. Left out is what shapes alone tell:
// reshapes-unequal, and conv2ds-unequal with two dilations.
TEST(MergedGraphs, HaveTwoAnswers) {
  for (const char* graph :
       {"clamps-unequal", "reduce-sums-unequal", "reduce-maxima-unequal", "reduce-minima-unequal",
        "argmaxes-unequal", "concats-unequal", "casts-unequal", "shifts-unequal",
        "rescales-unequal", "muls-unequal", "pads-unequal", "tiles-unequal", "tables-unequal",
        "conv2ds-unequal", "subs-turned", "intdivs-turned", "left-shifts-turned", "concats-turned",
        "matmuls-turned"}) {
    int compared = 0;
    for (const auto& [id, c] : CasesOf(graph)) {
      ASSERT_EQ(c.outputs.size(), 2u) << id;
      const Tensor &a = c.outputs[0].answers[0].expected, &b = c.outputs[1].answers[0].expected;
      if (a.size() != b.size()) continue;
      EXPECT_NE(Elements(a), Elements(b)) << id;
      ++compared;
    }
    EXPECT_GT(compared, 0) << graph;
  }
}

// ---- Control flow and variables ----------------------------------------------------------------

TEST(HandedOn, TellsArgumentsThatAreNotReturned) {
  ExpectTold(
      "cond-if-arguments-returned",
      [](Case& c) {
        Block& then = RegionOf(c, "then");
        std::reverse(then.outputs.begin(), then.outputs.end());
      },
      With("taken", "then"));
  ExpectTold(
      "cond-if-arguments-returned",
      [](Case& c) { RegionOf(c, "else").outputs = RegionOf(c, "else").inputs; },
      With("taken", "else"));
}

TEST(HandedOn, TellsResultsInThePlaceOfOperands) {
  for (const char* graph : {"cond-if-operands-read-again", "while-loop-initial-value"}) {
    ExpectTold(
        graph,
        [](Case& c) {
          GraphOperator& sum = Operator(c, "ADD");
          sum.inputs[1] = sum.inputs[0];
        },
        [](const Case& c) {
          // A loop that does not run leaves what it was given.
          const auto times = c.parameters.find("times");
          return times == c.parameters.end() || times->second != "0";
        });
  }
}

TEST(HandedOn, TellsOperandsOfTheSecondThatAreNotTurned) {
  ExpectTold("cond-ifs-in-a-row", [](Case& c) {
    GraphOperator& second = Operator(c, "COND_IF", 1);
    std::swap(second.inputs[1], second.inputs[2]);
  });
}

TEST(HandedOn, TellsValuesThatAreWrittenOverBeforeTheyAreRead) {
  struct Written {
    const char* graph;
    size_t output, over;
  };
  for (const auto& [graph, output, over] :
       {Written{"while-loop-circle", 3, 1}, Written{"while-loop-initial-value", 2, 1},
        Written{"while-loop-flag", 3, 2}}) {
    ExpectTold(
        graph,
        [to = output, from = over](Case& c) {
          Block& body = RegionOf(c, "body");
          body.outputs[to] = body.outputs[from];
        },
        Without("times", "0"));
  }
}

TEST(HandedOn, TellsAFlagThatIsNotCarried) {
  ExpectTold(
      "while-loop-flag",
      [](Case& c) {
        Block& body = RegionOf(c, "body");
        body.outputs[0] = body.outputs[1];
      },
      With("times", "2"));
}

TEST(HandedOn, TellsAWriteThatIsLeftOut) {
  for (const char* graph : {"variable-only-written", "variable-reversed"}) {
    ExpectTold(graph, [](Case& c) {
      std::erase_if(c.graph.main().operators,
                    [](const GraphOperator& node) { return node.op == "VARIABLE_WRITE"; });
    });
  }
}

}  // namespace
}  // namespace wrong_rewrites
}  // namespace cts
