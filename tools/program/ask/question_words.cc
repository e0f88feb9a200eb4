#include "tools/program/ask/question_words.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "checker/text/printable.h"
#include "generator/data/data_sets.h"
#include "generator/data/random.h"
#include "reference/base/json.h"
#include "reference/calls/call_answer.h"
#include "tools/program/ask/eval.h"
#include "tools/program/ask/judge.h"
#include "tools/program/ask/judge_call.h"

namespace cts {
namespace {

using judging::Pattern;

// In a row; then the operator has no answer to what can be drawn.
constexpr int kMostInVain = 5000;

// One value in four is special, the others lie anywhere or near 1, where most functions happen.
uint64_t Draw(Random& random, DType dtype) {
  const std::vector<uint64_t> special = SpecialBits(dtype);
  if (!special.empty() && random.Below(4) == 0) return special[random.Below(special.size())];
  const bool near = random.Below(2) == 0;
  if (IsFloat(dtype)) {
    constexpr double kNear = 16;
    const Random stream(random.Next64(), "ask", "value");
    return (near ? FloatsBetween(stream, dtype, {1}, -kNear, kNear) : FullRange(stream, dtype, {1}))
        .Bits(0);
  }
  const uint64_t bits = random.Next64();
  if (!near) return bits;
  // The number has any magnitude and either sign.
  return static_cast<uint64_t>(static_cast<int64_t>(bits) >>
                               random.Between(64 - Info(dtype).bits, 63));
}

Json QuestionOf(const AskOptions& options) {
  Json question = {{"edition", options.edition},
                   {"operator", options.op},
                   {"type", options.type},
                   {"attributes", options.attributes},
                   {"in", Json::array()}};
  if (!options.in_type.empty()) question["in_type"] = options.in_type;
  return question;
}

// All words of a question but its operands.
std::string Head(const AskOptions& options) {
  std::string text = options.op + " " + options.type;
  if (options.edition != kDefaultEdition) text += " edition=" + options.edition;
  if (!options.in_type.empty()) text += " in_type=" + options.in_type;
  for (const auto& [name, value] : options.attributes.items()) {
    text += StrCat(" ", name, "=", value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

StatusOr<Json> QuestionOfWords(const std::string& line, const std::string& edition) {
  std::istringstream words(line);
  Json question = {{"edition", edition}, {"in", Json::array()}};
  std::string word;
  words >> word;
  question["operator"] = word;
  if (words >> word) question["type"] = word;
  std::string last;
  while (words >> word) {
    if (word.find('=') == std::string::npos) {
      if (!last.empty()) question["in"].push_back(std::move(last));
      last = std::move(word);
    } else if (word.starts_with("edition=") || word.starts_with("in_type=")) {
      const size_t equals = word.find('=');
      question[word.substr(0, equals)] = word.substr(equals + 1);
    } else {
      CTS_RETURN_IF_ERROR(AddAttribute(word, &question));
    }
  }
  if (question["in"].empty()) {
    return InvalidArgument(
        "expected OPERATOR TYPE, NAME=VALUE for attributes, the operands, and the answer");
  }
  question["results"] = {std::move(last)};
  return question;
}

StatusOr<Judgement> JudgeLine(const std::string& line, bool too_long, const std::string& edition) {
  if (too_long) return InvalidArgument("longer than ", kMaxCallBytes, " bytes");
  CTS_ASSIGN_OR_RETURN(const Json question, QuestionOfWords(line, edition));
  return Judge(question, Digits::kPattern);
}

}  // namespace

Status AddAttribute(std::string_view word, Json* question) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return InvalidArgument("found ", Printable(word), ", expected NAME=VALUE");
  }
  const std::string text(word.substr(equals + 1));
  const StatusOr<Json> value = ParseJson(text, "value");
  (*question)["attributes"][std::string(word.substr(0, equals))] = value.ok() ? *value : Json(text);
  return absl::OkStatus();
}

Status Ask(const AskOptions& options, std::ostream& out) {
  Json json = QuestionOf(options);
  CTS_ASSIGN_OR_RETURN(const judging::Question empty,
                       judging::ReadQuestion(json, Digits::kPattern));
  CTS_ASSIGN_OR_RETURN(const std::vector<DType> types, judging::OperandTypes(empty));
  Random random(options.seed, options.op, options.type);
  const std::string head = Head(options);
  int in_vain = 0;
  for (int64_t asked = 0; asked < options.count;) {
    std::string line = head;
    json["in"] = Json::array();
    for (const DType dtype : types) {
      const std::string pattern = Pattern(dtype, Draw(random, dtype));
      json["in"].push_back(pattern);
      line += " " + pattern;
    }
    CTS_ASSIGN_OR_RETURN(const judging::Question question,
                         judging::ReadQuestion(json, Digits::kPattern));
    // Operands that overflow, say, have no answer.
    if (Status answer = judging::Expect(question).status(); !answer.ok()) {
      if (++in_vain >= kMostInVain || absl::IsUnavailable(answer)) return answer;
      continue;
    }
    in_vain = 0;
    ++asked;
    out << line << '\n';
    if (!out) return Unavailable("standard output: cannot be written");
  }
  out << std::flush;
  return out ? absl::OkStatus() : Unavailable("standard output: cannot be written");
}

StatusOr<JudgedLines> JudgeWords(std::istream& in, std::ostream& out, const std::string& edition,
                                 const std::string& origin, bool all) {
  JudgedLines counts;
  std::string line;
  bool too_long = false;
  for (int64_t number = 1; ReadLine(in, line, too_long); ++number) {
    if (!too_long && line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const StatusOr<Judgement> judgement = JudgeLine(line, too_long, edition);
    if (!judgement.ok()) {
      ++counts.no_question;
      out << "error line " << number << ": " << Printable(Message(judgement.status())) << '\n';
    } else if (!judgement->accepted[0]) {
      const bool disputed = !judgement->disputed.empty();
      ++(disputed ? counts.disputed : counts.rejected);
      out << (disputed ? "disputed " : "reject ") << Printable(line) << " expected "
          << AcceptedText(*judgement) << (disputed ? "; " + judgement->disputed : "") << '\n';
    } else {
      ++counts.accepted;
      if (all) out << "accept " << Printable(line) << '\n';
    }
    out << std::flush;
    if (!out) return Unavailable("standard output: cannot be written");
  }
  if (in.bad()) return Unavailable(origin, ": cannot be read");
  return counts;
}

}  // namespace cts
