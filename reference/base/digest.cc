#include "reference/base/digest.h"

#include <openssl/evp.h>

#include <new>

namespace cts {
namespace {

// OpenSSL's SHA-256 fails only without memory, its providers' included.
void Require(bool done) {
  if (!done) throw std::bad_alloc();
}

// Looked up once, because OpenSSL 3 otherwise searches its providers for every digest.
const EVP_MD* Algorithm() {
  static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm;
}

}  // namespace

struct Sha256Stream::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) {
  Require(state_->context != nullptr && Algorithm() != nullptr &&
          EVP_DigestInit_ex(state_->context, Algorithm(), nullptr) == 1);
}

Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::Add(std::string_view bytes) {
  Require(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256Stream::Finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  Require(EVP_DigestFinal_ex(state_->context, digest, &size) == 1);
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4];
    text += "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

std::string Sha256(std::string_view bytes) {
  Sha256Stream stream;
  stream.Add(bytes);
  return stream.Finish();
}

}  // namespace cts
