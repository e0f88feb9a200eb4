#include "generator/graphs/graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "generator/generate.h"
#include "generator/graphs/graph_builder.h"
#include "generator/graphs/patterns.h"
#include "generator/graphs/testing.h"
#include "generator/plan/plan.h"
#include "generator/recipe/profiles.h"
#include "generator/recipe/space.h"
#include "reference/base/contains.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/native.h"

namespace cts {
namespace {

using testing_graphs::Cases;

Recipe GraphsOf(std::string_view edition, int strength = 1) {
  Recipe recipe = *FindRecipe("graphs");
  recipe.edition = edition;
  recipe.strength = strength;
  return recipe;
}

const Cases& CasesOf(std::string_view edition) {
  static std::map<std::string, Cases> known;
  const std::string name(edition);
  Cases& cases = known[name];
  if (cases.empty()) cases = testing_graphs::CasesOf(GraphsOf(name));
  return cases;
}

// The cases of one graph, in every combination of two values.
Cases AllOf(const std::string& edition, const std::string& pattern) {
  Recipe recipe = GraphsOf(edition, 2);
  recipe.ids = {"graphs/" + pattern};
  return testing_graphs::CasesOf(recipe);
}

class Graphs : public testing::TestWithParam<std::string> {
 protected:
  const Cases& cases() { return CasesOf(GetParam()); }
  const Edition& edition() { return **FindEdition(GetParam()); }
};

// Generating says that every case is valid. The embedded implementation has one value for
// everything: where the answer is exact it must be that.
TEST_P(Graphs, AreWhatAnImplementationComputes) {
  int exact = 0;
  for (const auto& [id, c] : cases()) {
    const auto results = ExecuteNativeSequence(c.graph, c.InputsOfExecutions(), edition(),
                                               *edition().FindLevel(c.level));
    ASSERT_TRUE(results.ok()) << id << ": " << results.status();
    for (const ExpectedOutput& output : c.outputs) {
      const NativeResult& result = (*results)[static_cast<size_t>(output.execution)];
      ASSERT_EQ(result.outcome, Outcome::kValid) << id << ": " << result.message;
      if (IsFloat(output.dtype) || output.rule.kind != RuleKind::kExact) continue;
      EXPECT_EQ(result.outputs.at(output.name), output.answers[0].expected) << id;
      ++exact;
    }
  }
  EXPECT_GT(exact, 250);
}

TEST_P(Graphs, HaveACaseOfEveryDomain) {
  std::set<std::string_view> names;
  for (const GraphDomain& graph : GraphDomains()) {
    EXPECT_TRUE(names.insert(graph.name).second) << graph.name << " occurs twice";
    if (edition().FindOperator(graph.op) == nullptr) continue;
    const std::string prefix = StrCat("graphs/", graph.name, "-");
    const auto found = cases().lower_bound(prefix);
    EXPECT_TRUE(found != cases().end() && found->first.starts_with(prefix)) << graph.name;
  }
}

// Data layout may lose the sign of a zero, which an operator behind it that computes could show.
TEST_P(Graphs, MoveNoNegativeZerosBeforeAnotherOperator) {
  const auto moves = [&](const GraphOperator& op) {
    return edition().FindOperator(op.op)->group == "data-layout";
  };
  const auto computes = [&](const GraphOperator& op) {
    const std::string& group = edition().FindOperator(op.op)->group;
    return !group.starts_with("data-") && group != "variable";
  };
  int moved = 0;
  for (const auto& [id, c] : cases()) {
    const Block& block = c.graph.main();
    for (const GraphOperator& first : block.operators) {
      if (!moves(first)) continue;
      const bool before_another =
          std::any_of(block.operators.begin(), block.operators.end(), [&](const GraphOperator& op) {
            return computes(op) && std::find(op.inputs.begin(), op.inputs.end(),
                                             first.outputs[0]) != op.inputs.end();
          });
      if (!before_another) continue;
      for (const std::string& input : first.inputs) {
        const auto found = c.inputs.find(input);
        if (found == c.inputs.end() || !IsFloat(found->second.dtype())) continue;
        ++moved;
        for (const double value : found->second.Elements()) {
          EXPECT_FALSE(value == 0 && std::signbit(value)) << id << ", " << input;
        }
      }
    }
  }
  EXPECT_GT(moved, 10);
}

TEST_P(Graphs, FoldEveryOperatorThatComputesSomething) {
  std::set<std::string> folded;
  for (const auto& [id, c] : cases()) {
    if (id.find("-of-constants-") == id.npos) continue;
    EXPECT_TRUE(c.inputs.empty()) << id;
    folded.insert(c.op);
  }
  for (const OperatorSpec& op : edition().operators) {
    const bool computes = op.group != "control-flow" && op.group != "variable" &&
                          op.group != "custom" && op.group != "shape" && op.name != "CONST" &&
                          op.name != "DIM";
    EXPECT_EQ(folded.contains(op.name), computes) << op.name;
  }
}

// A graph's needs beyond its type row are known only once it is built. A graph is left out then if
// the implementation does not have them: no value may get lost by that.
TEST_P(Graphs, LoseNoValueToTheProfilesChosen) {
  const bool draft = GetParam() == "tosa-0.100";
  using Profiles = std::vector<std::string>;
  const std::vector<Profiles> choices =
      draft ? std::vector<Profiles>{{"BI"}, {"MI"}, {"BI", "MI"}, {"BI", "EXT-INT16"}}
            : std::vector<Profiles>{{"PRO-INT"},
                                    {"PRO-FP"},
                                    {"PRO-INT", "PRO-FP", "EXT-CONTROLFLOW"},
                                    {"PRO-INT", "EXT-INT16"},
                                    {"PRO-INT", "EXT-DOUBLEROUND", "EXT-VARIABLE"}};
  for (const Profiles& profiles : choices) {
    Recipe recipe = GraphsOf(GetParam());
    recipe.profiles = profiles;
    const auto plan = MakePlan(recipe);
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const Part& part : plan->parts) {
      if (!part.is_graph) continue;
      const Space space(*part.domain, part.setting, *plan->recipe);
      if (!space.HasCases()) continue;
      for (const Axis& axis : space.axes()) {
        for (const std::string& value : axis.values) {
          // A combination that a constraint excludes, whatever the profiles, is not lost.
          std::optional<Row> row = space.RowOf({{axis.name, value}});
          ASSERT_TRUE(row.has_value());
          if (!space.rows().Complete(*row)) continue;
          const bool found =
              std::any_of(plan->items.begin(), plan->items.end(), [&](const Item& item) {
                return item.domain == part.domain && item.choice.setting.row == part.setting.row &&
                       item.choice[axis.name] == value;
              });
          EXPECT_TRUE(found) << part.prefix << ", " << axis.name << " " << value << " with "
                             << profiles.back();
        }
      }
    }
  }
}

// Two cases that agree in Domain::needs_axes both need the same, whatever the other axes say.
TEST_P(Graphs, NeedWhatTheAxesNamedForItSay) {
  const Recipe recipe = GraphsOf(GetParam());
  const auto plan = MakePlan(recipe);
  ASSERT_TRUE(plan.ok()) << plan.status();
  int compared = 0;
  for (const Part& part : plan->parts) {
    if (!part.is_graph || part.domain->needs_axes.empty()) continue;
    const Space space(*part.domain, part.setting, recipe);
    std::map<std::string, std::vector<std::vector<std::string>>> needs;
    // Every pair of a value that says it and a value that does not.
    for (const Axis& axis : space.axes()) {
      for (const Axis& other : space.axes()) {
        if (!Contains(part.domain->needs_axes, axis.name) ||
            Contains(part.domain->needs_axes, other.name)) {
          continue;
        }
        for (const std::string& value : axis.values) {
          for (const std::string& other_value : other.values) {
            std::optional<Row> row = space.RowOf({{axis.name, value}, {other.name, other_value}});
            ASSERT_TRUE(row.has_value());
            if (!space.rows().Complete(*row)) continue;
            const Labels labels = space.LabelsOf(*row);
            std::string said;
            for (const std::string_view name : part.domain->needs_axes) {
              if (labels.Has(name)) said += labels[name].text() + " ";
            }
            const auto assembly = AssembleGraph(
                part.setting, part.domain->build({part.setting, "", recipe.seed, labels}));
            ASSERT_TRUE(assembly.ok()) << assembly.status();
            const auto profiles = ProfilesOf(*part.setting.row, assembly->extensions);
            const auto [known, is_new] = needs.try_emplace(said, profiles);
            EXPECT_EQ(known->second, profiles) << part.prefix << ", " << said;
            compared += !is_new;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 500);
}

INSTANTIATE_TEST_SUITE_P(Editions, Graphs, testing::Values("tosa-1.0", "tosa-0.100"),
                         [](const auto& edition) {
                           return edition.param == "tosa-1.0" ? "Release" : "CaseDraft";
                         });

// ---- The integer chains once more, in plain loops
// ------------------------------------------------

// Reads what a case holds: constants and inputs by name, attributes by operator.
class Reader {
 public:
  explicit Reader(const Case& c) : c_(c) {}

  const GraphOperator& Operator(std::string_view op, int which = 0) const {
    for (const GraphOperator& node : c_.graph.main().operators) {
      if (node.op == op && which-- == 0) return node;
    }
    ADD_FAILURE() << c_.id << " has no " << op;
    return c_.graph.main().operators.front();
  }
  bool Has(std::string_view op) const {
    const auto& operators = c_.graph.main().operators;
    return std::any_of(operators.begin(), operators.end(),
                       [&](const GraphOperator& node) { return node.op == op; });
  }
  const Tensor& Values(const std::string& tensor) const {
    const auto input = c_.inputs.find(tensor);
    return input == c_.inputs.end() ? *c_.graph.main().Find(tensor)->values : input->second;
  }
  const Tensor& Operand(const GraphOperator& op, size_t k) const { return Values(op.inputs[k]); }
  // An attribute in 0.100, operand `k` in 1.0.
  int64_t ZeroPoint(const GraphOperator& op, const char* name, size_t k) const {
    const auto found = op.attributes.find(name);
    if (found != op.attributes.end()) return std::get<int64_t>(found->second);
    return Operand(op, k).Integer(0);
  }
  const Tensor& Expected() const { return c_.outputs[0].answers[0].expected; }

 private:
  const Case& c_;
};

int64_t Floor(__int128 value, int64_t shift) {
  const __int128 divisor = __int128{1} << shift;
  const __int128 quotient = value / divisor;
  return static_cast<int64_t>(value % divisor < 0 ? quotient - 1 : quotient);
}

// Section RESCALE with apply_scale_32 or apply_scale_16: the product and half of 2^shift, shifted
// right; double rounding adds 2^30 away from zero for shifts above 31.
int64_t Rescaled(const Reader& reader, const GraphOperator& op, int64_t value, int64_t channel,
                 DType out) {
  if (!std::get<bool>(op.attributes.at("per_channel"))) channel = 0;
  const int64_t multiplier = reader.Operand(op, 1).Integer(channel);
  const int64_t shift = reader.Operand(op, 2).Integer(channel);
  const auto mode = op.attributes.find("rounding_mode");
  const bool doubled = mode == op.attributes.end()
                           ? std::get<bool>(op.attributes.at("double_round"))
                           : std::get<std::string>(mode->second) == "DOUBLE_ROUND";
  value -= reader.ZeroPoint(op, "input_zp", 3);
  __int128 sum = static_cast<__int128>(value) * multiplier + (__int128{1} << (shift - 1));
  if (doubled && shift > 31) sum += value >= 0 ? 1 << 30 : -(1 << 30);
  const int64_t result = Floor(sum, shift) + reader.ZeroPoint(op, "output_zp", 4);
  return std::clamp(result, IntegerMin(out), IntegerMax(out));
}

std::vector<int64_t> List(const GraphOperator& op, const char* name) {
  return std::get<std::vector<int64_t>>(op.attributes.at(name));
}

void CheckConvolution(const Case& c) {
  const Reader reader(c);
  const GraphOperator& conv = reader.Operator("CONV2D");
  const GraphOperator& rescale = reader.Operator("RESCALE");
  const Tensor &input = reader.Operand(conv, 0), &weight = reader.Operand(conv, 1),
               &bias = reader.Operand(conv, 2);
  const int64_t input_zp = reader.ZeroPoint(conv, "input_zp", 3);
  const int64_t weight_zp = reader.ZeroPoint(conv, "weight_zp", 4);
  const auto pad = List(conv, "pad"), stride = List(conv, "stride"),
             dilation = List(conv, "dilation");
  const Tensor& expected = reader.Expected();
  const Shape &in = input.shape(), &w = weight.shape(), &out = expected.shape();
  for (int64_t i = 0; i < expected.size(); ++i) {
    const int64_t oc = i % out[3], ox = i / out[3] % out[2], oy = i / out[3] / out[2] % out[1];
    const int64_t n = i / out[3] / out[2] / out[1];
    int64_t sum = bias.Integer(bias.size() == 1 ? 0 : oc);
    for (int64_t ky = 0; ky < w[1]; ++ky) {
      for (int64_t kx = 0; kx < w[2]; ++kx) {
        const int64_t y = oy * stride[0] - pad[0] + ky * dilation[0];
        const int64_t x = ox * stride[1] - pad[2] + kx * dilation[1];
        if (y < 0 || y >= in[1] || x < 0 || x >= in[2]) continue;
        for (int64_t ic = 0; ic < in[3]; ++ic) {
          sum += (input.Integer(((n * in[1] + y) * in[2] + x) * in[3] + ic) - input_zp) *
                 (weight.Integer(((oc * w[1] + ky) * w[2] + kx) * w[3] + ic) - weight_zp);
        }
      }
    }
    int64_t value = Rescaled(reader, rescale, sum, oc, expected.dtype());
    if (reader.Has("CLAMP")) {
      const GraphOperator& clamp = reader.Operator("CLAMP");
      value = std::clamp(value, std::get<int64_t>(clamp.attributes.at("min_val")),
                         std::get<int64_t>(clamp.attributes.at("max_val")));
    }
    ASSERT_EQ(expected.Integer(i), value) << c.id << ", element " << i;
  }
}

TEST(QuantizedGraphs, ConvolveRescaleAndClamp) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    std::set<std::string> types, activations;
    for (const auto& [id, c] : AllOf(edition, "conv2d-rescale-clamp-*")) {
      CheckConvolution(c);
      types.insert(c.types.at("in_t") + c.types.at("weight_t"));
      activations.insert(c.parameters.at("activation"));
    }
    EXPECT_EQ(types, (std::set<std::string>{"i8i8", "i8i4", "i16i8"}));
    EXPECT_EQ(activations, (std::set<std::string>{"none", "relu", "relu6"}));
  }
}

TEST(QuantizedGraphs, AddBetweenRescales) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    const Cases cases = AllOf(edition, "add-between-rescales-*");
    EXPECT_GE(cases.size(), 9u);
    for (const auto& [id, c] : cases) {
      const Reader reader(c);
      const Tensor& expected = reader.Expected();
      for (int64_t i = 0; i < expected.size(); ++i) {
        int64_t sum = 0;
        for (int k : {0, 1}) {
          const GraphOperator& rescale = reader.Operator("RESCALE", k);
          sum += Rescaled(reader, rescale, reader.Operand(rescale, 0).Integer(i), 0, DType::kI32);
        }
        const GraphOperator& back = reader.Operator("RESCALE", 2);
        ASSERT_EQ(expected.Integer(i), Rescaled(reader, back, sum, 0, expected.dtype()))
            << id << ", element " << i;
      }
    }
  }
}

// The real sum of the real operands, as far as rounding goes: the scales mean what they should.
// With an operand's scale s and the output's t: |error| <= t/2 + what the common scale rounds.
TEST(QuantizedGraphs, MeanTheRealProduct) {
  for (const auto& [id, c] : AllOf("tosa-1.0", "mul-between-rescales-*")) {
    const Reader reader(c);
    const GraphOperator& back = reader.Operator("RESCALE", 2);
    const double factor = static_cast<double>(reader.Operand(back, 1).Integer(0)) /
                          static_cast<double>(int64_t{1} << reader.Operand(back, 2).Integer(0));
    const int64_t output_zp = reader.ZeroPoint(back, "output_zp", 4);
    const Tensor& expected = reader.Expected();
    for (int64_t i = 0; i < expected.size(); ++i) {
      double product = 1;
      for (int k : {0, 1}) {
        const GraphOperator& rescale = reader.Operator("RESCALE", k);
        product *= static_cast<double>(reader.Operand(rescale, 0).Integer(i) -
                                       reader.ZeroPoint(rescale, "input_zp", 3));
      }
      const double real = std::clamp(product * factor + static_cast<double>(output_zp),
                                     static_cast<double>(IntegerMin(expected.dtype())),
                                     static_cast<double>(IntegerMax(expected.dtype())));
      // Double rounding may take the other neighbour where the rest is close to a half.
      EXPECT_NEAR(static_cast<double>(expected.Integer(i)), real, 0.51) << id << ", element " << i;
    }
  }
}

// ---- What must come out as it went in
// ------------------------------------------------------------

// Reference values of floating-point outputs are fp64.
bool SameValues(const Tensor& input, const Tensor& expected) {
  if (input.size() != expected.size()) return false;
  for (int64_t i = 0; i < input.size(); ++i) {
    if (!IsFloat(input.dtype())) {
      if (input.Integer(i) != expected.Integer(i)) return false;
    } else if (input.Value(i) != expected.Element(i) && input.Value(i) == input.Value(i)) {
      return false;
    }
  }
  return true;
}

// The cases whose parameter is one of `values` must give the input back; some of the others must
// not.
void CheckIdentities(const std::string& pattern, const std::string& parameter,
                     const std::set<std::string>& values) {
  int same = 0, different = 0;
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const auto& [id, c] : AllOf(edition, pattern)) {
      const bool is_same = SameValues(c.inputs.begin()->second, c.outputs[0].answers[0].expected);
      if (values.contains(c.parameters.at(parameter))) {
        EXPECT_TRUE(is_same) << id;
        ++same;
      } else {
        different += !is_same;
      }
    }
  }
  EXPECT_GT(same, 0) << pattern;
  EXPECT_GT(different, 0) << pattern;
}

TEST(FoldedGraphs, OfInversesGiveTheInput) {
  CheckIdentities("transpose-pair-*", "then", {"inverse"});
  CheckIdentities("concat-of-slices-*", "order", {"kept"});
  CheckIdentities("slice-of-pad-*", "slice", {"back"});
  CheckIdentities("reverse-twice-*", "times", {"2"});
  CheckIdentities("bitwise-not-twice-*", "times", {"2"});
  CheckIdentities("logical-not-twice-*", "times", {"2"});
  // No element moves, but for the TRANSPOSE between.
  CheckIdentities("reshape-chain-*", "through", {"flat", "column", "max-rank"});
}

TEST(FoldedGraphs, OfNeutralOperandsGiveTheInput) {
  for (const auto& [id, c] : CasesOf("tosa-1.0")) {
    if (id.find("-neutral-") == id.npos || id.find("fp32-2x3x4x5") != id.npos) continue;
    // Infinities are beyond the lowest and the greatest number.
    const bool is_bound = c.op == "MAXIMUM" || c.op == "MINIMUM";
    if (is_bound && c.types.at("in_out_t") == "fp32" && c.data_set == "special") continue;
    EXPECT_TRUE(SameValues(c.inputs.begin()->second, c.outputs[0].answers[0].expected)) << id;
  }
}

TEST(FoldedGraphs, OfWideningCastsGiveTheInput) {
  int checked = 0;
  for (const auto& [id, c] : AllOf("tosa-1.0", "cast-chain-*")) {
    const DType in = *ParseDType(c.types.at("in_t")), out = *ParseDType(c.types.at("out_t"));
    if (in == DType::kBool || Info(in).bits > Info(out).bits || out == DType::kBool) continue;
    if (c.parameters.at("steps") != "2") continue;
    EXPECT_TRUE(SameValues(c.inputs.begin()->second, c.outputs[0].answers[0].expected)) << id;
    ++checked;
  }
  EXPECT_GE(checked, 10);
}

// PAD with the zero point and the operator's own padding: one is as good as the other, but not for
// AVG_POOL2D, which counts the elements within.
TEST(FoldedGraphs, OfPaddingAreTheOperatorsOwnPadding) {
  for (const char* pattern : {"pad-conv2d-i*", "pad-depthwise-conv2d-i*", "pad-avg-pool2d-i*"}) {
    int same = 0, different = 0;
    for (const auto& [id, c] : AllOf("tosa-0.100", pattern)) {
      Case folded = c;
      Block& block = folded.graph.main();
      std::erase_if(block.operators, [&](const GraphOperator& op) { return op.op == "PAD"; });
      GraphOperator& op = block.operators.back();
      auto& pad = std::get<std::vector<int64_t>>(op.attributes.at("pad"));
      const GraphOperator& padding = Reader(c).Operator("PAD");
      const std::vector<int64_t> added = Reader(c).Operand(padding, 1).Integers();
      for (size_t side = 0; side < 4; ++side) pad[side] += added[2 + side];
      op.inputs[0] = padding.inputs[0];
      const Edition& edition = **FindEdition("tosa-0.100");
      const auto evaluation =
          Evaluate(folded.graph, folded.inputs, edition, *edition.FindLevel("8K"));
      ASSERT_TRUE(evaluation.ok()) << evaluation.status();
      ASSERT_EQ(evaluation->outcome, Outcome::kValid) << id;
      const bool is_same =
          evaluation->outputs[0].answers[0].expected == c.outputs[0].answers[0].expected;
      (c.parameters.at("pad_const") == "neutral" && is_same ? same : different) += 1;
      if (c.parameters.at("pad_const") == "neutral" && c.op != "AVG_POOL2D") {
        EXPECT_TRUE(is_same) << id;
      }
    }
    EXPECT_GT(different, 0) << pattern;
    EXPECT_EQ(same > 0, std::string(pattern) != "pad-avg-pool2d-i*") << pattern;
  }
}

// ---- Data layout around arithmetic
// ---------------------------------------------------------------

TEST(LayoutGraphs, KeepTheRuleOfTheOperator) {
  std::map<std::string, RuleKind> rules;
  for (const auto& [id, c] : CasesOf("tosa-1.0")) {
    if (id.starts_with("graphs/layout-")) rules[c.op] = c.outputs[0].rule.kind;
  }
  const std::map<std::string, RuleKind> expected = {{"ADD", RuleKind::kUlp},
                                                    {"AVG_POOL2D", RuleKind::kDotProduct},
                                                    {"CAST", RuleKind::kUlp},
                                                    {"CONV2D", RuleKind::kDotProduct},
                                                    {"ERF", RuleKind::kUlp},
                                                    {"EXP", RuleKind::kAbsoluteBound},
                                                    {"MATMUL", RuleKind::kDotProduct},
                                                    {"POW", RuleKind::kAbsoluteBound},
                                                    {"RECIPROCAL", RuleKind::kAbsoluteBound},
                                                    {"REDUCE_SUM", RuleKind::kDotProduct}};
  EXPECT_EQ(rules, expected);
}

// ---- Lists
// ---------------------------------------------------------------------------------------------

// Part k of n is [k * q, (k + 1) * q) of the axis, q being the quotient: the elements left over are
// in none.
void CheckParts(const Case& c) {
  const Tensor& input = c.inputs.begin()->second;
  static const std::map<std::string, size_t> axes = {
      {"first", 0}, {"second", 1}, {"third", 2}, {"fourth", 3}, {"fifth", 4}};
  const auto found = axes.find(c.parameters.at("axis"));
  const size_t axis = found == axes.end() ? input.shape().size() - 1 : found->second;
  const int64_t size = input.shape()[axis];
  const std::string& splits = c.parameters.at("splits");
  const int64_t parts = splits == "each" ? size : std::stoi(splits);
  ASSERT_EQ(static_cast<int64_t>(c.outputs.size()), parts) << c.id;
  int64_t inner = 1;  // elements apart that neighbours of the axis are
  for (size_t k = axis + 1; k < input.shape().size(); ++k) inner *= input.shape()[k];
  for (int64_t k = 0; k < parts; ++k) {
    EXPECT_EQ(c.outputs[static_cast<size_t>(k)].name,
              c.graph.main().outputs[static_cast<size_t>(k)]);
    const Tensor& part = c.outputs[static_cast<size_t>(k)].answers[0].expected;
    Shape shape = input.shape();
    shape[axis] = size / parts;
    ASSERT_EQ(part.shape(), shape) << c.id;
    Tensor wanted(input.dtype(), shape);
    for (int64_t i = 0; i < wanted.size(); ++i) {
      const int64_t below = i % inner, along = i / inner % shape[axis],
                    above = i / inner / shape[axis];
      wanted.SetBits(i, input.Bits((above * size + k * shape[axis] + along) * inner + below));
    }
    EXPECT_TRUE(SameValues(wanted, part)) << c.id << ", part " << k;
  }
}

TEST(SplitGraphs, GiveThePartsOfTheInputInOrder) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    std::set<std::string> axes, types;
    std::set<size_t> ranks, lengths;
    int uneven = 0;
    for (const auto& [id, c] : AllOf(edition, "split-*")) {
      CheckParts(c);
      axes.insert(c.parameters.at("axis"));
      types.insert(c.types.at("in_out_t"));
      ranks.insert(c.inputs.begin()->second.shape().size());
      lengths.insert(c.outputs.size());
      int64_t elements = 0;
      for (const ExpectedOutput& output : c.outputs) elements += output.answers[0].expected.size();
      uneven += elements < c.inputs.begin()->second.size();
    }
    EXPECT_EQ(axes, (std::set<std::string>{"first", "second", "third", "fourth", "fifth", "last"}));
    EXPECT_EQ(types, (std::set<std::string>{"bool", "i8", "i16", "i32", "fp8e4m3", "fp8e5m2",
                                            "fp16", "bf16", "fp32"}));
    EXPECT_EQ(ranks, (std::set<size_t>{1, 2, 3, 4, 6}));
    EXPECT_EQ(lengths, (std::set<size_t>{1, 2, 3, 4, 5, 6, 7, 64, 72}));
    EXPECT_GT(uneven, 0);
  }
}

TEST(SplitGraphs, BreakAtTheirLastPartOnly) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    std::map<std::string, int> conditions;
    for (const auto& [id, c] : testing_graphs::CasesOf([&] {
           Recipe recipe = GraphsOf(edition);
           recipe.ids = {"graphs/error-split-*", "graphs/legal-split-*"};
           return recipe;
         }())) {
      if (c.outcome == Outcome::kValid) {
        EXPECT_TRUE(id.starts_with("graphs/legal-")) << id;
        continue;
      }
      ++conditions[c.condition];
      // Without its last SLICE and what comes of it the graph is legal.
      Case rest = c;
      Block& main = rest.graph.main();
      std::erase_if(main.operators, [&](const GraphOperator& op) {
        return op.outputs.back() == main.outputs.back() && op.op == "IDENTITY";
      });
      const auto last = std::find_if(main.operators.rbegin(), main.operators.rend(),
                                     [](const GraphOperator& op) { return op.op == "SLICE"; });
      main.operators.erase(std::next(last).base());
      main.outputs.pop_back();
      const Edition& e = **FindEdition(edition);
      const auto evaluation = Evaluate(rest.graph, rest.inputs, e, *e.FindLevel("8K"));
      ASSERT_TRUE(evaluation.ok()) << evaluation.status();
      EXPECT_EQ(evaluation->outcome, Outcome::kValid) << id << ": " << evaluation->message;
    }
    EXPECT_EQ(conditions,
              (std::map<std::string, int>{{"slice.end_range", 4}, {"slice.size_not_positive", 4}}));
  }
}

// ---- The builder
// ---------------------------------------------------------------------------------

TEST(GraphBuilder, KeepsWhatIsWrongForTheDraft) {
  const Edition& edition = **FindEdition("tosa-1.0");
  const OperatorSpec& add = *edition.FindOperator("ADD");
  const Choice choice{{&edition, edition.FindLevel("8K"), &add, &add.type_rows[0]}, "id", 1, {}};
  GraphBuilder builder(choice);
  const std::string a = builder.Input("a", Tensor(DType::kI32, {3}));
  const std::string b = builder.Input("b", Tensor(DType::kI8, {3}));
  const CaseDraft draft = builder.Finish({builder.Apply("ADD", {a, b})});
  const auto assembly = AssembleGraph(choice.setting, draft);
  ASSERT_FALSE(assembly.ok());
  EXPECT_THAT(Message(assembly.status()), testing::HasSubstr("ADD: no type row for a: i32 b: i8"));
}

TEST(GraphBuilder, AsksForWhatTheOtherOperatorsNeed) {
  const Edition& edition = **FindEdition("tosa-1.0");
  const OperatorSpec& add = *edition.FindOperator("ADD");
  const Choice choice{{&edition, edition.FindLevel("8K"), &add, &add.type_rows[0]}, "id", 1, {}};
  ASSERT_EQ(add.type_rows[0].profiles.size(), 2u);  // PRO-INT, PRO-FP
  GraphBuilder builder(choice);
  const std::string a = builder.Input("a", Tensor(DType::kI32, {3}));
  const std::string sum = builder.Apply("ADD", {a, a});
  EXPECT_TRUE(GraphBuilder(builder).Finish({sum}).Whole().extensions.empty());
  const std::string most = builder.Apply("MAXIMUM", {sum, a});
  EXPECT_THAT(builder.Finish({most}).Whole().extensions, testing::ElementsAre("PRO-INT"));
}

// Each graph that is named for a pattern has it in some case, and one operator alone has none.
TEST(GraphPatterns, AreInTheGraphsThatAreNamedForThem) {
  const Edition& edition = **FindEdition(kDefaultEdition);
  for (const GraphPattern& pattern : GraphPatterns()) {
    ASSERT_FALSE(pattern.graphs.empty()) << pattern.name;
    for (const std::string_view graph : pattern.graphs) {
      const std::string begin = StrCat("graphs/", graph, "-");
      const Cases& cases = CasesOf(edition.id);
      EXPECT_TRUE(std::any_of(cases.begin(), cases.end(),
                              [&](const auto& entry) {
                                return entry.first.starts_with(begin) &&
                                       pattern.holds(entry.second.graph.main());
                              }))
          << pattern.name << ": " << graph;
    }
  }
  Block one;
  one.inputs = {"x", "y"};
  one.outputs = {"z"};
  for (const char* name : {"x", "y", "z"}) {
    one.tensors.push_back({.name = name, .dtype = DType::kI32, .shape = {2}});
  }
  one.operators = {{.op = "ADD", .inputs = {"x", "y"}, .outputs = {"z"}, .attributes = {}}};
  for (const GraphPattern& pattern : GraphPatterns()) {
    EXPECT_FALSE(pattern.holds(one)) << pattern.name;
  }
}

}  // namespace
}  // namespace cts
