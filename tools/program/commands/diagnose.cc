#include "tools/program/audit/diagnose.h"

#include <memory>
#include <optional>
#include <utility>

#include "reference/base/json.h"
#include "tools/program/commands/command.h"

namespace cts {

void AddDiagnose(CLI::App& app, Action& action) {
  struct Options {
    DiagnoseOptions diagnose;
    std::string json;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("diagnose", "Name the wrong rule that a failing implementation follows");
  command->add_option("SUITE", options->diagnose.suite, "The suite, as generate wrote it")
      ->required()
      ->type_name("DIR");
  command->add_option("RESULTS", options->diagnose.results, "The results, as run wrote them")
      ->required()
      ->type_name("DIR");
  AddJsonOption(*command, options->json);
  AddJobsOption(*command, options->diagnose.jobs);
  command
      ->add_option("--failing", options->diagnose.most_failing,
                   "Failing cases of an operator to try, evenly chosen")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command
      ->add_option("--passing", options->diagnose.most_passing,
                   "Passing cases of an operator to try, evenly chosen")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000))
      ->type_name("N");
  command->footer(
      "Tries the known faults of each operator (tensor-cts list faults) on the inputs of failing\n"
      "cases. Prints the faults that give every wrong element of a case and no other wrong\n"
      "element. A fault that passing cases contradict is a guess. Where no fault fits, it says "
      "what the\n"
      "wrong elements have in common.\n\n"
      "Exit code: 0 done, whatever was found; 2 usage or environment.");
  command->callback([&action, command, options] {
    if (command->count("--json") > 0 && options->json.empty()) options->json = "-";
    action = [options]() -> StatusOr<int> {
      if (!options->json.empty()) {
        CTS_RETURN_IF_ERROR(Annotate(ProbePlace(options->json), "--json"));
      }
      std::optional<ProgressBar> bar(std::in_place, "check");
      const auto update = [&bar](size_t done, size_t total) {
        bar->Update(static_cast<int>(done), static_cast<int>(total));
      };
      options->diagnose.check_progress = update;
      bool begun = false;
      options->diagnose.progress = [&](size_t done, size_t total) {
        if (!std::exchange(begun, true)) bar.emplace("diagnose");
        update(done, total);
      };
      CTS_ASSIGN_OR_RETURN(const auto diagnoses, Diagnose(options->diagnose));
      bar.reset();
      if (!options->json.empty()) {
        CTS_RETURN_IF_ERROR(Emit(options->json, FormatJson(DiagnosisToJson(diagnoses))));
      }
      if (options->json != "-") CTS_RETURN_IF_ERROR(Say(FormatDiagnosis(diagnoses)));
      return kDone;
    };
  });
}

}  // namespace cts
