// An exact number: an integer of 64 bits or a number of fp64, such as an attribute or an element of
// a constant. An integer is never stored as fp64, which cannot hold every integer beyond 2^53.
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

  // As an integer: a number of fp64 is rounded toward zero and clamped to the range of int64; a NaN
  // becomes 0.
  int64_t Integer() const;
  // As fp64: an integer beyond 2^53 is rounded to nearest.
  double Float() const;
  bool IsNan() const;
  // All digits of an integer, or NumberText of a number of fp64.
  std::string Text() const;

  // Compares the values themselves, without rounding. A NaN is unordered, and zeros of both signs
  // are equal.
  friend std::partial_ordering operator<=>(const ExactNumber& x, const ExactNumber& y);
  friend bool operator==(const ExactNumber& x, const ExactNumber& y) { return std::is_eq(x <=> y); }

 private:
  std::variant<int64_t, double> value_;
};

}  // namespace cts
