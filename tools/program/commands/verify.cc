#include "tools/program/certify/verify.h"

#include <memory>
#include <optional>

#include "reference/base/json.h"
#include "tools/program/certify/certificate.h"
#include "tools/program/certify/registry.h"
#include "tools/program/commands/command.h"

namespace cts {
namespace {

// Before the work, which may take long.
Status ProbePlaces(const std::string& json, const std::string& html) {
  if (!json.empty() && json == html) {
    return InvalidArgument("--json and --html: found ", json,
                           " for both, expected a place of its own for each");
  }
  if (!json.empty()) CTS_RETURN_IF_ERROR(Annotate(ProbePlace(json), "--json"));
  return html.empty() ? absl::OkStatus() : Annotate(ProbePlace(html), "--html");
}

// The page and the JSON where they are asked for; the text unless one of them is printed. No page
// is written for evidence that does not hold or whose implementation failed: the exit code says so.
Status EmitVerification(const VerifyOptions& options, const Verification& verification,
                        const std::string& json, const std::string& html) {
  bool printed = json == "-";
  if (!html.empty()) {
    const StatusOr<std::string> page = CertificatePage(options, verification);
    if (page.ok()) {
      CTS_RETURN_IF_ERROR(Emit(html, *page));
      printed |= html == "-";
    } else {
      if (!absl::IsFailedPrecondition(page.status())) return page.status();
      Complain(Message(page.status()));
    }
  }
  if (!json.empty()) {
    CTS_RETURN_IF_ERROR(Emit(json, FormatJson(VerificationToJson(options, verification))));
  }
  return printed ? absl::OkStatus() : Say(FormatVerification(options, verification));
}

}  // namespace

void AddVerify(CLI::App& app, Action& action) {
  struct Options : VerifyOptions {
    std::string json, html;
    std::vector<std::filesystem::path> keys;
    std::filesystem::path status, issuer, countersign, passphrase;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("verify", "Check evidence: its signature, its claim and its results");
  command
      ->add_option("EVIDENCE", options->evidence,
                   "The evidence, as certify wrote it: a folder or a .tar.zst")
      ->required()
      ->type_name("DIR|FILE");
  command
      ->add_option("--key", options->keys,
                   "The signer's public Ed25519 key: openssl pkey -in KEY -pubout;\n"
                   "repeated: all of these keys must have signed")
      ->required()
      ->expected(1)
      ->type_name("PEM")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--threshold", options->threshold, "It is enough if N of these keys have signed")
      ->check(CLI::Range(1, 16))
      ->type_name("N");
  auto* countersign =
      command->add_option("--countersign", options->countersign,
                          "If the evidence holds, add a signature by this private key, or\n"
                          "by a token's: pkcs11:...");
  countersign->type_name("PEM");
  AddPassphraseOption(*command, options->passphrase)->needs(countersign);
  command->add_flag("--regenerate", options->regenerate,
                    "Make every case again and compare it with the evidence");
  auto* status = command->add_option("--status", options->status,
                                     "The status list of a registry: revoked, expired and unknown\n"
                                     "certificates do not hold");
  auto* issuer = command->add_option("--issuer", options->issuer,
                                     "The public key of the registry that signed the list");
  status->type_name("FILE")->needs(issuer);
  issuer->type_name("PEM")->needs(status);
  auto* stamp = command->add_option("--timestamp", options->timestamp,
                                    "The reply of a time stamping authority (RFC 3161) about the\n"
                                    "file of the signed statement");
  auto* authority = command->add_option("--timestamp-ca", options->timestamp_ca,
                                        "The certificates that vouch for the authority, valid at\n"
                                        "the time of the stamp");
  stamp->type_name("FILE")->needs(authority)->excludes(countersign);
  authority->type_name("PEM")->needs(stamp);
  AddJobsOption(*command, options->jobs);
  AddJsonOption(*command, options->json);
  command
      ->add_option("--html", options->html,
                   "Write a certificate for people, one page of A4, if the evidence\n"
                   "holds and the implementation passed; - prints only that")
      ->type_name("FILE");
  command->footer(
      "Exit code: 0 it holds, and the implementation passed; 1 it does not hold, or says FAILED;\n"
      "2 usage or environment: a key or the evidence cannot be read, the evidence is of another "
      "build\n"
      "that is no release, an archive is damaged or not as certify writes it; 130 interrupted.\n"
      "An archive is unpacked into a folder in TMPDIR, which is removed at the end.");
  command->callback([&action, options, command] {
    if (command->count("--json") > 0 && options->json.empty()) options->json = "-";
    action = [options]() -> StatusOr<int> {
      CTS_RETURN_IF_ERROR(ProbePlaces(options->json, options->html));
      options->key = options->keys.front();
      options->more_keys.assign(options->keys.begin() + 1, options->keys.end());
      std::optional<Ed25519Key> own;
      if (!options->countersign.empty()) {
        CTS_ASSIGN_OR_RETURN(own,
                             Ed25519Key::ReadPrivate(options->countersign, options->passphrase));
      }
      options->stop = CatchInterrupts();
      std::optional<ProgressBar> bar;
      std::string stage;
      options->progress = [&](std::string_view now, size_t done, size_t total) {
        if (now != stage) bar.emplace(stage = now);
        bar->Update(static_cast<int>(done), static_cast<int>(total));
      };
      StatusOr<Verification> verification = VerifyEvidence(*options);
      bar.reset();
      CTS_RETURN_IF_ERROR(verification.status());
      if (!options->status.empty()) {
        CTS_RETURN_IF_ERROR(
            ObeyStatusList(options->status, options->issuer, Today(), &*verification));
      }
      std::string news;
      if (own && verification->Holds()) {
        CTS_RETURN_IF_ERROR(Countersign(*options, *verification, *own));
        news = StrCat("signed by the key ", own->id(), ", too\n");
      }
      CTS_RETURN_IF_ERROR(EmitVerification(*options, *verification, options->json, options->html));
      if (!news.empty() && options->json != "-" && options->html != "-") {
        CTS_RETURN_IF_ERROR(SayNews(news));
      }
      return verification->Passed() ? kDone : kNotConformant;
    };
  });
}

}  // namespace cts
