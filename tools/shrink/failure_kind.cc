#include "tools/shrink/failure_kind.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "checker/printable.h"
#include "reference/base/status.h"

namespace cts {
namespace {

// Where the bracket ends that begins at `at`; at `at` if it does not, as in "x < 5".
size_t EndOfBracket(const std::string& text, size_t at) {
  int depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    const bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == '<' || c == '[' || c == '(') ++depth;
    if ((c == '>' && !arrow) || c == ']' || c == ')') --depth;
    if (depth == 0) return i;
  }
  return at;
}

// Whether a word holds an address, which is another in every process.
bool IsAddress(const std::string& word) {
  const size_t at = word.find("0x");
  return at != std::string::npos && at + 2 < word.size() &&
         std::isxdigit(static_cast<unsigned char>(word[at + 2])) != 0;
}

// A message without the parts that change from case to case: numbers, addresses, shapes, paths,
// types of tensors.
std::string Words(const std::string& message) {
  constexpr size_t kMaxWords = 200;
  std::string plain;
  for (size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (c == '<' || c == '[' || c == '(') {
      const size_t end = EndOfBracket(message, i);
      if (end > i) {
        i = end;
        continue;
      }
    }
    plain += c == '\n' ? ' ' : c;
  }
  std::string words;
  size_t at = 0;
  while (at < plain.size() && words.size() < kMaxWords) {
    const size_t end = std::min(plain.find(' ', at), plain.size());
    std::string word = plain.substr(at, end - at);
    at = end + 1;
    if (word.find('/') != std::string::npos || IsAddress(word)) continue;
    std::erase_if(word, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (word.empty() || word == "-" || word == ",") continue;
    words += (words.empty() ? "" : " ") + word;
  }
  return words;
}

}  // namespace

std::string FailureKind(const CaseReport& report) {
  switch (report.verdict) {
    case Verdict::kPass:
      return "";
    case Verdict::kFail:
      for (const OutputReport& output : report.outputs) {
        if (output.mismatches > 0) return "a wrong value";
      }
      return "a wrong distribution of errors, every value within its limit";
    case Verdict::kWrongOutcome:
      if (report.outcome == Outcome::kError) return "a result where an error is due";
      return StrCat("an error where a result is due: ", Words(report.said));
    case Verdict::kMissing:
      return "a missing output";
    case Verdict::kMalformed: {
      const size_t colon = report.message.find(": ");
      return StrCat(
          "a malformed output: ",
          Words(colon == std::string::npos ? report.message : report.message.substr(colon + 2)));
    }
    case Verdict::kUnsupported:
      return StrCat("unsupported: ", Words(report.said));
    case Verdict::kTimeout:
      return "no answer in time";
    case Verdict::kProtocol:
      return StrCat("a broken protocol: ", Words(report.said));
    case Verdict::kCrash:
      break;
  }
  std::string kind = "a crash";
  if (report.signal) kind += StrCat(", signal ", *report.signal);
  if (report.exit_code && *report.exit_code != 0) kind += StrCat(", exit code ", *report.exit_code);
  // An assertion says which.
  const size_t assertion = report.log.find("ssertion");
  if (assertion != std::string::npos) {
    const size_t begin = report.log.rfind('\n', assertion) + 1;
    kind += ": " + Words(report.log.substr(begin, report.log.find('\n', assertion) - begin));
  }
  return kind;
}

}  // namespace cts
