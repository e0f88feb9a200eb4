// Texts that `certify` writes and `verify` reads: envelopes, base64, SHA256SUMS, claims, answers of
// blind suites.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "checker/evidence/claim.h"
#include "checker/evidence/dsse.h"
#include "checker/evidence/evidence.h"
#include "reference/base/digest.h"
#include "reference/base/json.h"
#include "tools/develop/fuzz/fuzz.h"
#include "tools/program/blind/blind_suite.h"

namespace cts {
namespace {

// The key whose seed is 32 times the same byte.
Ed25519Key MakeKey(char byte) {
  const std::string seed(32, byte);
  EVP_PKEY* const key = EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(seed.data()), seed.size());
  BIO* const bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  char* pem = nullptr;
  const long size = BIO_get_mem_data(bio, &pem);  // NOLINT(google-runtime-int): OpenSSL's
  const int fd = memfd_create("key", 0);
  Assert(write(fd, pem, static_cast<size_t>(size)) == size, "memory can be written");
  StatusOr<Ed25519Key> read = Ed25519Key::ReadPrivate("/proc/self/fd/" + std::to_string(fd));
  Assert(read.ok(), "a key of our own can be read");
  close(fd);
  BIO_free(bio);
  EVP_PKEY_free(key);
  return *std::move(read);
}

}  // namespace

// The seeds hold one payload that the first key has signed. Nothing else may open.
void FuzzEnvelope(std::string_view bytes) {
  static const auto& key = *new Ed25519Key(MakeKey('k'));
  static const auto& other = *new Ed25519Key(MakeKey('o'));
  const StatusOr<std::string> payload = OpenEnvelope(key, kPayloadType, bytes, "text");
  if (payload.ok()) {
    Assert(*payload == "{\"signed\":\"once\"}", "only what was signed can be opened");
  } else {
    Assert(Message(payload.status()).starts_with("text: "), "a refusal names the file");
  }
  // Half a millisecond of arithmetic for one more in sixteen.
  if (bytes.size() % 16 != 0) return;
  const StatusOr<std::string> sealed = SealEnvelope(other, kPayloadType, bytes);
  Assert(sealed.ok() != bytes.starts_with("\xEF\xBB\xBF"), "all but a byte order mark is signed");
  if (!sealed.ok()) return;
  const StatusOr<std::string> opened = OpenEnvelope(other, kPayloadType, *sealed, "text");
  Assert(opened.ok() && *opened == bytes, "what was signed can be opened");
  Assert(!OpenEnvelope(key, kPayloadType, *sealed, "text").ok(), "but not by another key");
}

void FuzzBase64(std::string_view bytes) {
  const std::string encoded = Base64(bytes);
  const StatusOr<std::string> back = FromBase64(encoded);
  Assert(back.ok() && *back == bytes, "what was encoded can be decoded");
  const StatusOr<std::string> decoded = FromBase64(bytes);
  if (!decoded.ok()) return;
  std::string standard(bytes);
  for (char& c : standard) c = c == '-' ? '+' : c == '_' ? '/' : c;
  Assert(Base64(*decoded) == standard, "a text has one spelling");
}

// The lines as paths of files; and as SHA256SUMS of those.
void FuzzSums(std::string_view bytes) {
  FileDigests files;
  std::vector<std::string> paths;
  for (std::string_view rest = bytes; !rest.empty() && paths.size() < 100;) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    // A whole line of SHA256SUMS names its file and digest, so that some fit.
    const bool whole = line.size() > 66 && line.substr(64, 2) == "  ";
    const std::string path(whole ? line.substr(66) : line);
    if (!path.empty()) {
      paths.push_back(path);
      files[path] = whole ? std::string(line.substr(0, 64)) : Sha256(path);
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const std::string sums = FormatSums(files);
  Assert(CompareWithSums(sums, files).empty(), "what was listed is as it was listed");
  Assert(Unlisted(sums, paths).empty(), "what was listed is listed");
  const std::vector<std::string> faults = CompareWithSums(bytes, files);
  for (const std::string& fault : faults) Assert(!fault.empty(), "a fault has a text");
  const bool all_listed = Unlisted(bytes, paths).empty();
  Assert(all_listed || !faults.empty(), "a file that is not listed is a fault");
}

void FuzzClaim(std::string_view bytes) {
  const StatusOr<Json> json = ParseJson(bytes, "text");
  if (!json.ok()) return;
  const StatusOr<Claim> claim = ClaimFromJson(*json, "text");
  if (!claim.ok()) {
    Assert(Message(claim.status()).starts_with("text: "), "a refusal names the file");
    return;
  }
  const Json written = ClaimToJson(*claim);
  const StatusOr<Claim> again = ClaimFromJson(written, "again");
  Assert(again.ok() && ClaimToJson(*again) == written, "it survives being written and read");
}

void FuzzAnswers(std::string_view bytes) {
  const StatusOr<Json> json = ParseJson(bytes, "text");
  if (!json.ok()) return;
  const StatusOr<SealedAnswers> answers = AnswersFromJson(*json, "text");
  if (!answers.ok()) {
    Assert(Message(answers.status()).starts_with("text: "), "a refusal names the file");
    return;
  }
  const Json written = AnswersToJson(*answers);
  const StatusOr<SealedAnswers> again = AnswersFromJson(written, "again");
  Assert(again.ok() && AnswersToJson(*again) == written, "it survives being written and read");
}

}  // namespace cts
