// tensor-cts-vulkan: an adapter for devices of Vulkan that run graphs of TOSA (README.md).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>
#include <utility>

#include "checker/claim.h"
#include "checker/declared.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/bundle/case.h"
#include "reference/evaluate/infer_shapes.h"
#include "reference/formats/spirv.h"
#include "reference/formats/spirv_wire.h"
#include "reference/formats/unsupported.h"
#include "reference/graph/call.h"
#include "reference/ops/conditions.h"
#include "reference/ops/operator.h"
#include "tools/adapters/vulkan/device.h"
#include "tools/adapters/vulkan/execution.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

struct WorkerOptions {
  DeviceChoice device;
  std::string constants = "module";
  ExecutionOptions execution;
  fs::path declared, write_declared, write_claim;
  bool worker = false, illegal = false;
  std::vector<std::string> folders;
};

// The ERROR_IF or the rule of the argument tables that the operator breaks; empty if it breaks
// none. What depends on run-time values makes no graph illegal, and is not looked at.
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

class Worker {
 public:
  Worker(const WorkerOptions& options, Device device)
      : options_(options), device_(std::move(device)) {}

  StatusOr<Json> Declare() const {
    if (!options_.declared.empty()) {
      CTS_ASSIGN_OR_RETURN(const Declared given, ReadDeclared(options_.declared, kDefaultEdition));
      return DeclaredToJson(given);
    }
    return DeclaredToJson(DeclaredOf(device_.offer()));
  }

  // The answers of the device's own queries. Names of profiles that the edition does not have say
  // nothing.
  static Declared DeclaredOf(const DeviceOffer& offer) {
    const Edition& edition = **FindEdition(kDefaultEdition);
    Declared declared;
    declared.edition = std::string(kDefaultEdition);
    for (const auto* names : {&offer.profiles, &offer.extensions}) {
      for (const DeviceOffer::Named& named : *names) {
        const bool known =
            std::any_of(edition.profiles.begin(), edition.profiles.end(),
                        [&](const ProfileSpec& profile) { return profile.name == named.name; });
        if (!known) continue;
        if (!declared.profiles) declared.profiles.emplace();
        if (named.name.starts_with("EXT-")) {
          declared.extensions.push_back(named.name);
        } else {
          declared.profiles->push_back(named.name);
        }
      }
    }
    declared.operators.emplace();
    for (const spirv::Instruction& row : spirv::Instructions()) {
      declared.operators->emplace_back(row.op);
    }
    std::sort(declared.operators->begin(), declared.operators->end());
    declared.types.emplace();
    for (const DType dtype : offer.types) declared.types->emplace_back(Name(dtype));
    declared.max_rank = offer.max_rank;
    declared.max_dimension = offer.max_dimension;
    declared.max_elements = offer.max_elements;
    return declared;
  }

  // One case: the status and the message of an answer.
  std::pair<std::string, std::string> Answer(const fs::path& case_dir, const fs::path& out) {
    const Status done = RunCase(case_dir, out);
    if (done.ok()) return {"ok", ""};
    if (absl::IsUnimplemented(done)) return {"unsupported", Message(done)};
    if (absl::IsInvalidArgument(done)) return {"error", Message(done)};
    // A lost device, or no file to write: the process ends, and this case alone is a crash.
    std::cerr << Message(done) << std::endl;
    _exit(1);
  }

 private:
  Status RunCase(const fs::path& case_dir, const fs::path& out) {
    StatusOr<Case> read = ReadCaseInputs(case_dir);
    if (!read.ok()) return Unavailable(Message(read.status()));
    const Case& c = *read;
    CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(c.edition));
    CTS_ASSIGN_OR_RETURN(
        const SpirvModule module,
        EncodeSpirv(c.graph, *edition,
                    {.constants = *ParseSpirvConstants(options_.constants), .lower = true}));
    if (options_.constants == "specialization" && !device_.offer().specialization_constants) {
      return Unsupported("the device has no dataGraphSpecializationConstants");
    }
    if (!options_.illegal) {
      const std::string broken = BrokenCondition(c, *edition);
      if (!broken.empty()) {
        return Unsupported("the graph breaks ", broken, ", and a driver owes nothing for a module ",
                           "that is not valid; --illegal hands it on");
      }
    }
    CTS_ASSIGN_OR_RETURN(const std::unique_ptr<GraphOnDevice> graph,
                         GraphOnDevice::Prepare(device_, module, options_.execution));
    int execution = 0;
    for (const ExecutionInputs& given : c.InputsOfExecutions()) {
      std::vector<const Tensor*> inputs;
      for (const SpirvPort& port : module.inputs) inputs.push_back(&given->at(port.tensor));
      CTS_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, graph->Run(inputs));
      for (size_t i = 0; i < outputs.size(); ++i) {
        const GraphTensor& tensor = *c.graph.main().Find(module.outputs[i].tensor);
        // As the case has it: lowering changed the type or the shape and no byte.
        Tensor output(tensor.dtype, tensor.shape);
        output.bytes() = outputs[i].bytes();
        const fs::path file = out / (ResultName(tensor.name, execution) + ".npy");
        if (const Status written = WriteNpy(file, output); !written.ok()) {
          return Unavailable(Message(written));
        }
      }
      ++execution;
    }
    return absl::OkStatus();
  }

  const WorkerOptions& options_;
  const Device device_;
};

// The claim of the device itself. Its name and driver, level and profiles are the device's.
Claim ClaimOf(const Device& device, const Declared& declared) {
  Claim claim;
  claim.name = "vulkan";
  claim.version = device.driver();
  claim.vendor = "(who claims)";
  claim.hardware = device.name();
  claim.edition = std::string(kDefaultEdition);
  claim.level = device.offer().level_8k ? "8K" : "none";
  if (declared.profiles) claim.profiles = *declared.profiles;
  claim.extensions = declared.extensions;
  claim.declared = declared;
  return claim;
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
                << ((named.quality & 2) != 0 ? ", conformant" : "")
                << ((named.quality & 4) != 0 ? ", experimental" : "")
                << ((named.quality & 8) != 0 ? ", deprecated" : "") << "\n";
    }
  }
  std::cerr << "level " << (offer.level_8k ? "8K" : "none") << ", rank " << offer.max_rank << ", "
            << offer.max_elements << " elements, " << offer.max_bytes << " bytes; types";
  for (const DType dtype : offer.types) std::cerr << " " << Name(dtype);
  std::cerr << std::endl;
}

void Serve(Worker& worker) {
  std::string line;
  while (std::getline(std::cin, line)) {
    const StatusOr<Json> request = ParseJson(line, "request");
    if (!request.ok()) {
      std::cerr << Message(request.status()) << std::endl;
      _exit(1);
    }
    const auto [status, message] = worker.Answer((*request)["case_dir"].get<std::string>(),
                                                 (*request)["result_dir"].get<std::string>());
    Json answer = {{"case", (*request)["case"]}, {"status", status}};
    if (!message.empty()) answer["message"] = message;
    std::cout << FormatJsonLine(answer) << std::endl;
  }
}

StatusOr<int> RunWorker(const WorkerOptions& options) {
  CTS_ASSIGN_OR_RETURN(Device device, Device::Open(options.device));
  if (!options.write_declared.empty() || !options.write_claim.empty()) {
    const Declared declared = Worker::DeclaredOf(device.offer());
    Describe(device);
    if (!options.write_declared.empty()) {
      CTS_RETURN_IF_ERROR(SaveJson(options.write_declared, DeclaredToJson(declared)));
    }
    if (!options.write_claim.empty()) {
      CTS_RETURN_IF_ERROR(SaveJson(options.write_claim, ClaimToJson(ClaimOf(device, declared))));
    }
    return 0;
  }
  const std::string version = StrCat(device.name(), ", driver ", device.driver());
  Worker worker(options, std::move(device));
  if (options.worker) {
    CTS_ASSIGN_OR_RETURN(const Json declared, worker.Declare());
    std::cout << FormatJsonLine(
                     {{"worker", "vulkan"}, {"version", version}, {"declared", declared}})
              << std::endl;
    Serve(worker);
  } else {
    if (options.folders.size() != 2) {
      return InvalidArgument("expected CASE_DIR RESULT_DIR, or --worker");
    }
    const auto [status, message] = worker.Answer(options.folders[0], options.folders[1]);
    std::cout << FormatJsonLine({{"status", status}, {"message", message}}) << std::endl;
  }
  // The threads of a driver may outlive main: no destructor runs into them.
  std::cout.flush();
  _exit(0);
}

void AddWorkerOptions(CLI::App& app, WorkerOptions& options) {
  app.add_option("--device", options.device.device, "A part of the device's name, or its position");
  app.add_option("--queue-family", options.device.queue_family, "The queue family to use");
  app.add_option("--library", options.device.library, "The loader of Vulkan")
      ->capture_default_str();
  app.add_option("--constants", options.constants,
                 "module, replicated, null, graph or specialization, as render has it")
      ->capture_default_str()
      ->check([](const std::string& name) {
        return ParseSpirvConstants(name) ? "" : "found " + name + ", which is no way";
      });
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
