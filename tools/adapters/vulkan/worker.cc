// tensor-cts-vulkan: an adapter for devices of Vulkan that run graphs of TOSA (README.md).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "checker/evidence/claim.h"
#include "checker/judge/case_status.h"
#include "checker/judge/declared.h"
#include "reference/base/contains.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/bundle/case.h"
#include "reference/evaluate/infer_shapes.h"
#include "reference/formats/spirv/spirv.h"
#include "reference/formats/spirv/spirv_wire.h"
#include "reference/formats/unsupported.h"
#include "reference/graph/call.h"
#include "reference/ops/conditions.h"
#include "reference/ops/operator.h"
#include "tools/adapters/vulkan/device.h"
#include "tools/adapters/vulkan/execution.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

struct TilingName {
  std::string_view name;
  Tiling tiling;
};
constexpr TilingName kTilings[] = {
    {"packed", Tiling::kPacked}, {"strided", Tiling::kStrided}, {"optimal", Tiling::kOptimal}};

// How a case is run, none of which changes an answer.
struct Way {
  SpirvConstants constants = SpirvConstants::kModule;
  ExecutionOptions execution;
  SpirvPlaces places = SpirvPlaces::kInOrder;
};

// A second way that is compared with the first, byte by byte.
struct Axis {
  std::string_view name;
  bool of_all;  // among "all"
  void (*change)(Way& way);
};
constexpr Axis kAxes[] = {
    {"strided", true, [](Way& way) { way.execution.tiling = Tiling::kStrided; }},
    {"optimal", true, [](Way& way) { way.execution.tiling = Tiling::kOptimal; }},
    {"offset", true, [](Way& way) { way.execution.session_offset += 1; }},
    {"repeated", true, [](Way& way) { way.execution.dispatches += 1; }},
    {"sessions", true, [](Way& way) { way.execution.sessions += 1; }},
    {"cached", true, [](Way& way) { way.execution.cached = true; }},
    {"bindings", true, [](Way& way) { way.places = SpirvPlaces::kUnordered; }},
    {"sets", true, [](Way& way) { way.places = SpirvPlaces::kSets; }},
    {"poison", true, [](Way& way) { way.execution.poison = 0x5a; }},
    {"replicated", true, [](Way& way) { way.constants = SpirvConstants::kReplicated; }},
    {"null", true, [](Way& way) { way.constants = SpirvConstants::kNull; }},
    {"graph", false, [](Way& way) { way.constants = SpirvConstants::kGraph; }},
    {"specialization", false, [](Way& way) { way.constants = SpirvConstants::kSpecialization; }},
};

// VK_DATA_GRAPH_TOSA_QUALITY_CONFORMANT_ARM: the device calls a profile or an extension conformant.
constexpr uint32_t kConformant = 2;

struct WorkerOptions {
  DeviceChoice device;
  std::string constants = "module", tiling = "packed";
  ExecutionOptions execution;
  std::vector<std::string> axes;
  fs::path declared, write_declared, write_claim;
  bool worker = false, illegal = false, ahead = true, creation_log = false;
  std::vector<std::string> folders;

  Way FirstWay() const {
    Way way{.constants = *ParseSpirvConstants(constants), .execution = execution};
    for (const TilingName& row : kTilings) {
      if (row.name == tiling) way.execution.tiling = row.tiling;
    }
    return way;
  }
  bool Has(const Axis& axis) const {
    return Contains(axes, axis.name) || (axis.of_all && Contains(axes, "all"));
  }
};

// A request and what was made for it before its turn.
struct Prepared {
  Case c;
  SpirvModule module;
  std::unique_ptr<GraphOnDevice> graph;  // of the module
};

struct Answer {
  CaseStatus status;
  std::string message;
  std::string fault;  // a difference between two ways: neither can be the answer
};

// The ERROR_IF or the rule of the argument tables that the operator breaks; empty if it breaks no
// such rule. Run-time values make no graph illegal, and are not read.
std::string BrokenCondition(const GraphOperator& op, const Block& block, const Edition& edition,
                            const Level& level,
                            const std::map<std::string, std::shared_ptr<const Tensor>>& constants) {
  const OperatorSpec& spec = *edition.FindOperator(op.op);
  const Call call(edition, spec, level, block, op, constants);
  if (!call.violations().empty()) return call.violations().front().condition;
  for (const Condition& condition : ConditionsOf(*FindOperator(op.op), spec, edition)) {
    if (condition.kind != ConditionKind::kErrorIf || condition.broken == nullptr) continue;
    if (condition.broken(call)) return std::string(condition.id);
  }
  const auto shapes = InferShapes(op, block, constants, edition, level);
  if (!shapes.ok()) return "graph.output_shape";
  for (const auto& [tensor, shape] : *shapes) {
    if (block.Find(tensor)->shape != shape) return "graph.output_shape";
  }
  return "";
}

// That of the first operator that breaks one. The graph has a module, and so no control flow, no
// variables, and constants where constants must stand.
std::string BrokenCondition(const Case& c, const Edition& edition) {
  const Block& block = c.graph.main();
  const Level& level = *edition.FindLevel(c.level);
  std::map<std::string, std::shared_ptr<const Tensor>> constants;
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.values != nullptr) constants.emplace(tensor.name, tensor.values);
  }
  for (const GraphOperator& op : block.operators) {
    std::string broken = BrokenCondition(op, block, edition, level, constants);
    if (!broken.empty()) return broken;
  }
  return "";
}

// What the instruction set has no words for: control flow, variables, and operands of run time
// where it asks for constants.
constexpr std::string_view kWithoutWords[] = {"EXT-CONTROLFLOW", "EXT-VARIABLE", "EXT-DYNAMIC"};

// The profile or extension of that name; null if the edition has none.
const ProfileSpec* Known(std::string_view name) {
  const auto& profiles = (*FindEdition(kDefaultEdition))->profiles;
  const auto found =
      std::find_if(profiles.begin(), profiles.end(),
                   [name](const ProfileSpec& profile) { return profile.name == name; });
  return found == profiles.end() ? nullptr : &*found;
}

// The names that a device gives of what the edition has, and those of them that it calls
// conformant. Other names say nothing.
struct KnownNames {
  std::vector<std::string> profiles, extensions, conformant;
};

KnownNames KnownNamesOf(const DeviceOffer& offer) {
  KnownNames names;
  for (const auto* named : {&offer.profiles, &offer.extensions}) {
    for (const DeviceOffer::Named& one : *named) {
      const ProfileSpec* const known = Known(one.name);
      if (known == nullptr) continue;
      (known->extension ? names.extensions : names.profiles).push_back(one.name);
      if ((one.quality & kConformant) != 0) names.conformant.push_back(one.name);
    }
  }
  return names;
}

// The answers of the device's own queries. A device that names no profile is asked for all of them,
// and with it all extensions that the instruction set has words for, unless it names some
// extensions.
Declared DeclaredOf(const DeviceOffer& offer) {
  Declared declared;
  declared.edition = std::string(kDefaultEdition);
  KnownNames names = KnownNamesOf(offer);
  const bool is_unnamed = names.profiles.empty();
  const bool is_silent = is_unnamed && names.extensions.empty();
  for (const ProfileSpec& profile : (*FindEdition(kDefaultEdition))->profiles) {
    if (!profile.extension && is_unnamed) names.profiles.push_back(profile.name);
    if (profile.extension && is_silent && !Contains(kWithoutWords, profile.name)) {
      names.extensions.push_back(profile.name);
    }
  }
  declared.profiles = std::move(names.profiles);
  declared.extensions = std::move(names.extensions);
  declared.conformant = std::move(names.conformant);
  // Constants are of the module, and an IDENTITY is left out.
  declared.operators = {"CONST", "CONST_SHAPE", "IDENTITY"};
  for (const spirv::Instruction& row : spirv::Instructions()) {
    declared.operators->emplace_back(row.op);
  }
  std::sort(declared.operators->begin(), declared.operators->end());
  declared.types.emplace();
  for (const DType dtype : offer.types) declared.types->emplace_back(Name(dtype));
  if (Contains(offer.types, DType::kI8)) declared.types->emplace_back(Name(DType::kI4));  // lowered
  declared.max_rank = offer.max_rank;
  declared.max_dimension = offer.max_dimension;
  declared.max_elements = offer.max_elements;
  return declared;
}

class Worker {
 public:
  Worker(const WorkerOptions& options, Device device)
      : options_(options), device_(std::move(device)) {}

  StatusOr<Json> Declare() const {
    CTS_ASSIGN_OR_RETURN(const Declared declared, Declare(options_, device_));
    return DeclaredToJson(declared);
  }

  // The given declaration, or the device's. An adapter that hands on no illegal graph owes no error
  // for one.
  static StatusOr<Declared> Declare(const WorkerOptions& options, const Device& device) {
    Declared declared = DeclaredOf(device.offer());
    if (!options.declared.empty()) {
      CTS_ASSIGN_OR_RETURN(declared, ReadDeclared(options.declared, kDefaultEdition));
    }
    declared.illegal_graphs = declared.illegal_graphs && options.illegal;
    return declared;
  }

  // The part of a case that needs no queue; may be called while another case runs.
  StatusOr<std::unique_ptr<Prepared>> Prepare(const fs::path& case_dir) const {
    const PlainArithmetic plain;  // the driver may have left another mode
    StatusOr<Case> read = ReadCaseInputs(case_dir);
    if (!read.ok()) return Unavailable(Message(read.status()));
    auto prepared = std::make_unique<Prepared>();
    prepared->c = std::move(*read);
    const Case& c = prepared->c;
    CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(c.edition));
    const Way way = options_.FirstWay();
    CTS_ASSIGN_OR_RETURN(prepared->module, ModuleOf(c, *edition, way));
    if (!options_.illegal) {
      const std::string broken = BrokenCondition(c, *edition);
      if (!broken.empty()) {
        return Unsupported("the graph breaks ", broken, ", and a driver owes nothing for a module ",
                           "that is not valid; --illegal hands it on");
      }
    }
    CTS_ASSIGN_OR_RETURN(prepared->graph,
                         GraphOnDevice::Prepare(device_, prepared->module, way.execution));
    return prepared;
  }

  // Runs what was prepared, and writes its outputs.
  Answer Finish(StatusOr<std::unique_ptr<Prepared>> prepared, const fs::path& out) const {
    const PlainArithmetic plain;
    if (!prepared.ok()) return AnswerOf(prepared.status());
    const Prepared& first = **prepared;
    StatusOr<Outputs> outputs = Execute(first.c, first.module, *first.graph);
    if (!outputs.ok()) return AnswerOf(outputs.status(), first.graph->creation_log());
    std::string not_offered;
    for (const Axis& axis : kAxes) {
      if (!options_.Has(axis)) continue;
      const Status same = Compare(first, *outputs, axis);
      if (absl::IsUnimplemented(same)) {
        not_offered += StrCat(not_offered.empty() ? "not offered: " : "; ", "axis ", axis.name,
                              ": ", Message(same));
      } else if (absl::IsAborted(same)) {
        return AnswerOf(same, StrCat("axis ", axis.name));
      } else if (!same.ok()) {
        return {CaseStatus::kProtocol, "", StrCat("axis ", axis.name, ": ", Message(same))};
      }
    }
    if (const Status written = Write(first, *outputs, out); !written.ok()) return AnswerOf(written);
    if (options_.creation_log && !first.graph->creation_log().empty()) {
      not_offered += StrCat(not_offered.empty() ? "" : "; ", "CREATION_LOG \"",
                            first.graph->creation_log(), "\"");
    }
    return {CaseStatus::kOk, not_offered, ""};
  }

 private:
  using Outputs = std::vector<std::vector<Tensor>>;  // of each execution

  static Answer AnswerOf(const Status& status, const std::string& log = "") {
    const std::string message =
        StrCat(Message(status), log.empty() ? "" : StrCat("; CREATION_LOG \"", log, "\""));
    if (absl::IsUnimplemented(status)) return {CaseStatus::kUnsupported, message, ""};
    if (absl::IsInvalidArgument(status)) return {CaseStatus::kError, message, ""};
    if (absl::IsFailedPrecondition(status)) return {CaseStatus::kProtocol, "", message};
    // A lost device, or no file to write: the process ends, and this case alone is a crash.
    std::cerr << message << std::endl;
    _exit(1);
  }

  StatusOr<SpirvModule> ModuleOf(const Case& c, const Edition& edition, const Way& way) const {
    if (way.constants == SpirvConstants::kSpecialization &&
        !device_.offer().specialization_constants) {
      return Unsupported("the device has no dataGraphSpecializationConstants");
    }
    SpirvOptions options = {.constants = way.constants, .places = way.places, .lower = true};
    StatusOr<SpirvModule> module = EncodeSpirv(c.graph, edition, options);
    if (way.constants != SpirvConstants::kModule || !absl::IsUnimplemented(module.status())) {
      return module;
    }
    // A constant may be too large for an instruction of the module.
    options.constants = SpirvConstants::kGraph;
    StatusOr<SpirvModule> of_graph = EncodeSpirv(c.graph, edition, options);
    return of_graph.ok() ? std::move(of_graph) : std::move(module);
  }

  static StatusOr<Outputs> Execute(const Case& c, const SpirvModule& module, GraphOnDevice& graph) {
    Outputs all;
    for (const ExecutionInputs& given : c.InputsOfExecutions()) {
      std::vector<const Tensor*> inputs;
      for (const SpirvPort& port : module.inputs) inputs.push_back(&given->at(port.tensor));
      CTS_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, graph.Run(inputs));
      all.push_back(std::move(outputs));
    }
    return all;
  }

  // The same case in another way. Everything but kUnimplemented is a difference.
  Status Compare(const Prepared& first, const Outputs& expected, const Axis& axis) const {
    Way way = options_.FirstWay();
    axis.change(way);
    CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(first.c.edition));
    CTS_ASSIGN_OR_RETURN(const SpirvModule module, ModuleOf(first.c, *edition, way));
    CTS_ASSIGN_OR_RETURN(const std::unique_ptr<GraphOnDevice> graph,
                         GraphOnDevice::Prepare(device_, module, way.execution));
    CTS_ASSIGN_OR_RETURN(const Outputs found, Execute(first.c, module, *graph));
    for (size_t execution = 0; execution < expected.size(); ++execution) {
      for (size_t i = 0; i < expected[execution].size(); ++i) {
        const std::string difference =
            DifferenceOf(module.outputs[i].tensor, expected[execution][i], found[execution][i]);
        if (difference.empty()) continue;
        return Status(absl::StatusCode::kFailedPrecondition,
                      StrCat("execution ", execution, ": ", difference));
      }
    }
    return absl::OkStatus();
  }

  static Status Write(const Prepared& first, const Outputs& outputs, const fs::path& out) {
    for (size_t execution = 0; execution < outputs.size(); ++execution) {
      for (size_t i = 0; i < outputs[execution].size(); ++i) {
        const GraphTensor& tensor = *first.c.graph.main().Find(first.module.outputs[i].tensor);
        // As the case has it: lowering changed the type or the shape and no byte.
        Tensor output(tensor.dtype, tensor.shape);
        output.bytes() = outputs[execution][i].bytes();
        const fs::path file = out / (ResultName(tensor.name, static_cast<int>(execution)) + ".npy");
        if (const Status written = WriteNpy(file, output); !written.ok()) {
          return Unavailable(Message(written));
        }
      }
    }
    return absl::OkStatus();
  }

  const WorkerOptions& options_;
  const Device device_;
};

// Requests that are prepared while another one runs. Two at most are in hand: the runner sends no
// more.
constexpr size_t kBatch = 2;

struct Request {
  Json id;
  std::string result_dir;
  StatusOr<std::unique_ptr<Prepared>> prepared;
};

class Requests {
 public:
  void Put(std::optional<Request> request) {
    std::unique_lock<std::mutex> lock(mutex_);
    // Requests beyond a batch wait unprepared.
    changed_.wait(lock, [&] { return requests_.size() < kBatch - 1; });
    requests_.push_back(std::move(request));
    changed_.notify_all();
  }
  // Nothing when there are no more.
  std::optional<Request> Take() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return !requests_.empty(); });
    std::optional<Request> request = std::move(requests_.front());
    requests_.pop_front();
    changed_.notify_all();
    return request;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::optional<Request>> requests_;
};

// In the announcement and in the claim: certify wants one and the same.
constexpr std::string_view kName = "vulkan";
std::string VersionOf(const Device& device) {
  return StrCat(device.name(), ", driver ", device.driver());
}

// The claim of the device itself. Its name and driver, level and profiles are the device's.
Claim ClaimOf(const Device& device, const Declared& declared) {
  Claim claim;
  claim.name = std::string(kName);
  claim.version = VersionOf(device);
  claim.vendor = "(who claims)";
  claim.hardware = device.name();
  claim.edition = std::string(kDefaultEdition);
  claim.level = device.offer().level_8k ? "8K" : "none";
  if (declared.profiles) claim.profiles = *declared.profiles;
  claim.extensions = declared.extensions;
  claim.declared = declared;
  return claim;
}

// A claim needs a profile of the edition, of the device's or of a file.
Status CheckProfiles(const DeviceOffer& offer, const fs::path& file, const Declared& declared) {
  if (!file.empty()) {
    if (declared.profiles && !declared.profiles->empty()) return absl::OkStatus();
    return InvalidArgument(file.string(), ": found no profiles, expected those to be claimed");
  }
  if (!KnownNamesOf(offer).profiles.empty()) return absl::OkStatus();
  std::string names;
  for (const DeviceOffer::Named& named : offer.profiles) {
    names += StrCat(names.empty() ? "" : ", ", named.name);
  }
  return InvalidArgument("--write-claim: the device names no profile of ", kDefaultEdition,
                         ", but ", names.empty() ? "none" : names,
                         "; give --declared FILE with \"profiles\"");
}

void Describe(const Device& device) {
  const DeviceOffer& offer = device.offer();
  std::cerr << device.name() << ", driver " << device.driver() << ", queue family "
            << device.family() << (device.engine().is_foreign != 0 ? ", a foreign engine" : "")
            << "\n";
  for (const auto* names : {&offer.profiles, &offer.extensions}) {
    for (const DeviceOffer::Named& named : *names) {
      std::cerr << (names == &offer.profiles ? "profile " : "extension ") << named.name
                << ((named.quality & 1) != 0 ? ", accelerated" : "")
                << ((named.quality & kConformant) != 0 ? ", conformant" : "")
                << ((named.quality & 4) != 0 ? ", experimental" : "")
                << ((named.quality & 8) != 0 ? ", deprecated" : "") << "\n";
    }
  }
  std::cerr << "level " << (offer.level_8k ? "8K" : "none") << ", rank " << offer.max_rank << ", "
            << offer.max_elements << " elements, " << offer.max_bytes << " bytes; types";
  for (const DType dtype : offer.types) std::cerr << " " << Name(dtype);
  std::cerr << std::endl;
}

// The next request, prepared; nothing at the end of the input.
std::optional<Request> ReadRequest(const Worker& worker) {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  const StatusOr<Json> request = ParseJson(line, "request");
  if (!request.ok()) {
    std::cerr << Message(request.status()) << std::endl;
    _exit(1);
  }
  return Request{(*request)["case"], (*request)["result_dir"].get<std::string>(),
                 worker.Prepare((*request)["case_dir"].get<std::string>())};
}

void AnswerRequest(const Worker& worker, Request request) {
  const Answer answer = worker.Finish(std::move(request.prepared), request.result_dir);
  Json line = {{"case", std::move(request.id)}};
  if (!answer.fault.empty()) {
    line["fault"] = answer.fault;
  } else {
    line["status"] = Name(answer.status);
  }
  if (!answer.message.empty()) line["message"] = answer.message;
  std::cout << FormatJsonLine(line) << std::endl;
}

void Serve(const Worker& worker, bool ahead) {
  if (!ahead) {
    while (std::optional<Request> request = ReadRequest(worker)) {
      AnswerRequest(worker, *std::move(request));
    }
    return;
  }
  Requests requests;
  std::thread reader([&] {
    bool more = true;
    while (more) {
      std::optional<Request> request = ReadRequest(worker);
      more = request.has_value();
      requests.Put(std::move(request));
    }
  });
  while (std::optional<Request> request = requests.Take()) {
    AnswerRequest(worker, *std::move(request));
  }
  reader.join();
}

StatusOr<int> RunWorker(const WorkerOptions& options) {
  CTS_ASSIGN_OR_RETURN(Device device, Device::Open(options.device));
  if (!options.write_declared.empty() || !options.write_claim.empty()) {
    const StatusOr<Declared> declared = Worker::Declare(options, device);
    CTS_RETURN_IF_ERROR(declared.status());
    Describe(device);
    if (!options.write_declared.empty()) {
      CTS_RETURN_IF_ERROR(SaveJson(options.write_declared, DeclaredToJson(*declared)));
    }
    if (!options.write_claim.empty()) {
      CTS_RETURN_IF_ERROR(CheckProfiles(device.offer(), options.declared, *declared));
      CTS_RETURN_IF_ERROR(SaveJson(options.write_claim, ClaimToJson(ClaimOf(device, *declared))));
    }
    return 0;
  }
  const std::string version = VersionOf(device);
  const Worker worker(options, std::move(device));
  if (options.worker) {
    CTS_ASSIGN_OR_RETURN(const Json declared, worker.Declare());
    Json line = {{"worker", kName}, {"version", version}, {"declared", declared}};
    if (options.ahead) line["batch"] = kBatch;
    std::cout << FormatJsonLine(line) << std::endl;
    Serve(worker, options.ahead);
  } else {
    if (options.folders.size() != 2) {
      return InvalidArgument("expected CASE_DIR RESULT_DIR, or --worker");
    }
    const Answer answer = worker.Finish(worker.Prepare(options.folders[0]), options.folders[1]);
    std::cout << FormatJsonLine(answer.fault.empty() ? Json{{"status", Name(answer.status)},
                                                            {"message", answer.message}}
                                                     : Json{{"fault", answer.fault}})
              << std::endl;
  }
  // The threads of a driver may outlive main: no destructor runs into them.
  std::cout.flush();
  _exit(0);
}

std::string AxisNames() {
  std::string names = "all";
  for (const Axis& axis : kAxes) names += StrCat(", ", axis.name);
  return names;
}

void AddWorkerOptions(CLI::App& app, WorkerOptions& options) {
  app.add_option("--device", options.device.device, "A part of the device's name, or its position");
  app.add_option("--queue-family", options.device.queue_family, "The queue family to use");
  app.add_option("--engine", options.device.engine,
                 "default, foreign, or the number of a kind of engine");
  app.add_option("--library", options.device.library, "The loader of Vulkan")
      ->capture_default_str();
  app.add_option("--constants", options.constants,
                 "module, replicated, null, graph or specialization, as render has it")
      ->capture_default_str()
      ->check([](const std::string& name) {
        return ParseSpirvConstants(name) ? "" : "found " + name + ", which is no way";
      });
  app.add_option("--tiling", options.tiling, "packed, strided or optimal")
      ->capture_default_str()
      ->check([](const std::string& name) {
        return std::any_of(std::begin(kTilings), std::end(kTilings),
                           [&](const TilingName& row) { return row.name == name; })
                   ? ""
                   : "found " + name + ", expected packed, strided or optimal";
      });
  app.add_option("--axes", options.axes,
                 "Run every case in these ways as well, and compare: " + AxisNames())
      ->delimiter(',')
      ->check([](const std::string& name) {
        return name == "all" || std::any_of(std::begin(kAxes), std::end(kAxes),
                                            [&](const Axis& axis) { return axis.name == name; })
                   ? ""
                   : "found " + name + ", expected " + AxisNames();
      });
  app.add_flag("!--no-ahead", options.ahead, "Prepare no case while another one runs");
  app.add_flag("--creation-log", options.creation_log,
               "Put the pipeline's CREATION_LOG into right answers as well");
  app.add_option("--session-offset", options.execution.session_offset,
                 "Where the session's memory begins, in multiples of its alignment");
  app.add_option("--declared", options.declared,
                 "Declare this file instead of what the device says");
  app.add_option("--write-declared", options.write_declared, "Write what the device says and end");
  app.add_option("--write-claim", options.write_claim, "Write a claim of it and end");
  app.add_flag("--illegal", options.illegal, "Hand illegal graphs to the driver as well");
  app.add_flag("--worker", options.worker, "Serve many cases");
  app.add_option("FOLDER", options.folders, "CASE_DIR RESULT_DIR");
}

}  // namespace
}  // namespace cts

int main(int argc, char** argv) {
  cts::SetPlainArithmetic();
  CLI::App app("Runs cases of tensor-cts on a device of Vulkan");
  cts::WorkerOptions options;
  cts::AddWorkerOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const cts::StatusOr<int> done = cts::RunWorker(options);
  if (done.ok()) return *done;
  std::cerr << "tensor-cts-vulkan: " << cts::Message(done.status()) << std::endl;
  return 2;
}
