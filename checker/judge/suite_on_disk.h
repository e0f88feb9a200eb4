// For tests: a small suite and results, written to a directory of their own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/bundle/case_testing.h"
#include "reference/bundle/suite.h"

namespace cts::testing_suite {

// A directory that is removed with the object.
class Directory {
 public:
  Directory() {
    std::string name = ::testing::TempDir() + "checker-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// A case of IDENTITY from `in` to `out`. The checker has no code of operators, so the case can have
// any rule.
inline Case ValidCase(const std::string& id, DType dtype, const Rule& rule,
                      std::vector<Answer> answers) {
  const Shape shape = answers.front().expected.shape();
  Case c = IdentityCase(id, "in", "out", Tensor(dtype, shape));
  c.parameters = {{"size", "small"}};
  c.outputs = {{"out", dtype, shape, rule, std::move(answers)}};
  return c;
}

inline Rule RuleOf(RuleKind kind) {
  Rule rule;
  rule.kind = kind;
  rule.form = "tosa-1.0";
  rule.clause = "1.2.3, Some Section";
  if (kind == RuleKind::kUlp) rule.ulp = 1;
  if (kind == RuleKind::kDotProduct) {
    rule.kernel_size = 3;
    rule.ksb = 3;
    rule.absolute_limit = 6;
  }
  return rule;
}

// A case with an i32 output and the rule `exact`: 10, 20, 30, 40.
inline Case IntegerCase(const std::string& id) {
  return ValidCase(id, DType::kI32, RuleOf(RuleKind::kExact),
                   {{false, Tensor::OfIntegers(DType::kI32, {2, 2}, {10, 20, 30, 40}), {}, {}}});
}

inline Case FloatCase(const std::string& id, const std::vector<double>& values) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  return ValidCase(id, DType::kFp32, RuleOf(RuleKind::kUlp),
                   {{false, Tensor::OfFloats(DType::kFp64, shape, values), {}, {}}});
}

inline Case ErrorCase(const std::string& id) {
  Case c = IntegerCase(id);
  c.outcome = Outcome::kError;
  c.condition = "identity.shape_mismatch";
  c.outputs.clear();
  return c;
}

// The cases must be in ascending order of their ids.
inline Suite WriteSuite(const std::filesystem::path& path, const std::vector<Case>& cases) {
  Suite suite;
  suite.name = "test";
  suite.edition = "tosa-1.0";
  suite.level = "8K";
  suite.generator = "checker_test";
  for (const Case& c : cases) {
    const std::vector<BundleFile> files = EncodeCase(c);
    for (const BundleFile& file : files) {
      EXPECT_TRUE(WriteFile(path / c.id / file.path, file.bytes).ok());
    }
    suite.cases.push_back({c.id, c.op, std::string(Name(c.outcome)), BundleDigest(files), {}});
  }
  suite.digest = SuiteDigest(suite.cases);
  EXPECT_TRUE(SaveJson(path / "suite.json", SuiteToJson(suite)).ok());
  return suite;
}

inline void WriteRun(const std::filesystem::path& path, const std::string& digest,
                     const std::string& implementation = "npu") {
  const Json run = {{"format", "tensor-cts-run-1"},
                    {"suite", "test"},
                    {"suite_digest", digest},
                    {"implementation", {{"name", implementation}, {"version", "1.2"}}},
                    {"command", "npu --run"}};
  EXPECT_TRUE(SaveJson(path / "run.json", run).ok());
}

inline void WriteResult(const std::filesystem::path& path, const std::string& id,
                        const Json& result) {
  EXPECT_TRUE(SaveJson(path / id / "result.json", result).ok());
}

inline void WriteOutput(const std::filesystem::path& path, const std::string& id,
                        const Tensor& tensor) {
  WriteResult(path, id, {{"status", "ok"}});
  EXPECT_TRUE(WriteNpy(path / id / "out.npy", tensor).ok());
}

inline Tensor Integers(const std::vector<int64_t>& values) {
  return Tensor::OfIntegers(DType::kI32, {2, 2}, values);
}

inline Tensor Floats(const std::vector<double>& values) {
  return Tensor::OfFloats(DType::kFp32, {static_cast<int64_t>(values.size())}, values);
}

}  // namespace cts::testing_suite
