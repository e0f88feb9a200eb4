// The domains of tensor operators, reductions and data layout hold what they promise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

#include "generator/generate.h"
#include "generator/plan/parts.h"
#include "generator/plan/plan.h"
#include "reference/base/float_format.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/native.h"
#include "reference/ops/axis.h"
#include "reference/ops/broadcast.h"
#include "reference/ops/conditions.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

using testing::Contains;
using testing::IsSupersetOf;

Recipe FullDomains(std::string_view edition, std::vector<std::string> operators) {
  Recipe recipe;
  recipe.name = "test";
  recipe.edition = edition;
  recipe.level = "8K";
  recipe.full_domains = true;
  recipe.error_cases = false;
  recipe.operators = std::move(operators);
  return recipe;
}

std::map<std::string, Case> CasesOf(const Recipe& recipe) {
  std::map<std::string, Case> cases;
  GenerateOptions options;
  options.recipe = recipe;
  std::mutex mutex;
  const Status status = ForEachCase(options, [&](size_t, const Case& c) {
    const std::lock_guard<std::mutex> lock(mutex);
    cases[c.id] = c;
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return cases;
}

// The ten operators of appendix A; FULLY_CONNECTED went with 1.0.
const std::vector<std::string> kDotProducts = {"CONV2D",           "CONV3D", "DEPTHWISE_CONV2D",
                                               "TRANSPOSE_CONV2D", "MATMUL", "AVG_POOL2D",
                                               "REDUCE_SUM",       "FFT2D",  "RFFT2D"};

class EveryEdition : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(TensorDomains, EveryEdition, testing::Values("tosa-1.0", "tosa-0.100"));

TEST_P(EveryEdition, AsksEveryDotProductWithAllSetsAndAThousandResults) {
  const bool draft = std::string_view(GetParam()) == "tosa-0.100";
  std::vector<std::string> operators = kDotProducts;
  if (draft) operators.push_back("FULLY_CONNECTED");
  const StatusOr<Plan> plan = MakePlan(FullDomains(GetParam(), operators));
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::map<std::string, std::set<std::string>> sets;  // by type row
  std::set<std::string> biased;
  for (const Item& item : plan->items) {
    const Setting& setting = item.choice.setting;
    if (item.choice.labels.Text(kDataAxis) == "bias") {
      CaseDraft drawn = item.domain->build(item.choice);
      for (const double b : drawn.tensor("bias").Elements()) {
        EXPECT_GT(std::fabs(b), 1) << item.choice.id;
        EXPECT_LT(std::fabs(b), 65504) << item.choice.id;
      }
      biased.insert(setting.spec->name + " " + setting.row->mode);
    }
    if (DotProductSetNumber(item.choice.data_set()) < 0) continue;
    sets[setting.spec->name + " " + setting.row->mode].insert(item.choice.labels.Text(kDataAxis));
    const CaseDraft drawn = item.domain->build(item.choice);
    int64_t results = ElementCount(drawn.output_shape);
    // RFFT2D counts those of the whole transform.
    const bool rfft = setting.spec->name == "RFFT2D";
    if (rfft) results = ElementCount(item.choice[kShapeAxis]);
    // A tensor of rank 1 has but one.
    const bool one_sum = item.choice.id.find("-13-first-") != std::string::npos;
    EXPECT_TRUE(results >= 1000 || one_sum) << item.choice.id;
  }
  EXPECT_EQ(sets.size(), draft ? 5u * 6 + 6 + 3 + 2 + 4 : 5u * 6 + 6 + 3 + 2);
  for (const auto& [row, data] : sets) {
    // Its sums of S1, S4 and S5 would leave fp16.
    if (draft && row.find("CONV") != row.npos && data.size() == 3) {
      EXPECT_NE(row.find("fp16 with fp32 accumulate"), row.npos) << row;
      EXPECT_TRUE(biased.contains(row)) << row;
      continue;
    }
    EXPECT_EQ(data.size(), 6u) << row;
  }
}

// 33025 * 255 * 255 = 2147450625, and the bias is what is left to the end of i32.
TEST(TensorDomains, FillAccumulatorsOf32BitsToBothEnds) {
  Recipe recipe = FullDomains("tosa-1.0", {"CONV2D"});
  recipe.strength = 2;
  recipe.types = {"i32"};
  recipe.ids = {"*i8-i8-*-k1x1x33025-*"};
  std::set<int64_t> results;
  for (const auto& [id, c] : CasesOf(recipe)) {
    for (const int64_t value : c.outputs[0].answers[0].expected.Integers()) results.insert(value);
  }
  EXPECT_THAT(results, IsSupersetOf({int64_t{2147483647}, int64_t{-2147483648}}));
}

TEST(TensorDomains, ReachBeyond32BitsWhereTheAccumulatorHas48) {
  Recipe recipe = FullDomains("tosa-1.0", {"MATMUL"});
  recipe.types = {"i48"};
  recipe.ids = {"*1x2x33025x3*"};
  int64_t greatest = 0;
  for (const auto& [id, c] : CasesOf(recipe)) {
    for (const int64_t value : c.outputs[0].answers[0].expected.Integers()) {
      greatest = std::max(greatest, value);
    }
  }
  EXPECT_EQ(greatest, int64_t{33025} << 30);  // all lowest by all lowest
}

// A reference that is NaN must be matched; an infinite one has no limit. 0.100 says of sums nothing
// but that a NaN makes a NaN, and has no run that multiplies in the padding.
TEST_P(EveryEdition, AsksOfNanAndInfinityInSumsWhatTheTextSettles) {
  const bool draft = std::string_view(GetParam()) == "tosa-0.100";
  std::vector<std::string> operators = {"CONV2D",           "CONV3D", "DEPTHWISE_CONV2D",
                                        "TRANSPOSE_CONV2D", "MATMUL", "AVG_POOL2D",
                                        "REDUCE_SUM"};
  if (draft) operators.push_back("FULLY_CONNECTED");
  Recipe recipe = FullDomains(GetParam(), operators);
  recipe.data_sets = {"non-finite"};
  const StatusOr<Plan> plan = MakePlan(recipe);
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::map<std::string, int> cases;  // by type row
  for (const Item& item : plan->items) {
    ASSERT_TRUE(item.Is<purpose::Data>()) << item.choice.id;
    const DataCase& data = *item.As<purpose::Data>()->data;
    const Setting& setting = item.choice.setting;
    ++cases[setting.spec->name + " " + setting.row->mode];
    CaseDraft drawn = item.domain->build(item.choice);
    drawn.built_from = &item.choice;
    data.change(setting, drawn);
    const bool padded = setting.spec->name == "TRANSPOSE_CONV2D" || data.what == "padded";
    for (const char* const name : {"input", "weight", "bias", "A", "B"}) {
      if (!drawn.arguments.contains(name)) continue;
      int nans = 0, infinities = 0;
      for (const double x : drawn.tensor(name).Elements()) {
        nans += std::isnan(x);
        infinities += std::isinf(x);
      }
      const bool edge = data.what == "edge";
      const bool finite = (edge || (draft && padded)) && std::string_view(name) == "weight";
      EXPECT_EQ(nans == 0, finite) << item.choice.id << ", " << name;
      const bool has_infinity = Format(drawn.tensor(name).dtype()).has_infinity;
      EXPECT_EQ(infinities > 0, has_infinity && !draft && !finite)
          << item.choice.id << ", " << name;
    }
  }
  EXPECT_EQ(cases.size(), draft ? 6u * 6 + 3 + 4 : 6u * 6 + 3);
  // Three of those that are padded by zeros: plain, padded, and an edge.
  for (const auto& [row, count] : cases) {
    const bool is_image = row.starts_with("CONV") || row.starts_with("DEPTHWISE");
    EXPECT_EQ(count, is_image ? 3 : 2) << row;
  }

  for (const auto& [id, c] : CasesOf(recipe)) {
    const Answer& answer = c.outputs[0].answers[0];
    int64_t must_be_nan = 0, limited = 0;
    for (int64_t i = 0; i < answer.expected.size(); ++i) {
      must_be_nan += std::isnan(answer.expected.Element(i));
      limited +=
          std::isfinite(answer.expected.Element(i)) && std::isfinite(answer.bound->Element(i));
    }
    EXPECT_GE(must_be_nan, 5) << id;
    EXPECT_GE(limited, 5) << id;
  }
}

// The results of S0 are zero: an implementation that answers zeros would pass.
TEST(TensorDomains, TakeNoZerosForLimitsAndNeighbours) {
  for (const char* const edition : {"tosa-1.0", "tosa-0.100"}) {
    Recipe recipe = FullDomains(edition, {"CONV2D", "MATMUL", "REDUCE_SUM", "RFFT2D"});
    recipe.valid_cases = false;
    recipe.limits = true;
    recipe.error_cases = true;
    recipe.neighbours = true;
    const StatusOr<Plan> plan = MakePlan(recipe);
    ASSERT_TRUE(plan.ok()) << plan.status();
    std::map<std::string, int> data_sets;
    for (const Item& item : plan->items) {
      if (!item.Is<purpose::Error>()) ++data_sets[item.choice.labels.Text(kDataAxis)];
    }
    EXPECT_EQ(data_sets.count("S0"), 0u) << edition;
    EXPECT_GT(data_sets["S1"], 10) << edition;
  }
}

// Level `none` has the parameters a little beyond level 8K's: each limit of 8K is broken by one.
TEST(TensorDomains, HaveACaseAtEveryLimitOfALevel) {
  Recipe recipe = FullDomains(
      "tosa-1.0", {"CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D", "AVG_POOL2D",
                   "MAX_POOL2D", "RESIZE", "CONCAT", "COND_IF", "WHILE_LOOP"});
  recipe.level = "none";
  recipe.valid_cases = false;
  recipe.limits = true;
  const StatusOr<Plan> plan = MakePlan(recipe);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const Level& level = *plan->edition->FindLevel("8K");
  std::set<std::string> broken;
  for (const Item& item : plan->items) {
    CaseDraft draft = item.domain->build(item.choice);
    draft.built_from = &item.choice;
    item.As<purpose::Limit>()->limit->change(item.choice.setting, draft);
    const StatusOr<Assembly> assembly = AssembleGraph(item.choice.setting, draft);
    ASSERT_TRUE(assembly.ok()) << item.choice.id << ": " << assembly.status();
    const StatusOr<Evaluation> evaluation =
        Evaluate(assembly->graph, assembly->inputs, *plan->edition, level);
    ASSERT_TRUE(evaluation.ok()) << item.choice.id << ": " << evaluation.status();
    for (const Violation& violation : evaluation->violations) broken.insert(violation.condition);
    EXPECT_FALSE(evaluation->violations.empty()) << item.choice.id;
  }
  for (const std::string& op : recipe.operators) {
    for (const Condition& condition : ConditionsOf(*FindOperator(op), **FindEdition("tosa-1.0"))) {
      if (condition.kind != ConditionKind::kLevel) continue;
      EXPECT_THAT(broken, Contains(std::string(condition.id)));
    }
  }
}

// Coverage would miss no relation without the layers of full domains. Every kernel has a case of
// layers' shapes, whatever its types.
TEST(TensorDomains, HaveTheCasesOfLayersInEveryTypeRow) {
  std::map<std::string, std::set<std::string>> planned, wanted;  // in one edition or the other
  for (const char* const name : {"tosa-1.0", "tosa-0.100"}) {
    Recipe recipe = FullDomains(name, {});
    recipe.relations = true;
    const StatusOr<Plan> plan = MakePlan(recipe);
    ASSERT_TRUE(plan.ok()) << plan.status();
    for (const Part& part : plan->parts) {
      if (part.is_graph || part.is_symbolic) continue;
      for (const RelationCase& relation : part.domain->relations) {
        if (relation.more) wanted[part.setting.spec->name].insert(relation.what);
      }
    }
    for (const Item& item : plan->items) {
      if (const auto* const own = item.As<purpose::Relation>()) {
        planned[item.choice.setting.spec->name].insert(own->relation->what);
      }
    }
    std::map<const RelationCase*, size_t> rows;
    std::map<std::string_view, std::set<std::string_view>> whats;  // by operator
    for (const Item& item : plan->items) {
      const auto* const own = item.As<purpose::Relation>();
      if (own == nullptr || !own->relation->more) continue;
      const RelationCase* const relation = own->relation;
      const OperatorSpec& spec = *item.choice.setting.spec;
      if (relation->applies == nullptr && relation->labels.all().empty()) {
        whats[spec.name].insert(relation->what);
        ++rows[relation];
      }
    }
    std::set<const RelationCase*> checked;
    for (const Item& item : plan->items) {
      const auto* const own = item.As<purpose::Relation>();
      if (own == nullptr || !rows.contains(own->relation)) continue;
      if (!checked.insert(own->relation).second) continue;
      EXPECT_EQ(rows[own->relation], item.choice.setting.spec->type_rows.size()) << item.choice.id;
    }
    EXPECT_THAT(whats["GATHER"], IsSupersetOf({"lookup", "values_2x9x4", "values_2x9x19"}));
    EXPECT_THAT(whats["SCATTER"], IsSupersetOf({"values_1x13x19", "values_2x9x8"}));
    EXPECT_THAT(whats["SELECT"], IsSupersetOf({"row_condition", "column_condition", "rank6"}));
    EXPECT_THAT(whats["CONCAT"], IsSupersetOf({"widths_6_5_1", "widths_17_19"}));
    EXPECT_THAT(whats["TRANSPOSE"], IsSupersetOf({"heads", "channels_first", "matrix"}));
    EXPECT_THAT(whats["REDUCE_MAX"], IsSupersetOf({"last_19", "last_67", "second", "third"}));
  }
  // Labels that no value of an axis is would leave a case out without a word.
  EXPECT_GT(wanted.size(), 40u);
  for (const auto& [op, names] : wanted) {
    for (const std::string& name : names)
      EXPECT_TRUE(planned[op].contains(name)) << op << " " << name;
  }
}

// A NaN stands in every place of a line of the axis: first, in the middle, last, everywhere, all
// but once.
TEST(TensorDomains, PutNanIntoEveryPlaceOfALine) {
  const StatusOr<Parts> plan = MakeParts(FullDomains("tosa-1.0", {"ARGMAX"}));
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::set<std::string> seen;
  for (const Part& part : plan->parts) {
    if (part.setting.Type("in_t") != DType::kFp16) continue;
    CaseDraft draft = part.domain->build({part.setting,
                                          "case",
                                          1,
                                          {{"shape", "2x3x4x5"},
                                           {"axis", "last"},
                                           {"constant", "none"},
                                           {"nan_mode", "ignore"},
                                           {"data", "lines"}}});
    const std::vector<double> values = draft.tensor("input").Elements();
    for (size_t line = 0; line + 5 <= values.size(); line += 5) {
      std::string nans;
      for (size_t k = 0; k < 5; ++k) nans += values[line + k] != values[line + k] ? 'n' : '.';
      const auto count = std::count(nans.begin(), nans.end(), 'n');
      seen.insert(count == 4 ? "all but one" : nans);
    }
  }
  EXPECT_THAT(seen, IsSupersetOf({"n....", "..n..", "....n", "nnnnn", "all but one", "....."}));
}

// Text and pseudocode of 0.100 agree about a line of NaN, of which the last place is right, and
// about one NaN at the end.
TEST(TensorDomains, AskOfNanWhatTheDraftSaysTwice) {
  Recipe recipe = FullDomains("tosa-0.100", {"ARGMAX"});
  recipe.types = {"fp16"};
  std::set<std::string> seen;
  for (const auto& [id, c] : CasesOf(recipe)) {
    const GraphOperator& op = c.graph.main().operators.back();
    const auto input = c.inputs.find(op.inputs[0]);
    if (input == c.inputs.end()) continue;
    const Tensor& index = c.outputs[0].answers[0].expected;
    const AxisView view(input->second.shape(), std::get<int64_t>(op.attributes.at("axis")));
    for (int64_t line = 0; line < index.size(); ++line) {
      int64_t count = 0;
      for (int64_t k = 0; k < view.size; ++k) {
        count += std::isnan(input->second.Value(view.Offset(line, k)));
      }
      const bool at_end = std::isnan(input->second.Value(view.Offset(line, view.size - 1)));
      ASSERT_TRUE(count == 0 || count == view.size || (count == 1 && at_end)) << id;
      if (count > 0) {
        ASSERT_EQ(index.Integer(line), view.size - 1) << id;
      }
      seen.insert(count == 0 ? "none" : count == 1 ? "the last" : "all");
    }
  }
  EXPECT_EQ(seen, (std::set<std::string>{"none", "the last", "all"}));
}

TEST(TensorDomains, AskForProductsBeyond32Bits) {
  for (const char* const edition : {"tosa-1.0", "tosa-0.100"}) {
    Recipe recipe = FullDomains(edition, {"MUL"});
    recipe.types = {"i32"};
    recipe.strength = 2;
    int64_t beyond = 0;
    for (const auto& [id, c] : CasesOf(recipe)) {
      if (c.parameters.at("shift") != "0" || c.types.at("in_t") != "i32") continue;
      const auto operand = [&c](size_t k) -> const Tensor& {
        const std::string& name = c.graph.main().operators.back().inputs[k];
        const auto input = c.inputs.find(name);
        return input != c.inputs.end() ? input->second : *c.graph.main().Find(name)->values;
      };
      const Tensor &x = operand(0), &y = operand(1), &low = c.outputs[0].answers[0].expected;
      const BroadcastMap of_x(low.shape(), x.shape()), of_y(low.shape(), y.shape());
      for (int64_t i = 0; i < low.size(); ++i) {
        const int64_t product = x.Integer(of_x(i)) * y.Integer(of_y(i));
        ASSERT_EQ(low.Integer(i), static_cast<int32_t>(product)) << id;
        beyond += low.Integer(i) != product;
      }
    }
    EXPECT_GT(beyond, 20) << edition;
  }
}

// With a larger numerator an implementation may round the position to the middle of two elements,
// and take the other one.
TEST(TensorDomains, KeepNearestResizeFromPositionsThatRound) {
  for (const char* const edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const auto& [type, most] : {std::pair("bf16", 1 << 7), std::pair("fp16", 1 << 10)}) {
      Recipe recipe = FullDomains(edition, {"RESIZE"});
      recipe.types = {type};
      int64_t greatest = 0;
      for (const auto& [id, c] : CasesOf(recipe)) {
        if (c.parameters.at("mode") != "nearest") continue;
        const std::vector<int64_t> scale = ParseNumbers(c.parameters.at("scale"));
        EXPECT_LE(std::max(scale[0], scale[2]), most) << id;
        greatest = std::max({greatest, scale[0], scale[2]});
      }
      EXPECT_GE(greatest, 100) << edition << " " << type;
    }
  }
}

// 0.100 allows 0.006 of the greatest input, whatever the type.
TEST(TensorDomains, KeepBf16ResizeWithinTheDraftsBound) {
  GenerateOptions options;
  options.recipe = *FindRecipe("certify-0.100");
  options.recipe.operators = {"RESIZE"};
  options.recipe.types = {"bf16"};
  options.recipe.ids = {"resize/bf16-*-bilinear-*"};
  const Edition& edition = **FindEdition("tosa-0.100");
  std::atomic<int> compared = 0;
  const Status status = ForEachCase(options, [&](size_t, const Case& c) {
    const auto native = ExecuteNative(c.graph, c.inputs, edition, *edition.FindLevel(c.level));
    EXPECT_TRUE(native.ok() && native->outcome == Outcome::kValid) << c.id;
    const Answer& answer = c.outputs[0].answers[0];
    const Tensor& result = native->outputs.at(c.outputs[0].name);
    for (int64_t i = 0; i < result.size(); ++i) {
      EXPECT_LE(std::fabs(result.Element(i) - answer.expected.Element(i)), answer.bound->Element(i))
          << c.id << ", element " << i;
    }
    ++compared;
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GT(compared, 20);
}

// The stored bits of a tensor's elements; those of every NaN are the same.
std::multiset<uint64_t> BitsOf(const Tensor& tensor) {
  std::multiset<uint64_t> bits;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const bool is_nan = IsFloat(tensor.dtype()) && std::isnan(tensor.Value(i));
    bits.insert(is_nan ? ~uint64_t{0} : tensor.Bits(i));
  }
  return bits;
}

// The same for each data operand of the operator that a case is about.
std::vector<std::multiset<uint64_t>> DataOperands(const Case& c) {
  std::vector<std::multiset<uint64_t>> operands;
  const Block& block = c.graph.main();
  for (const GraphOperator& node : block.operators) {
    if (node.op != c.op) continue;
    for (const std::string& name : node.inputs) {
      const auto given = c.inputs.find(name);
      const Tensor* const values =
          given != c.inputs.end() ? &given->second : block.Find(name)->values.get();
      if (values == nullptr || values->dtype() == DType::kShape) continue;
      operands.push_back(BitsOf(*values));
    }
  }
  return operands;
}

// Enclosures trust OperatorFacts::moves.
TEST(TensorDomains, OperatorsThatMoveElementsHandThemOnUnchanged) {
  Recipe recipe = *FindRecipe("smoke");
  recipe.error_cases = false;
  recipe.graphs = false;
  for (const OperatorSpec& spec : (*FindEdition(recipe.edition))->operators) {
    if (FactsOf(spec.name).moves != Moves::kNothing) recipe.operators.push_back(spec.name);
  }
  EXPECT_THAT(recipe.operators, IsSupersetOf({"CONCAT", "IDENTITY", "RESHAPE", "TRANSPOSE"}));
  std::set<std::string> looked_at;
  for (const auto& [id, c] : CasesOf(recipe)) {
    const std::vector<std::multiset<uint64_t>> operands = DataOperands(c);
    ASSERT_FALSE(operands.empty()) << id;
    const Edition& edition = **FindEdition(c.edition);
    const StatusOr<NativeResult> result =
        ExecuteNative(c.graph, c.inputs, edition, *edition.FindLevel(c.level));
    ASSERT_TRUE(result.ok()) << id << ": " << result.status();
    const std::multiset<uint64_t> moved = BitsOf(result->outputs.begin()->second);
    if (FactsOf(c.op).moves == Moves::kEach) {
      EXPECT_EQ(moved, operands.front()) << id;
    }
    for (const uint64_t bits : moved) {
      EXPECT_TRUE(std::any_of(operands.begin(), operands.end(),
                              [&](const auto& operand) { return operand.contains(bits); }))
          << id << ": " << bits;
    }
    looked_at.insert(c.op);
  }
  EXPECT_EQ(looked_at.size(), recipe.operators.size());
}

}  // namespace
}  // namespace cts
