#include "tools/program/certify/challenge.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "checker/text/printable.h"
#include "reference/base/file_type.h"
#include "tools/program/commands/command.h"
#include "tools/program/run/surroundings.h"

namespace cts {
namespace {

struct ChallengeArguments {
  std::string action;
  std::filesystem::path challenge, claim, key, passphrase, vendor, issuer_key, results, answer, out;
  std::string issuer, until;
  bool sample = false, archive = false;
  int jobs = 0;
};

// The options that an action needs, and those that it takes besides.
struct ActionOptions {
  std::vector<std::string> needs, takes;
};
const std::map<std::string, ActionOptions>& AllActions() {
  static const auto& actions = *new std::map<std::string, ActionOptions>{
      {"open", {{"--claim", "--key", "--vendor", "--issuer", "--until", "--out"}, {"--sample"}}},
      {"answer", {{"--challenge", "--results", "--key", "--out"}, {"--issuer-key"}}},
      {"receive", {{"--challenge", "--answer", "--key"}, {}}},
      {"verdict", {{"--challenge", "--key", "--out"}, {"--archive"}}}};
  return actions;
}

// An option counts as given even if its value is empty: no empty variable of a script may switch a
// check off.
Status CheckGiven(const CLI::App& command, const std::string& action) {
  const ActionOptions& own = AllActions().at(action);
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const CLI::Option* const option : command.get_options()) {
    const bool is_flag = option->get_items_expected_max() == 0;
    if (option->count() > 0 && !is_flag && option->results().front().empty()) {
      return InvalidArgument("--", option->get_single_name(), ": found an empty value, expected ",
                             option->get_type_name());
    }
  }
  for (const CLI::Option* const option : command.get_options()) {
    const std::string name = "--" + option->get_single_name();
    const bool of_an_action =
        std::any_of(AllActions().begin(), AllActions().end(), [&](const auto& each) {
          return has(each.second.needs, name) || has(each.second.takes, name);
        });
    if (!of_an_action) continue;
    if (option->count() > 0 && !has(own.needs, name) && !has(own.takes, name)) {
      return InvalidArgument(name, ": does not go with challenge ", action);
    }
    if (option->count() == 0 && has(own.needs, name)) {
      return InvalidArgument(name, ": is missing, and challenge ", action, " needs it");
    }
  }
  return absl::OkStatus();
}

// `answer` takes the published folder, and the issuer's actions take the folder that holds it.
Status CheckFolder(const ChallengeArguments& options) {
  const std::filesystem::path& folder = options.challenge;
  const bool wants_public = options.action == "answer";
  const std::filesystem::path file = "challenge.json", part = "public";
  CTS_ASSIGN_OR_RETURN(const bool is_public, IsTaken(folder / file));
  CTS_ASSIGN_OR_RETURN(const bool is_whole, IsTaken(folder / part / file));
  if (is_public == is_whole || wants_public == is_public) return absl::OkStatus();
  return InvalidArgument("--challenge: found ", folder.string(), ", ",
                         wants_public ? "which holds the folder public: give that folder"
                                      : "a folder public: give the folder that holds it");
}

StatusOr<int> RunOpen(const ChallengeArguments& options, const StageProgress& progress) {
  OpenOptions open{.claim = options.claim,
                   .key = options.key,
                   .passphrase = options.passphrase,
                   .vendor = options.vendor,
                   .issuer = options.issuer,
                   .until = options.until,
                   .sample = options.sample,
                   .out = options.out,
                   .jobs = options.jobs,
                   .progress = progress,
                   .stop = CatchInterrupts()};
  CTS_ASSIGN_OR_RETURN(const OpenedChallenge opened, OpenNewChallenge(open));
  const std::filesystem::path& out = options.out;
  CTS_RETURN_IF_ERROR(
      Say(StrCat("challenge ", opened.challenge.number, ": ", opened.cases, " cases, open until ",
                 opened.challenge.until, ", by the key ", opened.challenge.issuer_key.id(),
                 "\npublish ", (out / "public").string(),
                 options.sample ? ", which has the answers: this is a sample\n"
                                : StrCat("; keep ", (out / "secret").string(), " to yourself\n"))));
  return kDone;
}

StatusOr<int> RunAnswer(const ChallengeArguments& options, bool issuer_given) {
  AnswerOptions answer{.challenge = options.challenge,
                       .results = options.results,
                       .key = options.key,
                       .passphrase = options.passphrase,
                       .issuer_key = std::nullopt,
                       .out = options.out,
                       .jobs = options.jobs,
                       .stop = CatchInterrupts()};
  if (issuer_given) answer.issuer_key = options.issuer_key;
  CTS_ASSIGN_OR_RETURN(const Challenge challenge, AnswerChallenge(answer));
  const std::string late = UtcNow() > challenge.until ? ", which has passed by this clock" : "";
  CTS_RETURN_IF_ERROR(SayNews(
      StrCat("answer to the challenge ", challenge.number, " in ", options.out.string(),
             ": hand it in until ", challenge.until, late, ", once\nissuer: the key ",
             challenge.issuer_key.id(), issuer_given ? ", checked by" : ", checked by no",
             " --issuer-key; its holder claims to be \"", Printable(challenge.issuer), "\"\n")));
  return kDone;
}

StatusOr<int> RunReceive(const ChallengeArguments& options) {
  CTS_ASSIGN_OR_RETURN(const Receipt receipt, ReceiveAnswer({.challenge = options.challenge,
                                                             .answer = options.answer,
                                                             .key = options.key,
                                                             .passphrase = options.passphrase,
                                                             .jobs = options.jobs,
                                                             .stop = CatchInterrupts()}));
  const std::string file = (options.challenge / "receipt.json").string();
  const Status said = Say(StrCat("took the answer ", receipt.answer, " at ", receipt.received,
                                 "\nreceipt: ", file, "\n"));
  if (said.ok()) return kDone;
  return Status(said.code(),
                StrCat(Message(said), "; the answer was taken: the receipt is ", file));
}

StatusOr<int> RunVerdict(const ChallengeArguments& options, const StageProgress& progress,
                         std::optional<ProgressBar>& bar) {
  const StatusOr<ChallengeVerdict> verdict = JudgeChallenge({.challenge = options.challenge,
                                                             .key = options.key,
                                                             .passphrase = options.passphrase,
                                                             .out = options.out,
                                                             .archive = options.archive,
                                                             .jobs = options.jobs,
                                                             .progress = progress,
                                                             .stop = CatchInterrupts()});
  bar.reset();
  CTS_RETURN_IF_ERROR(verdict.status());
  const bool conformant = Conformant(verdict->report);
  CTS_RETURN_IF_ERROR(Say(verdict->text));
  return conformant ? kDone : kNotConformant;
}

StatusOr<int> RunChallenge(const CLI::App& command, const ChallengeArguments& options) {
  CTS_RETURN_IF_ERROR(CheckGiven(command, options.action));
  if (options.action != "open") CTS_RETURN_IF_ERROR(CheckFolder(options));
  std::optional<ProgressBar> bar;
  std::string stage;
  const StageProgress progress = [&](std::string_view now, size_t done, size_t total) {
    if (now != stage) bar.emplace(stage = now);
    bar->Update(static_cast<int>(done), static_cast<int>(total));
  };
  if (options.action == "open") {
    StatusOr<int> opened = RunOpen(options, progress);
    bar.reset();
    return opened;
  }
  if (options.action == "answer") return RunAnswer(options, command.count("--issuer-key") > 0);
  if (options.action == "receive") return RunReceive(options);
  return RunVerdict(options, progress, bar);
}

}  // namespace

void AddChallenge(CLI::App& app, Action& action) {
  auto options = std::make_shared<ChallengeArguments>();
  CLI::App* command = app.add_subcommand(
      "challenge", "Give a vendor a fresh blind suite; take the answer once; judge it");
  command
      ->add_option("ACTION", options->action,
                   "open, receive, verdict: of the issuer; answer: of the vendor")
      ->required()
      ->check(OneOf({"open", "answer", "receive", "verdict"}));
  command
      ->add_option("--challenge", options->challenge,
                   "The challenge; for answer its folder public alone")
      ->type_name("DIR");
  command
      ->add_option("--key", options->key,
                   "Private Ed25519 key, or the URI of a token's key (pkcs11:...):\n"
                   "for answer that of the vendor, otherwise of the issuer")
      ->type_name("PEM");
  AddPassphraseOption(*command, options->passphrase);
  command
      ->add_option("--claim", options->claim,
                   "open: the claim, or registration.json of a registered product")
      ->type_name("FILE");
  command
      ->add_option("--vendor", options->vendor, "open: the public key that has to sign the answer")
      ->type_name("PEM");
  command
      ->add_option("--issuer", options->issuer,
                   "open: the issuer's name, shown as a claim of the key's holder")
      ->type_name("NAME");
  command
      ->add_option("--until", options->until,
                   "open: answers are taken until this time in UTC, such as\n"
                   "2026-11-30T12:00:00Z, or until the end of a day")
      ->type_name("TIME");
  command->add_flag("--sample", options->sample,
                    "open: publish the answers, for practice; no evidence follows");
  command
      ->add_option("--issuer-key", options->issuer_key,
                   "answer: refuse a challenge that this public key did not sign")
      ->type_name("PEM");
  command
      ->add_option("--results", options->results,
                   "answer: the results of a whole run of DIR/suite by a worker\nor a plugin")
      ->type_name("DIR");
  command->add_option("--answer", options->answer, "receive: the answer, as answer wrote it")
      ->type_name("DIR");
  AddJobsOption(*command, options->jobs);
  command
      ->add_option("--out", options->out,
                   "Folder for challenge, answer or evidence: a new or empty one")
      ->type_name("DIR");
  command->add_flag("--archive", options->archive,
                    "verdict: write one file, whose name ends with .tar.zst");
  command->footer(
      "open writes DIR/public for the vendor, and DIR/secret, which the issuer keeps. The vendor\n"
      "runs DIR/public/suite, and answer signs the results. receive takes one answer, in time, "
      "and\n"
      "writes DIR/receipt.json. verdict makes evidence, as certify does; verify checks it.\n"
      "Exit code: 0 done, verdict: everything mandatory passed; 1 verdict: something failed;\n"
      "2 refused, usage or environment; of receive, the message says whether it took an answer;\n"
      "130 interrupted.");
  command->callback([&action, options, command] {
    action = [options, command]() -> StatusOr<int> { return RunChallenge(*command, *options); };
  });
}

}  // namespace cts
