// A copy of an operator's call whose attributes and operands can be changed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/graph/call.h"

namespace cts {

class CallEditor {
 public:
  explicit CallEditor(const Call& call);
  CallEditor(const CallEditor&) = delete;
  CallEditor& operator=(const CallEditor&) = delete;

  const Call& original() const { return call_; }

  // The integers of an attribute, or of an operand whose values are known; booleans are 0 or 1.
  // Empty for any other argument.
  std::vector<int64_t> Integers(std::string_view argument) const;
  // Replaces the integers of an attribute or operand by `values`, which must have the same number
  // of integers. An operand keeps only the low bits of each integer if its type has fewer bits. A
  // floating-point attribute gets the integer's value.
  void Set(std::string_view argument, const std::vector<int64_t>& values);
  void SetEnum(std::string_view argument, std::string value);
  // The value of an attribute that is a floating-point number, such as CLAMP's bounds; nullopt for
  // any other attribute.
  std::optional<double> Number(std::string_view argument) const;
  void SetNumber(std::string_view argument, double value);
  // Replaces operand `k` of an argument. The new shape may differ.
  void SetOperand(std::string_view argument, Tensor value, int k = 0);
  // Exchanges the operands of two arguments.
  void Swap(std::string_view argument1, std::string_view argument2);

  // The edited call; null if the argument tables do not allow it. The pointer is valid until the
  // editor is changed or destroyed.
  const Call* Make();

 private:
  static std::string NameOf(std::string_view argument, int k);
  GraphTensor& Find(const std::string& name);

  const Call& call_;
  Block block_;
  GraphOperator op_;
  std::map<std::string, std::shared_ptr<const Tensor>> values_;
  std::optional<Call> made_;
};

}  // namespace cts
