#include "checker/report/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "checker/judge/suite_on_disk.h"
#include "checker/report/case_pictures.h"
#include "checker/report/explain_page.h"

namespace cts {
namespace {

using namespace testing_suite;  // NOLINT
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ExplainTest : public testing::Test {
 protected:
  void Suite(const Case& c) { WriteRun(results(), WriteSuite(directory_ / "suite", {c}).digest); }
  std::filesystem::path results() const { return directory_ / "results"; }
  std::string Text(const OriginFinder& find_origin = nullptr) {
    const StatusOr<std::string> text =
        Explain(directory_ / "suite", results(), "identity/a", find_origin);
    EXPECT_TRUE(text.ok()) << text.status();
    return text.value_or("");
  }
  Directory directory_;
};

TEST_F(ExplainTest, ShowsElementValueBitsAndInputs) {
  Suite(FloatCase("identity/a", {1.0, 2.0, 4.0}));
  WriteOutput(results(), "identity/a", Floats({1.0, 2.0 + 6 * 0x1p-23, 5.0}));
  const std::string text = Text([](const Case& c, const ExpectedOutput& output, int64_t offset) {
    EXPECT_EQ(c.id, "identity/a");
    ElementOrigin made;
    for (int i = 0; i < 20; ++i) made.inputs.push_back(StrCat(output.name, offset, "=in", i));
    return made;
  });
  EXPECT_THAT(text, HasSubstr("identity/a: fail\n"));
  EXPECT_THAT(text, HasSubstr("ulp, as tosa-1.0 compares: within 1 ulp"));
  EXPECT_THAT(text, HasSubstr("1.2.3, Some Section"));
  EXPECT_THAT(text, HasSubstr("2 of 3 differ"));
  EXPECT_THAT(text, HasSubstr("size=small"));
  // Worst first: 5 instead of 4 is 2^21 ulp.
  EXPECT_LT(text.find("out[2]"), text.find("out[1]"));
  EXPECT_THAT(text, HasSubstr("2.09715e+06 ulp"));
  EXPECT_THAT(text, HasSubstr("5  (bits 0x40a00000)"));
  EXPECT_THAT(text, HasSubstr("3 ulp, 3 times what is allowed"));
  EXPECT_THAT(text, HasSubstr("1.999999761581421 to 2.000000238418579"));
  EXPECT_THAT(text, HasSubstr("out1=in15\n"));
  EXPECT_THAT(text, Not(HasSubstr("out1=in16")));
  EXPECT_THAT(text, HasSubstr("... and 4 more; --full shows them"));
}

TEST_F(ExplainTest, ShowsUnsignedNumbersAsSuch) {
  Rule rule = RuleOf(RuleKind::kExact);
  rule.is_unsigned = true;
  Suite(ValidCase("identity/a", DType::kI8, rule,
                  {{false, Tensor::OfIntegers(DType::kI8, {2}, {-56, 7}), {}, {}}}));
  WriteOutput(results(), "identity/a", Tensor::OfIntegers(DType::kI8, {2}, {-55, 7}));
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("exact, as tosa-1.0 compares, unsigned numbers"));
  EXPECT_THAT(text, HasSubstr("expected        200\n"));
  EXPECT_THAT(text, HasSubstr("201  (bits 0xc9)"));
  EXPECT_THAT(text, Not(HasSubstr("-56")));
}

TEST_F(ExplainTest, WritesADotProductAsASumAndShortensItsMiddle) {
  Rule rule = RuleOf(RuleKind::kDotProduct);
  Suite(ValidCase("identity/a", DType::kFp32, rule,
                  {{false,
                    Tensor::OfFloats(DType::kFp64, {1}, {12.5}),
                    Tensor::OfFloats(DType::kFp64, {1}, {13.25}),
                    {}}}));
  WriteOutput(results(), "identity/a", Floats({13}));
  size_t terms = 40;
  const auto find_origin = [&](const Case&, const ExpectedOutput&, int64_t) {
    ElementOrigin made;
    for (size_t i = 0; i < terms; ++i) made.terms.push_back(StrCat("x[", i, "] 1 * w[", i, "] 2"));
    return made;
  };
  std::string text = Text(find_origin);
  EXPECT_THAT(text, HasSubstr("x[0] 1 * w[0] 2 + x[1] 1 * w[1] 2 + "));
  EXPECT_THAT(text, HasSubstr("= 12.5 (fp64), bound run 13.25\n"));
  EXPECT_THAT(text, HasSubstr("x[20] 1"));
  terms = 41;
  text = Text(find_origin);
  EXPECT_THAT(text, HasSubstr("+ (1 more terms: --full)"));
  EXPECT_THAT(text, Not(HasSubstr("x[20] 1")));
  EXPECT_THAT(text, HasSubstr("x[19] 1"));
  EXPECT_THAT(text, HasSubstr("x[21] 1"));
  text = *Explain(directory_ / "suite", results(), "identity/a", find_origin, nullptr, true);
  EXPECT_THAT(text, HasSubstr("x[20] 1"));
  EXPECT_THAT(text, Not(HasSubstr("more terms")));
}

TEST_F(ExplainTest, SaysWhereTheyLieAndHowFarTheyAreOff) {
  std::vector<double> values(64, 1.0);
  Suite(FloatCase("identity/a", values));
  for (size_t i = 7; i < 64; i += 8) values[i] = 1 + 3 * 0x1p-23;
  WriteOutput(results(), "identity/a", Floats(values));
  const std::string text = Text();
  EXPECT_THAT(text,
              HasSubstr("  where           the last lane of vectors of 8 of axis 0: all 8 that "
                        "differ lie there, and 8 of its\n                  8 elements differ "
                        "(100 %)\n"));
  EXPECT_THAT(text, HasSubstr("  errors in ulp\n    0                     56  "
                              "########################################\n"));
  EXPECT_THAT(text, HasSubstr("    to 4                   8  ######\n"));
}

TEST_F(ExplainTest, ShowsTenElementsAtMost) {
  Suite(FloatCase("identity/a", std::vector<double>(30, 1.0)));
  WriteOutput(results(), "identity/a", Floats(std::vector<double>(30, 3.0)));
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("30 of 30 differ"));
  EXPECT_THAT(text, HasSubstr("the worst 10:"));
  EXPECT_THAT(text, HasSubstr("out[9]"));
  EXPECT_THAT(text, Not(HasSubstr("out[10]")));
}

TEST_F(ExplainTest, ShowsTheThreeFiguresOfADotProduct) {
  Rule rule = RuleOf(RuleKind::kDotProduct);
  rule.bias_limit = 0.5;
  rule.variance_limit = 100;
  rule.data_set = 3;
  Suite(ValidCase("identity/a", DType::kFp32, rule,
                  {{false,
                    Tensor::OfFloats(DType::kFp64, {1}, {1}),
                    Tensor::OfFloats(DType::kFp64, {1}, {4}),
                    {}}}));
  WriteOutput(results(), "identity/a", Floats({1 + 0x1p-22}));
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("KS 3, ksb 3, data set S3"));
  EXPECT_THAT(text, HasSubstr("1 of 6: met"));
  EXPECT_THAT(text, HasSubstr("sum of errors 1 of 0.5: EXCEEDED"));
  EXPECT_THAT(text, HasSubstr("sum of squared errors 1 of 100: met"));
}

TEST_F(ExplainTest, CountsTheElementsWhereAnythingIsAccepted) {
  const double inf = std::numeric_limits<double>::infinity();
  Suite(ValidCase("identity/a", DType::kFp32, RuleOf(RuleKind::kAbsoluteBound),
                  {{false,
                    Tensor::OfFloats(DType::kFp64, {3}, {1, 1, 1}),
                    Tensor::OfFloats(DType::kFp64, {3}, {inf, inf, 0.5}),
                    {}}}));
  WriteOutput(results(), "identity/a", Floats({std::nan(""), 7, 1.25}));
  std::string text = Text();
  EXPECT_THAT(text, HasSubstr("identity/a: pass: 33 % of elements judged (1 of 3), 2 not limited "
                              "by the specification\n"));
  EXPECT_THAT(text, HasSubstr("undefined       2 of 3: anything is accepted there\n"));
  EXPECT_THAT(text, HasSubstr("0.5 times what is allowed"));
  WriteOutput(results(), "identity/a", Floats({std::nan(""), 7, 2}));
  text = Text();
  EXPECT_THAT(text, HasSubstr("1 of 3 differ"));
  EXPECT_THAT(text, HasSubstr("out[2]"));
}

TEST_F(ExplainTest, SaysWhenOnlyTheSignOfZeroDiffers) {
  Rule rule = RuleOf(RuleKind::kExact);
  rule.zero_sign = true;
  Suite(ValidCase("identity/a", DType::kFp32, rule,
                  {{false, Tensor::OfFloats(DType::kFp64, {1}, {-0.0}), {}, {}}}));
  WriteOutput(results(), "identity/a", Floats({0.0}));
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("sign of zero counts"));
  EXPECT_THAT(text, HasSubstr("the sign of zero differs"));
  EXPECT_THAT(text, HasSubstr("bits 0x00000000"));
}

TEST_F(ExplainTest, ShowsTheBitsOfNanAndWhetherItIsQuiet) {
  const double nan = std::nan("");
  Suite(FloatCase("identity/a", {nan, 1.0, 2.0}));
  Tensor result = Floats({1.0, 1.0, 1.0});
  result.SetBits(1, 0x7fa00000);
  result.SetBits(2, 0xffc00001);
  WriteOutput(results(), "identity/a", result);
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("expected        nan  (bits 0x7fc00000, quiet NaN)\n"));
  EXPECT_THAT(text, HasSubstr("accepted        any NaN\n"));
  EXPECT_THAT(text, HasSubstr("got             nan  (bits 0x7fa00000, signalling NaN)\n"));
  EXPECT_THAT(text, HasSubstr("got             nan  (bits 0xffc00001, quiet NaN)\n"));
}

TEST_F(ExplainTest, SaysAnyNanWhereTheRuleIsExact) {
  Suite(ValidCase("identity/a", DType::kFp8E4M3, RuleOf(RuleKind::kExact),
                  {{false, Tensor::OfFloats(DType::kFp64, {2}, {std::nan(""), 1}), {}, {}}}));
  WriteOutput(results(), "identity/a", Tensor::OfFloats(DType::kFp8E4M3, {2}, {1, std::nan("")}));
  const std::string text = Text();
  EXPECT_THAT(text,
              HasSubstr("expected        nan  (bits 0x7f, NaN)\n      accepted        any NaN"));
  EXPECT_THAT(
      text, HasSubstr("accepted        exactly that\n      got             nan  (bits 0x7f, NaN)"));
}

// One element is flushed, another kept, a third one is wrong; one is 0 because of its operand.
TEST_F(ExplainTest, NamesFlushedElementsApart) {
  const auto fp64 = [](std::vector<double> values) {
    return Tensor::OfFloats(DType::kFp64, {4}, std::move(values));
  };
  Suite(ValidCase("identity/a", DType::kFp32, RuleOf(RuleKind::kExact),
                  {{false, fp64({0x1p-130, 0x1p-131, 1, 0x1p-20}), {}, {}},
                   {true, fp64({0, 0, 1, 0}), {}, {}}}));
  WriteOutput(results(), "identity/a", Floats({0, 0x1p-131, 1, 0x1p-20}));
  std::string text = Text();
  EXPECT_THAT(text,
              HasSubstr("flushed         1 of the 1 that differ, the first at [0]: zero was "));
  EXPECT_THAT(text, HasSubstr("differs         flushed: zero was answered for a subnormal number"));
  EXPECT_THAT(text, HasSubstr("is subnormal, and other elements of this output are kept"));
  EXPECT_THAT(text, Not(HasSubstr("off by")));
  WriteOutput(results(), "identity/a", Floats({0, 0x1p-131, 2, 0x1p-20}));
  text = Text();
  EXPECT_THAT(text, HasSubstr("1 of the 2 that differ"));
  EXPECT_THAT(text, HasSubstr("the worst 1:\n\n    out[2]"));
  EXPECT_THAT(text, Not(HasSubstr("out[0]\n")));
  WriteOutput(results(), "identity/a", Floats({0x1p-130, 0x1p-131, 1, 0}));
  EXPECT_THAT(Text(), HasSubstr("flushed: zero was answered, as if a subnormal operand were zero"));
}

// All other elements fit both answers.
TEST_F(ExplainTest, SaysThatElementsAreKeptOnlyWhereSomeAre) {
  const auto fp64 = [](std::vector<double> values) {
    return Tensor::OfFloats(DType::kFp64, {2}, std::move(values));
  };
  Suite(ValidCase("identity/a", DType::kFp32, RuleOf(RuleKind::kExact),
                  {{false, fp64({0x1p-130, 1}), {}, {}}, {true, fp64({4, 1}), {}, {}}}));
  WriteOutput(results(), "identity/a", Floats({0, 1}));
  const std::string text = Text();
  EXPECT_THAT(text,
              HasSubstr("flushed         1 of the 1 that differ, the first at [0]: zero was "));
  EXPECT_THAT(text, Not(HasSubstr("are kept")));
}

TEST_F(ExplainTest, ShowsConditionAndAnswerOfAnErrorCase) {
  Suite(ErrorCase("identity/a"));
  WriteResult(results(), "identity/a", {{"status", "ok"}});
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("identity/a: wrong_outcome\n"));
  EXPECT_THAT(text, HasSubstr("error, because of the condition identity.shape_mismatch"));
  EXPECT_THAT(text, HasSubstr("answered        ok\n"));
}

TEST_F(ExplainTest, ShowsTheGraphWithShapesConstantsAndAttributes) {
  Case c = IntegerCase("identity/a");
  c.parameters["border"] = "mid";
  Block& block = c.graph.main();
  const auto border =
      std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kShape, {2}, {1, -3}));
  block.tensors.push_back({"border", DType::kShape, {2}, border});
  block.operators.insert(block.operators.begin(),
                         {.op = "CONST_SHAPE", .inputs = {}, .outputs = {"border"}});
  GraphOperator& op = block.operators.back();
  op.inputs.push_back("border");
  op.attributes = {{"mode", std::string("BILINEAR")}, {"pad", std::vector<int64_t>{0, 1}}};
  Suite(c);
  WriteOutput(results(), "identity/a", Integers({10, 20, 30, 40}));
  EXPECT_THAT(
      Text(),
      AllOf(HasSubstr("border=mid, size=small\n"),
            HasSubstr("graph           IDENTITY of in i32[2,2], border shape[2] = [1,-3] to out "
                      "i32[2,2] with\n                  mode = BILINEAR, pad = [0,1]\n")));
}

TEST_F(ExplainTest, ShowsMessageCodesAndLogOfACrash) {
  Suite(IntegerCase("identity/a"));
  WriteResult(results(), "identity/a",
              {{"status", "crash"},
               {"message", "died"},
               {"exit_code", 134},
               {"signal", 6},
               {"log", "line one\nline \x1b[31mtwo"}});
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("died"));
  EXPECT_THAT(text, HasSubstr("134"));
  EXPECT_THAT(text, HasSubstr("the end of the log:\nline one\nline \\x1b[31mtwo\n"));
}

TEST_F(ExplainTest, TellsHowToRunTheCaseAgain) {
  Suite(IntegerCase("identity/a"));
  WriteOutput(results(), "identity/a", Integers({10, 20, 30, 40}));
  EXPECT_THAT(Text(), HasSubstr("rerun:  tensor-cts run "));
  EXPECT_THAT(Text(), HasSubstr(" --adapter 'npu --run' --filter identity/a --out again\n"));
}

TEST_F(ExplainTest, ExplainsAPass) {
  Suite(FloatCase("identity/a", {1.0}));
  WriteOutput(results(), "identity/a", Floats({1 + 0x1p-23}));
  const std::string text = Text();
  EXPECT_THAT(text, HasSubstr("identity/a: pass\n"));
  EXPECT_THAT(text, HasSubstr("1 ulp, 1 times what is allowed"));
}

TEST_F(ExplainTest, ExplainsAMissingOutput) {
  Suite(FloatCase("identity/a", {1.0}));
  WriteResult(results(), "identity/a", {{"status", "ok"}});
  EXPECT_THAT(Text(), HasSubstr("there is no identity/a/out.npy"));
}

TEST_F(ExplainTest, NamesTheNearestCases) {
  Suite(IntegerCase("identity/abc"));
  const Status status = Explain(directory_ / "suite", results(), "identity/abd", nullptr).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(status), HasSubstr("identity/abd"));
  EXPECT_THAT(Message(status), HasSubstr("nearest:\n  identity/abc"));
}

// A path of one class, which names the squares that are of it.
std::string PathOf(const std::string& picture, const std::string& name) {
  const size_t at = picture.find("<path class=\"" + name + "\" d=\"");
  if (at == std::string::npos) return "";
  const size_t begin = picture.find("d=\"", at) + 3;
  return picture.substr(begin, picture.find('"', begin) - begin);
}

ExpectedOutput OutputOf(const Shape& shape, double ulp) {
  ExpectedOutput output;
  output.name = "out";
  output.dtype = DType::kFp32;
  output.shape = shape;
  output.rule = RuleOf(RuleKind::kUlp);
  output.rule.ulp = ulp;
  return output;
}

TEST(SlicesPicture, ShowsEachRefusedElementAtItsPlace) {
  // The two longest axes are shown: of [2,5,3,4] the second and the last.
  const Shape shape = {2, 5, 3, 4};
  const int64_t size = ElementCount(shape);
  const ExpectedOutput output = OutputOf(shape, 1);
  const Answer answer{false, Tensor::OfFloats(DType::kFp64, shape, std::vector<double>(size, 1)),
                      std::nullopt, std::nullopt};
  for (int64_t i = 0; i < size; ++i) {
    std::vector<double> values(static_cast<size_t>(size), 1);
    values[static_cast<size_t>(i)] = 1 + 3 * 0x1p-23;
    const std::string picture =
        SlicesPicture(output, answer, Tensor::OfFloats(DType::kFp32, shape, values));
    const Shape at = Index(shape, i);
    EXPECT_EQ(PathOf(picture, "d4"), StrCat("M", at[3], " ", at[1], "h1v1h-1z")) << i;
    EXPECT_THAT(picture, HasSubstr(StrCat("<h4>[", at[0], ",:,", at[2],
                                          ",:]: 1 of 20 elements are refused</h4>")));
    EXPECT_EQ(PathOf(picture, "d5"), "");
  }
}

TEST(SlicesPicture, HasAScaleForEachSliceAndIsLargeEnoughToRead) {
  const Shape shape = {2, 3, 3};
  const ExpectedOutput output = OutputOf(shape, 1);
  std::vector<double> expected(18, 1), values(18, 8);
  for (size_t i = 9; i < 18; ++i) expected[i] = 100;
  expected[0] = 2;
  expected[17] = 300;
  const Answer answer{false, Tensor::OfFloats(DType::kFp64, shape, expected), std::nullopt,
                      std::nullopt};
  const std::string picture =
      SlicesPicture(output, answer, Tensor::OfFloats(DType::kFp32, shape, values));
  EXPECT_THAT(picture, HasSubstr("from 1 to 2<"));
  EXPECT_THAT(picture, HasSubstr("from 100 to 300<"));
  EXPECT_THAT(picture, HasSubstr("aria-label=\"expected\" width=\"240\" height=\"240\""));
}

TEST(SlicesPicture, OfALargeTensorShowsTheWorstOfSeveral) {
  const Shape shape = {100};  // three rows of 48 squares, the last not full
  const ExpectedOutput output = OutputOf(shape, 1);
  const Answer answer{false, Tensor::OfFloats(DType::kFp64, shape, std::vector<double>(100, 1)),
                      std::nullopt, std::nullopt};
  std::vector<double> values(100, 1);
  values[99] = 2;  // 2^23 ulp
  const std::string picture =
      SlicesPicture(output, answer, Tensor::OfFloats(DType::kFp32, shape, values));
  EXPECT_EQ(PathOf(picture, "d5"), "M3 2h1v1h-1z");
  EXPECT_THAT(picture, HasSubstr("1 of 100 elements are refused</h4>"));

  const Shape large = {100, 60};
  std::vector<double> many(6000, 1);
  many[99 * 60 + 59] = 2;
  const Answer all{false, Tensor::OfFloats(DType::kFp64, large, std::vector<double>(6000, 1)),
                   std::nullopt, std::nullopt};
  const std::string coarse =
      SlicesPicture(OutputOf(large, 1), all, Tensor::OfFloats(DType::kFp32, large, many));
  EXPECT_THAT(coarse, HasSubstr("each square is the worst of 3 x 2 elements"));
  EXPECT_EQ(PathOf(coarse, "d5"), "M29 33h1v1h-1z");
}

TEST_F(ExplainTest, ThePageSaysWhere) {
  Suite(FloatCase("identity/a", {1.0, 2.0}));
  WriteOutput(results(), "identity/a", Floats({2.0, 3.0}));
  const auto of = ReadToExplain(directory_ / "suite", results(), "identity/a");
  ASSERT_TRUE(of.ok()) << of.status();
  EXPECT_THAT(ExplainPage(*of, nullptr), HasSubstr("<dt>where</dt><dd>every element</dd>"));
}

TEST_F(ExplainTest, ThePageShowsWhereAndTakesNoMarkupFromOutside) {
  Case c = FloatCase("identity/a", {1.0, 2.0, 4.0});
  c.parameters["<b>size</b>"] = "<script>1</script>";
  Suite(c);
  WriteOutput(results(), "identity/a", Floats({1.0, 2.0 + 6 * 0x1p-23, 5.0}));
  const auto of = ReadToExplain(directory_ / "suite", results(), "identity/a");
  ASSERT_TRUE(of.ok()) << of.status();
  const std::string page = ExplainPage(*of, [](const Case&, const ExpectedOutput&, int64_t) {
    return ElementOrigin{{"<i>in</i>"}, {}, 1};
  });
  for (const char* const part :
       {"default-src 'none'", "2 of 3 elements are refused", ">Errors as shares of the bound<",
        "<h4>The worst 2</h4>", "<code>0x40a00000</code>", "1.999999761581421 to 2.000000238418579",
        "&lt;i&gt;in&lt;/i&gt;", "aria-label=\"graph\"", "IDENTITY</text>",
        "&lt;script&gt;1&lt;/script&gt;"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  for (const char* const part : {"<script", "<b>size", "<i>", "style=\""}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
}

}  // namespace
}  // namespace cts
