// Operators that an edition file defines as a graph of another edition's.
#include "reference/ops/definition.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reference/base/json.h"
#include "reference/formats/to_tosa.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// The text of a file of the invented edition acme-0.1, which has another name here.
std::string AcmeText(const std::string& file, const std::string& name) {
  std::ifstream stream(fs::path(CTS_SOURCE_DIR) / "tools/develop/testdata/acme" / file);
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

// Twice, so that names between the steps meet.
TEST(Definition, IsWrittenOutAsOperatorsOfItsEdition) {
  const std::string edition = WithSoftmax("acme-written", [](Json&) {});
  const std::vector<double> x = {0, 1, 2, -3, 0.5, 7};
  OneOperator op("SOFTMAX", edition);
  op.Floats(DType::kFp32, {2, 3}, x).Set("axis", int64_t{1}).Out(DType::kFp32, {2, 3});
  Graph graph = op.graph();
  Block& block = graph.main();
  block.tensors.push_back({"out_peak_0", DType::kFp32, {2, 3}});
  GraphOperator again = block.operators.back();
  again.outputs = {"out_peak_0"};
  again.attributes["axis"] = int64_t{0};
  block.operators.push_back(again);
  block.outputs.push_back("out_peak_0");

  const Edition& tosa = **FindEdition("tosa-1.0");
  const StatusOr<Graph> written = ToTosa(graph, op.edition(), tosa);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(written->main().operators.size(), 2 * 7u);
  // Each step rounds: an implementation has one value where the reference has bounds.
  const auto native = ExecuteNative(*written, op.inputs(), tosa, *tosa.FindLevel("8K"));
  ASSERT_TRUE(native.ok()) << native.status();
  ASSERT_EQ(native->outcome, Outcome::kValid);
  for (const auto& [name, output] : native->outputs) {
    const bool rows = name == "out";
    for (size_t i = 0; i < 6; ++i) {
      double sum = 0;
      for (size_t k = 0; k < (rows ? 3 : 2); ++k) {
        sum += std::exp(rows ? x[i / 3 * 3 + k] : x[k * 3 + i % 3]);
      }
      EXPECT_NEAR(output.Element(static_cast<int64_t>(i)), std::exp(x[i]) / sum, 1e-6)
          << name << " " << i;
    }
  }
  EXPECT_EQ(native->outputs.size(), 2u);
}

TEST(Definition, IsNotWrittenOutWhereItsSizesDoNotFollow) {
  const std::string edition = WithSoftmax("acme-unwritten", [](Json&) {});
  const Edition &acme = **FindEdition(edition), &tosa = **FindEdition("tosa-1.0");
  const auto refused = [&](const Graph& graph) {
    const StatusOr<Graph> written = ToTosa(graph, acme, tosa);
    EXPECT_EQ(written.status().code(), absl::StatusCode::kUnimplemented);
    return Message(written.status());
  };
  EXPECT_THAT(
      refused(Softmax(edition, {2, 3}, {2, 3}, 7).graph()),
      HasSubstr("SOFTMAX: a graph defines it: REDUCE_MAX: no shape follows: axis 7 is none"));
  EXPECT_THAT(refused(Softmax(edition, {2, 2, 2, 2, 2}, {2, 2, 2, 2, 2}).graph()),
              HasSubstr("whose sizes do not follow: x: found rank 5, expected at most 4"));
  Graph graph = Softmax(edition, {2, 3}, {2, 3}).graph();
  graph.main().tensors.front().shape = {2, 0};
  EXPECT_THAT(refused(graph), HasSubstr("do not follow from in0 of shape [2,0]"));
  graph.main().tensors.front().shape = {2, -1};
  graph.main().tensors.front().symbols = {"", "N"};
  EXPECT_THAT(refused(graph), HasSubstr("from values of the symbols of in0"));
  const StatusOr<Graph> draft =
      ToTosa(Softmax(edition, {2}, {2}).graph(), acme, **FindEdition("tosa-0.100"));
  EXPECT_THAT(Message(draft.status()), HasSubstr("a graph of operators of tosa-1.0 defines it, "
                                                 "expected one of tosa-0.100"));
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
