#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "absl/strings/str_join.h"
#include "reference/base/file_type.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/implementation.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

struct LegalizeArguments {
  std::string source, converter, python, out;
  std::vector<std::string> operators, types, cases;
  std::optional<int> within, jobs;
  bool list = false, shrink = false;
};

StatusOr<fs::path> ThisProgram() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return Unavailable("/proc/self/exe: cannot be read: ", error.message());
  return self;
}

// The folder of the scripts: of an installation, of a wheel, of the sources whose build tree is a
// folder in build/.
StatusOr<fs::path> ScriptsFor(const fs::path& program) {
  const fs::path beside = program.parent_path();
  std::vector<std::string> tried;
  for (const std::string_view place :
       {"../share/tensor-cts/legalize", "../legalize", "../../../tools/legalize"}) {
    fs::path folder = (beside / place).lexically_normal();
    CTS_ASSIGN_OR_RETURN(const bool there, Exists(folder / "legalize.py"));
    if (there) return folder;
    tried.push_back(folder.string());
  }
  return NotFound("legalize: found no legalize.py, expected it in ", absl::StrJoin(tried, ", "),
                  "; install tensor-cts again, by its package, its wheel or cmake --install");
}

std::vector<std::string> CommandOf(const LegalizeArguments& given, const fs::path& script,
                                   const fs::path& program) {
  // No bytecode is left in a folder that a package manager owns.
  std::vector<std::string> words = {given.python.empty() ? DefaultPython() : given.python, "-B",
                                    script.string(), StrCat("--tensor-cts=", program.string())};
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) words.push_back(StrCat(option, "=", value));
  };
  add("--source", given.source);
  add("--converter", given.converter);
  for (const std::string& each : given.operators) add("--operator", each);
  for (const std::string& each : given.types) add("--type", each);
  for (const std::string& each : given.cases) add("--case", each);
  if (given.within) add("--within", StrCat(*given.within));
  if (given.jobs) add("--jobs", StrCat(*given.jobs));
  if (given.list) words.emplace_back("--list");
  if (given.shrink) words.emplace_back("--shrink");
  if (TheVolume() == Volume::kQuiet) words.emplace_back("--quiet");
  if (TheVolume() == Volume::kVerbose) words.emplace_back("--verbose");
  add("--out", given.out);
  return words;
}

// The script takes this program's place: its exit code, its output and its way to end by a signal
// are this program's own.
StatusOr<int> RunLegalize(const LegalizeArguments& given) {
  if (given.out.empty() && !given.list) {
    return InvalidArgument("legalize: --out is missing, expected a folder that does not exist, or ",
                           "is empty; --list prints what would be tried");
  }
  CTS_ASSIGN_OR_RETURN(const fs::path program, ThisProgram());
  CTS_ASSIGN_OR_RETURN(const fs::path scripts, ScriptsFor(program));
  std::vector<std::string> words = CommandOf(given, scripts / "legalize.py", program);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return Unavailable("legalize: ", words[0], ": cannot be started: ", std::strerror(errno),
                     "; expected Python 3.10 or later with the framework: apt-get install "
                     "python3-venv && python3 ",
                     "-m venv legalize && legalize/bin/pip install --require-hashes -r ",
                     (scripts / "requirements.txt").string(),
                     "; then give --python legalize/bin/python3");
}

}  // namespace

void AddLegalize(CLI::App& app, Action& action) {
  auto given = std::make_shared<LegalizeArguments>();
  CLI::App* command = app.add_subcommand("legalize", "Judge a converter to TOSA by a framework");
  command->add_option("--source", given->source, "The framework: its operators, on its own kernels")
      ->check(OneOf({"tflite", "torch"}))
      ->default_str("tflite")
      ->type_name("NAME");
  command
      ->add_option("--converter", given->converter,
                   "For tflite: the converter's command, with {model} and {out} in\n"
                   "it (default: tosa-converter-for-tflite {model} --text -o {out})")
      ->type_name("COMMAND");
  command
      ->add_option("--operator", given->operators,
                   "Only this one, such as CONV_2D; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME");
  command
      ->add_option("--type", given->types,
                   "Only operands of this type, such as int8; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME");
  command->add_option("--case", given->cases, "Only ids that match: 'add/int8-*'; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("PATTERN");
  command
      ->add_option("--within", given->within,
                   "Quantized results may differ by N last places (default: 1)")
      ->check(CLI::Range(0, 1000000))
      ->type_name("N");
  command->add_option("--jobs", given->jobs, "Processes (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_flag("--list", given->list, "Print the ids of the cases, and do nothing");
  command->add_flag("--shrink", given->shrink,
                    "Make the smallest model of each deviation: minutes each");
  command
      ->add_option("--python", given->python,
                   "The Python that has the framework (default: TENSOR_CTS_PYTHON\n"
                   "of the environment, or python3)")
      ->type_name("PROGRAM");
  command
      ->add_option("--out", given->out,
                   "Folder for legalize.json, legalize.html and the files of\n"
                   "deviations: a new or empty one")
      ->type_name("DIR");
  command->footer(
      "Each operator runs on the framework's own kernels; the reference runs the converter's\n"
      "graph of it. Framework and converter are packages of Python: where they are missing, the "
      "command\n"
      "says how to install them.\n\n"
      "Exit code: 0 no graph is wrong, 1 one is, 2 usage or environment.");
  command->callback([&action, given] { action = [given] { return RunLegalize(*given); }; });
}

}  // namespace cts
