#include "tools/program/certify/verify.h"

#include <memory>
#include <optional>

#include "tools/program/commands/command.h"

namespace cts {

void AddVerify(CLI::App& app, Action& action) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command =
      app.add_subcommand("verify", "Check evidence: its signature, its claim and its results");
  command
      ->add_option("EVIDENCE", options->evidence,
                   "The evidence, as certify wrote it: a folder or a .tar.zst")
      ->required()
      ->type_name("DIR|FILE");
  command
      ->add_option("--key", options->key,
                   "The signer's public Ed25519 key: openssl pkey -in KEY -pubout")
      ->required()
      ->type_name("PEM");
  command->add_flag("--regenerate", options->regenerate,
                    "Make every case again and compare it with the evidence");
  AddJobsOption(*command, options->jobs);
  command->footer(
      "Exit code: 0 it holds, and the implementation passed; 1 it does not hold, or says FAILED;\n"
      "2 usage or environment: a key or the evidence cannot be read, the evidence is of another "
      "build\n"
      "that is no release, an archive is damaged or not as certify writes it; 130 interrupted.\n"
      "An archive is unpacked into a folder in TMPDIR, which is removed at the end.");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      options->stop = CatchInterrupts();
      std::optional<ProgressBar> bar;
      std::string stage;
      options->progress = [&](std::string_view now, size_t done, size_t total) {
        if (now != stage) bar.emplace(stage = now);
        bar->Update(static_cast<int>(done), static_cast<int>(total));
      };
      const StatusOr<Verification> verification = VerifyEvidence(*options);
      bar.reset();
      CTS_RETURN_IF_ERROR(verification.status());
      CTS_RETURN_IF_ERROR(Say(FormatVerification(*options, *verification)));
      return verification->Passed() ? kDone : kNotConformant;
    };
  });
}

}  // namespace cts
