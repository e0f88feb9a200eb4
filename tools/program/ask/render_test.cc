#include "tools/program/ask/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "reference/base/file.h"
#include "reference/bundle/case.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Render : public ::testing::Test {
 protected:
  // A bundle of one IDENTITY, whose outcome does not matter here.
  fs::path WriteCase(const std::string& name, DType dtype, int64_t size = 2,
                     const std::string& edition = "tosa-1.0") {
    Case c;
    c.id = "identity/" + name;
    c.edition = edition;
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

TEST_F(Render, TakesOnlyEditionsOfTheVersionThatIsAskedFor) {
  const fs::path draft = WriteCase("draft", DType::kI8, 2, "tosa-0.100");
  const fs::path release = WriteCase("release", DType::kI8);
  const auto of_19 = RenderCases({draft, release}, "c", "19");
  ASSERT_TRUE(of_19.ok()) << of_19.status();
  EXPECT_THAT(*of_19, HasSubstr("// c_0: identity/draft\n"));
  EXPECT_THAT(*of_19, HasSubstr("// c_1 unsupported: edition tosa-1.0: the dialect of MLIR 22, not "
                                "of MLIR 19\n"));
  const auto of_22 = RenderCases({draft, release}, "c", "22");
  ASSERT_TRUE(of_22.ok()) << of_22.status();
  EXPECT_THAT(*of_22, HasSubstr("// c_0 unsupported: edition tosa-0.100: the dialect of MLIR 19, "
                                "not of MLIR 22\n"));
  const auto of_any = RenderCases({draft, release}, "c");
  ASSERT_TRUE(of_any.ok()) << of_any.status();
  EXPECT_THAT(*of_any, HasSubstr("// c_0: identity/draft\n"));
  EXPECT_THAT(*of_any, HasSubstr("// c_1: identity/release\n"));
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
