// The finding of a predicate about a call: whether the call breaks a condition, and perhaps how.
// ExplainBroken (finding.h) makes a message from the finding.
#pragma once

#include <string>

#include "reference/base/status.h"

namespace cts {

class Breach {
 public:
  // If `broken`, the message has the condition's paraphrase, then the values that the predicate
  // read.
  // NOLINTNEXTLINE(google-explicit-constructor): most predicates need no words.
  Breach(bool broken = false) : broken_(broken) {}

  // The message has this sentence instead of the paraphrase.
  template <class... Args>
  static Breach Saying(const Args&... sentence) {
    Breach breach(true);
    breach.sentence_ = StrCat(sentence...);
    return breach;
  }
  // The message has this text after the paraphrase, instead of the values that the predicate read.
  template <class... Args>
  static Breach Showing(const Args&... values) {
    Breach breach(true);
    breach.values_ = StrCat(values...);
    return breach;
  }
  // For a condition "A is not B": the message has the found A and the expected B.
  template <class Found, class Expected>
  static Breach Differing(const Found& found, const Expected& expected) {
    Breach breach(true);
    breach.found_ = StrCat(found);
    breach.expected_ = StrCat(expected);
    return breach;
  }

  explicit operator bool() const { return broken_; }
  // Each of these texts is empty if the predicate did not set it.
  const std::string& sentence() const { return sentence_; }
  const std::string& values() const { return values_; }
  const std::string& found() const { return found_; }
  const std::string& expected() const { return expected_; }

 private:
  bool broken_;
  std::string sentence_, values_, found_, expected_;
};

}  // namespace cts
