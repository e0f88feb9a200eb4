#include "reference/ops/edition_wording.h"

#include <cctype>

namespace cts {
namespace {

bool IsOfWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A word that is an argument's name, or begins with it and an underscore.
std::string OwnWord(const OperatorSpec& spec, std::string_view word) {
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    const std::string &seen = spec.view->arguments[i].name, &own = spec.arguments[i].name;
    if (seen == own || !word.starts_with(seen)) continue;
    const std::string_view rest = word.substr(seen.size());
    if (rest.empty() || rest.front() == '_') return own + std::string(rest);
  }
  return std::string(word);
}

}  // namespace

std::string InEditionWords(const OperatorSpec& spec, std::string_view text) {
  if (spec.view == nullptr) return std::string(text);
  std::string own;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsOfWord(text[end])) ++end;
    if (end == i) {
      own += text[i++];
      continue;
    }
    own += OwnWord(spec, text.substr(i, end - i));
    i = end;
  }
  return own;
}

std::string Paraphrase(const Edition& edition, const Condition& condition) {
  std::string op(condition.id.substr(0, condition.id.find('.')));
  for (char& c : op) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const OperatorSpec& spec : edition.operators) {
    if (spec.Seen().name == op) return InEditionWords(spec, condition.paraphrase);
  }
  return std::string(condition.paraphrase);
}

}  // namespace cts
