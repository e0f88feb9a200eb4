// An operation of MLIR's tosa dialect, before it becomes text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/status.h"

namespace cts::mlir_text {

struct Operation {
  std::string before;         // the text of the constants that the operation needs
  std::string values, types;  // of its operands
  std::vector<std::pair<std::string, std::string>> attributes;  // in the order of the names

  void AddOperand(const std::string& value, const std::string& type) {
    values += StrCat(values.empty() ? "" : ", ", value);
    types += StrCat(types.empty() ? "" : ", ", type);
  }
  void AddAttribute(std::string_view name, std::string value) {
    attributes.emplace_back(name, std::move(value));
  }
};

}  // namespace cts::mlir_text
