#include "reference/spec/expression.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cctype>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace cts {
namespace {

using Wide = __int128;

constexpr size_t kMaxNodes = 1000;
constexpr const char* kNoNumber = "found a comparison where a number is expected";
constexpr int kMaxDepth = 100;  // of parentheses and signs: the parser calls itself

// Operators of two characters stand before those that they begin with.
constexpr std::array<std::string_view, 17> kSymbols = {
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "+", "-", "*", "/", "(", ")", ",", "end"};
constexpr size_t kWrittenSymbols = kSymbols.size() - 1;

bool BeginsName(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

Status Overflow() { return absl::OutOfRangeError("a number does not fit 64 bits"); }

// The factors of the cross products are of 64 bits, so that their sum fits 128.
StatusOr<Fraction> Reduced(Wide numerator, Wide denominator) {
  Wide a = numerator < 0 ? -numerator : numerator, b = denominator;
  while (b != 0) a = std::exchange(b, a % b);
  numerator /= a;
  denominator /= a;
  constexpr Wide kLeast = std::numeric_limits<int64_t>::min();
  constexpr Wide kGreatest = std::numeric_limits<int64_t>::max();
  if (numerator < kLeast || numerator > kGreatest || denominator > kGreatest) return Overflow();
  return Fraction{static_cast<int64_t>(numerator), static_cast<int64_t>(denominator)};
}

Wide Cross(const Fraction& a, const Fraction& b) { return Wide{a.numerator} * b.denominator; }
bool Less(const Fraction& a, const Fraction& b) { return Cross(a, b) < Cross(b, a); }

}  // namespace

std::string NamedValue::Text() const {
  return function.empty() ? name : StrCat(function, "(", name, ")");
}

std::string Fraction::Text() const {
  return denominator == 1 ? std::to_string(numerator) : StrCat(numerator, " / ", denominator);
}

// Recursive descent, one function a precedence; each returns the place of its node.
class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) { Next(); }

  StatusOr<Expression> Parse() {
    CTS_RETURN_IF_ERROR(Or().status());
    if (!Is("end")) return Unexpected("an operator or the end");
    for (const std::string& piece : pieces_) expression_.text_ += piece;
    return std::move(expression_);
  }

 private:
  using Operation = Expression::Operation;
  using Place = StatusOr<size_t>;

  // --- Tokens ---

  // Moves to the next token: a symbol, a number, a name, "end", or any other character.
  void Next() {
    while (end_ < text_.size() && text_[end_] == ' ') ++end_;
    begin_ = end_;
    is_name_ = is_number_ = false;
    if (begin_ == text_.size()) {
      token_ = "end";
      return;
    }
    for (size_t i = 0; i < kWrittenSymbols; ++i) {
      if (!text_.substr(begin_).starts_with(kSymbols[i])) continue;
      end_ += kSymbols[i].size();
      token_ = kSymbols[i];
      return;
    }
    is_name_ = BeginsName(text_[begin_]);
    is_number_ = IsDigit(text_[begin_]);
    ++end_;
    while ((is_name_ || is_number_) && end_ < text_.size() &&
           (BeginsName(text_[end_]) || IsDigit(text_[end_]))) {
      ++end_;
    }
    token_ = text_.substr(begin_, end_ - begin_);
  }

  bool Is(std::string_view symbol) const { return !is_name_ && !is_number_ && token_ == symbol; }

  // Whether the token is that symbol. If so, moves past it and appends it to the text as `piece`.
  bool Accept(std::string_view symbol, std::string_view piece) {
    if (!Is(symbol)) return false;
    pieces_.emplace_back(piece);
    Next();
    return true;
  }

  Status At(const std::string& problem) const {
    return InvalidArgument("expression `", text_, "`, column ", begin_ + 1, ": ", problem);
  }
  Status Unexpected(std::string_view expected) const {
    return At(StrCat("found ", begin_ == text_.size() ? "the end" : StrCat("`", token_, "`"),
                     ", expected ", expected));
  }

  // --- Nodes ---

  Place Add(Operation operation, size_t left, size_t right, int64_t number = 0) {
    if (expression_.nodes_.size() == kMaxNodes) {
      return At(StrCat("expected an expression of at most ", kMaxNodes, " parts"));
    }
    const bool is_condition = operation >= Operation::kEqual;
    expression_.nodes_.push_back({operation, is_condition, left, right, number});
    return expression_.nodes_.size() - 1;
  }

  // Both operands have to be conditions, or both have to be numbers.
  Place Combine(Operation operation, size_t left, size_t right) {
    const bool wanted = operation >= Operation::kAnd;
    for (const size_t operand : {left, right}) {
      if (expression_.nodes_[operand].is_condition == wanted) continue;
      return At(wanted ? "expected comparisons on both sides of && and ||, and after !"
                       : kNoNumber);
    }
    return Add(operation, left, right);
  }

  struct Binary {
    std::string_view symbol;
    Operation operation;
    bool swapped = false;  // a > b is b < a
  };

  // `operand (symbol operand)*` from left to right; once only if it is not `repeated`.
  template <size_t kCount>
  Place Chain(const std::array<Binary, kCount>& symbols, bool repeated,
              Place (ExpressionParser::*operand)()) {
    Place left = (this->*operand)();
    for (bool again = true; left.ok() && again;) {
      again = false;
      for (const Binary& binary : symbols) {
        if (!Accept(binary.symbol, StrCat(" ", binary.symbol, " "))) continue;
        CTS_ASSIGN_OR_RETURN(const size_t right, (this->*operand)());
        left = binary.swapped ? Combine(binary.operation, right, *left)
                              : Combine(binary.operation, *left, right);
        again = repeated;
        break;
      }
    }
    return left;
  }

  Place Or() {
    return Chain(std::array<Binary, 1>{{{"||", Operation::kOr}}}, true, &ExpressionParser::And);
  }
  Place And() {
    return Chain(std::array<Binary, 1>{{{"&&", Operation::kAnd}}}, true,
                 &ExpressionParser::Comparison);
  }
  Place Comparison() {
    return Chain(std::array<Binary, 6>{{{"==", Operation::kEqual},
                                        {"!=", Operation::kUnequal},
                                        {"<=", Operation::kLessOrEqual},
                                        {">=", Operation::kLessOrEqual, true},
                                        {"<", Operation::kLess},
                                        {">", Operation::kLess, true}}},
                 false, &ExpressionParser::Sum);
  }
  Place Sum() {
    return Chain(std::array<Binary, 2>{{{"+", Operation::kAdd}, {"-", Operation::kSubtract}}}, true,
                 &ExpressionParser::Product);
  }
  Place Product() {
    return Chain(std::array<Binary, 2>{{{"*", Operation::kMultiply}, {"/", Operation::kDivide}}},
                 true, &ExpressionParser::Unary);
  }

  Place Unary() {
    if (depth_ == kMaxDepth) {
      return At(
          StrCat("expected parentheses and signs within one another at most ", kMaxDepth, " deep"));
    }
    ++depth_;
    Place place = Inner();
    --depth_;
    return place;
  }

  Place Inner() {
    if (Accept("-", "-")) {
      CTS_ASSIGN_OR_RETURN(const size_t operand, Unary());
      return Combine(Operation::kNegate, operand, operand);
    }
    if (Accept("!", "!")) {
      CTS_ASSIGN_OR_RETURN(const size_t operand, Unary());
      return Combine(Operation::kNot, operand, operand);
    }
    if (Accept("(", "(")) {
      Place inner = Or();
      if (inner.ok() && !Accept(")", ")")) return Unexpected("`)`");
      return inner;
    }
    if (is_number_) return Constant();
    if (is_name_) return NameOrCall();
    return Unexpected("a number, a name or `(`");
  }

  Place Constant() {
    int64_t number = 0;
    for (const char c : token_) {
      if (!IsDigit(c)) return Unexpected("a number");
      if (__builtin_mul_overflow(number, int64_t{10}, &number) ||
          __builtin_add_overflow(number, int64_t{c - '0'}, &number)) {
        return Unexpected("a number of at most 64 bits");
      }
    }
    pieces_.push_back(std::to_string(number));
    Next();
    return Add(Operation::kConstant, 0, 0, number);
  }

  Place NameOrCall() {
    const std::string name(token_);
    const size_t begin = begin_;
    Next();
    if (!Is("(")) return Name({.function = "", .name = name});
    if (name == "max") return Max();
    if (name != "rank" && name != "length" && name != "tensor_list_shape") {
      begin_ = begin;
      token_ = name;
      return Unexpected("max, rank, length or tensor_list_shape before `(`");
    }
    CTS_ASSIGN_OR_RETURN(std::string argument, Argument());
    // The length of a list of tensors: 1.1 writes length(tensor_list_shape(a)), 1.0 leaves length()
    // out.
    return Name({.function = name == "rank" ? "rank" : "length", .name = std::move(argument)});
  }

  // "(shape)", "(tensor_list_shape(input1))": the name within.
  StatusOr<std::string> Argument() {
    Next();
    if (!is_name_) return Unexpected("a name");
    std::string name(token_);
    Next();
    const bool within_a_list = name == "tensor_list_shape" && Is("(");
    if (within_a_list) {
      Next();
      if (!is_name_) return Unexpected("a name");
      name = token_;
      Next();
    }
    for (int parentheses = within_a_list ? 2 : 1; parentheses > 0; --parentheses) {
      if (!Is(")")) return Unexpected("`)`");
      Next();
    }
    return name;
  }

  Place Name(const NamedValue& value) {
    pieces_.push_back(value.Text());
    std::vector<NamedValue>& names = expression_.names_;
    const auto found = std::find(names.begin(), names.end(), value);
    const int64_t place = found - names.begin();
    if (found == names.end()) names.push_back(value);
    return Add(Operation::kName, 0, 0, place);
  }

  Place Max() {
    pieces_.emplace_back("max");
    Accept("(", "(");
    Place greatest = Or();
    while (greatest.ok() && Accept(",", ", ")) {
      CTS_ASSIGN_OR_RETURN(const size_t next, Or());
      greatest = Combine(Operation::kMax, *greatest, next);
    }
    if (greatest.ok() && !Accept(")", ")")) return Unexpected("`,` or `)`");
    if (greatest.ok() && expression_.nodes_[*greatest].is_condition) return At(kNoNumber);
    return greatest;
  }

  const std::string_view text_;
  size_t begin_ = 0, end_ = 0;
  std::string_view token_;
  bool is_name_ = false, is_number_ = false;
  int depth_ = 0;
  std::vector<std::string> pieces_;
  Expression expression_;
};

StatusOr<Expression> Expression::Parse(std::string_view text) {
  return ExpressionParser(text).Parse();
}

StatusOr<Fraction> Expression::Number(const std::vector<int64_t>& values) const {
  assert(!is_condition() && values.size() == names_.size());
  return NumberAt(nodes_.size() - 1, values);
}

StatusOr<bool> Expression::Holds(const std::vector<int64_t>& values) const {
  assert(is_condition() && values.size() == names_.size());
  return HoldsAt(nodes_.size() - 1, values);
}

StatusOr<Fraction> Expression::NumberAt(size_t place, const std::vector<int64_t>& values) const {
  const Node& node = nodes_[place];
  if (node.operation == Operation::kConstant) return Fraction{node.number, 1};
  if (node.operation == Operation::kName) {
    return Fraction{values[static_cast<size_t>(node.number)], 1};
  }
  CTS_ASSIGN_OR_RETURN(const Fraction a, NumberAt(node.left, values));
  if (node.operation == Operation::kNegate) return Reduced(-Wide{a.numerator}, a.denominator);
  CTS_ASSIGN_OR_RETURN(const Fraction b, NumberAt(node.right, values));
  const Wide common = Wide{a.denominator} * b.denominator;
  switch (node.operation) {
    case Operation::kAdd:
      return Reduced(Cross(a, b) + Cross(b, a), common);
    case Operation::kSubtract:
      return Reduced(Cross(a, b) - Cross(b, a), common);
    case Operation::kMultiply:
      return Reduced(Wide{a.numerator} * b.numerator, common);
    case Operation::kMax:
      return Less(a, b) ? b : a;
    default:
      break;
  }
  assert(node.operation == Operation::kDivide);
  if (b.numerator < 1) {
    return InvalidArgument("`", text_, "`: found the divisor ", b.Text(), ", expected at least 1");
  }
  return Reduced(Cross(a, b), Wide{a.denominator} * b.numerator);
}

StatusOr<bool> Expression::HoldsAt(size_t place, const std::vector<int64_t>& values) const {
  const Node& node = nodes_[place];
  const bool joins = node.operation == Operation::kAnd || node.operation == Operation::kOr;
  if (joins || node.operation == Operation::kNot) {
    CTS_ASSIGN_OR_RETURN(const bool left, HoldsAt(node.left, values));
    if (!joins) return !left;
    return left == (node.operation == Operation::kOr) ? left : HoldsAt(node.right, values);
  }
  CTS_ASSIGN_OR_RETURN(const Fraction a, NumberAt(node.left, values));
  CTS_ASSIGN_OR_RETURN(const Fraction b, NumberAt(node.right, values));
  if (node.operation == Operation::kEqual) return a == b;
  if (node.operation == Operation::kUnequal) return !(a == b);
  return node.operation == Operation::kLess ? Less(a, b) : !Less(b, a);
}

}  // namespace cts
