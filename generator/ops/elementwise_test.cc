// The cases of elementwise operators keep what the operators' domains promise.
#include "generator/ops/elementwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <set>

#include "generator/generate.h"
#include "generator/plan/plan.h"
#include "generator/recipe/recipe.h"
#include "reference/base/float_format.h"

namespace cts {
namespace {

using testing::IsSupersetOf;

Recipe FullRecipe(const std::string& op, const std::string& edition = "tosa-1.0") {
  Recipe recipe;
  recipe.name = "test";
  recipe.edition = edition;
  recipe.level = "8K";
  recipe.strength = 2;
  recipe.full_domains = true;
  recipe.operators = {op};
  recipe.error_cases = false;
  return recipe;
}

// Every case of the recipe whose id contains `part`.
std::vector<Case> CasesOf(const Recipe& recipe, const std::string& part) {
  GenerateOptions options;
  options.recipe = recipe;
  options.recipe.ids = {"*" + part + "*"};
  std::vector<Case> cases;
  std::mutex mutex;
  const Status status = ForEachCase(options, [&](size_t, const Case& c) {
    const std::lock_guard<std::mutex> lock(mutex);
    cases.push_back(c);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_FALSE(cases.empty()) << part;
  return cases;
}

// An operand of the case, constant or not, by its place.
const Tensor& OperandOf(const Case& c, size_t k) {
  const Block& block = c.graph.main();
  const std::string& name = block.operators.back().inputs[k];
  const auto input = c.inputs.find(name);
  return input == c.inputs.end() ? *block.Find(name)->values : input->second;
}

using BitPairs = std::set<std::pair<uint64_t, uint64_t>>;

BitPairs PairsIn(const Case& c) {
  BitPairs pairs;
  const Tensor &first = OperandOf(c, 0), &second = OperandOf(c, 1);
  for (int64_t i = 0; i < first.size(); ++i) pairs.insert({first.Bits(i), second.Bits(i)});
  return pairs;
}

std::set<double> ValuesIn(const Case& c) {
  const Tensor& input = OperandOf(c, 0);
  std::set<double> values;
  for (int64_t i = 0; i < input.size(); ++i) {
    values.insert(IsFloat(input.dtype()) ? input.Value(i) : static_cast<double>(input.Integer(i)));
  }
  return values;
}

std::set<uint64_t> PatternsIn(const Case& c) {
  const Tensor& input = OperandOf(c, 0);
  std::set<uint64_t> patterns;
  for (int64_t i = 0; i < input.size(); ++i) patterns.insert(input.Bits(i));
  return patterns;
}

TEST(ElementwiseDomain, CrossesEverySpecialPatternWithEveryOther) {
  for (const Case& c : CasesOf(FullRecipe("MAXIMUM"), "fp16-61x61+61x61-run-")) {
    const BitPairs pairs = PairsIn(c);
    for (uint64_t first : SpecialBits(DType::kFp16)) {
      for (uint64_t second : SpecialBits(DType::kFp16)) {
        ASSERT_TRUE(pairs.contains({first, second})) << c.id << " " << first << " " << second;
      }
    }
    // Quiet and signalling NaNs of both signs, beside infinities.
    EXPECT_TRUE(pairs.contains({0x7E00, 0xFC01}));
    EXPECT_TRUE(pairs.contains({0x7C00, 0xFFFF}));
  }
}

TEST(ElementwiseDomain, HoldsEveryPairOfEightBits) {
  Recipe recipe = FullRecipe("BITWISE_XOR");
  recipe.data_sets = {"exhaustive8"};
  bool broadcast = false;
  for (const Case& c : CasesOf(recipe, "exhaustive8")) {
    const Tensor &first = OperandOf(c, 0), &second = OperandOf(c, 1);
    const Shape every = {256, 256};
    ASSERT_EQ(Broadcast({first.shape(), second.shape()}), every);
    BitPairs pairs;
    for (int64_t i = 0; i < 65536; ++i) {
      pairs.insert({first.Bits(first.size() == 256 ? i / 256 : i),
                    second.Bits(second.size() == 256 ? i % 256 : i)});
    }
    EXPECT_EQ(pairs.size(), 65536u) << c.id;
    broadcast |= first.size() == 256;
  }
  EXPECT_TRUE(broadcast);
}

TEST(ElementwiseDomain, HoldsEveryShiftOfEveryI8) {
  Recipe recipe = FullRecipe("ARITHMETIC_RIGHT_SHIFT");
  recipe.data_sets = {"exhaustive8"};
  for (const Case& c : CasesOf(recipe, "256x8+256x8")) EXPECT_EQ(PairsIn(c).size(), 256u * 8);
}

TEST(ElementwiseDomain, HoldsEveryPatternOfUnaryOperators) {
  for (const std::string op : {"ABS", "EXP", "FLOOR", "TANH"}) {
    Recipe recipe = FullRecipe(op);
    recipe.data_sets = {"exhaustive16"};
    for (const Case& c : CasesOf(recipe, "fp16-256x256")) {
      EXPECT_EQ(PatternsIn(c).size(), 65536u) << c.id;
    }
  }
  Recipe recipe = FullRecipe("CAST");
  recipe.data_sets = {"exhaustive8"};
  for (const Case& c : CasesOf(recipe, "fp8e5m2-fp16-256-")) EXPECT_EQ(PatternsIn(c).size(), 256u);
}

TEST(ElementwiseDomain, HasSumsAtBothEndsOfI32) {
  for (const Case& c : CasesOf(FullRecipe("ADD"), "i32-25x27+25x27-run-limits")) {
    const std::vector<int64_t> sums = c.outputs[0].answers[0].expected.Integers();
    EXPECT_THAT(sums, IsSupersetOf({int64_t{INT32_MIN}, int64_t{INT32_MIN} + 1,
                                    int64_t{INT32_MAX} - 1, int64_t{INT32_MAX}}));
  }
}

// A tie is a product whose low bits are half of what the shift divides by.
TEST(ElementwiseDomain, HasTiesOfShiftedProductsAndWhatLiesBesideThem) {
  for (const int shift : {1, 15, 31, 32, 62}) {
    for (const Case& c :
         CasesOf(FullRecipe("MUL"), "i32-i32-*-sh" + std::to_string(shift) + "-*limits")) {
      const Tensor &x = OperandOf(c, 0), &y = OperandOf(c, 1);
      std::set<int64_t> offsets;  // from a tie
      const uint64_t half = uint64_t{1} << (shift - 1);
      for (int64_t i = 0; i < x.size(); ++i) {
        const auto product = static_cast<uint64_t>(x.Integer(i) * y.Integer(i));
        offsets.insert(static_cast<int64_t>((product & (2 * half - 1)) - half));
      }
      EXPECT_TRUE(offsets.contains(0)) << c.id;
      EXPECT_LT(*offsets.begin(), 0) << c.id;
      EXPECT_TRUE(shift == 1 || *offsets.rbegin() > 0) << c.id;
    }
  }
}

TEST(ElementwiseDomain, UsesOneOperandTwice) {
  for (const Case& c : CasesOf(FullRecipe("ADD"), "-same-")) {
    const GraphOperator& op = c.graph.main().operators.back();
    EXPECT_EQ(op.inputs[0], op.inputs[1]) << c.id;
    EXPECT_EQ(c.inputs.size(), 1u) << c.id;
  }
}

TEST(ElementwiseDomain, TakesConstantsForOneInputTheOtherAndBoth) {
  const std::map<std::string, std::pair<bool, bool>> constant = {{"run", {false, false}},
                                                                 {"const1", {true, false}},
                                                                 {"const2", {false, true}},
                                                                 {"const", {true, true}}};
  for (const auto& [operands, expected] : constant) {
    for (const Case& c : CasesOf(FullRecipe("SUB"), "i32-17+1-" + operands + "-")) {
      EXPECT_EQ(!c.inputs.contains("input1"), expected.first) << c.id;
      EXPECT_EQ(!c.inputs.contains("input2"), expected.second) << c.id;
    }
  }
}

// A shift that is no constant is another profile's.
TEST(ElementwiseDomain, TakesParametersAtRunTimeWithTheExtension) {
  for (const Case& c : CasesOf(FullRecipe("MUL"), "-sh31-run-")) {
    EXPECT_TRUE(c.inputs.contains("shift")) << c.id;
    for (const auto& alternative : c.profiles) {
      EXPECT_THAT(alternative, testing::Contains("EXT-DYNAMIC")) << c.id;
    }
  }
  Recipe base = FullRecipe("MUL");
  base.profiles = {"PRO-INT"};
  for (const Case& c : CasesOf(base, "i32-i32-")) EXPECT_FALSE(c.inputs.contains("shift")) << c.id;
}

TEST(ClampDomain, HasBothBoundsWithTheirNeighbours) {
  for (const Case& c : CasesOf(FullRecipe("CLAMP"), "i8-*-narrow-*limits")) {
    EXPECT_THAT(ValuesIn(c), IsSupersetOf({-33.0, -32.0, -31.0, 41.0, 42.0, 43.0})) << c.id;
  }
}

// 0.100: any NaN gives NaN, numbers beyond the type are saturated, and nothing is said of
// infinities.
TEST(CastDomain, AsksOfFp8InTheDraftWhatItSays) {
  bool nan = false, beyond = false;
  for (const char* type : {"fp8e4m3", "fp8e5m2"}) {
    for (const Case& c : CasesOf(FullRecipe("CAST", "tosa-0.100"), StrCat("fp32-", type, "-"))) {
      const Tensor &input = OperandOf(c, 0), &expected = c.outputs[0].answers[0].expected;
      for (int64_t i = 0; i < input.size(); ++i) {
        const double x = input.Value(i);
        ASSERT_FALSE(std::isinf(x)) << c.id;
        ASSERT_EQ(std::isnan(x), std::isnan(expected.Element(i))) << c.id;
        nan |= std::isnan(x);
        beyond |= std::fabs(x) > Format(c.outputs[0].dtype).max;
      }
    }
  }
  EXPECT_TRUE(nan);
  EXPECT_TRUE(beyond);
}

TEST(CastDomain, HasTheLimitsOfSaturationAndTies) {
  for (const Case& c : CasesOf(FullRecipe("CAST"), "fp32-i8-9x37-*-limits")) {
    EXPECT_THAT(ValuesIn(c), IsSupersetOf({127.5, 127.0, 128.0, -128.5, -128.0, -129.0, 0.5, 1.5,
                                           2.5, -0.5, 127.5 - 0x1p-17, 127.5 + 0x1p-17}))
        << c.id;
  }
  // fp16 has a least number of 2^-24, and 65520 is half a step above its greatest.
  for (const Case& c : CasesOf(FullRecipe("CAST"), "fp32-fp16-9x37-*-limits")) {
    EXPECT_THAT(ValuesIn(c), IsSupersetOf({0x1p-25, 0x1p-25 + 0x1p-48, 0x1p-25 - 0x1p-49, 0x1.8p-24,
                                           65520.0, 65520.0 - 0x1p-8, 65520.0 + 0x1p-8, 1 + 0x1p-11,
                                           1 + 0x1.8p-10, 0x1p-14 - 0x1p-25}))
        << c.id;
  }
}

TEST(ExpDomain, HasTheEndsOfWhatIsFinite) {
  // ln(65504) = 11.0898, ln(2^-24) = -16.6355, ln(2^-25) = -17.3287; 2^-7 apart, 2^-6 beyond 16.
  for (const Case& c : CasesOf(FullRecipe("EXP"), "fp16-*-limits")) {
    const std::set<double> values = ValuesIn(c);
    for (double end : {11.0898, -16.6355, -17.3287}) {
      const auto above = values.upper_bound(end);
      ASSERT_NE(above, values.end());
      EXPECT_LT(*above - end, 0x1p-5) << end;
      EXPECT_LT(end - *std::prev(above), 0x1p-5) << end;
    }
  }
}

TEST(TableDomain, HasBothEndsOfEverySegment) {
  for (const Case& c : CasesOf(FullRecipe("TABLE"), "i16-i16-i32-32x64-")) {
    const std::set<double> values = ValuesIn(c);
    for (int first = -32768; first < 32768; first += 128) {
      EXPECT_TRUE(values.contains(first) && values.contains(first + 1) &&
                  values.contains(first + 127))
          << c.id << " " << first;
    }
  }
}

TEST(TableDomain, HasSlopesAtTheirLimits) {
  std::set<int64_t> slopes;
  for (const std::string table : {"tsteep", "tlow"}) {
    const Case c = CasesOf(FullRecipe("TABLE"), "i16-i16-*-" + table + "-*").front();
    const std::vector<int64_t> entries = OperandOf(c, 1).Integers();
    ASSERT_EQ(entries.size(), 513u);
    for (size_t i = 1; i < entries.size(); ++i) slopes.insert(entries[i] - entries[i - 1]);
  }
  EXPECT_EQ(*slopes.begin(), -32768);
  EXPECT_EQ(*slopes.rbegin(), 32767);
}

// By hand: entry i of tanh is tanh((i - 256) / 32) * 2^15, rounded; of sigmoid likewise.
TEST(TableDomain, BuildsTablesOfFunctions) {
  const auto entries = [](const std::string& table) {
    const Case c = CasesOf(FullRecipe("TABLE"), "i16-i16-*-" + table + "-*").front();
    return OperandOf(c, 1).Integers();
  };
  const std::vector<int64_t> tanh = entries("ttanh"), sigmoid = entries("tsigmoid");
  EXPECT_EQ(tanh[256], 0);
  EXPECT_EQ(tanh[288], 24956);  // tanh(1) = 0.76159416
  EXPECT_EQ(tanh[0], -32768);   // tanh(-8) = -0.99999977
  EXPECT_EQ(tanh[512], 32767);
  EXPECT_EQ(sigmoid[256], 16384);
  EXPECT_EQ(sigmoid[288], 23955);  // 0.73105858
}

TEST(RescaleDomain, HasShiftsFromLeastToGreatest) {
  for (const Case& c : CasesOf(FullRecipe("RESCALE"), "i32-i8-7x13-*-fmixed-")) {
    const std::vector<int64_t> shifts = OperandOf(c, 2).Integers();
    EXPECT_THAT(shifts, IsSupersetOf({2, 30, 31, 32, 62})) << c.id;
  }
}

// Judged by the exact quotient: a tie lies half-way between two results.
TEST(RescaleDomain, HasInputsAtTiesAndAtSaturation) {
  const Edition& edition = **FindEdition("tosa-1.0");
  const OperatorSpec& spec = *edition.FindOperator("RESCALE");
  const auto row =
      std::find_if(spec.type_rows.begin(), spec.type_rows.end(), [](const TypeRow& each) {
        return each.Type("in_t") == DType::kI16 && each.Type("out_t") == DType::kI8;
      });
  for (const std::string scale : {"scale16", "scale32"}) {
    const Choice choice{{&edition, edition.FindLevel("8K"), &spec, &*row},
                        "case",
                        1,
                        {{"shape", "7x13"},
                         {"scale", scale},
                         {"rounding", "single"},
                         {"channels", "per-tensor"},
                         {"unsigned", "none"},
                         {"zero_point", "0"},
                         {"factor", "quarter"},
                         {"data", "limits"}}};
    CaseDraft draft = rescale_domain::RescaleDomain().build(choice);
    // A quarter: v / 4 rounds up from 2 on, and saturates from 510 on and from -515 down.
    EXPECT_THAT(draft.tensor("input").Integers(),
                IsSupersetOf({2, 1, 3, -2, -1, -3, 510, 509, 511, -514, -515, -513}));
  }
}

// Flushed, they could be equal, which is legal.
TEST(ElementwiseDomain, BreakTheOrderOfClampBoundsWithoutSubnormals) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    Recipe recipe = FullRecipe("CLAMP", edition);
    recipe.error_cases = true;
    recipe.conditions = {"clamp.bounds_order"};
    int floats = 0;
    for (const Case& c : CasesOf(recipe, "error-bounds_order")) {
      const auto& attributes = c.graph.main().operators.back().attributes;
      const auto* low = std::get_if<double>(&attributes.at("min_val"));
      const auto* high = std::get_if<double>(&attributes.at("max_val"));
      if (low == nullptr || high == nullptr) continue;
      const DType type = *ParseDType(c.types.at("in_out_t"));
      EXPECT_LT(*high, *low) << c.id;
      EXPECT_FALSE(IsSubnormal(type, *low) || IsSubnormal(type, *high)) << c.id;
      ++floats;
    }
    EXPECT_GE(floats, 2);
  }
}

// Which of two operands is one row of at least 17 elements for all rows of the other, which are no
// multiple of eight; -1: none.
int RowForAll(const Shape& first, const Shape& second) {
  if (first.size() != second.size() || first.size() < 2) return -1;
  const int64_t width = first.back();
  if (width != second.back() || width < 17 || width % 8 == 0) return -1;
  if (ElementCount(first) == width && ElementCount(second) > width) return 0;
  return ElementCount(second) == width && ElementCount(first) > width ? 1 : -1;
}

// As a bias is added to an image's channels. Kernels have code of their own for it.
TEST(ElementwiseDomain, BroadcastsALongRowFromEachSideInEveryTypeRow) {
  for (const char* const name : {"tosa-1.0", "tosa-0.100"}) {
    const Edition& edition = **FindEdition(name);
    Recipe recipe = FullRecipe("", name);
    recipe.relations = true;
    recipe.ids = {"*/relation-*"};
    recipe.operators.clear();
    for (const OperatorSpec& spec : edition.operators) {
      const bool is_binary = spec.group == "elementwise-binary" || spec.group == "comparison";
      if (is_binary && spec.name != "TABLE") recipe.operators.push_back(spec.name);
    }
    EXPECT_EQ(recipe.operators.size(), 19u);
    const StatusOr<Plan> plan = MakePlan(recipe);
    ASSERT_TRUE(plan.ok()) << plan.status();
    std::map<const TypeRow*, std::set<int>> sides;
    std::set<const TypeRow*> runs;  // that have a graph that runs twice
    for (const Item& item : plan->items) {
      const Choice& choice = item.choice;
      CaseDraft draft = item.domain->build(choice);
      draft.built_from = &choice;
      const RelationCase& relation = *item.As<purpose::Relation>()->relation;
      relation.change(choice.setting, draft);
      if (draft.whole || choice.labels.all().at("operands") == "same") continue;
      if (relation.what == "two_runs") {
        EXPECT_GE(ElementCount(draft.output_shape), 1024) << choice.id;
        const StatusOr<Assembly> assembly = AssembleGraph(choice.setting, draft);
        ASSERT_TRUE(assembly.ok()) << assembly.status();
        ASSERT_EQ(assembly->later_inputs.size(), 1u) << choice.id;
        EXPECT_NE(assembly->later_inputs[0], assembly->inputs) << choice.id;
        runs.insert(choice.setting.row);
      }
      sides[choice.setting.row].insert(
          RowForAll(draft.tensor("input1").shape(), draft.tensor("input2").shape()));
    }
    for (const std::string& op : recipe.operators) {
      for (const TypeRow& row : edition.FindOperator(op)->type_rows) {
        EXPECT_THAT(sides[&row], IsSupersetOf({0, 1})) << name << " " << op << " " << row.mode;
        EXPECT_TRUE(runs.contains(&row)) << name << " " << op << " " << row.mode;
      }
    }
  }
}

}  // namespace
}  // namespace cts
