// Relations of the operators that broadcast.
#include <optional>
#include <string>

#include "reference/ops/relation_tables.h"

namespace cts {
namespace {

// Every word of `length` letters.
std::vector<std::string> Words(std::string_view letters, size_t length) {
  std::vector<std::string> words = {""};
  for (size_t i = 0; i < length; ++i) {
    std::vector<std::string> longer;
    for (const std::string& word : words) {
      for (const char letter : letters) longer.push_back(word + letter);
    }
    words = std::move(longer);
  }
  return words;
}

constexpr std::string_view kReason = "every pattern of strides is a path of its own";

std::string TextOfPair(char letter) {
  switch (letter) {
    case 'e':
      return "equal";
    case 'l':
      return "1 on the left";
    case 'r':
      return "1 on the right";
    default:
      return "1 in both";
  }
}

std::string TextOfThree(char digit) {
  const int ones = digit - '0';
  if (ones == 0) return "equal";
  std::string text;
  for (int k = 0; k < 3; ++k) {
    if ((ones >> k & 1) != 0) text += StrCat(text.empty() ? "1 in input" : " and input", k + 1);
  }
  return text;
}

std::string TextOf(const std::string& pattern, std::string (*text_of)(char)) {
  std::string text = "the dimensions are ";
  for (size_t i = 0; i < pattern.size(); ++i)
    text += StrCat(i == 0 ? "" : ", ", text_of(pattern[i]));
  return text;
}

}  // namespace

std::string BroadcastPattern(const Shape& left, const Shape& right) {
  if (left.size() != right.size()) return "";
  std::string pattern;
  for (size_t i = 0; i < left.size(); ++i) {
    pattern += left[i] == 1 ? (right[i] == 1 ? 'b' : 'l') : right[i] == 1 ? 'r' : 'e';
  }
  return pattern;
}

std::string BroadcastPattern(const std::vector<Shape>& shapes) {
  std::string pattern;
  for (size_t i = 0; i < shapes.front().size(); ++i) {
    int ones = 0;
    for (size_t k = 0; k < shapes.size(); ++k) {
      if (shapes[k].size() != shapes.front().size()) return "";
      if (shapes[k][i] == 1) ones |= 1 << k;
    }
    pattern += static_cast<char>('0' + ones);
  }
  return pattern;
}

std::vector<Relation> BroadcastRelations() {
  std::vector<Relation> relations;
  for (size_t rank = 1; rank <= 4; ++rank) {
    for (const std::string& pattern : Words("elrb", rank)) {
      relations.push_back({"broadcast_" + pattern, TextOf(pattern, TextOfPair),
                           std::string(kReason), [pattern](const Call& call) {
                             return BroadcastPattern(call.shape("input1"), call.shape("input2")) ==
                                    pattern;
                           }});
    }
  }
  return relations;
}

Relation SameOperandsRelation(std::string operand1, std::string operand2, bool of_floats) {
  Relation relation = {
      "same_operands", StrCat(operand1, " and ", operand2, " are one tensor"),
      "an operand that is read twice may be read once, or be overwritten by the result",
      [=](const Call& call) { return call.IsOneTensor(operand1, operand2); }};
  if (of_floats) {
    relation.impossible = [](const Edition&, const TypeRow& row) -> std::string_view {
      const std::optional<DType> type = row.PlainType(row.PlainType("in_t") ? "in_t" : "in_out_t");
      return IsFloat(*type) ? "" : "an integer and itself have one result only";
    };
  }
  return relation;
}

std::vector<Relation> BroadcastOrSameRelations() {
  std::vector<Relation> relations = BroadcastRelations();
  relations.push_back(SameOperandsRelation("input1", "input2"));
  return relations;
}
std::vector<Relation> BroadcastOrSameFloatsRelations() {
  std::vector<Relation> relations = BroadcastRelations();
  relations.push_back(SameOperandsRelation("input1", "input2", true));
  return relations;
}

std::vector<Relation> SelectRelations() {
  std::vector<std::string> patterns = Words("01234567", 1);
  for (std::string& pattern : Words("01234567", 2)) patterns.push_back(std::move(pattern));
  for (const size_t rank : {3, 4}) {
    for (size_t axis = 0; axis < rank; ++axis) {
      for (char digit = '1'; digit <= '7'; ++digit) {
        std::string pattern(rank, '0');
        pattern[axis] = digit;
        patterns.push_back(std::move(pattern));
      }
    }
  }
  std::vector<Relation> relations;
  for (const std::string& pattern : patterns) {
    relations.push_back({"broadcast_" + pattern, TextOf(pattern, TextOfThree), std::string(kReason),
                         [pattern](const Call& call) {
                           return BroadcastPattern({call.shape("input1"), call.shape("input2"),
                                                    call.shape("input3")}) == pattern;
                         }});
  }
  relations.push_back(SameOperandsRelation("input2", "input3"));
  return relations;
}

}  // namespace cts
