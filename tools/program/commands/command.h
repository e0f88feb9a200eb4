// The subcommands of tensor-cts: each parses its arguments into a struct, calls one library
// function, prints, and returns the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "tools/program/commands/terminal.h"

namespace cts {

// Exit codes, the same for all commands.
inline constexpr int kDone = 0;           // conformant, or done
inline constexpr int kNotConformant = 1;  // checked, and found faulty
inline constexpr int kCannot = 2;         // an error of usage or environment

// The last line of the help of a command that judges nothing.
inline constexpr char kDoneOrCannot[] = "Exit code: 0 done, 2 usage or environment.";

// The work of a subcommand. Parsing the arguments sets `action` to the work of the chosen
// subcommand; the program does this work afterwards.
using Action = std::function<StatusOr<int>()>;

// Each of these functions adds its subcommand to the application.
void AddGate(CLI::App& app, Action& action);
void AddGenerate(CLI::App& app, Action& action);
void AddHelp(CLI::App& app, Action& action);
void AddRun(CLI::App& app, Action& action);
void AddAsk(CLI::App& app, Action& action);
void AddAudit(CLI::App& app, Action& action);
void AddCertify(CLI::App& app, Action& action);
void AddChallenge(CLI::App& app, Action& action);
void AddCheck(CLI::App& app, Action& action);
void AddCompare(CLI::App& app, Action& action);
void AddComplete(CLI::App& app, Action& action);
void AddCoverage(CLI::App& app, Action& action);
void AddDiagnose(CLI::App& app, Action& action);
void AddEval(CLI::App& app, Action& action);
void AddExplain(CLI::App& app, Action& action);
void AddExport(CLI::App& app, Action& action);
void AddImport(CLI::App& app, Action& action);
void AddImportResults(CLI::App& app, Action& action);
void AddInit(CLI::App& app, Action& action);
void AddJudge(CLI::App& app, Action& action);
void AddLaunch(CLI::App& app, Action& action);
void AddLegalize(CLI::App& app, Action& action);
void AddList(CLI::App& app, Action& action);
void AddManual(CLI::App& app, Action& action);
void AddMerge(CLI::App& app, Action& action);
void AddPluginHost(CLI::App& app, Action& action);
void AddQuantize(CLI::App& app, Action& action);
void AddRegistry(CLI::App& app, Action& action);
void AddRender(CLI::App& app, Action& action);
void AddResolve(CLI::App& app, Action& action);
void AddShrink(CLI::App& app, Action& action);
void AddSweep(CLI::App& app, Action& action);
void AddSweepHost(CLI::App& app, Action& action);
void AddUnblind(CLI::App& app, Action& action);
void AddVerify(CLI::App& app, Action& action);
void AddVersion(CLI::App& app, Action& action);
void AddWhich(CLI::App& app, Action& action);

// Adds --jobs. `what` is appended to its help text.
void AddJobsOption(CLI::App& command, int& jobs, const std::string& what = "");
// Adds --filter, with the alias --id: patterns of case ids; it may be repeated.
void AddFilterOption(CLI::App& command, std::vector<std::string>& patterns);
// Adds --json, whose argument is a file or "-". Without an argument, --json means "-".
void AddJsonOption(CLI::App& command, std::string& place);
// Adds --json without an argument, for commands that write files: with this option, they print
// their outcome as one JSON object.
CLI::Option* AddJsonFlag(CLI::App& command, bool& json);
// Adds --passphrase: the file whose first line unlocks an encrypted private key, or is a token's
// PIN.
CLI::Option* AddPassphraseOption(CLI::App& command, std::filesystem::path& passphrase);

// Accepts one of these words. The message for any other word lists the accepted words, and names
// the most similar one.
CLI::Validator OneOf(const std::vector<std::string>& words);

// After this call, SIGINT, SIGTERM and SIGHUP set the returned flag instead of ending the program.
// Commands that must clean up before they end use this function.
const std::atomic<bool>* CatchInterrupts();

// Writes text for people to standard output. Replaces control characters in the text by printable
// ones. Painted (terminal.h) may then add colours.
Status Say(const std::string& text);
// Does the same for messages about the outcome of a command that writes files. With --quiet, writes
// nothing.
Status SayNews(const std::string& text);
// Writes "tensor-cts: MESSAGE" to standard error. Treats control characters and colours as Say
// does.
void Complain(std::string_view message);

// Writes the unchanged text to a file, or to standard output for "-". If `place` is a device, a
// pipe or a link, writes to it and never replaces it by a file.
Status Emit(const std::string& place, const std::string& text);

// Returns an error if Emit cannot write to this place. Call it before long work. Leaves no file
// behind.
Status ProbePlace(const std::string& place);

}  // namespace cts
