// An exact number: a 64-bit integer or an fp64 number, such as the value of an attribute or an
// element of a constant. An integer is never stored as fp64, since fp64 cannot represent every
// integer beyond 2^53.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <variant>

namespace cts {

// The shortest decimal text that distinguishes the number from all other fp64 numbers.
std::string NumberText(double value);

class ExactNumber {
 public:
  // NOLINTBEGIN(google-explicit-constructor): both kinds of numbers convert implicitly.
  ExactNumber(std::signed_integral auto integer) : value_(static_cast<int64_t>(integer)) {}
  ExactNumber(double number) : value_(number) {}
  // NOLINTEND(google-explicit-constructor)

  // Returns the number as an integer. An fp64 number is rounded toward zero and clamped to the
  // range of int64; a NaN becomes 0.
  int64_t Integer() const;
  // Returns the number as fp64. An integer that fp64 cannot represent is rounded to nearest.
  double Float() const;
  bool IsNan() const;
  // Returns all digits of an integer, or NumberText of an fp64 number.
  std::string Text() const;

  // Compares the exact values, without rounding. A NaN is unordered; +0 and -0 are equal.
  friend std::partial_ordering operator<=>(const ExactNumber& x, const ExactNumber& y);
  friend bool operator==(const ExactNumber& x, const ExactNumber& y) { return std::is_eq(x <=> y); }

 private:
  std::variant<int64_t, double> value_;
};

}  // namespace cts
