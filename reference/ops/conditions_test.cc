// The tables of conditions against the official counts.
#include "reference/ops/conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "reference/graph/symbols.h"
#include "reference/ops/edition_wording.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// ERROR_IF and REQUIRE as counted in the specification's pseudocode. LEVEL_CHECKs are the edition's
// own.
TEST(Conditions, AreAsManyAsTheSpecificationHas) {
  std::ifstream file(CTS_SOURCE_DIR "/reference/spec/testdata/counts.tsv");
  std::map<std::string, int> counted;  // operators by edition
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#' || line.starts_with("edition\t")) continue;
    std::istringstream fields(line);
    std::string id, name;
    int type_rows = -1;
    std::map<ConditionKind, int> expected, found;
    ASSERT_TRUE(fields >> id >> name >> type_rows >> expected[ConditionKind::kErrorIf] >>
                expected[ConditionKind::kRequire] >> expected[ConditionKind::kLevel])
        << line;
    if (!(*FindEdition(id))->Has(Feature::kExecuted))
      continue;  // the reference does not cover it yet
    const Operator* const op = FindOperator(name);
    ASSERT_NE(op, nullptr) << line;
    for (const auto& [kind, count] : expected) found[kind] = 0;
    for (const Condition& c : ConditionsOf(*op, **FindEdition(id))) ++found[c.kind];
    EXPECT_EQ(found, expected) << line;
    ++counted[id];
  }
  for (const auto& [id, count] : counted) {
    EXPECT_EQ((*FindEdition(id))->operators.size(), static_cast<size_t>(count)) << id;
  }
  EXPECT_EQ(counted.size(), 3u);
}

// RVTensor has few of TOSA's operators; the conditions of the others do not matter there.
TEST(Conditions, OfAnOperatorStandInNoEditionThatLacksIt) {
  for (const Operator& op : Operators()) {
    for (const std::string edition : {"tosa-0.100", "tosa-1.0"}) {
      if ((*FindEdition(edition))->FindOperator(op.name) != nullptr) continue;
      for (const Condition& c : op.conditions()) {
        EXPECT_TRUE(ConditionsOf(op, **FindEdition(edition)).empty()) << c.id << " " << edition;
      }
    }
  }
}

// Ids are stable: cases and waivers refer to them. The rule makes them of an expression; where it
// cannot, the edition's data give the id.
TEST(LevelChecks, HaveTheIdsAndWordsThatTheyAlwaysHad) {
  const auto words = [](std::string_view edition, std::string_view id) {
    const Condition* c = FindCondition(id, **FindEdition(edition));
    return c == nullptr ? "none"
                        : StrCat(Name(c->kind), ": ", Paraphrase(**FindEdition(edition), *c));
  };
  EXPECT_EQ(words("tosa-1.0", "conv2d.level_kernel_y"),
            "level: dilation_y * KH exceeds MAX_KERNEL");
  EXPECT_EQ(words("tosa-1.0", "transpose_conv2d.level_kernel_x"), "level: KW exceeds MAX_KERNEL");
  EXPECT_EQ(words("tosa-1.0", "rfft2d.level_height"), "level: H exceeds MAX_KERNEL");
  EXPECT_EQ(words("tosa-0.100", "conv3d.level_pad_d0"), "level: pad_d0 exceeds MAX_KERNEL");
  EXPECT_EQ(words("tosa-1.0", "add.level_rank"), "level: rank(shape) exceeds MAX_RANK");
  EXPECT_EQ(words("tosa-1.0", "reshape.level_rank_input1"), "level: rank(shape1) exceeds MAX_RANK");
  EXPECT_EQ(words("tosa-1.0", "resize.level_scale_y"),
            "level: scale_y_n / scale_y_d exceeds MAX_SCALE");
  EXPECT_EQ(words("tosa-1.0", "concat.level_list_size"),
            "level: the list of inputs is longer than MAX_TENSOR_LIST_SIZE");
  EXPECT_EQ(words("tosa-1.0", "while_loop.level_output_list"),
            "level: output_list is longer than MAX_TENSOR_LIST_SIZE");
  EXPECT_EQ(words("tosa-1.0", "variable.level_rank"),
            "level: the rank of initial_value exceeds MAX_RANK");
  EXPECT_EQ(words("tosa-1.0", "cond_if.level_rank"),
            "level: the rank of condition exceeds MAX_RANK");
  EXPECT_EQ(words("rvtensor", "transpose_conv2d.level_out_pad_top"),
            "level: pad_top exceeds MAX_KERNEL");
  EXPECT_EQ(words("tosa-0.100", "cond_if.level_rank"), "none");
  EXPECT_EQ(words("tosa-1.0", "dim.level_rank"), "none");
}

// Their place is their order in findings and lists.
TEST(LevelChecks, StandWhereTheRowsHaveThem) {
  std::vector<std::string> ids;
  for (const Condition& c : ConditionsOf(*FindOperator("MUL"), **FindEdition("tosa-1.0"))) {
    ids.emplace_back(c.id);
  }
  EXPECT_THAT(ids, testing::ElementsAre("mul.broadcast", "mul.level_rank", "mul.shift_range",
                                        "mul.shift_type", "mul.product_range"));
  ids.clear();
  for (const Condition& c : ConditionsOf(*FindOperator("ARGMAX"), **FindEdition("tosa-1.0"))) {
    ids.emplace_back(c.id);
  }
  EXPECT_THAT(ids, testing::ElementsAre("argmax.axis_range", "argmax.output_shape",
                                        "argmax.index_range", "argmax.level_rank"));
}

TEST(Conditions, HaveIdsThatNameTheirOperator) {
  for (const Operator& op : Operators()) {
    std::string prefix(op.name);
    for (char& c : prefix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const Condition& c : op.conditions()) {
      if (c.id == kLevelChecks.id) continue;
      EXPECT_TRUE(c.id.starts_with(prefix + ".")) << c.id;
      EXPECT_FALSE(c.paraphrase.empty()) << c.id;
    }
  }
}

// An id may have other words in another edition, but one row in each.
TEST(Conditions, HaveOneRowAnEdition) {
  for (const std::string& id : EditionIds()) {
    const Edition& edition = **FindEdition(id);
    std::set<std::string_view> ids;
    const auto add = [&](const Conditions& list) {
      for (const Condition& c : list) {
        if (!StandsIn(c, edition)) continue;
        EXPECT_TRUE(ids.insert(c.id).second) << id << " " << c.id;
        EXPECT_TRUE(edition.Has(Feature::kExecuted)) << id;
      }
    };
    for (const Operator& op : Operators()) add(ConditionsOf(op, edition));
    for (const Conditions& list : {GraphConditions(), LibraryConditions(), SymbolConditions()}) {
      add(list);
    }
  }
}

TEST(Conditions, StandWhereTheirFeatureDoes) {
  const Edition &release = **FindEdition("tosa-1.0"), &draft = **FindEdition("tosa-0.100");
  const Edition &rvtensor = **FindEdition("rvtensor"), &next = **FindEdition("tosa-1.1-draft");
  const auto words = [](std::string_view id, const Edition& edition) {
    const Condition* condition = FindCondition(id, edition);
    return condition == nullptr ? std::string_view() : condition->paraphrase;
  };
  EXPECT_EQ(words("logical_left_shift.shift_range", release),
            "a shift is outside 0 to the type's width - 1");
  EXPECT_EQ(words("logical_left_shift.shift_range", draft), "a shift is outside 0 to 31");
  EXPECT_EQ(words("clamp.nan_bounds", release), "min_val or max_val is a NaN");
  EXPECT_EQ(words("clamp.nan_bounds", draft), "");
  EXPECT_EQ(words("rescale.unsigned_type", release), "");
  EXPECT_EQ(words("rescale.unsigned_type", draft),
            "values of more than 16 bits are taken as unsigned");
  // By operator: RVTensor has no CLAMP, and only 0.100 has a DIM.
  EXPECT_EQ(words("apply_clip_s.bounds", release), "the lower bound is not at most the upper one");
  EXPECT_EQ(words("apply_clip_s.bounds", rvtensor), "");
  EXPECT_EQ(words("dim.axis_range", draft), "axis is outside 0 to rank(shape) - 1");
  EXPECT_EQ(words("dim.axis_range", release), "");
  EXPECT_EQ(words("graph.type_row", next), "");
}

TEST(Operators, AreInAnEditionThatTheReferenceCovers) {
  for (const Operator& op : Operators()) {
    EXPECT_TRUE((*FindEdition("tosa-0.100"))->FindOperator(op.name) != nullptr ||
                (*FindEdition("tosa-1.0"))->FindOperator(op.name) != nullptr)
        << op.name;
  }
}

}  // namespace
}  // namespace cts
