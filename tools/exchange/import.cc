#include "tools/exchange/import.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "checker/printable.h"
#include "checker/run_record.h"
#include "generator/data/data_sets.h"
#include "generator/partial_suite.h"
#include "generator/trivial_results.h"
#include "reference/base/contains.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/base/parallel_for.h"
#include "reference/evaluate/evaluate.h"
#include "reference/formats/tosa_flatbuffer.h"
#include "reference/graph/call.h"
#include "reference/ops/operator.h"
#include "tools/exchange/conformance.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxDescBytes = 16 << 20;
constexpr int kMaxDepth = 32;
constexpr size_t kShownErrors = 20;

// A folder with a desc.json, with the facts that are known before the graph is read.
struct Test {
  fs::path folder;  // relative to the root
  std::string id;
  std::optional<Json> beside;
};

// A file that desc.json names, and the place where it does.
struct ListedFile {
  std::string file;
  std::string pointer;  // "/ifm_file/0"
};

// What a folder becomes.
struct ImportedCase {
  Case c;
  std::vector<std::string> other_rules;
  std::map<std::string, ListedFile>
      result_files;          // that a runner writes; by our name of the output
  double noticed_share = 0;  // the manifest's "teeth"
};

// The place of one test: reads the files that belong to it, and names places.
class TestFolder {
 public:
  TestFolder(const Folder& root, fs::path folder) : root_(root), folder_(std::move(folder)) {}

  std::string Place(std::string_view name) const {
    return (root_.path() / folder_ / name).lexically_normal().string();
  }

  // `name` stands in a file, at `pointer` of desc.json. The path may leave the folder, but not the
  // root: public tests share files.
  StatusOr<std::string> Read(const std::string& name, uint64_t max_bytes,
                             std::string_view pointer) const {
    const fs::path path = (folder_ / name).lexically_normal();
    const bool outside = fs::path(name).is_absolute() || path.empty() || *path.begin() == ".." ||
                         name.find('\0') != name.npos;
    if (outside) {
      return InvalidArgument(Place(kDescFile), ": ", pointer, ": found '",
                             Shortened(Printable(name), 200), "', expected a path inside ",
                             root_.path().string());
    }
    auto bytes = root_.Read(path.generic_string(), max_bytes);
    if (!bytes.ok()) {
      return Annotate(bytes.status(), StrCat(Place(kDescFile), ": ", pointer));
    }
    return bytes;
  }

  StatusOr<Json> ReadJson(std::string_view name, std::string_view schema) const {
    CTS_ASSIGN_OR_RETURN(const std::string text, Read(std::string(name), kMaxDescBytes, "/"));
    CTS_ASSIGN_OR_RETURN(Json json, ParseJson(text, Place(name)));
    CTS_RETURN_IF_ERROR(ValidateJson(json, schema, Place(name)));
    return json;
  }

 private:
  const Folder& root_;
  const fs::path folder_;
};

// Every folder below the root that has a desc.json, by path. Links are not followed.
StatusOr<std::vector<Test>> FindTests(const fs::path& root) {
  std::error_code error;
  std::vector<Test> tests;
  const auto add = [&](const fs::path& folder) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / kDescFile, ignored)) {
      const fs::path relative = folder.lexically_relative(root).lexically_normal();
      tests.push_back({relative == "." ? fs::path() : relative, "", std::nullopt});
    }
  };
  if (!fs::is_directory(root, error)) {
    return InvalidArgument(root.string(), ": expected a folder of tests, each with a ", kDescFile);
  }
  add(root);
  fs::recursive_directory_iterator it(root, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    if (!it->is_directory(ignored) || it->is_symlink(ignored)) continue;
    if (it.depth() >= kMaxDepth) it.disable_recursion_pending();
    add(it->path());
  }
  if (error) return Unavailable(root.string(), ": cannot be searched: ", error.message());
  if (tests.empty()) {
    return InvalidArgument(root.string(), ": found no ", kDescFile,
                           " in it or below, expected folders of tests");
  }
  std::sort(tests.begin(), tests.end(),
            [](const Test& a, const Test& b) { return a.folder < b.folder; });
  return tests;
}

// Ids: the one in tensor-cts.json, else one made from the path. If several tests would have the
// same id, the second gets "+2".
Status NameTests(const Folder& root, std::vector<Test>& tests) {
  std::map<std::string, fs::path> taken;
  for (const bool own : {true, false}) {  // ids of our own come first: they are fixed
    for (Test& test : tests) {
      std::error_code error;
      const fs::path folder = root.path() / test.folder;
      if (fs::exists(folder / kBesideFile, error) != own) continue;
      const std::string place = (folder / kDescFile).string();
      if (own) {
        CTS_ASSIGN_OR_RETURN(test.beside,
                             TestFolder(root, test.folder).ReadJson(kBesideFile, "conformance"));
        test.id = (*test.beside)["id"].get<std::string>();
        const auto [found, is_new] = taken.emplace(test.id, test.folder);
        if (!is_new) {
          return InvalidArgument((folder / kBesideFile).string(), ": /id: found ", test.id,
                                 ", which ", (root.path() / found->second).string(),
                                 " has, too; expected every id once");
        }
        continue;
      }
      const bool is_root = test.folder.empty();
      const std::string id = IdOfFolder(is_root ? root.path().filename() : test.folder);
      test.id = id;
      for (int k = 2; !taken.emplace(test.id, test.folder).second; ++k)
        test.id = StrCat(id, "+", k);
      if (!IsCaseId(test.id) || test.id.size() > 240) {
        return InvalidArgument(place, ": found a path that makes the id '", Printable(test.id),
                               "', expected one of at most 240 letters, digits and ._+-; rename ",
                               "the folder");
      }
    }
  }
  return absl::OkStatus();
}

// --- Facts that a foreign folder does not state, from its graph and desc.json. ------------------

// The last operator that computes.
const GraphOperator* OperatorUnderTest(const Block& block) {
  const GraphOperator* found = nullptr;
  for (const GraphOperator& op : block.operators) {
    const bool plain = op.op == "CONST" || op.op == "CONST_SHAPE" || op.op == "IDENTITY";
    if (!plain || found == nullptr) found = &op;
  }
  return found;
}

void SetTypeRow(const Edition& edition, const Level& level, Case& c) {
  const Block& block = c.graph.main();
  const GraphOperator* const op = OperatorUnderTest(block);
  if (op == nullptr) return;
  c.op = op->op;
  const OperatorSpec* const spec = edition.FindOperator(op->op);
  if (spec == nullptr) return;
  std::map<std::string, std::shared_ptr<const Tensor>> values;
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.values != nullptr) values.emplace(tensor.name, tensor.values);
  }
  const std::map<std::string, Variable> variables;
  const Call call(edition, *spec, level, block, *op, values, {&c.graph, &variables, 0});
  if (!call.fits()) return;
  c.mode = call.row().mode;
  c.types = call.row().types;
  c.profiles = call.row().profiles;
}

StatusOr<std::string> ProfileOf(const std::string& name, const Edition& edition,
                                const std::string& place) {
  std::string ours;
  constexpr std::string_view kPrefix = "tosa-";
  if (name.starts_with(kPrefix)) {
    for (const char c : name.substr(kPrefix.size())) {
      ours += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  for (const ProfileSpec& profile : edition.profiles) {
    if (profile.name == ours) return ours;
  }
  return InvalidArgument(place, ": /test_requirements: found '", Shortened(Printable(name), 100),
                         "', expected a profile or extension of ", edition.id,
                         " such as tosa-pro-int");
}

Status SetProfiles(const Json& desc, const Edition& edition, const std::string& place, Case& c) {
  if (!desc.contains("test_requirements")) return absl::OkStatus();
  const Json& requirements = desc["test_requirements"];
  std::vector<std::string> extensions;
  for (const Json& name : requirements.value("extensions_required", Json::array())) {
    CTS_ASSIGN_OR_RETURN(std::string extension, ProfileOf(name, edition, place));
    extensions.push_back(std::move(extension));
  }
  c.profiles.clear();
  for (const Json& name : requirements["profiles_supported"]) {
    CTS_ASSIGN_OR_RETURN(std::string profile, ProfileOf(name, edition, place));
    c.profiles.push_back({std::move(profile)});
    c.profiles.back().insert(c.profiles.back().end(), extensions.begin(), extensions.end());
  }
  return absl::OkStatus();
}

// The data set, by the figures of the dot-product rule or by how the inputs were made.
std::string DataSetOf(const Json& desc) {
  const Json meta = desc.value("meta", Json::object());
  const auto number = [](const Json& tensor) {
    const Json info = tensor.value("dot_product_info", Json::object());
    const int64_t s = info.value("s", int64_t{-1});
    return 0 <= s && s <= 5 ? StrCat("S", s) : std::string();
  };
  std::string by_generator = "none";
  for (const char* part : {"compliance", "data_gen"}) {
    if (!meta.contains(part)) continue;
    for (const Json& tensor : meta[part]["tensors"]) {
      if (std::string s = number(tensor); !s.empty()) return s;
      const std::string generator = tensor.value("generator", "");
      if (generator == "FULL_RANGE") by_generator = "full-range";
      if (generator == "SPECIAL") by_generator = "special";
    }
  }
  return by_generator;
}

// --- One folder.
// ----------------------------------------------------------------------------------

class Reader {
 public:
  Reader(const ImportOptions& options, const Folder& root, const Test& test)
      : options_(options), test_(test), folder_(root, test.folder) {}

  StatusOr<ImportedCase> Read() {
    CTS_ASSIGN_OR_RETURN(desc_, folder_.ReadJson(kDescFile, "desc"));
    CTS_RETURN_IF_ERROR(ReadGraph());
    CTS_RETURN_IF_ERROR(SetHeader());
    CTS_RETURN_IF_ERROR(ReadInputs());
    CTS_RETURN_IF_ERROR(NameResults());
    CTS_RETURN_IF_ERROR(Evaluate());
    return std::move(made_);
  }

 private:
  template <class... Args>
  Status Bad(const Args&... args) const {
    return InvalidArgument(folder_.Place(kDescFile), ": ", args...);
  }

  // Nothing is wrong with the folder, but it cannot give a verdict.
  template <class... Args>
  Status CannotJudge(const Args&... args) const {
    return absl::UnimplementedError(StrCat(folder_.Place(kDescFile), ": ", args...));
  }

  Status ReadGraph() {
    const std::string file = desc_["tosa_file"].get<std::string>();
    if (file.ends_with(".json")) {
      const std::string name = Shortened(Printable(file), 100);
      return Bad("/tosa_file: found '", name, "', expected a binary .tosa file; make one of it by ",
                 "`flatc --binary tosa.fbs ", name, "` with the schema of TOSA serialization, and ",
                 "name that here");
    }
    CTS_ASSIGN_OR_RETURN(const std::string bytes, folder_.Read(file, kMaxTosaBytes, "/tosa_file"));
    CTS_ASSIGN_OR_RETURN(TosaFile tosa, DecodeTosa(bytes, folder_.Place(file)));
    if (tosa.graph.regions.empty() || tosa.graph.regions[0].blocks.empty()) {
      return InvalidArgument(folder_.Place(file), ": found no block, expected a graph");
    }
    made_.c.graph = std::move(tosa.graph);
    std::set<std::string> renamed;
    for (const auto& [theirs, ours] : tosa.renamed) renamed.insert(ours);
    for (const GraphTensor& tensor : made_.c.graph.main().tensors) {
      if (!renamed.contains(tensor.name)) names_.emplace(tensor.name, tensor.name);
    }
    for (const auto& [theirs, ours] : tosa.renamed) names_[theirs] = ours;
    return absl::OkStatus();
  }

  Status SetHeader() {
    Case& c = made_.c;
    c.id = test_.id;
    c.edition = options_.edition;
    c.level = options_.level;
    if (test_.beside) {
      const Json& beside = *test_.beside;
      c.edition = beside["edition"].get<std::string>();
      c.level = beside["level"].get<std::string>();
      c.op = beside["operator"].get<std::string>();
      c.mode = beside["mode"].get<std::string>();
      c.types = beside["types"].get<std::map<std::string, std::string>>();
      c.profiles = beside["profiles"].get<std::vector<std::vector<std::string>>>();
      c.data_set = beside["data_set"].get<std::string>();
      c.parameters = beside["parameters"].get<std::map<std::string, std::string>>();
    }
    const std::string place = folder_.Place(test_.beside ? kBesideFile : kDescFile);
    const StatusOr<const Edition*> edition = FindEdition(c.edition);
    if (!edition.ok()) return Annotate(edition.status(), place);
    edition_ = *edition;
    level_ = edition_->FindLevel(c.level);
    if (level_ == nullptr || !edition_->Has(Feature::kExecuted)) {
      return InvalidArgument(place, ": edition ", c.edition, ", level '", Printable(c.level),
                             "': expected what `tensor-cts list levels` shows, of an edition that "
                             "the reference covers");
    }
    if (test_.beside) return absl::OkStatus();
    c.data_set = DataSetOf(desc_);
    c.parameters["test"] = Printable(test_.folder.generic_string());
    return absl::OkStatus();
  }

  // A file for every name of a list of desc.json, and every name one of `block`.
  StatusOr<std::map<std::string, ListedFile>> FilesByName(
      const std::string& kind, const std::vector<std::string>& block) const {
    const std::string names = kind + "_name", files = kind + "_file";
    const Json &name = desc_[names], &file = desc_[files];
    if (name.size() != file.size()) {
      return Bad("/", files, ": found ", file.size(), " files, expected ", name.size(),
                 ", as many as /", names, " has");
    }
    std::map<std::string, ListedFile> found;
    for (size_t i = 0; i < name.size(); ++i) {
      const std::string text = name[i].get<std::string>();
      const auto known = names_.find(text);
      const bool fits = known != names_.end() && Contains(block, known->second);
      if (!fits || !found
                        .emplace(known->second,
                                 ListedFile{file[i].get<std::string>(), StrCat("/", files, "/", i)})
                        .second) {
        return Bad("/", names, "/", i, ": found '", Shortened(Printable(text), 100), "'",
                   fits ? " again" : "",
                   ", expected the names of the graph, each once: ", TheirNames(block));
      }
    }
    for (const std::string& each : block) {
      if (!found.contains(each))
        return Bad("/", names, ": found no ", TheirNames({each}), ", which the graph has");
    }
    return found;
  }

  // For tensors of the main block, as the file has them.
  std::string TheirNames(const std::vector<std::string>& ours) const {
    std::string text;
    for (const std::string& name : ours) {
      const auto known = std::find_if(names_.begin(), names_.end(),
                                      [&](const auto& each) { return each.second == name; });
      text += StrCat(text.empty() ? "" : ", ",
                     known == names_.end() ? name : Shortened(Printable(known->first), 100));
    }
    return text;
  }

  StatusOr<Tensor> ReadTensor(const std::string& name, const ListedFile& listed) const {
    const GraphTensor& tensor = *made_.c.graph.main().Find(name);
    const StatusOr<int64_t> count = CheckedElementCount(tensor.shape);
    const std::string place = folder_.Place(listed.file);
    if (!count.ok()) return Annotate(count.status(), place);
    const auto bytes = folder_.Read(listed.file, MaxNpyBytes(*count), listed.pointer);
    if (absl::IsNotFound(bytes.status()) &&
        desc_.value("meta", Json::object()).contains("data_gen")) {
      return InvalidArgument(Message(bytes.status()), "; the public generator makes it from ",
                             "/meta/data_gen just before a run: run the public runner once, which ",
                             "leaves it there, or build the tests without --lazy-data-generation");
    }
    CTS_RETURN_IF_ERROR(bytes.status());
    auto value = DecodeNpy(*bytes, tensor.dtype, tensor.shape);
    if (!value.ok()) return Annotate(value.status(), StrCat(place, " (", listed.pointer, ")"));
    return value;
  }

  Status ReadInputs() {
    Case& c = made_.c;
    const Block& block = c.graph.main();
    CTS_ASSIGN_OR_RETURN(const auto files, FilesByName("ifm", block.inputs));
    for (const std::string& name : block.inputs) {
      const Shape& shape = block.Find(name)->shape;
      // No file has a dimension below 1. In the graph it may be the very thing that the test
      // breaks.
      const bool no_file = std::any_of(shape.begin(), shape.end(), [](int64_t d) { return d < 1; });
      if (no_file) continue;
      CTS_ASSIGN_OR_RETURN(Tensor value, ReadTensor(name, files.at(name)));
      c.inputs.emplace(name, std::move(value));
    }
    return absl::OkStatus();
  }

  Status NameResults() {
    CTS_ASSIGN_OR_RETURN(made_.result_files, FilesByName("ofm", made_.c.graph.main().outputs));
    return absl::OkStatus();
  }

  Status Evaluate() {
    Case& c = made_.c;
    auto evaluation =
        cts::Evaluate(c.graph, c.inputs, *edition_, *level_, DotProductSetNumber(c.data_set));
    if (!evaluation.ok()) return Annotate(evaluation.status(), folder_.Place(kDescFile));
    const Evaluation& last = *evaluation;
    const bool failure = desc_.value("expected_failure", false);
    const std::string why = last.violations.empty()
                                ? last.message
                                : StrCat(last.violations[0].condition, " at ",
                                         last.violations[0].op, ": ", last.violations[0].message);
    if (last.outcome == Outcome::kUnsupported)
      return CannotJudge("the reference cannot say: ", why);
    if (last.outcome == Outcome::kUnpredictable) {
      return CannotJudge("by ", c.edition, " any result is right: ", why);
    }
    if (failure != (last.outcome == Outcome::kError)) {
      return CannotJudge("/expected_failure: found ", failure ? "true" : "false", ", by ",
                         c.edition, failure ? " the graph is valid" : StrCat(" it fails: ", why));
    }
    c.outcome = last.outcome;
    if (!test_.beside) {
      SetTypeRow(*edition_, *level_, c);
      CTS_RETURN_IF_ERROR(SetProfiles(desc_, *edition_, folder_.Place(kDescFile), c));
    }
    if (failure) {
      c.condition = last.violations[0].condition;
      return absl::OkStatus();
    }
    c.outputs = std::move(evaluation->outputs);
    CTS_RETURN_IF_ERROR(ApplyCompliance());
    made_.noticed_share = NoticedShareOf(c, c.data_set == "S0").share;
    return absl::OkStatus();
  }

  Status ApplyCompliance() {
    const Json meta = desc_.value("meta", Json::object());
    if (!meta.contains("compliance") || options_.edition_rules) return absl::OkStatus();
    for (const auto& [name, entry] : meta["compliance"]["tensors"].items()) {
      const auto known = names_.find(name);
      const auto output = std::find_if(
          made_.c.outputs.begin(), made_.c.outputs.end(),
          [&](const auto& each) { return known != names_.end() && each.name == known->second; });
      const std::string pointer = "/meta/compliance/tensors/" + Shortened(Printable(name), 100);
      if (output == made_.c.outputs.end()) {
        return Bad(pointer, ": expected the name of an output of the graph");
      }
      const StatusOr<Compliance> compliance = HonourCompliance(entry, made_.c, *output);
      if (!compliance.ok()) {
        return Annotate(compliance.status(), StrCat(folder_.Place(kDescFile), ": ", pointer));
      }
      if (compliance->same) continue;
      made_.other_rules.push_back(
          StrCat(test_.id, ": output ", output->name, ": ", output->rule.clause));
    }
    return absl::OkStatus();
  }

  const ImportOptions& options_;
  const Test& test_;
  const TestFolder folder_;
  Json desc_;
  const Edition* edition_ = nullptr;
  const Level* level_ = nullptr;
  std::map<std::string, std::string> names_;  // of the main block: as in the .tosa file, and ours
  ImportedCase made_;
};

// --- Results that a runner left.
// --------------------------------------------------------------------

// One <testcase> of the file that the public runner writes.
struct XunitTest {
  std::string name, runner;
  bool skipped = false;
  std::optional<std::string> failure;
};

std::string Unescaped(std::string text) {
  for (const auto& [entity, character] :
       {std::pair("&lt;", "<"), {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}}) {
    for (size_t at = 0; (at = text.find(entity, at)) != text.npos; ++at) {
      text.replace(at, std::string_view(entity).size(), character);
    }
  }
  return text;
}

// Reads the file that the public runner writes, not any XML.
std::vector<XunitTest> ParseXunit(const std::string& text) {
  const auto attribute = [](std::string_view tag, const std::string& name) {
    const size_t begin = tag.find(" " + name + "=\"");
    if (begin == tag.npos) return std::string();
    const size_t value = begin + name.size() + 3;
    return Unescaped(std::string(tag.substr(value, tag.find('"', value) - value)));
  };
  std::vector<XunitTest> tests;
  for (size_t at = 0; (at = text.find("<testcase ", at)) != text.npos;) {
    const size_t end = text.find('>', at);
    if (end == text.npos) break;
    const std::string_view tag = std::string_view(text).substr(at, end - at);
    XunitTest& test = tests.emplace_back();
    test.name = attribute(tag, "name");
    test.runner = attribute(tag, "classname");
    at = end + 1;
    if (tag.ends_with('/')) continue;
    const size_t close = std::min(text.find("</testcase>", at), text.size());
    const std::string body = text.substr(at, close - at);
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

// Results while they are collected: a folder beside their destination.
class Results {
 public:
  Results(const ImportOptions& options, const Folder& root) : options_(options), root_(root) {}
  ~Results() {
    std::error_code ignored;
    if (!partial_.empty()) fs::remove_all(partial_, ignored);
  }
  Results(const Results&) = delete;

  Status Open() {
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

  // Copies the files that exist for one case. Returns whether there is a result.
  StatusOr<bool> Collect(const Test& test, const ImportedCase& made) const {
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

  Status MoveTo(const Suite& suite) {
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

 private:
  const XunitTest* Find(const Test& test) const {
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

  const ImportOptions& options_;
  const Folder& root_;
  fs::path out_, partial_;
  std::vector<XunitTest> tests_;
};

// All that went wrong, the first ones in full.
Status Together(const std::map<size_t, Status>& failures) {
  std::string message;
  size_t shown = 0;
  for (const auto& [i, status] : failures) {
    if (shown == kShownErrors) {
      message += StrCat("\nand ", failures.size() - shown, " more");
      break;
    }
    message += StrCat(shown++ == 0 ? "" : "\n", Message(status));
  }
  return InvalidArgument(message, "\n--skip leaves out what cannot be read or judged");
}

}  // namespace

Status CheckFree(const fs::path& out) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(out, error);
  if (status.type() == fs::file_type::not_found && !out.empty()) return absl::OkStatus();
  if (status.type() == fs::file_type::directory && fs::is_empty(out, error) && !error) {
    return absl::OkStatus();
  }
  return InvalidArgument(out.empty() ? "the suite" : out.string(),
                         ": expected a path that does not exist, or an empty directory");
}

std::string IdOfFolder(const fs::path& relative) {
  const auto fold = [](const std::string& text, std::string_view others) {
    std::string folded;
    for (char c : text) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      const bool kept =
          (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || others.find(c) != others.npos;
      folded += kept ? c : '_';
    }
    return folded;
  };
  const std::string parent = relative.parent_path().filename().string();
  std::string name = fold(relative.filename().string(), "._+-");
  const bool begins = !name.empty() && (std::isalnum(static_cast<unsigned char>(name[0])) != 0);
  if (!begins) name = "t" + name;
  return StrCat(parent.empty() ? "test" : fold(parent, "_"), "/", name);
}

StatusOr<Imported> ImportTests(const ImportOptions& options) {
  std::error_code error;
  fs::path tests_path = fs::absolute(options.tests, error).lexically_normal();
  if (!tests_path.has_filename()) tests_path = tests_path.parent_path();
  fs::path out = fs::absolute(options.out, error).lexically_normal();
  if (!out.has_filename()) out = out.parent_path();
  CTS_RETURN_IF_ERROR(CheckFree(out));
  CTS_ASSIGN_OR_RETURN(std::vector<Test> tests, FindTests(tests_path));
  CTS_ASSIGN_OR_RETURN(const Folder root, Folder::Open(tests_path));
  CTS_RETURN_IF_ERROR(NameTests(root, tests));
  std::sort(tests.begin(), tests.end(), [](const Test& a, const Test& b) { return a.id < b.id; });
  Results results(options, root);
  CTS_RETURN_IF_ERROR(results.Open());

  Imported imported;
  Suite& suite = imported.suite;
  suite.name = "imported";
  suite.generator = "tensor-cts " CTS_VERSION;
  suite.recipe = "{}";
  PartialSuite partial;
  CTS_RETURN_IF_ERROR(partial.Open(out, suite, /*resume=*/false));
  suite.recipe.clear();

  std::vector<std::optional<SuiteEntry>> entries(tests.size());
  std::vector<std::vector<std::string>> other_rules(tests.size());
  std::map<size_t, Status> failures, skipped;
  std::set<std::pair<std::string, std::string>> editions;
  std::mutex mutex;
  const auto import_one = [&](size_t i) -> Status {
    CTS_ASSIGN_OR_RETURN(ImportedCase made, Reader(options, root, tests[i]).Read());
    const Case& c = made.c;
    const std::vector<BundleFile> files = EncodeCase(c);
    SuiteEntry entry{c.id, c.op, std::string(Name(c.outcome)), BundleDigest(files), {}, {}, ""};
    if (c.outcome == Outcome::kValid) entry.teeth = made.noticed_share;
    if (!c.condition.empty()) entry.conditions = {c.condition};
    CTS_RETURN_IF_ERROR(partial.Write(entry, files));
    bool has_result = false;
    if (!options.results.empty()) {
      CTS_ASSIGN_OR_RETURN(has_result, results.Collect(tests[i], made));
    }
    const std::lock_guard<std::mutex> lock(mutex);
    editions.emplace(c.edition, c.level);
    imported.results += has_result ? 1 : 0;
    other_rules[i] = std::move(made.other_rules);
    entries[i] = std::move(entry);
    return absl::OkStatus();
  };
  const Status done = ParallelFor(tests.size(), {.jobs = options.jobs, .stop = options.stop},
                                  [&](size_t i) -> Status {
                                    Status status = import_one(i);
                                    if (status.ok()) return status;
                                    const std::lock_guard<std::mutex> lock(mutex);
                                    // Faults of one folder; not those of the machine.
                                    const bool skip = options.skip && !absl::IsUnavailable(status);
                                    (skip ? skipped : failures).emplace(i, std::move(status));
                                    return absl::OkStatus();
                                  });
  if (!done.ok()) return Unavailable("interrupted; nothing was written");
  if (!failures.empty()) return Together(failures);
  if (skipped.size() == tests.size()) return Together(skipped);  // a suite of nothing
  if (editions.size() > 1) {
    return InvalidArgument(tests_path.string(), ": found tests of ", editions.begin()->first, " (",
                           editions.begin()->second, ") and of ", editions.rbegin()->first, " (",
                           editions.rbegin()->second,
                           "), expected one edition and level; import "
                           "the folders one by one");
  }
  std::tie(suite.edition, suite.level) = *editions.begin();
  for (size_t i = 0; i < tests.size(); ++i) {
    if (entries[i]) suite.cases.push_back(*std::move(entries[i]));
    for (std::string& line : other_rules[i]) imported.other_rules.push_back(std::move(line));
  }
  for (const auto& [i, status] : skipped) imported.skipped.push_back(Message(status));
  suite.digest = SuiteDigest(suite.cases);
  CTS_RETURN_IF_ERROR(partial.MoveTo(out, suite));
  CTS_RETURN_IF_ERROR(results.MoveTo(suite));
  return imported;
}

}  // namespace cts
