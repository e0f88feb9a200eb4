// Files that the public conformance tests and their runner leave: desc.json, and its file of
// verdicts.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "reference/base/file.h"
#include "reference/base/json.h"
#include "tools/develop/fuzz/fuzz.h"
#include "tools/program/exchange/conformance.h"
#include "tools/program/exchange/imported_case.h"
#include "tools/program/exchange/runner_results.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// A folder in memory with the public layout's smallest test, of which a target writes desc.json
// anew for each input.
class DescFolder {
 public:
  DescFolder() {
    std::string name = "/dev/shm/tensor-cts-fuzz-XXXXXX";
    Assert(mkdtemp(name.data()) != nullptr, "there is memory for files");
    path_ = name;
  }
  ~DescFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  DescFolder(const DescFolder&) = delete;
  void Write(std::string_view name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Case Identity() {
  Case c;
  c.id = "identity/a";
  c.edition = "tosa-1.0";
  c.level = "8K";
  c.op = "IDENTITY";
  c.mode = "fp32";
  c.types = {{"in_out_t", "fp32"}};
  c.profiles = {{"PRO-FP"}};
  c.data_set = "none";
  Block block;
  block.name = "main";
  block.tensors = {{"in", DType::kFp32, {3}, nullptr}, {"out", DType::kFp32, {3}, nullptr}};
  block.operators = {{"IDENTITY", {"in"}, {"out"}, {}}};
  block.inputs = {"in"};
  block.outputs = {"out"};
  c.graph.regions = {{"main", {block}}};
  c.inputs.emplace("in", Tensor::OfFloats(DType::kFp32, {3}, {1, -0.0, 0x1p-140}));
  Rule rule;
  rule.kind = RuleKind::kExact;
  rule.form = "tosa-1.0";
  rule.clause = "1.2.3";
  c.outputs = {{"out",
                DType::kFp32,
                {3},
                rule,
                {{false, Tensor::OfFloats(DType::kFp64, {3}, {1, -0.0, 0x1p-140}), {}, {}}}}};
  return c;
}

// As XML has it.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

// desc.json, and behind a zero byte tensor-cts.json.
void FuzzConformance(std::string_view bytes) {
  static const auto& place = *[] {
    static DescFolder made;
    const auto files = EncodeConformance(Identity());
    Assert(files.ok(), "the layout has a place for the case");
    for (const BundleFile& file : *files) made.Write(file.path, file.bytes);
    return &made;
  }();
  const size_t end = std::min(bytes.find('\0'), bytes.size());
  place.Write(kDescFile, bytes.substr(0, end));
  TestOfOthers test{"", "identity/a", std::nullopt};
  if (end < bytes.size()) {
    const StatusOr<Json> beside = ParseJson(bytes.substr(end + 1), "beside");
    if (!beside.ok() || !ValidateJson(*beside, "conformance", "beside").ok()) return;
    test.beside = *beside;
  }
  const StatusOr<Folder> folder = Folder::Open(place.path());
  Assert(folder.ok(), "the folder is there");
  const StatusOr<ImportedCase> made = ReadTest({}, *folder, test);
  if (!made.ok()) {
    Assert(!Message(made.status()).empty(), "a refusal has a reason");
    return;
  }
  Assert(!EncodeCase(made->c).empty(), "what was imported can be written");
}

void FuzzXunit(std::string_view bytes) {
  for (const XunitTest& test : ParseXunit(bytes)) {
    const std::string text =
        "<testcase classname=\"" + Escaped(test.runner) + "\" name=\"" + Escaped(test.name) +
        "\">" + (test.skipped ? "<skipped/>" : "") +
        (test.failure ? "<failure>" + Escaped(*test.failure) + "</failure>" : "") + "</testcase>";
    const std::vector<XunitTest> again = ParseXunit(text);
    Assert(again.size() == 1 && again[0].name == test.name && again[0].runner == test.runner &&
               again[0].skipped == test.skipped && again[0].failure == test.failure,
           "it survives being written and read");
  }
}

}  // namespace cts
