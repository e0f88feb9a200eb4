// A question of `judge` about one element, from a line or from the options of the command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/json.h"
#include "reference/base/status.h"
#include "reference/spec/edition.h"
#include "tools/program/ask/bit_pattern.h"

namespace cts::judging {

struct Question {
  const Edition* edition = nullptr;
  const OperatorSpec* spec = nullptr;
  DType type = DType::kFp32;
  std::optional<DType> in_type;
  Json attributes = Json::object();  // the arguments that the question gives, by the edition's
                                     // names
  Json arguments = Json::object();   // likewise, with the arguments that the question leaves out
  std::vector<Json> in;
  std::optional<double> ref;
  Digits digits = Digits::kPattern;
  bool unsigned_too = false;
};

// Errors of all these name the place as a JSON pointer, what was found and what was expected.
StatusOr<Question> ReadQuestion(const Json& json, Digits digits);

// Whether `in` of the operator lists the elements that are combined into one.
bool Reduces(const OperatorSpec& spec);

// Parts of a question.
Status CheckMembers(const Json& json, const std::vector<std::string_view>& known);
StatusOr<std::string> TextAt(const Json& json, const char* member, std::string_view what);
// `parent` is the place of `json`: "/types".
StatusOr<DType> TypeAt(const Json& json, const char* member, const std::string& parent = "");
StatusOr<const Edition*> EditionAt(const Json& json);
StatusOr<int64_t> IntegerAt(const Json& json, const char* member, int64_t least, int64_t greatest);

}  // namespace cts::judging
