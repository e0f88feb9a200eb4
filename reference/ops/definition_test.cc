// Operators that an edition file defines as a graph of another edition's.
#include "reference/ops/definition.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "reference/base/json.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// The text of a file of the invented edition acme-0.1, which has another name here.
std::string AcmeText(const std::string& file, const std::string& name) {
  std::ifstream stream(fs::path(CTS_SOURCE_DIR) / "tools/testdata/acme" / file);
  std::ostringstream read;
  read << stream.rdbuf();
  std::string text = read.str();
  const std::string_view old = "acme-0.1";
  for (size_t at = text.find(old); at != text.npos; at = text.find(old, at + name.size())) {
    text.replace(at, old.size(), name);
  }
  return text;
}

// The id of an edition like acme-0.1 but for its SOFTMAX.
template <class Change>
std::string WithSoftmax(const std::string& id, Change change) {
  Json edition = Json::parse(AcmeText("acme-0.1.json", id));
  for (Json& op : edition["operators"]) {
    if (op["name"] == "SOFTMAX") change(op);
  }
  const fs::path folder = fs::path(testing::TempDir()) / id;
  fs::create_directories(folder / "precision");
  std::ofstream(folder / "edition.json") << edition.dump();
  std::ofstream(folder / "precision" / (id + ".json")) << AcmeText("precision/acme-0.1.json", id);
  const Status added = AddEdition(folder / "edition.json");
  EXPECT_TRUE(added.ok()) << added;
  fs::remove_all(folder);
  return id;
}

// The id of an edition with these steps as its SOFTMAX, whose output has any shape.
std::string WithSteps(const std::string& id, const Json& steps) {
  return WithSoftmax(id, [&](Json& op) {
    op["definition"]["steps"] = steps;
    op["arguments"].back()["shape"] = "shape2";
  });
}

// The id of an edition whose SOFTMAX is broken by this; an axis of 7 must break it.
std::string WithCondition(const std::string& id, const std::string& broken) {
  return WithSoftmax(id, [&](Json& op) {
    op["conditions"][0]["broken"] = broken;
    op["conditions"][0]["paraphrase"] = "axis is bad";
  });
}

// The id of an edition whose SOFTMAX is the maximum of `width` neighbours.
std::string WithPool(const std::string& id, int64_t width) {
  return WithSteps(id, {{{"operator", "MAX_POOL2D"},
                         {"inputs", {"x"}},
                         {"output", "y"},
                         {"type", "in_out_t"},
                         {"attributes",
                          {{"kernel", {1, width}},
                           {"stride", {1, 1}},
                           {"pad", {0, 0, 0, 0}},
                           {"nan_mode", "PROPAGATE"}}}}});
}

OneOperator Softmax(const std::string& edition, const Shape& shape, const Shape& out,
                    int64_t axis = 0) {
  OneOperator op("SOFTMAX", edition);
  op.Floats(DType::kFp32, shape, std::vector<double>(static_cast<size_t>(ElementCount(shape)), 1));
  return op.Set("axis", axis).Out(DType::kFp32, out);
}

std::string FindingOf(const OneOperator& op) {
  const auto evaluation =
      Evaluate(op.graph(), op.inputs(), op.edition(), *op.edition().FindLevel("8K"));
  if (!evaluation.ok()) return Message(evaluation.status());
  return evaluation->violations.empty() ? "" : evaluation->violations.front().message;
}

// MAX_KERNEL of level 8K is 8192.
TEST(Definition, HoldsTheLevelChecksOfItsSteps) {
  const OneOperator legal = Softmax(WithPool("acme-wide", 8192), {1, 1, 8193, 1}, {1, 1, 2, 1});
  EXPECT_EQ(legal.Verdict(), "valid");
  const OneOperator wide = Softmax(WithPool("acme-wider", 8193), {1, 1, 8193, 1}, {1, 1, 1, 1});
  EXPECT_EQ(wide.Verdict(), "unpredictable: definition.step");
  EXPECT_THAT(FindingOf(wide), HasSubstr("SOFTMAX, definition, MAX_POOL2D that makes y: "));
  EXPECT_THAT(FindingOf(wide), HasSubstr("is 8193, MAX_KERNEL is 8192"));
}

TEST(Definition, SaysWhichStepRefusesWhat) {
  const std::string edition = WithPool("acme-pool", 3);
  EXPECT_EQ(Softmax(edition, {1, 1, 5, 1}, {1, 1, 3, 1}).Verdict(), "valid");
  const OneOperator flat = Softmax(edition, {5}, {3});
  EXPECT_EQ(flat.Verdict(), "unpredictable: definition.step");
  EXPECT_EQ(FindingOf(flat),
            "SOFTMAX, definition, MAX_POOL2D that makes y: input: found rank 1, expected at least "
            "4");
}

TEST(DescribedCondition, SaysWhatWasFound) {
  const std::string edition = WithCondition("acme-found", "10 / (axis + 1) < 2");
  EXPECT_EQ(Softmax(edition, {2}, {2}).Verdict(), "valid");
  EXPECT_EQ(FindingOf(Softmax(edition, {2}, {2}, 9)), "axis is bad: found axis 9");
}

TEST(DescribedCondition, IsBrokenByADivisorBelowOneAndSaysSo) {
  const std::string edition = WithCondition("acme-divisor", "10 / (axis + 1) < 2");
  const OneOperator op = Softmax(edition, {2}, {2}, -1);
  EXPECT_EQ(op.Verdict(), "error: softmax.axis_range");
  EXPECT_EQ(FindingOf(op),
            "axis is bad: found axis -1; `10 / (axis + 1) < 2`: found the divisor 0, expected at "
            "least 1");
}

TEST(DescribedCondition, IsBrokenByANumberOfMoreThan64BitsAndSaysSo) {
  const std::string edition =
      WithCondition("acme-overflow", "axis == 7 || axis * 9223372036854775807 < 0");
  EXPECT_EQ(Softmax(edition, {2}, {2}).Verdict(), "valid");
  const OneOperator op = Softmax(edition, {2}, {2}, 2);
  EXPECT_EQ(op.Verdict(), "error: softmax.axis_range");
  EXPECT_EQ(FindingOf(op),
            "axis is bad: found axis 2, so that a number of `axis == 7 || axis * "
            "9223372036854775807 < 0` is more than 64 bits hold");
}

// The texts decide, not the names: CLIP is a CLAMP, and nothing here is scaled or looked up.
TEST(Conditions, OfHelpersStandWhereATextCallsThem) {
  const Edition& plain = **FindEdition(WithSoftmax("acme-helpers", [](Json&) {}));
  EXPECT_NE(FindCondition("apply_clip_s.bounds", plain), nullptr);
  EXPECT_EQ(FindCondition("apply_scale_32.shift_range", plain), nullptr);
  EXPECT_EQ(FindCondition("apply_scale_16.shift_range", plain), nullptr);
  EXPECT_EQ(FindCondition("apply_lookup_s.slope_range", plain), nullptr);
  EXPECT_EQ(FindCondition("rescale.unsigned_type", plain), nullptr);
  const Edition& release = **FindEdition("tosa-1.0");
  EXPECT_NE(FindCondition("apply_scale_32.shift_range", release), nullptr);
  EXPECT_NE(FindCondition("apply_scale_16.shift_range", release), nullptr);
}

}  // namespace
}  // namespace cts
