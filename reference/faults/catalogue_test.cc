#include "reference/faults/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include "reference/faults/functions.h"
#include "reference/faults/testing.h"

namespace cts {
namespace {

std::string Prefix(const std::string& op) {
  std::string prefix = op;
  for (char& c : prefix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return prefix + ".";
}

class Catalogue : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const StatusOr<const Edition*> edition = FindEdition(GetParam());
    ASSERT_TRUE(edition.ok()) << edition.status();
    edition_ = *edition;
  }
  const Edition* edition_ = nullptr;
};

TEST_P(Catalogue, HasOneIdForEachFaultAndSaysWhatItDoes) {
  std::set<std::string> ids;
  for (const Fault& fault : FaultsOf(*edition_)) {
    EXPECT_TRUE(ids.insert(fault.id).second) << fault.id << " stands there twice";
    EXPECT_TRUE(fault.id.starts_with(Prefix(fault.op))) << fault.id;
    EXPECT_FALSE(fault.sentence.empty()) << fault.id;
    EXPECT_FALSE(fault.sentence.ends_with(".")) << fault.id;
    EXPECT_FALSE(fault.clause.empty()) << fault.id;
    EXPECT_EQ(fault.clause.find(kPrecisionClause), std::string::npos) << fault.id;
    EXPECT_EQ(fault.source == FaultSource::kReported, !fault.report.empty()) << fault.id;
    const auto* const wrong = fault.As<Wrong>();
    EXPECT_TRUE(wrong == nullptr || *wrong != nullptr) << fault.id << " does nothing";
  }
}

TEST_P(Catalogue, HasATypeRowForEveryFault) {
  for (const Fault& fault : FaultsOf(*edition_)) {
    const OperatorSpec* const spec = edition_->FindOperator(fault.op);
    ASSERT_NE(spec, nullptr) << fault.id;
    EXPECT_TRUE(std::any_of(spec->type_rows.begin(), spec->type_rows.end(),
                            [&](const TypeRow& row) { return fault.Touches(row); }))
        << fault.id;
  }
}

// Reading in the edition's own layout is no mistake; reading in another's is.
TEST_P(Catalogue, TakesNoOperandForWhatItIs) {
  const bool first = std::string_view(GetParam()) == "rvtensor";
  for (const auto& [right, wrong] : std::vector<std::pair<std::string, std::string>>{
           {"conv2d.reads_channels_last", "conv2d.reads_channels_first"},
           {"conv2d.reads_weight_as_ohwi", "conv2d.reads_weight_as_oihw"},
           {"reshape.takes_channels_last", "reshape.takes_channels_first"}}) {
    EXPECT_EQ(FindFault(*edition_, right).ok(), first) << right;
    EXPECT_EQ(FindFault(*edition_, wrong).ok(), !first) << wrong;
  }
  EXPECT_EQ(FindFault(*edition_, "conv2d.stores_channels_last").ok(), first);
  EXPECT_TRUE(FindFault(*edition_, "conv2d.reads_weight_as_hwio").ok());
}

INSTANTIATE_TEST_SUITE_P(Editions, Catalogue, testing::Values("tosa-1.0", "tosa-0.100", "rvtensor"),
                         [](const auto& test) {
                           const std::string edition = test.param;
                           return edition == "tosa-1.0"   ? "Tosa10"
                                  : edition == "rvtensor" ? "Rvtensor"
                                                          : "Tosa0100";
                         });

// To fp8 it saturates, no NaN is ignored, and the comparing function ignores the sign of zero.
TEST(FaultsOf, TheDraftAreThoseThatItForbids) {
  const auto find = [](const char* id, const char* edition) {
    return FindFault(**FindEdition(edition), id);
  };
  EXPECT_TRUE(find("cast.overflows_fp8", "tosa-0.100").ok());
  EXPECT_FALSE(find("cast.overflows_fp8", "tosa-1.0").ok());
  for (const char* id :
       {"argmax.takes_the_last_nan", "argmax.forgets_a_nan", "clamp.folds_infinite_bounds",
        "cast.loses_sign_of_zero", "tanh.loses_sign_of_zero", "select.nan_of_either"}) {
    EXPECT_TRUE(find(id, "tosa-1.0").ok()) << id;
    EXPECT_FALSE(find(id, "tosa-0.100").ok()) << id;
  }
  for (const auto& [edition, of_fp8] : {std::pair("tosa-1.0", true), {"tosa-0.100", false}}) {
    const auto fault = find("cast.saturates_floats", edition);
    ASSERT_TRUE(fault.ok()) << fault.status();
    std::set<std::string> touched;
    for (const TypeRow& row : (*FindEdition(edition))->FindOperator("CAST")->type_rows) {
      if ((*fault)->Touches(row)) touched.insert(row.mode);
    }
    EXPECT_TRUE(touched.contains("fp32 to fp16")) << edition;
    EXPECT_EQ(touched.contains("fp32 to fp8e4m3"), of_fp8) << edition;
  }
}

// A fault that is about something else saturates to fp8 in 0.100, as is right there.
TEST(FaultsOf, TheDraftSaturateToFp8) {
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    const bool draft = std::string_view(edition) == "tosa-0.100";
    OneOperator cast("CAST", edition);
    cast.Floats(DType::kFp32, {2}, {1e6, -1e6}).Out(DType::kFp8E5M2, {2});
    const std::vector<double> values = RunFault("cast.fp8_nan_is_number", cast).Elements();
    EXPECT_EQ(values[0], draft ? 57344 : std::numeric_limits<double>::infinity()) << edition;
    EXPECT_EQ(values[1], -values[0]) << edition;
  }
  OneOperator cast("CAST", "tosa-0.100");
  cast.Floats(DType::kFp32, {2}, {1e6, 448}).Out(DType::kFp8E4M3, {2});
  const Tensor overflown = RunFault("cast.overflows_fp8", cast);
  EXPECT_TRUE(std::isnan(overflown.Element(0)));
  EXPECT_EQ(overflown.Element(1), 448);
}

// As the tables of precision say it, each in its words.
TEST(Faults, HaveTheClausesOfTheEditionsPrecision) {
  const auto clause = [](std::string_view edition, std::string_view id) {
    const auto fault = FindFault(**FindEdition(edition), id);
    return fault.ok() ? (*fault)->clause : Message(fault.status());
  };
  EXPECT_EQ(clause("tosa-1.0", "add.rounds_twice"), "tosa-1.0, ADD: within 0.5 ulp");
  EXPECT_EQ(clause("tosa-1.0", "cast.truncates_integer"), "tosa-1.0, CAST: within 0.5 ulp");
  EXPECT_EQ(clause("tosa-1.0", "erf.saturates_early"), "tosa-1.0, ERF: within 5 ulp");
  EXPECT_EQ(clause("tosa-0.100", "sigmoid.clamps_argument"),
            "tosa-0.100, SIGMOID: within |ref| * 2^-frac * 2 * (1 + |x|)");
  EXPECT_EQ(clause("tosa-1.0", "matmul.accumulates_in_fp16"),
            "MATMUL, accumulation in acc_t; tosa-1.0, Dot product accuracy requirements");
}

// Ids, which clauses name, are the same in every edition.
TEST(RvtensorFaults, HaveTheNamesOfTheDocument) {
  for (const Fault& fault : FaultsOf(**FindEdition("rvtensor"))) {
    const bool names_id = fault.clause.find(fault.op + ", argument") == std::string::npos;
    const std::string text = fault.sentence + (names_id ? "" : fault.clause);
    for (const char* const name :
         {"_zp", "out_pad", "put_unsigned", "rounding_mode", "SINGLE_ROUND"}) {
      EXPECT_EQ(text.find(name), std::string::npos) << fault.id << ": " << text;
    }
  }
}

// notes.md, RVTensor: under the bound of a whole input a result of bf16 does not show how it was
// summed.
TEST(RvtensorFaults, OfSumsInBf16ShowBeneathALocalBound) {
  const auto shows = [](const char* edition, const std::string& op) {
    const auto fault =
        FindFault(**FindEdition(edition), Prefix(op) + std::string("accumulates_in_bf16"));
    EXPECT_TRUE(fault.ok()) << fault.status();
    std::set<std::string> results;
    for (const TypeRow& row : (*FindEdition(edition))->FindOperator(op)->type_rows) {
      if (fault.ok() && (*fault)->Touches(row)) results.insert(row.types.at("out_t"));
    }
    return results;
  };
  for (const char* op : {"CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D"}) {
    EXPECT_FALSE(shows("rvtensor", op).contains("bf16")) << op;
    EXPECT_TRUE(shows("rvtensor", op).contains("fp32")) << op;
    EXPECT_TRUE(shows("tosa-1.0", op).contains("bf16")) << op;
  }
}

TEST(FindFault, NamesTheNearest) {
  const StatusOr<const Edition*> edition = FindEdition("tosa-1.0");
  ASSERT_TRUE(edition.ok()) << edition.status();
  EXPECT_TRUE(FindFault(**edition, "tile.mirrors").ok());
  const auto fault = FindFault(**edition, "tile.mirors");
  ASSERT_FALSE(fault.ok());
  EXPECT_THAT(std::string(fault.status().message()), testing::HasSubstr("tile.mirrors"));
}

}  // namespace
}  // namespace cts
