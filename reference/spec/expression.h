// Expressions over named integers, which editions write in LEVEL_CHECKs and conditions: "dilation_y
// * KH", "rank(shape)", "KH >= 1 && (IH - KH) / stride_y + 1 == OH".
//
// Numbers are exact fractions: 513 / 2 exceeds 256, and a quotient that is no integer never equals
// a size. A division by a divisor below 1 is an error. No number wraps around: a number that does
// not fit into 64 bits is an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"

namespace cts {

// A name in an expression: "pad_top", "rank(shape)" or "length(input1)".
struct NamedValue {
  std::string function;  // "rank", "length", or empty
  std::string name;

  std::string Text() const;
  friend bool operator==(const NamedValue&, const NamedValue&) = default;
};

struct Fraction {
  int64_t numerator = 0, denominator = 1;  // reduced; the denominator is at least 1

  std::string Text() const;  // "256", "513 / 2"
  friend bool operator==(const Fraction&, const Fraction&) = default;
};

class Expression {
 public:
  // Parses + - * / max(), parentheses, == != < <= > >= and && || ! over comparisons. An error names
  // a column and the text at this column.
  static StatusOr<Expression> Parse(std::string_view text);

  // The names, in the order in which they first occur.
  const std::vector<NamedValue>& names() const { return names_; }
  bool is_condition() const { return !nodes_.empty() && nodes_.back().is_condition; }
  // The parsed expression, evenly spaced.
  const std::string& text() const { return text_; }

  // Number and Holds take a value for each name, in the order of names(). Number evaluates an
  // expression that is not a condition; Holds evaluates a condition. They return InvalidArgument
  // for a divisor below 1, and OutOfRange for a number that does not fit into 64 bits. && and ||
  // skip their right side if the left side decides.
  StatusOr<Fraction> Number(const std::vector<int64_t>& values) const;
  StatusOr<bool> Holds(const std::vector<int64_t>& values) const;

 private:
  friend class ExpressionParser;
  enum class Operation {
    kConstant,
    kName,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kMax,
    kNegate,
    kEqual,
    kUnequal,
    kLess,
    kLessOrEqual,
    kAnd,
    kOr,
    kNot
  };
  // A node follows its operands; the last node is the whole expression.
  struct Node {
    Operation operation;
    bool is_condition = false;
    size_t left = 0, right = 0;
    int64_t number = 0;  // the value of a constant, or the index of a name in names_
  };
  StatusOr<Fraction> NumberAt(size_t node, const std::vector<int64_t>& values) const;
  StatusOr<bool> HoldsAt(size_t node, const std::vector<int64_t>& values) const;

  std::vector<Node> nodes_;
  std::vector<NamedValue> names_;
  std::string text_;
};

}  // namespace cts
