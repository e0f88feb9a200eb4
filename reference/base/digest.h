// Computes SHA-256 digests, as text of 64 lower-case hexadecimal digits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace cts {

std::string Sha256(std::string_view bytes);

// Computes the SHA-256 of bytes that Add receives in pieces. Finish returns the digest; no call may
// follow it.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  void Add(std::string_view bytes);
  std::string Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cts
