#include "tools/program/exchange/export.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "checker/text/selection.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/new_folder.h"
#include "reference/base/npy.h"
#include "reference/base/parallel_for.h"
#include "reference/bundle/bundle.h"
#include "reference/bundle/suite.h"
#include "reference/formats/spirv/vgf.h"
#include "reference/spec/edition.h"
#include "tools/program/exchange/conformance.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

StatusOr<std::string> EncodeGraph(const Case& c, const TosaVersion& version) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(c.edition));
  return EncodeTosa(c.graph, *edition, version);
}

// Adds an .npy file for every input and execution.
void AddInputs(const Case& c, std::vector<BundleFile>& files) {
  int execution = 0;
  for (const ExecutionInputs& inputs : c.InputsOfExecutions()) {
    for (const auto& [name, tensor] : *inputs) {
      files.push_back({ResultName(name, execution) + ".npy", EncodeNpy(tensor)});
    }
    ++execution;
  }
}

StatusOr<std::vector<BundleFile>> TosaFiles(const Case& c, const ExportChoices& choices) {
  CTS_ASSIGN_OR_RETURN(std::string graph, EncodeGraph(c, choices.version));
  std::vector<BundleFile> files = {{std::string(kTosaFile), std::move(graph)}};
  AddInputs(c, files);
  return files;
}

StatusOr<std::vector<BundleFile>> ConformanceFiles(const Case& c, const ExportChoices& choices) {
  // There is no word for it in desc.json, and another checker would decide by it.
  if (!c.disputed.empty()) return absl::UnimplementedError(StrCat("disputed: ", c.disputed));
  return EncodeConformance(c, choices.version);
}

Json PortsToJson(const std::vector<SpirvPort>& ports, size_t first_binding) {
  Json list = Json::array();
  for (const SpirvPort& port : ports) {
    list.push_back({{"tensor", port.tensor},
                    {"binding", first_binding++},
                    {"dtype", Name(port.dtype)},
                    {"shape", port.shape}});
  }
  return list;
}

// The module, what it asks its host for, and the values.
StatusOr<std::vector<BundleFile>> SpirvFiles(const Case& c, const ExportChoices& choices) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(c.edition));
  CTS_ASSIGN_OR_RETURN(SpirvModule module, EncodeSpirv(c.graph, *edition, choices.spirv));
  Json constants = Json::array();
  std::vector<BundleFile> files = {{std::string(kSpirvFile), std::move(module.bytes)}};
  for (const auto& [id, values] : module.constants) {
    const std::string file = StrCat("constant_", id, ".npy");
    constants.push_back(
        {{"id", id}, {"dtype", Name(values.dtype())}, {"shape", values.shape()}, {"values", file}});
    files.push_back({file, EncodeNpy(values)});
  }
  const Json interface = {{"entry_point", kSpirvEntryPoint},
                          {"inputs", PortsToJson(module.inputs, 0)},
                          {"outputs", PortsToJson(module.outputs, module.inputs.size())},
                          {"constants", std::move(constants)}};
  files.push_back({"interface.json", FormatJson(interface)});
  AddInputs(c, files);
  return files;
}

StatusOr<std::string> VgfOf(const Case& c, const SpirvOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(c.edition));
  return EncodeVgf(c.graph, *edition, options);
}

StatusOr<std::vector<BundleFile>> VgfFiles(const Case& c, const ExportChoices& choices) {
  CTS_ASSIGN_OR_RETURN(std::string bytes, VgfOf(c, choices.spirv));
  std::vector<BundleFile> files = {{std::string(kVgfFile), std::move(bytes)}};
  AddInputs(c, files);
  return files;
}

constexpr std::string_view kHexFormat = "hex", kCFormat = "c";

constexpr ExportFormat kFormats[] = {
    {"tosa", "graph.tosa, a FlatBuffer of TOSA serialization 1.0, and its inputs as .npy",
     TosaFiles},
    {"tosa-conformance",
     "desc.json, test.tosa and .npy files, as the public TOSA conformance tests", ConformanceFiles},
    {"spirv",
     "graph.spv, a module of SPIR-V with TOSA.001000.1, its interface.json, inputs as .npy",
     SpirvFiles},
    {"vgf", "graph.vgf, Arm's container of such a module and its constants, inputs as .npy",
     VgfFiles},
    {kHexFormat, "image.hex for $readmemh, and manifest.json with addresses and graphs", nullptr},
    {kCFormat, "case.c, arrays in C, with a header and a table of the cases", nullptr},
};

// One suite on its way into a folder that no other process reads yet.
class Export {
 public:
  Export(const ExportOptions& options, const ExportFormat& format, const ExportChoices& choices,
         Folder folder, const Suite& suite, std::vector<const SuiteEntry*> cases, fs::path out)
      : options_(options),
        format_(format),
        choices_(choices),
        suite_(std::move(folder)),
        edition_(suite.edition),
        cases_(std::move(cases)),
        first_(suite.cases.data()),
        out_(std::move(out)) {
    if (format.files != nullptr) return;
    memory_ =
        std::make_unique<MemoryExport>(suite, MemoryExport::Options{.as_c = format.name == kCFormat,
                                                                    .budget = options.memory_bytes,
                                                                    .expected = options.expected});
  }

  StatusOr<ExportSummary> Run() {
    const Status done =
        ParallelFor(cases_.size(),
                    {.jobs = options_.jobs, .stop = options_.stop, .progress = options_.progress},
                    [this](size_t i) { return One(i); });
    if (absl::IsCancelled(done)) return Unavailable("export: interrupted; nothing was written");
    CTS_RETURN_IF_ERROR(done);
    if (left_out_.size() == cases_.size()) {
      return InvalidArgument(options_.suite.string(), ": format ", format_.name, " can hold none ",
                             "of its ", cases_.size(), " cases",
                             left_out_.empty() ? "" : StrCat("; ", left_out_.begin()->second));
    }
    if (!left_out_.empty()) {
      std::string text;
      for (const auto& [position, reason] : left_out_) {
        text += StrCat(cases_[position]->id, ": ", reason, "\n");
      }
      CTS_RETURN_IF_ERROR(WriteFile(out_ / "left_out.txt", text));
    }
    CTS_RETURN_IF_ERROR(WriteTable());
    return ExportSummary{cases_.size() - left_out_.size(), left_out_.size()};
  }

 private:
  // The files of all cases, of a format that has some.
  Status WriteTable() const {
    if (!memory_) return absl::OkStatus();
    std::vector<NotExported> left_out;
    for (const auto& [i, reason] : left_out_) left_out.push_back({cases_[i]->id, reason});
    CTS_ASSIGN_OR_RETURN(const std::vector<BundleFile> files, memory_->Whole(left_out));
    for (const BundleFile& file : files) {
      CTS_RETURN_IF_ERROR(WriteFile(out_ / file.path, file.bytes));
    }
    return absl::OkStatus();
  }

  Status One(size_t i) {
    const SuiteEntry& entry = *cases_[i];
    CTS_ASSIGN_OR_RETURN(const Case c, ReadVerifiedCase(suite_, entry, edition_));
    const StatusOr<std::vector<BundleFile>> files =
        memory_ ? memory_->Files(c, static_cast<size_t>(&entry - first_))
                : format_.files(c, choices_);
    if (absl::IsUnimplemented(files.status())) {
      std::string reason = Message(files.status());
      std::replace(reason.begin(), reason.end(), '\n', ' ');
      const std::lock_guard<std::mutex> lock(mutex_);
      left_out_.emplace(i, std::move(reason));
      return absl::OkStatus();
    }
    if (!files.ok()) return Annotate(files.status(), entry.id);
    for (const BundleFile& file : *files) {
      CTS_RETURN_IF_ERROR(WriteFile(out_ / entry.id / file.path, file.bytes));
    }
    return absl::OkStatus();
  }

  const ExportOptions& options_;
  const ExportFormat& format_;
  const ExportChoices& choices_;
  const Folder suite_;
  const std::string& edition_;
  const std::vector<const SuiteEntry*> cases_;
  const SuiteEntry* const first_;  // of the suite
  const fs::path out_;
  std::unique_ptr<MemoryExport> memory_;
  std::mutex mutex_;
  std::map<size_t, std::string> left_out_;  // position -> reason
};

}  // namespace

std::span<const ExportFormat> ExportFormats() { return kFormats; }

StatusOr<ExportSummary> ExportSuite(const ExportOptions& options) {
  const ExportFormat* format = nullptr;
  std::string known;
  for (const ExportFormat& candidate : ExportFormats()) {
    known += StrCat(known.empty() ? "" : ", ", candidate.name);
    if (candidate.name == options.format) format = &candidate;
  }
  if (format == nullptr) {
    return InvalidArgument("export: found format \"", options.format, "\", expected ", known);
  }
  ExportChoices choices{.version = {}, .spirv = options.spirv};
  if (!options.tosa_version.empty()) {
    StatusOr<TosaVersion> parsed = ParseTosaVersion(options.tosa_version);
    if (!parsed.ok()) return Annotate(parsed.status(), "export: --tosa-version");
    choices.version = *parsed;
  }
  CTS_RETURN_IF_ERROR(RequireNoFolder(options.out));
  CTS_ASSIGN_OR_RETURN(const Suite suite, ReadSuite(options.suite));
  CTS_ASSIGN_OR_RETURN(std::vector<const SuiteEntry*> cases,
                       SelectCases(suite, std::nullopt, options.filter, options.suite));
  const size_t other = suite.cases.size() - cases.size();
  CTS_ASSIGN_OR_RETURN(Folder folder, Folder::Open(options.suite));
  CTS_ASSIGN_OR_RETURN(NewFolder out, NewFolder::Beside(options.out));
  CTS_ASSIGN_OR_RETURN(ExportSummary summary, Export(options, *format, choices, std::move(folder),
                                                     suite, std::move(cases), out.path())
                                                  .Run());
  summary.other = other;
  CTS_RETURN_IF_ERROR(out.PutWithPermissionsOf(options.suite));
  return summary;
}

StatusOr<std::string> RenderTosa(const fs::path& case_dir) {
  CTS_ASSIGN_OR_RETURN(const Case c, ReadCaseHeader(case_dir));
  StatusOr<std::string> bytes = EncodeGraph(c, {});
  if (!bytes.ok()) return Annotate(bytes.status(), case_dir.string());
  return bytes;
}

StatusOr<std::string> RenderSpirv(const fs::path& case_dir, const SpirvOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Case c, ReadCaseHeader(case_dir));
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(c.edition));
  StatusOr<SpirvModule> module = EncodeSpirv(c.graph, *edition, options);
  if (!module.ok()) return Annotate(module.status(), case_dir.string());
  return std::move(module->bytes);
}

StatusOr<std::string> RenderVgf(const fs::path& case_dir, const SpirvOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Case c, ReadCaseHeader(case_dir));
  StatusOr<std::string> bytes = VgfOf(c, options);
  if (!bytes.ok()) return Annotate(bytes.status(), case_dir.string());
  return bytes;
}

}  // namespace cts
