#include "tools/program/certify/certify.h"

#include <memory>
#include <optional>

#include "tools/program/commands/command.h"
#include "tools/program/commands/implementation.h"

namespace cts {
namespace {

// One bar after the other.
StageProgress Bars(std::optional<ProgressBar>& bar) {
  return [&bar, stage = std::string()](std::string_view now, size_t done, size_t total) mutable {
    if (now != stage) bar.emplace(stage = now);
    bar->Update(static_cast<int>(done), static_cast<int>(total));
  };
}

}  // namespace

void AddCertify(CLI::App& app, Action& action) {
  struct Options {
    CertifyOptions certify;
    ImplementationOptions implementation;
  };
  auto options = std::make_shared<Options>();
  CertifyOptions& certify = options->certify;
  CLI::App* command = app.add_subcommand(
      "certify", "Run every case that a claim makes mandatory; write signed evidence");
  command->add_option("--claim", certify.claim, "The claim; to begin with: tensor-cts init claim")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--key", certify.key,
                   "Private Ed25519 key: openssl genpkey -algorithm ed25519 -out FILE;\n"
                   "or the URI of a token's key: pkcs11:...")
      ->required()
      ->type_name("PEM");
  AddPassphraseOption(*command, certify.passphrase);
  AddImplementationOptions(command, options->implementation);
  // The claim says it.
  command->remove_option(command->get_option("--symbolic"));
  command
      ->add_option("--suite", certify.suite,
                   "The mandatory suite, generated before (default: generate it)")
      ->type_name("DIR");
  auto* load = AddUnderLoadOption(command, options->implementation.run);
  auto* blind =
      command->add_option("--blind", certify.answers,
                          "For a blind run: file in which generate --blind sealed the answers");
  blind->type_name("FILE")->excludes("--suite")->excludes(load);
  auto* results =
      command->add_option("--results", certify.results,
                          "Results of the whole suite that are there already, such as of\n"
                          "merge, or of a blind run; nothing runs here");
  results->type_name("DIR")->excludes(load);
  blind->needs(results);
  command
      ->add_flag("--resume", certify.resume,
                 "Continue an interrupted call with the same command; the\n"
                 "statement says how often, and when each part began and ended")
      ->excludes(results);
  command
      ->add_option("--out", certify.out,
                   "Folder for the evidence, or with --archive a file; must not exist")
      ->required()
      ->type_name("EVIDENCE");
  command
      ->add_flag("--pack", options->implementation.run.pack,
                 "One file an operator in the evidence instead of a folder a case")
      ->excludes(blind);
  command->add_flag("--archive", certify.archive,
                    "Write one file instead of a folder: EVIDENCE ends with .tar.zst");
  command->footer(
      "Exit code: 0 everything mandatory passed; 1 something failed (the evidence says FAILED);\n"
      "2 usage or environment, 130 interrupted: then no evidence is written. Once the "
      "implementation\n"
      "has answered, an interrupted call leaves EVIDENCE.partial, which is for --resume alone.");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      CertifyOptions& what = options->certify;
      if (what.results.empty()) {
        CTS_RETURN_IF_ERROR(options->implementation.Resolve("certify"));
      } else if (options->implementation.Given()) {
        return InvalidArgument(
            "certify: found --results beside an implementation, expected one of them: with "
            "--results nothing runs");
      }
      what.run = options->implementation.run;
      what.jobs = what.run.jobs;
      what.stop = CatchInterrupts();
      std::optional<ProgressBar> bar;
      what.progress = Bars(bar);
      StatusOr<Certified> certified = Certify(what);
      bar.reset();
      CTS_RETURN_IF_ERROR(certified.status());
      const bool conformant = Conformant(certified->report);
      CTS_RETURN_IF_ERROR(Say(certified->text));
      return conformant ? kDone : kNotConformant;
    };
  });
}

}  // namespace cts
