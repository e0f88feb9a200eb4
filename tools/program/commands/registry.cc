#include "tools/program/certify/registry.h"

#include <memory>
#include <optional>

#include "tools/program/commands/command.h"

namespace cts {
namespace {

struct Options {
  std::string action;
  RegistryOptions registry;
  StatusListOptions list;
};

Status CheckDays(const Options& options) {
  for (const auto& [name, day] : {std::pair("--today", options.registry.today),
                                  std::pair("--next-update", options.list.next_update)}) {
    if (day.empty() || IsDate(day)) continue;
    return InvalidArgument(name, ": found ", day, ", expected a day as YYYY-MM-DD");
  }
  const bool lists = options.action == "list";
  for (const auto& [name, given] :
       {std::pair("--key", !options.list.key.empty()),
        std::pair("--out", !options.list.out.empty()),
        std::pair("--next-update", !options.list.next_update.empty())}) {
    if (given == lists) continue;
    return InvalidArgument(name, given ? ": goes with registry list"
                                       : ": is missing, and registry "
                                         "list needs it");
  }
  if (lists && options.list.next_update < options.registry.today) {
    return InvalidArgument("--next-update: found ", options.list.next_update,
                           ", expected no day before ", options.registry.today);
  }
  return absl::OkStatus();
}

StatusOr<int> Run(Options& options) {
  CTS_RETURN_IF_ERROR(CheckDays(options));
  options.registry.verify.stop = CatchInterrupts();
  CTS_ASSIGN_OR_RETURN(const RegistryReport report, CheckRegistry(options.registry));
  CTS_RETURN_IF_ERROR(Say(FormatRegistryReport(report)));
  if (!report.refusals.empty()) return kNotConformant;
  if (options.action == "check") return kDone;
  options.list.today = options.registry.today;
  CTS_RETURN_IF_ERROR(WriteStatusList(report, options.list));
  return kDone;
}

}  // namespace

void AddRegistry(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  RegistryOptions& registry = options->registry;
  CLI::App* command =
      app.add_subcommand("registry", "Check a folder of certified products; sign their states");
  command->add_option("ACTION", options->action, "check or list")
      ->required()
      ->check(OneOf({"check", "list"}));
  command
      ->add_option("FOLDER", registry.folder,
                   "registry.json, keys/SIGNER.pem, and products/NUMBER/ with\n"
                   "registration.json and the evidence")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--since", registry.since,
                   "The registry before a submission: expects one new product,\n"
                   "and no other change except revocations")
      ->type_name("DIR");
  command->add_option("--today", registry.today, "The day (default: by the clock, in UTC)")
      ->type_name("YYYY-MM-DD");
  command
      ->add_option("--key", options->list.key,
                   "For list: the private key of the issuer, or the\n"
                   "URI of a token's key: pkcs11:...")
      ->type_name("PEM");
  AddPassphraseOption(*command, options->list.passphrase);
  command
      ->add_option("--out", options->list.out,
                   "For list: folder for status.json and index.html; the list\n"
                   "continues the one that is there")
      ->type_name("DIR");
  command
      ->add_option("--next-update", options->list.next_update,
                   "For list: the last day on which it may be used")
      ->type_name("YYYY-MM-DD");
  AddJobsOption(*command, registry.verify.jobs);
  command->footer(
      "Every certificate is verified again. A refusal is a line: a word, the place, the reason.\n"
      "The list is written only if nothing is refused. verify --status obeys it.\n"
      "Exit code: 0 nothing is refused; 1 something is; 2 usage or environment, 130 interrupted.");
  command->callback(
      [&action, options] { action = [options]() -> StatusOr<int> { return Run(*options); }; });
}

}  // namespace cts
