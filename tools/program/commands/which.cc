#include "tools/program/which/which.h"

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "generator/partial_suite.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/implementation.h"
#include "tools/program/exchange/import_network.h"

namespace cts {
namespace {

struct WhichArguments {
  std::filesystem::path network;
  std::vector<std::string> inputs;
  std::optional<uint64_t> random;
  std::string edition{kDefaultEdition}, level;
  ImplementationOptions implementation;
  WhichOptions which;
  bool json = false;
};

std::string_view KindName(OperatorAlone::Kind kind) {
  switch (kind) {
    case OperatorAlone::Kind::kRight:
      return "right";
    case OperatorAlone::Kind::kWrong:
      return "wrong";
    case OperatorAlone::Kind::kNotSupported:
      return "not supported";
    case OperatorAlone::Kind::kNotJudged:
      return "not judged";
  }
  return "";
}

std::string OperatorLine(const OperatorAlone& found) {
  return StrCat("operator ", found.position, ", ", Printable(found.op), ", makes ",
                Printable(found.makes), ": ", KindName(found.kind),
                found.message.empty() ? "" : ": " + Printable(found.message), "\n");
}

std::string TextOf(const Which& which) {
  std::string text;
  for (const OperatorAlone& found : which.operators) text += OperatorLine(found);
  const size_t silent = which.Count(OperatorAlone::Kind::kNotSupported) +
                        which.Count(OperatorAlone::Kind::kNotJudged);
  const OperatorAlone* const first = which.FirstWrong();
  if (first != nullptr) {
    text += StrCat("explain: tensor-cts explain ", ShellQuoted(first->results.string()), " ",
                   ShellQuoted(first->id), "\n");
  }
  text += StrCat(which.operators.size(), " of ", which.total,
                 " operators ran: ", which.Count(OperatorAlone::Kind::kRight), " right, ",
                 which.Count(OperatorAlone::Kind::kWrong), " wrong, ", silent,
                 " not supported or not judged\n");
  if (first != nullptr) {
    return StrCat(text, "FIRST WRONG: operator ", first->position, ", ", Printable(first->op),
                  "\n");
  }
  return text + (silent == 0 ? "EVERY OPERATOR IS RIGHT\n"
                             : "NO OPERATOR IS WRONG, BUT NOT ALL WERE JUDGED\n");
}

Json FactsOf(const Which& which, const std::vector<std::string>& notes) {
  Json facts = {{"total", which.total}, {"notes", notes}, {"operators", Json::array()}};
  for (const OperatorAlone& found : which.operators) {
    Json one = {{"position", found.position},
                {"operator", found.op},
                {"makes", found.makes},
                {"outcome", std::string(KindName(found.kind))},
                {"message", found.message}};
    if (!found.results.empty()) {
      one["results"] = found.results.string();
      one["case"] = found.id;
    }
    facts["operators"].push_back(std::move(one));
  }
  const OperatorAlone* const first = which.FirstWrong();
  facts["first_wrong"] = first == nullptr ? Json() : Json(first->position);
  return facts;
}

StatusOr<int> RunWhich(WhichArguments& given) {
  CTS_RETURN_IF_ERROR(given.implementation.Resolve("which"));
  WhichOptions& which = given.which;
  which.run = given.implementation.run;
  which.suite = given.network;
  std::vector<std::string> notes;
  CTS_ASSIGN_OR_RETURN(const bool is_suite, Exists(given.network / "suite.json"));
  if (!is_suite) {
    NetworkOptions network;
    network.file = given.network;
    network.inputs = given.inputs;
    network.random = given.random;
    network.edition = given.edition;
    network.level = given.level;
    network.out = which.out / "network";
    which.suite = network.out;
    which.out /= "operators";
    // A converter takes a while: what is wrong with the folder is said before.
    CTS_RETURN_IF_ERROR(CheckFree(network.out));
    CTS_RETURN_IF_ERROR(CheckFree(which.out));
    CTS_ASSIGN_OR_RETURN(const ImportedNetwork imported, ImportNetwork(network));
    notes = imported.notes;
    std::string text;
    for (const std::string& note : notes) text += StrCat("note: ", Printable(note), "\n");
    if (!given.json && !text.empty()) CTS_RETURN_IF_ERROR(SayNews(text));
  } else if (!given.inputs.empty() || given.random) {
    return InvalidArgument(
        "which: --input and --random are for a .tosa file or MLIR text, found the suite ",
        given.network.string(), ", which holds its inputs");
  }
  const std::atomic<bool>* const stop = CatchInterrupts();
  which.stop = stop;
  std::optional<ProgressBar> bar(std::in_place, "which");
  which.progress = [&](size_t done, size_t total) {
    // A signal that came before the run began to listen.
    if (*stop) std::raise(SIGINT);
    bar->Update(static_cast<int>(done), static_cast<int>(total));
  };
  const StatusOr<Which> found = FindWrongOperator(which);
  bar.reset();
  if (!found.ok()) {
    // The same call with another implementation finds the folder free.
    std::error_code ignored;
    if (!is_suite) std::filesystem::remove_all(which.suite, ignored);
    if (!is_suite) std::filesystem::remove_all(which.out, ignored);
    return found.status();
  }
  if (given.json) {
    CTS_RETURN_IF_ERROR(Emit("-", FormatJson(FactsOf(*found, notes))));
  } else {
    CTS_RETURN_IF_ERROR(
        Say(TheVolume() == Volume::kQuiet ? LastLine(TextOf(*found)) + "\n" : TextOf(*found)));
  }
  return found->FirstWrong() == nullptr ? kDone : kNotConformant;
}

}  // namespace

void AddWhich(CLI::App& app, Action& action) {
  auto given = std::make_shared<WhichArguments>();
  CLI::App* command =
      app.add_subcommand("which", "Find the first operator of a network that is wrong");
  command
      ->add_option("NETWORK", given->network,
                   "A .tosa file or MLIR text; or a suite of it, as import wrote it")
      ->required()
      ->type_name("PATH");
  command->add_option("--input", given->inputs, "Values of an input; one for each input of a file")
      ->type_name("NAME=FILE.npy");
  command->add_option("--random", given->random, "For a file: other inputs get random values")
      ->type_name("SEED");
  AddImplementationOptions(command, given->implementation);
  // Each operator takes what the one before it made.
  command->remove_option(command->get_option("--jobs"));
  command->add_option("--id", given->which.id, "The case, where a suite has several")
      ->type_name("ID");
  command->add_option("--edition", given->edition, "Edition of a file")
      ->capture_default_str()
      ->type_name("EDITION");
  command
      ->add_option("--level", given->level,
                   "Level of a file, such as 8K (default: the edition's narrowest)")
      ->type_name("LEVEL");
  command->add_flag("--all", given->which.all, "Go on behind the first wrong operator");
  command->add_option("--out", given->which.out, "Folder for a suite and results of each operator")
      ->required()
      ->type_name("DIR");
  AddJsonFlag(*command, given->json);
  command->footer(
      "Each operator runs alone, on the implementation's own results of the operators before it,\n"
      "and is judged by its own rule.\n\n"
      "Exit code: 0 no operator is wrong, 1 one is, 2 usage or environment.");
  command->callback([&action, given] { action = [given] { return RunWhich(*given); }; });
}

}  // namespace cts
