#include <fcntl.h>
#include <gmp.h>
#include <openssl/crypto.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/build_state.h"
#include "checker/report/report.h"
#include "generator/recipe/recipe.h"
#include "reference/base/out_of_memory.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/ops/conditions.h"
#include "reference/spec/edition.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/terminal.h"
#include "tools/program/commands/usage.h"
#include "tools/program/run/signals.h"

namespace {

// ":{one,two}", the words that an option takes, as CLI11 writes them behind its name; empty if they
// are few enough to stay there, or any word may stand there.
std::string ManyWords(const std::string& type) {
  constexpr size_t kFew = 40;
  const size_t begin = type.find(":{");
  if (begin == std::string::npos) return "";
  const std::string words = type.substr(begin, type.find('}', begin) + 1 - begin);
  return words.size() > kFew ? words : "";
}

// Many words stand in the right column; options of all commands in no command's own list.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    const std::string words = ManyWords(text);
    if (!words.empty()) text.erase(text.find(words), words.size());
    return text;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_desc(option);
    const std::string words = ManyWords(option->get_type_name());
    if (words.empty()) return text;
    std::string spaced;
    for (const char c : words.substr(2, words.size() - 3))
      spaced += c == ',' ? ", " : std::string(1, c);
    constexpr size_t kRightColumn = 66;
    return text + "\n" + cts::Fold("one of " + spaced, 0, kRightColumn);
  }
  std::string make_footer(const CLI::App* app) const override {
    std::string footer = CLI::Formatter::make_footer(app);
    if (app->get_parent() == nullptr) return footer;
    return footer + (footer.empty() ? "" : "\n") +
           "--edition-file FILE, before or behind any command, adds an edition of your own;\n"
           "--quiet and --verbose make it print less and more.\n";
  }
};

// The commands, grouped by the user's purpose, in the order of the help.
void AddCommands(CLI::App& app, cts::Action& action) {
  using Add = void (*)(CLI::App&, cts::Action&);
  const auto group = [&](const char* name, std::initializer_list<Add> commands) {
    for (const Add add : commands) {
      add(app, action);
      app.get_subcommands([](auto*) { return true; }).back()->group(name);
    }
  };
  group("Make", {cts::AddInit, cts::AddGenerate, cts::AddResolve, cts::AddQuantize});
  group("Run", {cts::AddRun, cts::AddLaunch, cts::AddMerge, cts::AddSweep});
  group("Judge", {cts::AddCheck, cts::AddGate, cts::AddCompare, cts::AddJudge, cts::AddAsk});
  group("Explain",
        {cts::AddExplain, cts::AddDiagnose, cts::AddShrink, cts::AddWhich, cts::AddEval});
  group("Measure", {cts::AddAudit, cts::AddCoverage, cts::AddLegalize});
  group("Exchange", {cts::AddImport, cts::AddExport, cts::AddImportResults, cts::AddRender});
  group("Certify",
        {cts::AddCertify, cts::AddVerify, cts::AddUnblind, cts::AddChallenge, cts::AddRegistry});
  group("Look up", {cts::AddList, cts::AddVersion, cts::AddHelp});
  // The program starts these for itself: no list names them.
  group("", {cts::AddSweepHost, cts::AddPluginHost, cts::AddComplete, cts::AddManual});
}

int Main(int argc, char** argv) {
  CLI::App app{
      "Generates conformance suites for tensor operator sets (TOSA), runs implementations over "
      "them\n"
      "and judges the results. A first walk:\n\n"
      "  tensor-cts generate --recipe smoke --out smoke\n"
      "  tensor-cts run smoke --implementation builtin:native --out results\n"
      "  tensor-cts check smoke results\n\n"
      "Exit codes: 0 conformant or done, 1 not conformant, 2 usage or environment;\n"
      "130 interrupted by Ctrl-C (128 + the signal).\n"
      "NO_COLOR, CLICOLOR_FORCE and COLUMNS are obeyed."};
  app.name("tensor-cts");
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(34);
  app.fallthrough();
  app.set_version_flag("-V,--version",
                       cts::StrCat("tensor-cts ", cts::ThisBuild().version, CTS_VERSION_SUFFIX),
                       "Print the version and exit");
  std::vector<std::string> edition_files;
  app.add_option("--edition-file", edition_files, "An edition of your own beside the built-in ones")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  bool quiet = false, verbose = false;
  CLI::Option* const quietly =
      app.add_flag("-q,--quiet", quiet, "Print errors and verdicts, and what was asked for");
  app.add_flag("--verbose", verbose, "Name every failure; show progress also without a terminal")
      ->excludes(quietly);
  cts::Action action;
  AddCommands(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      std::cerr << cts::UsageError(app, error);
      return cts::kCannot;
    }
    // --help or --version.
    if (const std::string refusal = cts::HelpOfNoCommand(app); !refusal.empty()) {
      std::cerr << refusal;
      return cts::kCannot;
    }
    std::ostringstream text;
    app.exit(error, text, text);
    const cts::Status said = cts::Say(text.str());
    if (said.ok()) return cts::kDone;
    cts::Complain(cts::Message(said));
    return cts::kCannot;
  }
  for (const std::string& file : edition_files) {
    cts::Status added = cts::AddEdition(file);
    if (added.ok()) {
      const cts::Edition& edition = **cts::FindEdition(cts::EditionIds().back());
      added = cts::Annotate(cts::CheckOwnConditions(edition), file);
      added.Update(cts::Annotate(cts::FindRecipe(edition.certify).status(), file + ": /certify"));
    }
    if (!added.ok()) {
      cts::Complain(cts::Message(added));
      return cts::kCannot;
    }
  }
  if (quiet || verbose) cts::SetVolume(quiet ? cts::Volume::kQuiet : cts::Volume::kVerbose);
  // A command that the program starts for itself ends without a word.
  if (!app.get_subcommands().front()->get_group().empty()) cts::EndInterruptsWithALine();
  const cts::StatusOr<int> code = action();
  if (!code.ok()) {
    cts::Complain(cts::Message(code.status()));
    if (const int signal = cts::RememberedSignal(); signal != 0) cts::EndBySignal(signal);
    return cts::kCannot;
  }
  return *code;
}

[[noreturn]] void EndWithoutMemory() {
  constexpr std::string_view kMessage =
      "tensor-cts: not enough memory; free some, or allow more (ulimit -v)\n";
  // Nothing is flushed: no half output looks whole.
  while (write(2, kMessage.data(), kMessage.size()) < 0 && errno == EINTR) {
  }
  _exit(cts::kCannot);
}

volatile std::sig_atomic_t allocation_failed = 0;

// std::get_new_handler.
[[noreturn]] void RememberThatMemoryEnded() {
  allocation_failed = 1;
  throw std::bad_alloc();
}

// Memory may end within code that must not throw, such as an increment of std::filesystem.
[[noreturn]] void Terminate() {
  if (allocation_failed != 0) EndWithoutMemory();
  std::abort();
}

// Compilers and libraries lose count of what they have built when an allocation fails halfway: they
// may then destroy something that is no object.
struct sigaction before_us {};
void EndAfterFailedAllocation(int /*signal*/) {
  if (allocation_failed != 0) EndWithoutMemory();
  sigaction(SIGSEGV, &before_us, nullptr);  // the access is tried again
}
void InstallEndAfterFailedAllocation() {
  struct sigaction ours {};
  ours.sa_handler = EndAfterFailedAllocation;
  sigaction(SIGSEGV, &ours, &before_us);
}

// GMP's own call abort().
void* ReallocateForGmp(void* memory, size_t /*before*/, size_t bytes) {
  void* const more = std::realloc(memory, bytes);
  if (more == nullptr) EndWithoutMemory();
  return more;
}
void* AllocateForGmp(size_t bytes) { return ReallocateForGmp(nullptr, 0, bytes); }

// OpenSSL uses locks that it could not make. While the process ends it does without.
bool is_ending = false;
void* ReallocateForOpenSsl(void* memory, size_t bytes, const char* /*file*/, int /*line*/) {
  if (bytes > 0 && is_ending) return std::realloc(memory, bytes);
  if (bytes > 0) return ReallocateForGmp(memory, 0, bytes);
  std::free(memory);
  return nullptr;
}
void* AllocateForOpenSsl(size_t bytes, const char* file, int line) {
  return ReallocateForOpenSsl(nullptr, bytes, file, line);
}
void FreeForOpenSsl(void* memory, const char* /*file*/, int /*line*/) { std::free(memory); }

}  // namespace

// One of the two places where exceptions end: the standard library's (no memory, a file system that
// changes under us) become an exit code.
int main(int argc, char** argv) {
  cts::SetPlainArithmetic();
  // A file must not take the place of a standard stream that was closed.
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) close(fd);
  // A reader that has seen enough, such as head, ends the program without a word. Python and some
  // CIs start programs with this signal ignored.
  std::signal(SIGPIPE, SIG_DFL);
  // A file that may not grow is an error that says which; a handler, unlike SIG_IGN, is not handed
  // on to adapters.
  std::signal(SIGXFSZ, [](int) {});
  std::set_new_handler(RememberThatMemoryEnded);
  std::set_terminate(Terminate);
  InstallEndAfterFailedAllocation();
  mp_set_memory_functions(AllocateForGmp, ReallocateForGmp, nullptr);
  CRYPTO_set_mem_functions(AllocateForOpenSsl, ReallocateForOpenSsl, FreeForOpenSsl);
  try {
    const int code = Main(argc, argv);
    is_ending = true;
    return code;
  } catch (const std::bad_alloc&) {
    cts::Complain(cts::Message(cts::OutOfMemory("")));
    return cts::kCannot;
  } catch (const std::exception& error) {
    cts::Complain(error.what());
    return cts::kCannot;
  }
}
