// Facts of Unicode about texts beyond ASCII, by ICU, which is opened where such a text is first
// met.
#pragma once

#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

// ICU of the system, of whatever version; opened once. An error says what is missing.
class Unicode {
 public:
  static StatusOr<const Unicode*> Get();

  // Unicode's form NFKC (UAX #15). This and the others: texts in UTF-8; errors are want of memory.
  StatusOr<std::string> Nfkc(std::string_view text) const;
  // Names that look the same have the same one, whatever their case (UTS #39, confusables).
  StatusOr<std::string> Skeleton(std::string_view text) const;

  struct Looks {
    bool invisible;  // has a character that nobody sees
    bool mixed;      // has letters of scripts that look alike: not moderately restrictive (UTS #39)
  };
  StatusOr<Looks> LooksOf(std::string_view text) const;

 private:
  Unicode() = default;
};

}  // namespace cts
