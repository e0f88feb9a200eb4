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

// The id of an edition like acme-0.1 with these steps as its SOFTMAX, whose output has any shape.
std::string WithSteps(const std::string& id, const Json& steps) {
  Json edition = Json::parse(AcmeText("acme-0.1.json", id));
  for (Json& op : edition["operators"]) {
    if (op["name"] != "SOFTMAX") continue;
    op["definition"]["steps"] = steps;
    op["arguments"].back()["shape"] = "shape2";
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

OneOperator Softmax(const std::string& edition, const Shape& shape, const Shape& out) {
  OneOperator op("SOFTMAX", edition);
  op.Floats(DType::kFp32, shape, std::vector<double>(static_cast<size_t>(ElementCount(shape)), 1));
  return op.Set("axis", int64_t{0}).Out(DType::kFp32, out);
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

}  // namespace
}  // namespace cts
