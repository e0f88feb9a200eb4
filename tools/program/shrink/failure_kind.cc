#include "tools/program/shrink/failure_kind.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "checker/text/printable.h"
#include "reference/base/status.h"

namespace cts {
namespace {

// Returns the end of the bracket that begins at `at`; `at` if it does not end, as in "x < 5".
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

// The message itself: one line, with numbers and brackets.
std::string FirstLine(const std::string& message) {
  constexpr size_t kMaxTitle = 200;
  const size_t begin = std::min(message.find_first_not_of(" \t\n"), message.size());
  const size_t end = std::min(message.find('\n', begin), message.size());
  return Shortened(Printable(message.substr(begin, end - begin)), kMaxTitle);
}

// `part` says what of a message is wanted.
std::string FailureText(const CaseReport& report, std::string (*part)(const std::string&)) {
  const auto with = [part](const char* what, const std::string& message) {
    const std::string text = part(message);
    return text.empty() ? std::string(what) : StrCat(what, ": ", text);
  };
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
      return with("an error where a result is due", report.said);
    case Verdict::kMissing:
      return "a missing output";
    case Verdict::kMalformed: {
      const size_t colon = report.message.find(": ");
      return with("a malformed output",
                  colon == std::string::npos ? report.message : report.message.substr(colon + 2));
    }
    case Verdict::kUnsupported:
      return with("unsupported", report.said);
    case Verdict::kAccepted:
      return "accepted, without values";
    case Verdict::kDisputed:
      return "another result where the text disagrees with itself";
    case Verdict::kTimeout:
      return "no answer in time";
    case Verdict::kProtocol:
      return with("a broken protocol", report.said);
    case Verdict::kCrash:
      break;
  }
  if (report.reported) return with("a crash", report.said);
  std::string kind = "a crash";
  if (report.signal) kind += StrCat(", signal ", *report.signal);
  if (report.exit_code && *report.exit_code != 0) kind += StrCat(", exit code ", *report.exit_code);
  // An assertion says which.
  const size_t assertion = report.log.find("ssertion");
  if (assertion != std::string::npos) {
    const size_t begin = report.log.rfind('\n', assertion) + 1;
    kind += ": " + part(report.log.substr(begin, report.log.find('\n', assertion) - begin));
  }
  return kind;
}

}  // namespace

std::string FailureKind(const CaseReport& report) { return FailureText(report, Words); }

std::string FailureTitle(const CaseReport& report) { return FailureText(report, FirstLine); }

}  // namespace cts
