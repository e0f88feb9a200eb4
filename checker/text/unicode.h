// Unicode properties of texts beyond ASCII. They come from the library ICU, which is opened when
// the first such text occurs.
#pragma once

#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

// The system's ICU library, in any version. The first call of Get opens the library; if it cannot,
// the error says what is missing.
class Unicode {
 public:
  static StatusOr<const Unicode*> Get();

  // Returns the text in Unicode's form NFKC (UAX #15). For this function and those below, texts are
  // UTF-8, and the only possible error is lack of memory.
  StatusOr<std::string> Nfkc(std::string_view text) const;
  // Names that look the same have the same skeleton (UTS #39, confusables); kFolded ignores upper
  // and lower case.
  enum class Case { kFolded, kKept };
  StatusOr<std::string> Skeleton(std::string_view text, Case letters = Case::kFolded) const;

  struct Looks {
    bool invisible = false;  // has an invisible character
    // Mixes scripts whose letters may look alike (not highly restrictive by UTS #39), or has digits
    // of several systems.
    bool mixed = false;
    bool latin = false;  // has a letter of the Latin script
    // The first character beyond ASCII that UTS #39 does not recommend, or that modifies a letter.
    std::string unusual;
  };
  StatusOr<Looks> LooksOf(std::string_view text) const;

 private:
  Unicode() = default;
};

}  // namespace cts
