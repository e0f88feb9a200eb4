#include "reference/spec/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "reference/spec/edition.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Expression Parsed(std::string_view text) {
  StatusOr<Expression> parsed = Expression::Parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.status();
  return parsed.ok() ? *std::move(parsed) : Expression();
}

std::string Rejected(std::string_view text) {
  const StatusOr<Expression> parsed = Expression::Parse(text);
  return parsed.ok() ? "accepted" : Message(parsed.status());
}

// "513 / 2", "true", or the error.
std::string Value(std::string_view text, const std::vector<int64_t>& values = {}) {
  const Expression expression = Parsed(text);
  if (expression.is_condition()) {
    const StatusOr<bool> holds = expression.Holds(values);
    return !holds.ok() ? Message(holds.status()) : *holds ? "true" : "false";
  }
  const StatusOr<Fraction> number = expression.Number(values);
  return number.ok() ? number->Text() : Message(number.status());
}

TEST(Expression, ObeysTheUsualPrecedence) {
  EXPECT_EQ(Value("1 + 2 * 3"), "7");
  EXPECT_EQ(Value("(1 + 2) * 3"), "9");
  EXPECT_EQ(Value("10 - 4 - 3"), "3");
  EXPECT_EQ(Value("24 / 4 / 2"), "3");
  EXPECT_EQ(Value("-2 * -3 - -1"), "7");
  EXPECT_EQ(Value("max(1, 5, 3) + max(2)"), "7");
  EXPECT_EQ(Value("1 + 1 == 2 && 3 > 2 || 1 == 2"), "true");
  EXPECT_EQ(Value("1 == 2 && 1 == 1 || 1 == 1"), "true");
  EXPECT_EQ(Value("1 == 2 && (1 == 1 || 1 == 1)"), "false");
  EXPECT_EQ(Value("!(1 < 2)"), "false");
  EXPECT_EQ(Value("2 != 2"), "false");
  EXPECT_EQ(Value("2 <= 2 && 2 >= 2 && !(2 < 2) && !(2 > 2)"), "true");
}

TEST(Expression, IsExactWhereItDoesNotDivide) {
  EXPECT_EQ(Value("513 / 2"), "513 / 2");
  EXPECT_EQ(Value("513 / 2 > 256"), "true");
  EXPECT_EQ(Value("513 / 2 * 2"), "513");
  EXPECT_EQ(Value("7 / 2 + 1 / 2 == 4"), "true");
  EXPECT_EQ(Value("-7 / 2 < -3"), "true");
  EXPECT_EQ(Value("6 / 4"), "3 / 2");
}

TEST(Expression, HasNoNumberForADivisorBelowOne) {
  EXPECT_EQ(Value("n / d", {1, 0}), "`n / d`: found the divisor 0, expected at least 1");
  EXPECT_EQ(Value("n / d", {1, -1}), "`n / d`: found the divisor -1, expected at least 1");
  EXPECT_EQ(Value("n / d > 1", {1, 0}), "`n / d > 1`: found the divisor 0, expected at least 1");
  // A right side is not computed where the left one decides.
  EXPECT_EQ(Value("d > 0 && n / d > 1", {0, 1}), "false");
  EXPECT_EQ(Value("d < 1 || n / d > 1", {0, 1}), "true");
}

TEST(Expression, NeverWraps) {
  const int64_t most = INT64_MAX, least = INT64_MIN;
  const std::string overflow = "a number does not fit 64 bits";
  EXPECT_EQ(Value("a + b", {most, 1}), overflow);
  EXPECT_EQ(Value("a - b", {least, 1}), overflow);
  EXPECT_EQ(Value("-a", {least}), overflow);
  EXPECT_EQ(Value("a * b", {most, 2}), overflow);
  EXPECT_EQ(Value("a * b", {least, least}), overflow);
  EXPECT_EQ(Value("a / b - 1 / 3", {most, 2}), overflow);
  EXPECT_EQ(Value("a - b == 0", {most, most}), "true");
  EXPECT_EQ(Value("max(a, b) == b && a < b", {least, most}), "true");
  EXPECT_EQ(Value("a / b < c", {1, most, 1}), "true");
  EXPECT_EQ(Parsed("a * a").Number({most}).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(Expression, KnowsItsNames) {
  EXPECT_THAT(Parsed("dilation_y*KH + KH").names(),
              ElementsAre(NamedValue{"", "dilation_y"}, NamedValue{"", "KH"}));
  EXPECT_THAT(Parsed("rank( shape1 )").names(), ElementsAre(NamedValue{"rank", "shape1"}));
  // 1.0 leaves out the length() that 1.1 has.
  for (const char* text :
       {"tensor_list_shape(input1)", "length(tensor_list_shape(input1))", "length(input1)"}) {
    EXPECT_THAT(Parsed(text).names(), ElementsAre(NamedValue{"length", "input1"})) << text;
    EXPECT_EQ(Parsed(text).text(), "length(input1)");
  }
  EXPECT_EQ(Parsed(" scale_y_n/scale_y_d").text(), "scale_y_n / scale_y_d");
  EXPECT_EQ(Parsed("-( a+max( 1,b ) )<=c&&!( a==b )").text(), "-(a + max(1, b)) <= c && !(a == b)");
}

TEST(Expression, RefusesBadInputByPlaceAndToken) {
  EXPECT_THAT(Rejected("length(tensor_list_shape(tensor_list_shape(a)))"),
              HasSubstr("column 43: found `(`, expected `)`"));
  std::string deep = "length(";
  for (int i = 0; i < 300'000; ++i) deep += "tensor_list_shape(";
  EXPECT_THAT(Rejected(deep), HasSubstr("expected `)`"));
  EXPECT_EQ(Rejected(""),
            "expression ``, column 1: found the end, expected a number, a name or `(`");
  EXPECT_EQ(Rejected("a + * b"),
            "expression `a + * b`, column 5: found `*`, expected a number, a name or `(`");
  EXPECT_THAT(Rejected("a +"), HasSubstr("column 4: found the end, expected a number, a name"));
  EXPECT_THAT(Rejected("(a"), HasSubstr("column 3: found the end, expected `)`"));
  EXPECT_THAT(Rejected("a)"), HasSubstr("column 2: found `)`, expected an operator or the end"));
  EXPECT_THAT(Rejected("a b"), HasSubstr("column 3: found `b`, expected an operator or the end"));
  EXPECT_THAT(Rejected("a end"), HasSubstr("column 3: found `end`, expected an operator"));
  EXPECT_THAT(Rejected("a < b < c"), HasSubstr("column 7: found `<`, expected an operator or"));
  EXPECT_THAT(Rejected("a $ b"), HasSubstr("column 3: found `$`"));
  EXPECT_THAT(Rejected("a & b"), HasSubstr("column 3: found `&`"));
  EXPECT_THAT(Rejected("12x"), HasSubstr("column 1: found `12x`, expected a number"));
  EXPECT_THAT(Rejected("9223372036854775808"), HasSubstr("expected a number of at most 64 bits"));
  EXPECT_THAT(Rejected("min(a, b)"),
              HasSubstr("column 1: found `min`, expected max, rank, length"));
  EXPECT_THAT(Rejected("rank(3)"), HasSubstr("column 6: found `3`, expected a name"));
  EXPECT_THAT(Rejected("rank(a, b)"), HasSubstr("column 7: found `,`, expected `)`"));
  EXPECT_THAT(Rejected("max(a b)"), HasSubstr("column 7: found `b`, expected `,` or `)`"));
  EXPECT_THAT(Rejected("max()"), HasSubstr("column 5: found `)`"));
  EXPECT_THAT(Rejected("(a < b) + 1"), HasSubstr("found a comparison where a number is expected"));
  EXPECT_THAT(Rejected("max(a < b)"), HasSubstr("found a comparison where a number is expected"));
  EXPECT_THAT(Rejected("a && b"), HasSubstr("expected comparisons on both sides of && and ||"));
  EXPECT_THAT(Rejected("!a"), HasSubstr("expected comparisons"));
  EXPECT_THAT(Rejected(std::string(5000, '(')), HasSubstr("at most 100 deep"));
  EXPECT_THAT(Rejected(std::string(5000, '-') + "1"), HasSubstr("at most 100 deep"));
  std::string sum = "1";
  for (int i = 0; i < 5000; ++i) sum += "+1";
  EXPECT_THAT(Rejected(sum), HasSubstr("at most 1000 parts"));
}

// Any text of these tokens is either an expression, whose own text is the same expression again, or
// an error.
TEST(Expression, ReadsOrRefusesEveryTextOfFiveTokens) {
  const std::vector<std::string> tokens = {"a", "7", "+",  "-", "/",   "(",
                                           ")", "<", "&&", "!", "max", ","};
  int64_t read = 0;
  for (int64_t code = 0; code < 12 * 12 * 12 * 12 * 12; ++code) {
    std::string text;
    for (int64_t rest = code, k = 0; k < 5; ++k, rest /= 12) {
      text += tokens[static_cast<size_t>(rest % 12)] + " ";
    }
    const StatusOr<Expression> parsed = Expression::Parse(text);
    if (!parsed.ok()) continue;
    ++read;
    const StatusOr<Expression> again = Expression::Parse(parsed->text());
    ASSERT_TRUE(again.ok()) << text << "became " << parsed->text();
    ASSERT_EQ(again->text(), parsed->text());
  }
  EXPECT_GT(read, 500);
}

// --- Against brute force: random expressions, computed while they are written ---

struct Written {
  std::string text;
  bool is_number = false;
  long double number = 0;
  bool holds = false;
  bool undefined = false;
};

class Writer {
 public:
  explicit Writer(uint64_t seed) : state_(seed) {}

  // Whole numbers, so that nothing has to be rounded: all sizes stay far below 2^63.
  Written Number(int depth) {
    const int64_t kind = depth == 0 ? Draw(2) : Draw(7);
    if (kind == 0) return Constant(Draw(10));
    if (kind == 1) {
      const auto place = static_cast<size_t>(Draw(3));
      return {.text = kNames[place],
              .is_number = true,
              .number = static_cast<long double>(values[place])};
    }
    const Written a = Number(depth - 1);
    if (kind == 2) {
      return {.text = "-(" + a.text + ")",
              .is_number = true,
              .number = -a.number,
              .undefined = a.undefined};
    }
    const Written b = Number(depth - 1);
    const bool undefined = a.undefined || b.undefined;
    const auto whole = [&](const std::string& text, long double number) {
      return Written{.text = text, .is_number = true, .number = number, .undefined = undefined};
    };
    if (kind == 3) return whole("(" + a.text + " + " + b.text + ")", a.number + b.number);
    if (kind == 4) return whole("(" + a.text + " - " + b.text + ")", a.number - b.number);
    if (kind == 5) return whole("(" + a.text + ") * (" + b.text + ")", a.number * b.number);
    return whole("max(" + a.text + ", " + b.text + ")", std::max(a.number, b.number));
  }

  Written Condition(int depth) {
    if (depth == 0 || Draw(3) == 0) {
      static const std::vector<std::string> symbols = {" == ", " != ", " < ",
                                                       " <= ", " > ",  " >= "};
      const Written a = Number(2), b = Number(2);
      const int64_t kind = Draw(6);
      const bool results[] = {a.number == b.number, a.number != b.number,
                              a.number<b.number, a.number <= b.number, a.number> b.number,
                              a.number >= b.number};
      return {.text = a.text + symbols[static_cast<size_t>(kind)] + b.text, .holds = results[kind]};
    }
    const Written a = Condition(depth - 1), b = Condition(depth - 1);
    switch (Draw(3)) {
      case 0:
        return {.text = "(" + a.text + ") && (" + b.text + ")", .holds = a.holds && b.holds};
      case 1:
        return {.text = "(" + a.text + " || " + b.text + ")", .holds = a.holds || b.holds};
      default:
        return {.text = "!(" + a.text + ")", .holds = !a.holds};
    }
  }

  int64_t Draw(int64_t count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state_ >> 33) % static_cast<uint64_t>(count));
  }

  static constexpr const char* kNames[] = {"OH", "pad_top", "rank(shape)"};
  int64_t values[3] = {7, -3, 4};

 private:
  static Written Constant(int64_t number) {
    return {.text = std::to_string(number),
            .is_number = true,
            .number = static_cast<long double>(number)};
  }
  uint64_t state_;
};

// The values of the names that an expression has, in its order.
std::vector<int64_t> ValuesOf(const Expression& expression, const Writer& writer) {
  std::vector<int64_t> values;
  for (const NamedValue& name : expression.names()) {
    for (size_t k = 0; k < 3; ++k) {
      if (name.Text() == Writer::kNames[k]) values.push_back(writer.values[k]);
    }
  }
  return values;
}

TEST(Expression, IsWhatItSaysInRandomExpressions) {
  for (uint64_t seed = 1; seed <= 20000; ++seed) {
    Writer writer(seed);
    for (int64_t& value : writer.values) value = writer.Draw(21) - 10;
    const Written number = writer.Number(4);
    const Expression parsed = Parsed(number.text);
    const StatusOr<Fraction> found = parsed.Number(ValuesOf(parsed, writer));
    ASSERT_TRUE(found.ok()) << number.text << ": " << found.status();
    ASSERT_EQ(found->denominator, 1);
    ASSERT_EQ(static_cast<long double>(found->numerator), number.number) << number.text;

    const Written condition = writer.Condition(3);
    const Expression judged = Parsed(condition.text);
    const StatusOr<bool> holds = judged.Holds(ValuesOf(judged, writer));
    ASSERT_TRUE(holds.ok()) << condition.text << ": " << holds.status();
    ASSERT_EQ(*holds, condition.holds) << condition.text;
  }
}

// Quotients against whole numbers: n / d against k as n against k * d.
TEST(Expression, ComparesQuotientsExactly) {
  for (int64_t n = -20; n <= 20; ++n) {
    for (int64_t d = 1; d <= 9; ++d) {
      for (int64_t k = -4; k <= 4; ++k) {
        EXPECT_EQ(Value("n / d > k", {n, d, k}), n > k * d ? "true" : "false");
        EXPECT_EQ(Value("n / d == k", {n, d, k}), n == k * d ? "true" : "false");
        EXPECT_EQ(Value("n / d + k", {n, d, k}), Value("m / d", {n + k * d, d}));
      }
    }
  }
}

// --- The editions' ---

// Each expression is computed for names with the values 2, 3, 4, ... in the order in which they
// occur.
TEST(Expression, EveryLevelLimitIsWhatItSays) {
  std::map<std::string, std::string> found;
  std::map<std::string, std::set<std::string>> distinct;
  for (const std::string& id : EditionIds()) {
    for (const OperatorSpec& spec : (*FindEdition(id))->operators) {
      for (const ArgumentSpec& argument : spec.arguments) {
        for (const LevelLimit& limit : argument.level_limits) {
          std::vector<int64_t> values;
          for (size_t k = 0; k < limit.expression.names().size(); ++k) {
            values.push_back(static_cast<int64_t>(k) + 2);
          }
          EXPECT_EQ(limit.quantities.size(), values.size());
          const auto number = limit.expression.Number(values);
          ASSERT_TRUE(number.ok()) << id << " " << spec.name << ": " << number.status();
          found[limit.value] = number->Text();
          distinct[id].insert(limit.value);
        }
      }
    }
  }
  EXPECT_EQ(distinct["tosa-0.100"].size(), 26u);
  EXPECT_EQ(distinct["tosa-1.0"].size(), 29u);
  for (const auto& [value, number] : found) {
    const bool product = value.find('*') != value.npos, quotient = value.find('/') != value.npos;
    EXPECT_EQ(number, product ? "6" : quotient ? "2 / 3" : "2") << value;
  }
}

const LevelLimit& Limit(std::string_view edition, std::string_view op, std::string_view id) {
  for (const ArgumentSpec& argument : (*FindEdition(edition))->FindOperator(op)->arguments) {
    for (const LevelLimit& limit : argument.level_limits) {
      if (limit.id == id) return limit;
    }
  }
  ADD_FAILURE() << edition << " " << op << " has no " << id;
  static const LevelLimit none;
  return none;
}

// Argument, kind and index of every name.
std::string Meaning(std::string_view edition, std::string_view op, std::string_view id) {
  std::string text;
  for (const Quantity& q : Limit(edition, op, id).quantities) {
    text += StrCat(text.empty() ? "" : ", ",
                   (*FindEdition(edition))->FindOperator(op)->arguments[q.argument].name, " ",
                   q.kind == Quantity::Kind::kElement     ? "element "
                   : q.kind == Quantity::Kind::kDimension ? "dimension "
                   : q.kind == Quantity::Kind::kRank      ? "rank "
                                                          : "length ",
                   q.index);
  }
  return text;
}

TEST(LevelLimit, NamesMeanElementsDimensionsRanksAndLengths) {
  EXPECT_EQ(Meaning("tosa-1.0", "CONV2D", "conv2d.level_kernel_y"),
            "dilation element 0, weight dimension 1");
  EXPECT_EQ(Meaning("tosa-1.0", "CONV2D", "conv2d.level_pad_left"), "pad element 2");
  EXPECT_EQ(Meaning("tosa-1.0", "CONV3D", "conv3d.level_kernel_d"),
            "dilation element 0, weight dimension 1");
  EXPECT_EQ(Meaning("tosa-1.0", "CONV3D", "conv3d.level_pad_right"), "pad element 5");
  EXPECT_EQ(Meaning("tosa-1.0", "DEPTHWISE_CONV2D", "depthwise_conv2d.level_kernel_x"),
            "dilation element 1, weight dimension 1");
  EXPECT_EQ(Meaning("tosa-1.0", "RESIZE", "resize.level_scale_x"),
            "scale element 2, scale element 3");
  EXPECT_EQ(Meaning("tosa-1.0", "RFFT2D", "rfft2d.level_width"), "input_real dimension 2");
  // Means a shape of that name, not the operand that is called so.
  EXPECT_EQ(Meaning("tosa-1.0", "RESHAPE", "reshape.level_rank_output"), "output rank 0");
  EXPECT_EQ(Meaning("tosa-1.0", "SLICE", "slice.level_rank"), "output rank 0");
  EXPECT_EQ(Meaning("tosa-1.0", "CONCAT", "concat.level_list_size"), "input1 length 0");
  EXPECT_EQ(Meaning("tosa-1.0", "VARIABLE", "variable.level_rank"), "initial_value rank 0");
  EXPECT_EQ(Meaning("tosa-1.1-draft", "RESHAPE_BLOCK_SCALED",
                    "reshape_block_scaled.level_rank_output_scales"),
            "output rank 1");
  // The dimensions as the operator's text sees them; the names are the edition's.
  EXPECT_EQ(Meaning("rvtensor", "CONV2D", "conv2d.level_kernel_y"),
            "dilation element 0, weight dimension 1");
  EXPECT_EQ(Meaning("rvtensor", "TRANSPOSE_CONV2D", "transpose_conv2d.level_out_pad_top"),
            "pad element 0");
}

}  // namespace
}  // namespace cts
