#include "tools/program/certify/challenge.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_replace.h"
#include "checker/evidence/claim.h"
#include "checker/evidence/evidence.h"
#include "checker/gate/gate.h"
#include "checker/judge/build_state.h"
#include "checker/judge/run_record.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "generator/plan/parts.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/new_file.h"
#include "reference/base/new_folder.h"
#include "reference/base/pack.h"
#include "reference/base/parallel_for.h"
#include "reference/bundle/case.h"
#include "tools/program/blind/unblind.h"
#include "tools/program/certify/archive.h"
#include "tools/program/certify/certify.h"
#include "tools/program/certify/judged_evidence.h"
#include "tools/program/run/case_result.h"
#include "tools/program/run/merge.h"
#include "tools/program/run/result_digests.h"
#include "tools/program/run/surroundings.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChallengeFile = "challenge.json";
constexpr const char* kAnswerFile = "answer.json";
constexpr const char* kReceiptFile = "receipt.json";
// The statement repeats members of run.json, each byte as up to 7, and a host twice. With this
// limit it has fewer bytes than verify reads.
constexpr uint64_t kMaxRunJson = uint64_t{1} << 20;

// CHALLENGE/public: the challenge, its claim and its suite.
struct PublicPart {
  Challenge challenge;
  Claim claim;
  Suite suite;
};

StatusOr<PublicPart> ReadPublic(const fs::path& folder) {
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadSigned(folder / kChallengeFile));
  CTS_ASSIGN_OR_RETURN(Challenge challenge,
                       OpenChallenge(text, (folder / kChallengeFile).string()));
  const fs::path claim_file = folder / kClaimFile;
  CTS_ASSIGN_OR_RETURN(const std::string claim_text, ReadFile(claim_file, MostBytesOf(kClaimFile)));
  if (Sha256(claim_text) != challenge.claim) {
    return InvalidArgument(claim_file.string(), ": found the digest ", Sha256(claim_text),
                           ", expected ", challenge.claim, " of the challenge: it was changed");
  }
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(claim_text, claim_file.string()));
  CTS_ASSIGN_OR_RETURN(Claim claim, ClaimFromJson(json, claim_file.string()));
  CTS_ASSIGN_OR_RETURN(Suite suite, ReadSuiteToRun(folder / "suite"));
  if (suite.digest != challenge.suite || suite.answers != challenge.answers) {
    return InvalidArgument((folder / "suite").string(), ": found the digest ", suite.digest,
                           ", expected ", challenge.suite, " of the challenge: it was changed");
  }
  if (challenge.tensor_cts != CTS_VERSION) {
    return InvalidArgument((folder / kChallengeFile).string(), ": /tensor_cts: found ",
                           Printable(challenge.tensor_cts), ", this is ", CTS_VERSION,
                           ": use the version that opened the challenge");
  }
  return PublicPart{std::move(challenge), std::move(claim), std::move(suite)};
}

Status RequireIssuer(const Challenge& challenge, const Ed25519Key& key, const fs::path& path) {
  if (key.id() == challenge.issuer_key.id()) return absl::OkStatus();
  return InvalidArgument(path.string(), ": found the key ", key.id(), ", expected ",
                         challenge.issuer_key.id(), ", which opened the challenge ",
                         challenge.number);
}

Status IfNotStopped(const std::atomic<bool>* stop) {
  if (stop == nullptr || !*stop) return absl::OkStatus();
  return Unavailable("challenge: interrupted");
}

// The files and folders below `root`, and `root` itself.
Status SyncAll(const fs::path& root) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end; !error && it != end;
       it.increment(error)) {
    CTS_RETURN_IF_ERROR(SyncToDisk(it->path()));
  }
  if (error) return Unavailable(root.string(), ": cannot be read: ", error.message());
  return SyncToDisk(root);
}

// --- The form of an answer.

// The most bytes of each file of an answer, by its path.
FileSizes MostOfAnswer() {
  return {{"results/case.tar", MostBytesOf("results/case.tar")},
          {"results/results.json", MostBytesOf("results/results.json")},
          {"results/run.json", kMaxRunJson}};
}

// Refuses files by their sizes, before one of them is read.
Status CheckSizes(const FileSizes& sizes, const std::string& place) {
  const FileSizes most_of = MostOfAnswer();
  for (const auto& [path, most] : most_of) {
    const auto found = sizes.find(path);
    if (found == sizes.end()) return InvalidArgument(place, "/", path, ": is missing");
    if (found->second <= most) continue;
    return InvalidArgument(place, "/", path, ": found ", found->second, " bytes, expected at most ",
                           most);
  }
  return absl::OkStatus();
}

// Everything about results of a blind suite that an issuer has to know before taking them, so that
// no verdict fails later by the vendor's doing.
class AnswerChecker {
 public:
  AnswerChecker(const fs::path& folder, const PublicPart& part, int jobs,
                const std::atomic<bool>* stop)
      : suite_folder_(folder / "suite"), part_(part), jobs_(jobs), stop_(stop) {}

  // Reads what results of each case may have.
  Status ReadLimits() {
    const std::vector<SuiteEntry>& cases = part_.suite.cases;
    headers_.resize(cases.size());
    return ParallelFor(cases.size(), {.jobs = jobs_, .stop = stop_}, [&](size_t i) -> Status {
      CTS_ASSIGN_OR_RETURN(headers_[i], ReadCaseHeader(suite_folder_ / cases[i].id));
      return absl::OkStatus();
    });
  }

  // Refuses results that are not those of a whole run of the suite by the claimed implementation.
  // Messages say that the results are in `shown`. Returns the digest of the results.
  StatusOr<std::string> CheckResults(const fs::path& results, const fs::path& shown) const {
    StatusOr<std::string> digest = CheckResultsThere(results);
    if (digest.ok()) return digest;
    return Status(
        digest.status().code(),
        absl::StrReplaceAll(Message(digest.status()), {{results.string(), shown.string()}}));
  }

 private:
  StatusOr<std::string> CheckResultsThere(const fs::path& results) const {
    CTS_RETURN_IF_ERROR(CheckStrays(results));
    CTS_ASSIGN_OR_RETURN(RunRecord record, CheckWholeResults(results, part_.suite, stop_));
    const std::string file = (results / "run.json").string();
    // Evidence has the record in this form, which may be longer than the vendor's.
    if (const size_t size = FormatJson(RunRecordToJson(record)).size(); size > kMaxRunJson) {
      return InvalidArgument(file, ": found ", size, " bytes as this program writes it, expected ",
                             "at most ", kMaxRunJson);
    }
    for (const auto& [member, there] : {std::pair("blind", record.blind.has_value()),
                                        std::pair("given", record.given.has_value()),
                                        std::pair("repeats", record.repeats.has_value())}) {
      if (!there) continue;
      return InvalidArgument(file, ": found /", member, ", expected the record of one run of the ",
                             "blind suite, as run left it");
    }
    CTS_ASSIGN_OR_RETURN(const ResultDigests digests, ReadResultDigests(results));
    std::vector<std::string> ids;
    for (const SuiteEntry& entry : part_.suite.cases) ids.push_back(entry.id);
    CTS_ASSIGN_OR_RETURN(std::set<std::string> packs, PackedOperators(results, ids));
    CTS_ASSIGN_OR_RETURN(const std::vector<std::string> faults,
                         RecordFaults(results, {part_.suite, digests, std::move(packs),
                                                BuildStateToJson(ThisBuild())}));
    if (!faults.empty()) return InvalidArgument(file, ": ", faults.front());
    record.blind = {record.suite_digest, *record.results_digest};
    CTS_RETURN_IF_ERROR(CheckNames(part_.claim, record, file));
    return *record.results_digest;
  }

  Status CheckStrays(const fs::path& results) const {
    std::set<std::string> known;
    std::mutex mutex;
    const auto check = [&](size_t i) -> Status {
      const std::string& id = part_.suite.cases[i].id;
      CTS_RETURN_IF_ERROR(CheckResultSize(results, id, headers_[i]));
      const std::lock_guard<std::mutex> lock(mutex);
      known.insert(id + "/result.json");
      for (const std::string& name : ResultFileNames(headers_[i])) {
        known.insert(StrCat(id, "/", name));
      }
      return absl::OkStatus();
    };
    CTS_RETURN_IF_ERROR(ParallelFor(headers_.size(), {.jobs = jobs_, .stop = stop_}, check));
    const fs::path packed = results / "case.tar";
    CTS_ASSIGN_OR_RETURN(const bool is_packed, IsTaken(packed));
    if (!is_packed) return absl::OkStatus();
    CTS_ASSIGN_OR_RETURN(const std::shared_ptr<const Pack> pack, Pack::Open(packed));
    for (const std::string& name : pack->Names()) {
      if (known.count(name) > 0) continue;
      return InvalidArgument(packed.string(), ": ", Shortened(Printable(name), 300),
                             ": is no part of a result");
    }
    return absl::OkStatus();
  }

  const fs::path suite_folder_;
  const PublicPart& part_;
  const int jobs_;
  const std::atomic<bool>* const stop_;
  std::vector<Case> headers_;
};

// --- Opening.

StatusOr<std::string> EndOf(const std::string& until, const std::string& now) {
  const std::string end = IsDate(until) ? until + "T23:59:59Z" : until;
  if (!IsTime(end)) {
    return InvalidArgument("--until: found ", Printable(until), ", expected a time in UTC as ",
                           "2026-11-30T09:26:52Z, or a day as 2026-11-30");
  }
  if (end > now) return end;
  return InvalidArgument("--until: found ", end, ", expected a time after ", now);
}

// The claim in the form of claim.json.
StatusOr<std::string> ClaimText(const fs::path& path) {
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, MostBytesOf(kClaimFile)));
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(text, path.string()));
  if (!json.is_object() || json.value("format", Json()) != "tensor-cts-registration-1") return text;
  CTS_RETURN_IF_ERROR(ValidateJson(json, "registration", path.string()));
  Json claim = json["product"];
  claim["format"] = "tensor-cts-claim-1";
  return FormatJson(claim);
}

Json ChallengeToJson(const Challenge& challenge) {
  return {{"format", "tensor-cts-challenge-1"},
          {"number", challenge.number},
          {"issuer", challenge.issuer},
          {"issuer_key", Base64(challenge.issuer_key.der())},
          {"vendor_key", Base64(challenge.vendor_key.der())},
          {"sample", challenge.sample},
          {"opened", challenge.opened},
          {"until", challenge.until},
          {"tensor_cts", challenge.tensor_cts},
          {"claim", challenge.claim},
          {"suite", challenge.suite},
          {"answers", challenge.answers}};
}

// "20261130-0123456789abcdef".
StatusOr<std::string> DrawNumber(std::string opened) {
  constexpr size_t kDigits = 16;
  CTS_ASSIGN_OR_RETURN(const std::string random, DrawSalt());
  opened.resize(10);
  std::erase(opened, '-');
  return StrCat(opened, "-", random.substr(0, kDigits));
}

StatusOr<BlindSuite> MakeBlindSuite(const OpenOptions& options, const Claim& claim,
                                    const fs::path& place) {
  GenerateOptions generate;
  CTS_ASSIGN_OR_RETURN(generate.recipe, MandatoryRecipe(claim, options.recipe));
  // An edition that has no cases.
  if (const StatusOr<Parts> parts = MakeParts(generate.recipe); !parts.ok()) {
    return Annotate(parts.status(), options.claim.string());
  }
  CTS_ASSIGN_OR_RETURN(generate.recipe.seed, DrawSeed());
  CTS_ASSIGN_OR_RETURN(const std::string salt, DrawSalt());
  generate.out = place / "public" / "suite";
  generate.jobs = options.jobs;
  generate.stop = options.stop;
  generate.pack = true;
  if (options.progress) {
    generate.progress = [&](size_t done, size_t total) {
      options.progress("generate", done, total);
    };
  }
  std::error_code error;
  const fs::path secret = place / "secret";
  if (fs::create_directory(secret, error)) {
    fs::permissions(secret, fs::perms::owner_all, error);
  }
  if (error) return Unavailable(secret.string(), ": cannot be created: ", error.message());
  return GenerateBlind(generate, salt, secret / kAnswersFile);
}

// The folder in which `path` lies.
fs::path ParentOf(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  return absolute.has_filename() ? absolute.parent_path() : absolute.parent_path().parent_path();
}

// Moves a folder to its place, for good.
Status PutFolder(NewFolder& folder, const fs::path& place) {
  CTS_RETURN_IF_ERROR(SyncAll(folder.path()));
  const fs::path parent = ParentOf(place);
  CTS_RETURN_IF_ERROR(folder.PutWithPermissionsOf(parent));
  const Status synced = SyncToDisk(parent);
  if (synced.ok()) return absl::OkStatus();
  return Unavailable(Message(synced), "; ", place.string(), " is complete, but may not outlast a ",
                     "power failure: copy it");
}

}  // namespace

StatusOr<OpenedChallenge> OpenNewChallenge(const OpenOptions& options) {
  CTS_RETURN_IF_ERROR(RequireNoFolder(options.out));
  const std::string now = UtcNow();
  CTS_ASSIGN_OR_RETURN(const std::string until, EndOf(options.until, now));
  if (const size_t size = options.issuer.size();
      size == 0 || size > 200 || Printable(options.issuer) != options.issuer) {
    return InvalidArgument("--issuer: found \"", Shortened(Printable(options.issuer), 300), "\", ",
                           size, " bytes, expected a printable name of 1 to 200 bytes");
  }
  CTS_ASSIGN_OR_RETURN(const Ed25519Key key,
                       Ed25519Key::ReadPrivate(options.key, options.passphrase));
  CTS_ASSIGN_OR_RETURN(const Ed25519Key vendor, Ed25519Key::ReadPublic(options.vendor));
  CTS_ASSIGN_OR_RETURN(const std::string claim_text, ClaimText(options.claim));
  CTS_ASSIGN_OR_RETURN(const Json claim_json, ParseJson(claim_text, options.claim.string()));
  CTS_ASSIGN_OR_RETURN(const Claim claim, ClaimFromJson(claim_json, options.claim.string()));
  CTS_ASSIGN_OR_RETURN(std::string number, DrawNumber(now));
  CTS_ASSIGN_OR_RETURN(NewFolder folder, NewFolder::Beside(options.out));
  const fs::path published = folder.path() / "public";
  const StatusOr<BlindSuite> made = MakeBlindSuite(options, claim, folder.path());
  CTS_RETURN_IF_ERROR(IfNotStopped(options.stop));
  CTS_RETURN_IF_ERROR(made.status());
  CTS_RETURN_IF_ERROR(WriteFile(published / kClaimFile, claim_text));
  if (options.sample) {
    CTS_ASSIGN_OR_RETURN(const std::string answers,
                         ReadFile(folder.path() / "secret" / kAnswersFile));
    CTS_RETURN_IF_ERROR(WriteFile(published / kAnswersFile, answers));
  }
  // The time at which the suite is complete: an answer cannot be older.
  Challenge challenge{.number = std::move(number),
                      .issuer = options.issuer,
                      .issuer_key = key,
                      .vendor_key = vendor,
                      .sample = options.sample,
                      .opened = UtcNow(),
                      .until = until,
                      .tensor_cts = CTS_VERSION,
                      .claim = Sha256(claim_text),
                      .suite = made->answers.blind,
                      .answers = made->answers_digest,
                      .digest = ""};
  CTS_RETURN_IF_ERROR(EndOf(until, challenge.opened).status());
  const std::string payload = FormatJson(ChallengeToJson(challenge));
  challenge.digest = Sha256(payload);
  CTS_ASSIGN_OR_RETURN(const std::string envelope, SealEnvelope(key, kChallengeType, payload));
  CTS_RETURN_IF_ERROR(WriteFile(published / kChallengeFile, envelope));
  CTS_RETURN_IF_ERROR(PutFolder(folder, options.out));
  return OpenedChallenge{std::move(challenge), made->cases};
}

StatusOr<Challenge> AnswerChallenge(const AnswerOptions& options) {
  CTS_RETURN_IF_ERROR(RequireNoFolder(options.out));
  CTS_ASSIGN_OR_RETURN(const Ed25519Key key,
                       Ed25519Key::ReadPrivate(options.key, options.passphrase));
  CTS_ASSIGN_OR_RETURN(PublicPart part, ReadPublic(options.challenge));
  const Challenge& challenge = part.challenge;
  if (options.issuer_key) {
    CTS_ASSIGN_OR_RETURN(const Ed25519Key issuer, Ed25519Key::ReadPublic(*options.issuer_key));
    CTS_RETURN_IF_ERROR(RequireIssuer(challenge, issuer, *options.issuer_key));
  }
  if (key.id() != challenge.vendor_key.id()) {
    return InvalidArgument(options.key.string(), ": found the key ", key.id(), ", expected ",
                           challenge.vendor_key.id(), ", to which the challenge was given");
  }
  AnswerChecker checker(options.challenge, part, options.jobs, options.stop);
  const auto make = [&]() -> Status {
    CTS_RETURN_IF_ERROR(checker.ReadLimits());
    CTS_RETURN_IF_ERROR(checker.CheckResults(options.results, options.results).status());
    CTS_ASSIGN_OR_RETURN(NewFolder folder, NewFolder::Beside(options.out));
    const fs::path results = folder.path() / "results";
    CTS_RETURN_IF_ERROR(
        CopyWholeResults(
            {.results = options.results, .out = results, .stop = options.stop, .pack = true},
            part.suite)
            .status());
    std::vector<std::string> paths;
    for (const char* const name : {"case.tar", "results.json", "run.json"}) {
      paths.push_back(StrCat("results/", name));
    }
    CTS_ASSIGN_OR_RETURN(const FileSizes sizes, SizesOf(folder.path(), paths));
    CTS_RETURN_IF_ERROR(CheckSizes(sizes, options.out.string()));
    // Once more, for the files that are signed: the results may have changed meanwhile.
    CTS_ASSIGN_OR_RETURN(const std::string results_digest,
                         checker.CheckResults(results, options.results));
    CTS_ASSIGN_OR_RETURN(const FileDigests digests,
                         DigestFiles(folder.path(), paths, options.jobs, options.stop));
    Json json = {{"format", "tensor-cts-challenge-answer-1"},
                 {"challenge", challenge.digest},
                 {"results_digest", results_digest},
                 {"files", Json::array()}};
    for (const std::string& path : paths) {
      json["files"].push_back(
          {{"path", path}, {"size", sizes.at(path)}, {"sha256", digests.at(path)}});
    }
    CTS_ASSIGN_OR_RETURN(const std::string envelope,
                         SealEnvelope(key, kAnswerType, FormatJson(json)));
    CTS_RETURN_IF_ERROR(WriteFile(folder.path() / kAnswerFile, envelope));
    CTS_RETURN_IF_ERROR(IfNotStopped(options.stop));
    return PutFolder(folder, options.out);
  };
  const Status made = make();
  if (!made.ok()) CTS_RETURN_IF_ERROR(IfNotStopped(options.stop));
  CTS_RETURN_IF_ERROR(made);
  return part.challenge;
}

// --- Receiving.

namespace {

// Copies a file of known size and digest.
Status CopyListed(const fs::path& from, const fs::path& to, uint64_t size,
                  const std::string& digest, const std::atomic<bool>* stop) {
  CTS_ASSIGN_OR_RETURN(PlainFile source, PlainFile::Open(from));
  CTS_ASSIGN_OR_RETURN(PlainFile target, PlainFile::Create(to));
  Sha256Stream stream;
  std::string buffer(size_t{1} << 17, '\0');
  for (uint64_t done = 0;;) {
    CTS_RETURN_IF_ERROR(IfNotStopped(stop));
    CTS_ASSIGN_OR_RETURN(const size_t got, source.Read(buffer.data(), buffer.size()));
    done += got;
    if (done > size || (got == 0 && done < size)) {
      return InvalidArgument(from.string(), ": found ", done > size ? "more than " : "", done,
                             " bytes, expected ", size, " as ", kAnswerFile, " says");
    }
    if (got == 0) break;
    const std::string_view piece(buffer.data(), got);
    stream.Add(piece);
    CTS_RETURN_IF_ERROR(target.Write(piece));
  }
  CTS_RETURN_IF_ERROR(target.Close());
  const std::string found = stream.Finish();
  if (found == digest) return absl::OkStatus();
  return InvalidArgument(from.string(), ": found the digest ", found, ", expected ", digest, " as ",
                         kAnswerFile, " says");
}

// The answer has the files that it lists, of the sizes that it lists, and nothing else.
Status CheckListing(const fs::path& folder, const ChallengeAnswer& answer) {
  std::vector<std::string> faults;
  CTS_ASSIGN_OR_RETURN(std::vector<std::string> paths, ListFiles(folder, &faults));
  std::erase(paths, kAnswerFile);
  for (const std::string& path : paths) {
    if (answer.sizes.count(path) > 0) continue;
    faults.push_back(StrCat(Shortened(Printable(path), 300), ": is no part of the answer"));
  }
  for (const auto& [path, size] : answer.sizes) {
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) {
      faults.push_back(StrCat(path, ": is missing"));
    }
  }
  if (faults.empty()) {
    CTS_ASSIGN_OR_RETURN(FileSizes sizes, SizesOf(folder, paths));
    faults = CompareWithSizes(FormatSizes(answer.sizes), std::move(sizes));
  }
  if (faults.empty()) return absl::OkStatus();
  return InvalidArgument((folder / faults.front()).string());
}

Status CheckDigests(const fs::path& folder, const ChallengeAnswer& answer, int jobs,
                    const std::atomic<bool>* stop) {
  std::vector<std::string> paths;
  for (const auto& [path, size] : answer.sizes) paths.push_back(path);
  CTS_ASSIGN_OR_RETURN(const FileDigests digests, DigestFiles(folder, paths, jobs, stop));
  for (const auto& [path, digest] : digests) {
    if (digest == answer.digests.at(path)) continue;
    return InvalidArgument((folder / path).string(), ": was changed: found the digest ", digest,
                           ", expected ", answer.digests.at(path), " as ", kAnswerFile, " says");
  }
  return absl::OkStatus();
}

class Receiver {
 public:
  Receiver(const ReceiveOptions& options, const PublicPart& part, const Ed25519Key& key)
      : options_(options),
        part_(part),
        key_(key),
        checker_(options.challenge / "public", part, options.jobs, options.stop) {}

  StatusOr<Receipt> Run() {
    const Challenge& challenge = part_.challenge;
    CTS_RETURN_IF_ERROR(TimeIfOpen().status());
    const fs::path receipt = options_.challenge / kReceiptFile;
    CTS_ASSIGN_OR_RETURN(const bool taken, IsTaken(receipt));
    if (taken) return WasTaken();
    CTS_RETURN_IF_ERROR(CheckSecret());
    const fs::path file = options_.answer / kAnswerFile;
    CTS_ASSIGN_OR_RETURN(const std::string text, ReadSigned(file));
    // The clock is read once the answer is there. It has the digests of its other files.
    CTS_ASSIGN_OR_RETURN(const std::string received, TimeIfOpen());
    CTS_ASSIGN_OR_RETURN(const ChallengeAnswer answer, OpenAnswer(challenge, text, file.string()));
    CTS_RETURN_IF_ERROR(CheckSizes(answer.sizes, options_.answer.string()));
    CTS_RETURN_IF_ERROR(checker_.ReadLimits());
    CTS_RETURN_IF_ERROR(CheckListing(options_.answer, answer));
    CTS_RETURN_IF_ERROR(Keep(answer, text));
    return Record(answer, received);
  }

 private:
  // The issuer's clock, if it says that the challenge is open.
  StatusOr<std::string> TimeIfOpen() const {
    const Challenge& challenge = part_.challenge;
    std::string now = options_.clock();
    if (now < challenge.opened) {
      return InvalidArgument("the clock says ", now, ", expected a time after ", challenge.opened,
                             ", when the challenge was opened: set the clock");
    }
    if (now <= challenge.until) return now;
    return InvalidArgument("the challenge ", challenge.number, " expired at ", challenge.until,
                           ", and it is ", now);
  }

  // Whether a verdict is possible: no answer is taken that the issuer cannot judge.
  Status CheckSecret() const {
    const fs::path file = options_.challenge / "secret" / kAnswersFile;
    CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(file, MostBytesOf(kAnswersFile)));
    if (Sha256(text) != part_.challenge.answers) {
      return InvalidArgument(file.string(), ": found the digest ", Sha256(text), ", expected ",
                             part_.challenge.answers, " of the challenge: it was changed");
    }
    CTS_ASSIGN_OR_RETURN(const SealedAnswers answers, ReadAnswers(file));
    if (answers.generator == kSuiteGenerator) return absl::OkStatus();
    return InvalidArgument(file.string(), ": /generator: found ", Printable(answers.generator),
                           ", this makes suites of ", kSuiteGenerator,
                           ": use the version that opened the challenge");
  }

  Status WasTaken() const {
    const fs::path file = options_.challenge / kReceiptFile;
    CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOf(file));
    if (type == fs::file_type::not_found) {
      return InvalidArgument(file.string(),
                             ": found a link to a file that does not exist: remove the link");
    }
    CTS_ASSIGN_OR_RETURN(const std::string text, ReadSigned(file));
    CTS_ASSIGN_OR_RETURN(const Receipt receipt, OpenReceipt(part_.challenge, text, file.string()));
    return InvalidArgument(file.string(), ": found the receipt of an answer that was taken at ",
                           receipt.received, ": a challenge takes one answer");
  }

  // Copies the answer into the challenge, where it is checked: the vendor's folder may change.
  Status Keep(const ChallengeAnswer& answer, const std::string& text) const {
    const fs::path place = options_.challenge / "received" / answer.digest;
    CTS_ASSIGN_OR_RETURN(NewFolder folder, NewFolder::Beside(place));
    std::error_code error;
    fs::create_directory(folder.path() / "results", error);
    if (error) return Unavailable(place.string(), ": cannot be written: ", error.message());
    for (const auto& [path, size] : answer.sizes) {
      CTS_RETURN_IF_ERROR(CopyListed(options_.answer / path, folder.path() / path, size,
                                     answer.digests.at(path), options_.stop));
    }
    CTS_RETURN_IF_ERROR(WriteFile(folder.path() / kAnswerFile, text));
    // Messages name the answer, not its copy.
    const StatusOr<std::string> results_digest =
        checker_.CheckResults(folder.path() / "results", options_.answer / "results");
    CTS_RETURN_IF_ERROR(IfNotStopped(options_.stop));
    CTS_RETURN_IF_ERROR(results_digest.status());
    if (answer.results_digest != *results_digest) {
      return InvalidArgument((options_.answer / kAnswerFile).string(), ": /results_digest: found ",
                             answer.results_digest, ", expected ", *results_digest,
                             " of results/run.json");
    }
    CTS_RETURN_IF_ERROR(SyncAll(folder.path()));
    const Status put = folder.PutWithPermissionsOf(options_.challenge);
    // Another call, or one that was killed, may have put the same answer there. It is never
    // removed: a receipt may be about it.
    CTS_ASSIGN_OR_RETURN(const bool there, IsTaken(place / kAnswerFile));
    if (!there && put.ok()) return Unavailable(place.string(), ": is gone");
    if (!there) {
      CTS_ASSIGN_OR_RETURN(const bool in_the_way, IsTaken(place));
      return in_the_way ? InvalidArgument(place.string(), ": found something without ", kAnswerFile,
                                          ", which no call left there: remove it")
                        : put;
    }
    if (!put.ok()) {
      CTS_RETURN_IF_ERROR(CheckDigests(place, answer, options_.jobs, options_.stop));
    }
    CTS_RETURN_IF_ERROR(SyncToDisk(place));
    CTS_RETURN_IF_ERROR(SyncToDisk(place.parent_path()));
    return SyncToDisk(options_.challenge);
  }

  StatusOr<Receipt> Record(const ChallengeAnswer& answer, const std::string& received) const {
    const Challenge& challenge = part_.challenge;
    Receipt receipt{challenge.digest, answer.digest, received};
    const Json json = {{"format", "tensor-cts-challenge-receipt-1"},
                       {"number", challenge.number},
                       {"challenge", receipt.challenge},
                       {"answer", receipt.answer},
                       {"received", receipt.received}};
    CTS_ASSIGN_OR_RETURN(const std::string envelope,
                         SealEnvelope(key_, kReceiptType, FormatJson(json)));
    CTS_ASSIGN_OR_RETURN(NewFile file, NewFile::Beside(options_.challenge / kReceiptFile));
    CTS_RETURN_IF_ERROR(IfNotStopped(options_.stop));
    const Status put = file.PutForGood(envelope);
    if (put.ok()) return receipt;
    return absl::IsAlreadyExists(put) ? WasTaken() : put;
  }

  const ReceiveOptions& options_;
  const PublicPart& part_;
  const Ed25519Key& key_;
  AnswerChecker checker_;
};

}  // namespace

StatusOr<Receipt> ReceiveAnswer(const ReceiveOptions& options) {
  const auto receive = [&]() -> StatusOr<Receipt> {
    CTS_ASSIGN_OR_RETURN(const Ed25519Key key,
                         Ed25519Key::ReadPrivate(options.key, options.passphrase));
    CTS_ASSIGN_OR_RETURN(const PublicPart part, ReadPublic(options.challenge / "public"));
    CTS_RETURN_IF_ERROR(RequireIssuer(part.challenge, key, options.key));
    return Receiver(options, part, key).Run();
  };
  StatusOr<Receipt> received = receive();
  if (received.ok()) return received;
  const Status& failed = received.status();
  if (absl::IsDataLoss(failed)) {
    return Status(failed.code(), StrCat(Message(failed),
                                        "; the answer was taken: copy the receipt, "
                                        "and go on with challenge verdict"));
  }
  return Status(failed.code(), StrCat(Message(failed), "; this call took no answer"));
}

// --- The verdict.

namespace {

struct TakenAnswer {
  fs::path folder;
  ChallengeAnswer answer;
  ChallengeFiles files;
};

StatusOr<TakenAnswer> ReadTaken(const VerdictOptions& options, const Challenge& challenge) {
  const fs::path file = options.challenge / kReceiptFile;
  CTS_ASSIGN_OR_RETURN(const bool there, IsTaken(file));
  if (!there) {
    const std::string now = UtcNow();
    return NotFound(file.string(), ": no such file: no answer was taken",
                    now > challenge.until
                        ? StrCat(", and the challenge expired at ", challenge.until)
                        : "; take one by challenge receive");
  }
  TakenAnswer taken;
  CTS_ASSIGN_OR_RETURN(const std::string receipt_text, ReadSigned(file));
  CTS_ASSIGN_OR_RETURN(const Receipt receipt, OpenReceipt(challenge, receipt_text, file.string()));
  taken.folder = options.challenge / "received" / receipt.answer;
  const fs::path answer_file = taken.folder / kAnswerFile;
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadSigned(answer_file));
  CTS_ASSIGN_OR_RETURN(taken.answer, OpenAnswer(challenge, text, answer_file.string()));
  if (taken.answer.digest != receipt.answer) {
    return InvalidArgument(answer_file.string(), ": found the answer ", taken.answer.digest,
                           ", expected ", receipt.answer, " of the receipt");
  }
  CTS_RETURN_IF_ERROR(CheckDigests(taken.folder, taken.answer, options.jobs, options.stop));
  CTS_ASSIGN_OR_RETURN(const std::string challenge_text,
                       ReadSigned(options.challenge / "public" / kChallengeFile));
  taken.files = {
      {kChallengeFile, challenge_text}, {kAnswerFile, text}, {kReceiptFile, receipt_text}};
  return taken;
}

// A sample is judged like any challenge, by the same rules, and nothing is signed.
StatusOr<ChallengeVerdict> JudgeSample(const VerdictOptions& options, const PublicPart& part,
                                       const TakenAnswer& taken, const fs::path& answers) {
  if (options.archive) {
    return InvalidArgument(
        "--archive: found a sample, whose verdict is a folder without evidence: ",
        "leave --archive out");
  }
  CTS_RETURN_IF_ERROR(RequireNoFolder(options.out));
  CTS_ASSIGN_OR_RETURN(NewFolder folder, NewFolder::Beside(options.out));
  UnblindOptions unblind;
  unblind.results = taken.folder / "results";
  CTS_ASSIGN_OR_RETURN(unblind.answers, ReadAnswers(answers));
  unblind.jobs = options.jobs;
  unblind.stop = options.stop;
  if (options.progress) {
    unblind.progress = [&](size_t done, size_t total) {
      options.progress("generate", done, total);
    };
  }
  CTS_RETURN_IF_ERROR(Unblind(unblind, folder.path(), options.out).status());
  CTS_ASSIGN_OR_RETURN(Report report, JudgeEvidence(folder.path(), part.claim, options.jobs,
                                                    options.progress, options.stop));
  report.suite_path = "suite";
  report.results_path = "results";
  for (const auto& [name, text] : ReportFiles(report)) {
    CTS_RETURN_IF_ERROR(WriteFile(folder.path() / name, text));
  }
  report.suite_path = options.out / "suite";
  report.results_path = options.out / "results";
  std::string text = StrCat(FormatText(report), "sample: the answers are public, so nothing was ",
                            "signed, and this is no evidence\n");
  CTS_RETURN_IF_ERROR(IfNotStopped(options.stop));
  CTS_RETURN_IF_ERROR(PutFolder(folder, options.out));
  return ChallengeVerdict{std::move(report), std::move(text)};
}

}  // namespace

StatusOr<ChallengeVerdict> JudgeChallenge(const VerdictOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Ed25519Key key,
                       Ed25519Key::ReadPrivate(options.key, options.passphrase));
  const fs::path published = options.challenge / "public";
  CTS_ASSIGN_OR_RETURN(const PublicPart part, ReadPublic(published));
  CTS_RETURN_IF_ERROR(RequireIssuer(part.challenge, key, options.key));
  CTS_ASSIGN_OR_RETURN(const TakenAnswer taken, ReadTaken(options, part.challenge));
  const fs::path answers = options.challenge / "secret" / kAnswersFile;
  if (part.challenge.sample) {
    StatusOr<ChallengeVerdict> verdict = JudgeSample(options, part, taken, answers);
    if (!verdict.ok()) CTS_RETURN_IF_ERROR(IfNotStopped(options.stop));
    return verdict;
  }
  CertifyOptions certify;
  certify.claim = published / kClaimFile;
  certify.key = options.key;
  certify.passphrase = options.passphrase;
  certify.out = options.out;
  certify.archive = options.archive;
  certify.results = taken.folder / "results";
  certify.answers = answers;
  certify.challenge = taken.files;
  certify.jobs = options.jobs;
  certify.progress = options.progress;
  certify.stop = options.stop;
  certify.recipe = options.recipe;
  CTS_ASSIGN_OR_RETURN(Certified certified, Certify(certify));
  return ChallengeVerdict{std::move(certified.report), std::move(certified.text)};
}

}  // namespace cts
