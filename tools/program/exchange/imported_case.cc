#include "tools/program/exchange/imported_case.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "checker/text/printable.h"
#include "generator/data/data_sets.h"
#include "generator/trivial_results.h"
#include "reference/base/contains.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/evaluate/check_call.h"
#include "reference/evaluate/evaluate.h"
#include "reference/formats/tosa/tosa_flatbuffer.h"
#include "reference/graph/call.h"
#include "tools/program/exchange/conformance.h"

namespace cts {
namespace {

// --- Facts that a foreign folder does not state, from its graph and desc.json. ------------------

// The last operator that computes.
const GraphOperator* OperatorUnderTest(const Block& block) {
  const GraphOperator* found = nullptr;
  for (const GraphOperator& op : block.operators) {
    const bool plain = IsConstant(op) || op.op == "IDENTITY";
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

// --- One folder. --------------------------------------------------------------------------------

class TestReader {
 public:
  TestReader(const ImportOptions& options, const Folder& root, const TestOfOthers& test)
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
    if (tosa.may_be_old_draft) doubt_ = tosa.version;
    made_.c.graph = std::move(tosa.graph);
    std::set<std::string> renamed;
    for (const auto& [theirs, ours] : tosa.renamed) renamed.insert(ours);
    for (const GraphTensor& tensor : made_.c.graph.main().tensors) {
      if (!renamed.contains(tensor.name)) names_.emplace(tensor.name, tensor.name);
    }
    for (const auto& [theirs, ours] : tosa.renamed) names_[theirs] = ours;
    return CheckDeclaredTypes();
  }

  // --- Files of drafts before 1.0, whose types have other numbers: OldDraftHint. ---

  // The message about what the folder says of a tensor's type, if only such a draft says that.
  Status OldDraft(const std::string& place, std::string_view found,
                  const GraphTensor& tensor) const {
    return InvalidArgument(place, ": found ", found, ", the graph has ", Name(tensor.dtype),
                           " for ", tensor.name, ", by a number that was ",
                           OldDraftTypeOf(tensor.dtype).name, "; ", OldDraftHint(doubt_));
  }

  Status CheckDeclaredType(const Json& type, const std::string& ours, const std::string& pointer) {
    const GraphTensor* const tensor = made_.c.graph.main().Find(ours);
    if (tensor == nullptr || !type.is_string()) return absl::OkStatus();
    const std::string found = type.get<std::string>();
    if (found == PublicTypeName(tensor->dtype)) {
      told_ = told_ || tensor->dtype != DType::kBool;
      return absl::OkStatus();
    }
    if (found != OldDraftTypeOf(tensor->dtype).name) return absl::OkStatus();  // HonourCompliance
    return OldDraft(StrCat(folder_.Place(kDescFile), ": ", pointer), found, *tensor);
  }

  Status CheckDeclaredTypes() {
    if (doubt_.empty()) return absl::OkStatus();
    for (const char* part : {"compliance", "data_gen"}) {
      const Json::json_pointer tensors(StrCat("/meta/", part, "/tensors"));
      if (!desc_.contains(tensors)) continue;
      for (const auto& [name, entry] : desc_[tensors].items()) {
        const auto known = names_.find(name);
        if (known == names_.end() || !entry.contains("data_type")) continue;
        CTS_RETURN_IF_ERROR(CheckDeclaredType(
            entry["data_type"], known->second,
            StrCat(tensors.to_string(), "/", Shortened(Printable(name), 100), "/data_type")));
      }
    }
    const Json::json_pointer types("/test_details/output_types");
    const std::vector<std::string>& outputs = made_.c.graph.main().outputs;
    const bool listed = desc_.contains(types) && desc_[types].is_array() &&
                        desc_[types].size() == outputs.size() &&
                        desc_["ofm_name"].size() == outputs.size();
    if (!listed) return absl::OkStatus();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto known = names_.find(desc_["ofm_name"][i].get<std::string>());
      if (known == names_.end()) continue;
      CTS_RETURN_IF_ERROR(
          CheckDeclaredType(desc_[types][i], known->second, StrCat(types.to_string(), "/", i)));
    }
    return absl::OkStatus();
  }

  // The public tests store a tensor in its own type.
  Status CheckStoredType(std::string_view npy, const GraphTensor& tensor,
                         const ListedFile& listed) {
    if (doubt_.empty()) return absl::OkStatus();
    const OldDraftType old = OldDraftTypeOf(tensor.dtype);
    const std::string other = StoredAsOther(npy, tensor.dtype);
    // There are several ways to store bf16.
    if (other == old.npy || (!other.empty() && old.name == "BF16")) {
      return OldDraft(folder_.Place(listed.file), other, tensor);
    }
    // Both numberings store some types in the same way.
    told_ = told_ || (other.empty() && Info(tensor.dtype).npy != old.npy);
    return absl::OkStatus();
  }

  // A graph is not taken for one or the other by luck.
  Status CheckWhetherTold() const {
    const std::vector<GraphTensor>& tensors = made_.c.graph.main().tensors;
    const bool same = std::all_of(tensors.begin(), tensors.end(), [](const GraphTensor& tensor) {
      return tensor.dtype == DType::kBool;
    });
    if (doubt_.empty() || told_ || same) return absl::OkStatus();
    return Bad("found no type that tells which: ", OldDraftHint(doubt_),
               "; if the file is no draft, say so by /meta/compliance/tensors/NAME/data_type");
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
    if (c.level.empty() && !test_.beside) c.level = edition_->NarrowestLevel().name;
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

  // The file's names for tensors of the main block.
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

  StatusOr<Tensor> ReadTensor(const std::string& name, const ListedFile& listed) {
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
    CTS_RETURN_IF_ERROR(CheckStoredType(*bytes, tensor, listed));
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
    return CheckWhetherTold();
  }

  Status NameResults() {
    CTS_ASSIGN_OR_RETURN(made_.result_files, FilesByName("ofm", made_.c.graph.main().outputs));
    return absl::OkStatus();
  }

  Status Evaluate() {
    Case& c = made_.c;
    auto evaluation = cts::Evaluate(c.graph, c.inputs, *edition_, *level_,
                                    DotProductSetNumber(c.data_set), Chains::kEnclosed);
    if (!evaluation.ok()) return Annotate(evaluation.status(), folder_.Place(kDescFile));
    const Evaluation& last = *evaluation;
    const bool failure = desc_.value("expected_failure", false);
    const Violation* const decides = DecidingViolation(last.violations, *edition_);
    const std::string why = decides == nullptr ? last.message
                                               : StrCat(decides->condition, " at ", decides->op,
                                                        ": ", decides->message);
    if (last.outcome == Outcome::kUnsupported)
      return CannotJudge("the reference cannot say: ", why);
    if (last.outcome == Outcome::kError && !last.message.empty()) {
      return CannotJudge("the reference cannot say what comes before ", why, ": ", last.message);
    }
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
    FindDispute(c);
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
  const TestOfOthers& test_;
  const TestFolder folder_;
  Json desc_;
  const Edition* edition_ = nullptr;
  const Level* level_ = nullptr;
  std::map<std::string, std::string> names_;  // of the main block: as in the .tosa file, and ours
  std::string doubt_;  // the version of a file that may be of a draft before 1.0; otherwise empty
  bool told_ = false;  // whether the folder says that its types are those that were read
  ImportedCase made_;
};

}  // namespace

StatusOr<ImportedCase> ReadTest(const ImportOptions& options, const Folder& root,
                                const TestOfOthers& test) {
  return TestReader(options, root, test).Read();
}

}  // namespace cts
