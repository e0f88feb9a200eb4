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
  // The arguments that the question gives, by their names in the edition.
  Json attributes = Json::object();
  // A copy of `attributes`; judge_call.cc adds the operands and the defaults.
  Json arguments = Json::object();
  std::vector<Json> in;
  std::optional<double> ref;
  Digits digits = Digits::kPattern;
  bool unsigned_too = false;
};

// Errors of all functions below name the place as a JSON pointer, what was found and what was
// expected.
StatusOr<Question> ReadQuestion(const Json& json, Digits digits);

// Whether the operator is a reduction: the question's `in` then lists the elements that the
// operator combines.
bool Reduces(const OperatorSpec& spec);

// These functions read and check parts of a question.
Status CheckMembers(const Json& json, const std::vector<std::string_view>& known);
StatusOr<std::string> TextAt(const Json& json, const char* member, std::string_view what);
// `parent` is the place of `json`: "/types".
StatusOr<DType> TypeAt(const Json& json, const char* member, const std::string& parent = "");
StatusOr<const Edition*> EditionAt(const Json& json);
StatusOr<int64_t> IntegerAt(const Json& json, const char* member, int64_t least, int64_t greatest);

}  // namespace cts::judging
