#include "tools/program/exchange/convert_network.h"

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "checker/text/printable.h"
#include "reference/base/file.h"
#include "reference/base/new_folder.h"
#include "reference/formats/mlir/mlir_parse.h"
#include "reference/formats/tosa/tosa_flatbuffer.h"
#include "tools/program/run/process.h"
#include "tools/program/run/signals.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr auto kLongest = std::chrono::minutes(5);

struct Tool {
  std::string_view what;                   // it reads
  std::string_view install;                // the line
  std::vector<std::string_view> commands;  // of which the first that is there is taken
  std::vector<std::string> options;
};

Tool ToolFor(NetworkForm form) {
  if (form == NetworkForm::kTfLite) {
    return {"a TensorFlow Lite model",
            "pip install tosa-converter-for-tflite",
            {"tosa-converter-for-tflite"},
            {"--text"}};
  }
  if (form == NetworkForm::kExportedProgram) {
    return {"an exported program of torch",
            "the wheel that tools/release.sh makes has it; what it calls comes by: "
            "pip install executorch torch torchao",
            {"tensor-cts-pt2"},
            {}};
  }
  return {"bytecode of MLIR",
          "apt-get install --no-install-recommends mlir-22-tools",
          {"mlir-opt-22", "/usr/lib/llvm-22/bin/mlir-opt", "mlir-opt"},
          {}};
}

struct Ended {
  std::string output;  // the first lines
  std::string log;
  Process::Exit exit;
};

// Runs a program to its end; nothing if an interrupt or the time ended it.
StatusOr<std::optional<Ended>> Run(std::string_view program,
                                   const std::vector<std::string>& arguments,
                                   SignalScope& signals) {
  CTS_ASSIGN_OR_RETURN(const std::unique_ptr<Process> process,
                       Process::Start(std::string(program), arguments, false, signals.wake_fd()));
  const Clock::time_point deadline = Clock::now() + kLongest;
  Ended ended;
  for (std::string line;;) {
    const Process::Event event = process->Next(deadline, &line);
    if (event == Process::Event::kEnd) break;
    if (event == Process::Event::kDeadline || event == Process::Event::kInterrupted) {
      return std::optional<Ended>();
    }
    constexpr size_t kMost = 1000;
    if (event == Process::Event::kLine && ended.output.size() < kMost) ended.output += line + "\n";
  }
  const std::optional<Process::Exit> exit = process->Finish(deadline);
  if (!exit) return std::optional<Ended>();
  ended.exit = *exit;
  ended.log = process->TakeLog();
  return std::optional(std::move(ended));
}

constexpr int kNoSuchCommand = 127;

// The line of what a tool says of its version that has a digit, in short.
std::string VersionIn(std::string_view text) {
  constexpr size_t kMost = 80;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.find_first_of("0123456789") == line.npos) continue;
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return Shortened(Printable(line), kMost);
  }
  return "of an unknown version";
}

}  // namespace

StatusOr<ConvertedNetwork> ConvertNetwork(const fs::path& file, NetworkForm form,
                                          const fs::path& beside) {
  const Tool tool = ToolFor(form);
  SignalScope signals;
  CTS_RETURN_IF_ERROR(signals.Install());
  CTS_ASSIGN_OR_RETURN(const NewFolder folder, NewFolder::Beside(beside));
  const bool is_text = form != NetworkForm::kExportedProgram;
  const fs::path made_file = folder.path() / (is_text ? "network.mlir" : "network.tosa");
  for (const std::string_view command : tool.commands) {
    CTS_ASSIGN_OR_RETURN(const std::optional<Ended> version, Run(command, {"--version"}, signals));
    if (version && version->exit.code == kNoSuchCommand) continue;
    std::vector<std::string> arguments = tool.options;
    arguments.insert(arguments.end(),
                     {fs::absolute(file).string(), "-o", fs::absolute(made_file).string()});
    CTS_ASSIGN_OR_RETURN(const std::optional<Ended> ended, Run(command, arguments, signals));
    const std::string name = fs::path(command).filename().string();
    if (!ended) {
      return Unavailable(file.string(), ": ", name, " was interrupted, or took longer than ",
                         kLongest.count(), " minutes");
    }
    if (!ended->exit.Clean()) {
      return InvalidArgument(
          file.string(), ": ", name, " ", ExitText(ended->exit), ": ",
          Shortened(Printable(ended->log.empty() ? ended->output : ended->log), 1000));
    }
    StatusOr<std::string> made = ReadFile(made_file, is_text ? kMaxMlirText : kMaxTosaBytes);
    if (!made.ok()) return Annotate(made.status(), name);
    return ConvertedNetwork{
        *std::move(made),
        StrCat(name, " ", version ? VersionIn(version->output) : "of an unknown version")};
  }
  return InvalidArgument(file.string(), ": ", tool.what, ", which ", tool.commands.front(),
                         is_text ? " makes text of" : " makes a .tosa file of",
                         "; found no such command, install it: ", tool.install);
}

}  // namespace cts
