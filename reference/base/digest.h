// SHA-256, as lower-case hexadecimal.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace cts {

std::string Sha256(std::string_view bytes);

// Computes SHA-256 of bytes that are added in pieces.
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
