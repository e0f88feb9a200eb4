#include "tools/program/exchange/runner_results.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "checker/judge/run_record.h"
#include "checker/text/printable.h"
#include "generator/partial_suite.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

std::string Unescaped(std::string text) {
  for (const auto& [entity, character] :
       {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}}) {
    for (size_t at = 0; (at = text.find(entity, at)) != text.npos; ++at) {
      text.replace(at, std::string_view(entity).size(), character);
    }
  }
  return text;
}

// The value of an attribute; empty if the tag has none of that name. It passes over the values of
// other attributes.
std::string Attribute(std::string_view tag, std::string_view name) {
  for (size_t equals; (equals = tag.find("=\"")) != tag.npos;) {
    const std::string_view before = tag.substr(0, equals);
    const std::string_view found = before.substr(before.find_last_of(" \t\r\n") + 1);
    tag.remove_prefix(equals + 2);
    const size_t end = std::min(tag.find('"'), tag.size());
    if (found == name) return Unescaped(std::string(tag.substr(0, end)));
    tag.remove_prefix(std::min(end + 1, tag.size()));
  }
  return "";
}

}  // namespace

std::vector<XunitTest> ParseXunit(std::string_view text) {
  std::vector<XunitTest> tests;
  for (size_t at = 0; (at = text.find("<testcase ", at)) != text.npos;) {
    const size_t end = text.find('>', at);
    if (end == text.npos) break;
    const std::string_view tag = text.substr(at, end - at);
    XunitTest& test = tests.emplace_back();
    test.name = Attribute(tag, "name");
    test.runner = Attribute(tag, "classname");
    at = end + 1;
    if (tag.ends_with('/')) continue;
    const size_t close = std::min(text.find("</testcase>", at), text.size());
    const std::string body(text.substr(at, close - at));
    test.skipped = body.find("<skipped") != body.npos;
    // The public runner writes failures only; an error of other JUnit files is no answer.
    for (const std::string tag_name : {"failure", "error"}) {
      const size_t failure = body.find("<" + tag_name);
      if (failure == body.npos) continue;
      const size_t begin = std::min(body.find('>', failure), body.size() - 1) + 1;
      test.failure = Unescaped(body.substr(begin, body.find("</" + tag_name, begin) - begin));
    }
    at = close;
  }
  return tests;
}

RunnerResults::~RunnerResults() {
  std::error_code ignored;
  if (!partial_.empty()) fs::remove_all(partial_, ignored);
}

Status RunnerResults::Open() {
  if (options_.results.empty()) return absl::OkStatus();
  std::error_code error;
  out_ = fs::absolute(options_.results, error).lexically_normal();
  if (!out_.has_filename()) out_ = out_.parent_path();
  CTS_RETURN_IF_ERROR(CheckFree(out_));
  const fs::path partial = out_.string() + ".partial";
  if (!fs::create_directories(partial, error) || error) {
    return InvalidArgument(partial.string(), ": exists or cannot be created; remove it, or ",
                           "choose another --results");
  }
  partial_ = partial;
  if (options_.xunit.empty()) return absl::OkStatus();
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(options_.xunit));
  // The public runner runs the public reference, too, and lists it as a runner.
  constexpr std::string_view kReference = "tosa_refmodel_compliance_sut_run";
  for (XunitTest& test : ParseXunit(text)) {
    const bool wanted = options_.runner.empty() ? !test.runner.ends_with(kReference)
                                                : test.runner == options_.runner;
    if (wanted) tests_.push_back(std::move(test));
  }
  if (!tests_.empty()) return absl::OkStatus();
  return InvalidArgument(options_.xunit.string(), ": found no <testcase> of ",
                         options_.runner.empty() ? "a runner" : options_.runner,
                         ", expected the --xunit-file of the public runner");
}

StatusOr<bool> RunnerResults::Collect(const TestOfOthers& test, const ImportedCase& made) const {
  const TestFolder folder(root_, test.folder);
  const fs::path out = partial_ / test.id;
  size_t found = 0;
  for (const auto& [name, listed] : made.result_files) {
    fs::path path = listed.file;
    // The public runner renames an implementation's files in the same way.
    if (!options_.runner.empty()) {
      path.replace_extension(StrCat(".", options_.runner, path.extension().string()));
    }
    const StatusOr<int64_t> count = CheckedElementCount(made.c.graph.main().Find(name)->shape);
    const auto bytes =
        folder.Read(path.generic_string(), MaxNpyBytes(count.value_or(0)), listed.pointer);
    if (absl::IsNotFound(bytes.status())) continue;
    CTS_RETURN_IF_ERROR(bytes.status());
    CTS_RETURN_IF_ERROR(WriteFile(out / (ResultName(name, 0) + ".npy"), *bytes));
    ++found;
  }
  const bool all = found == made.result_files.size();
  Json result = {{"status", "ok"}};
  if (const XunitTest* said = Find(test)) {
    const bool positive = made.c.outcome == Outcome::kValid;
    if (said->skipped) {
      result = {{"status", "unsupported"}, {"message", "skipped by the runner"}};
    } else if (!said->failure) {
      if (!positive) result["status"] = "error";
    } else if (!said->failure->starts_with("UNEXPECTED_PASS") &&
               !(positive && all && said->failure->starts_with("UNEXPECTED_FAILURE"))) {
      result = {{"status", "crash"}, {"message", Shortened(Printable(*said->failure), 1000)}};
    }
  } else if (!all) {
    return false;
  }
  CTS_RETURN_IF_ERROR(SaveJson(out / "result.json", result));
  return true;
}

Status RunnerResults::MoveTo(const Suite& suite) {
  if (out_.empty()) return absl::OkStatus();
  const std::string name = options_.runner.empty() ? "imported" : options_.runner;
  RunRecord run;
  run.suite = suite.name;
  run.suite_digest = suite.digest;
  run.suite_path = options_.out.string();
  run.implementation = {name, "unknown", ""};
  run.command = "tensor-cts import";
  run.tensor_cts = CTS_VERSION;
  CTS_RETURN_IF_ERROR(WriteRunRecord(partial_, run));
  std::error_code error;
  fs::rename(partial_, out_, error);
  if (error) return Unavailable(out_.string(), ": cannot be created: ", error.message());
  partial_.clear();
  return absl::OkStatus();
}

const XunitTest* RunnerResults::Find(const TestOfOthers& test) const {
  const std::string path =
      test.folder.empty() ? root_.path().filename().string() : test.folder.generic_string();
  // The runner's paths begin with the path that it was given. If two folders fit the end of a
  // path, the shorter one is meant.
  const XunitTest* found = nullptr;
  for (const XunitTest& each : tests_) {
    if (each.name != path && !each.name.ends_with("/" + path)) continue;
    if (found == nullptr || each.name.size() < found->name.size()) found = &each;
  }
  return found;
}

}  // namespace cts
