#include "tools/program/blind/unblind.h"

#include <memory>
#include <optional>

#include "reference/base/new_folder.h"
#include "tools/program/commands/command.h"

namespace cts {

void AddUnblind(CLI::App& app, Action& action) {
  struct Options {
    UnblindOptions unblind;
    std::filesystem::path answers, out;
  };
  auto options = std::make_shared<Options>();
  UnblindOptions& unblind = options->unblind;
  CLI::App* command = app.add_subcommand(
      "unblind", "Put results of a blind suite beside the suite that answers them");
  command
      ->add_option("RESULTS", unblind.results, "The results of the blind suite, as run left them")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--answers", options->answers,
                   "File in which generate --blind sealed the answers")
      ->required()
      ->type_name("FILE");
  AddJobsOption(*command, unblind.jobs, "");
  command->add_option("--out", options->out, "Folder for suite/ and results/: a new or empty one")
      ->required()
      ->type_name("DIR");
  command->footer(
      "Then: tensor-cts check DIR/suite DIR/results. Refuses results of another suite, of a part\n"
      "of it, or changed since the run. Exit code: 0 done, 2 refused, 130 interrupted: then "
      "nothing\n"
      "is written.");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      UnblindOptions& what = options->unblind;
      CTS_ASSIGN_OR_RETURN(what.answers, ReadAnswers(options->answers));
      CTS_RETURN_IF_ERROR(RequireNoFolder(options->out));
      CTS_ASSIGN_OR_RETURN(NewFolder folder, NewFolder::Beside(options->out));
      std::optional<ProgressBar> bar(std::in_place, "generate");
      what.progress = [&bar](size_t done, size_t total) {
        bar->Update(static_cast<int>(done), static_cast<int>(total));
      };
      what.stop = CatchInterrupts();
      StatusOr<Suite> suite = Unblind(what, folder.path(), options->out);
      bar.reset();
      if (what.stop->load()) return Unavailable("unblind: interrupted; nothing was written");
      CTS_RETURN_IF_ERROR(suite.status());
      CTS_RETURN_IF_ERROR(folder.PutWithPermissionsOf(what.results));
      CTS_RETURN_IF_ERROR(SayNews(
          StrCat(suite->cases.size(), " results in ", (options->out / "results").string(), ", of ",
                 (options->out / "suite").string(), ", digest ", suite->digest, "\n")));
      return kDone;
    };
  });
}

}  // namespace cts
