#include "tools/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "reference/base/file.h"
#include "reference/graph/case.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Render : public ::testing::Test {
 protected:
  // A bundle of one IDENTITY, whose outcome does not matter here.
  fs::path WriteCase(const std::string& name, DType dtype, int64_t size = 2) {
    Case c;
    c.id = "identity/" + name;
    c.edition = "tosa-1.0";
    c.level = "8K";
    c.op = "IDENTITY";
    c.mode = c.data_set = "any";
    c.graph = EmptyGraph();
    c.graph.main().inputs = {"x"};
    c.graph.main().outputs = {"y"};
    c.graph.main().tensors = {{"x", dtype, {size}, nullptr}, {"y", dtype, {size}, nullptr}};
    c.graph.main().operators = {{"IDENTITY", {"x"}, {"y"}, {}}};
    if (size > 0) c.inputs.emplace("x", Tensor(dtype, {size}));
    c.outcome = Outcome::kError;
    c.condition = "identity.any";
    for (const BundleFile& file : EncodeCase(c)) {
      EXPECT_TRUE(WriteFile(root_ / name / file.path, file.bytes).ok());
    }
    return root_ / name;
  }

  void TearDown() override { fs::remove_all(root_); }

  const fs::path root_ = fs::path(::testing::TempDir()) /
                         ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(Render, SeparatesCasesAndNamesWhatHasNoRendering) {
  const auto text =
      RenderCases({WriteCase("a", DType::kI8), WriteCase("b", DType::kI8, -1)}, "part");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            "// part_0: identity/a\n"
            "func.func @part_0(%x: tensor<2xi8>) -> (tensor<2xi8>) attributes "
            "{llvm.emit_c_interface} {\n"
            "  %y = \"tosa.identity\"(%x) : (tensor<2xi8>) -> (tensor<2xi8>)\n"
            "  return %y : tensor<2xi8>\n"
            "}\n"
            "// -----\n"
            "// part_1 unsupported: MLIR cannot write a dimension of size -1 (tensor x)\n");
}

TEST_F(Render, NamesWhatCannotBeRead) {
  const auto text = RenderCases({WriteCase("a", DType::kI8), root_ / "absent"}, "case");
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(Message(text.status()), HasSubstr((root_ / "absent").string()));
  EXPECT_EQ(Message(RenderCases({WriteCase("a", DType::kI8)}, "1st").status()),
            "prefix \"1st\": expected letters, digits and underscores, no digit first");
}

}  // namespace
}  // namespace cts
