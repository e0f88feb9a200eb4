// `tensor-cts judge`: whether a result is acceptable for one element, and which results would be.
#pragma once

#include <string>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "tools/program/ask/accepted_values.h"
#include "tools/program/ask/bit_pattern.h"

namespace cts {

// A question about one element with its answer.
struct Judgement {
  ExpectedOutput output;        // of one element
  std::vector<Tensor> results;  // likewise
  std::vector<bool> accepted;   // one for each result
  // The point on which the edition's clauses disagree: a result that is not accepted is no fault.
  // Empty: they agree.
  std::string disputed;
  AcceptedValues values;
};

// A question in the form of schemas/judge_line.schema.json. Errors name the place in it.
StatusOr<Judgement> Judge(const Json& question, Digits digits);

// For people: the accepted values, "3f8d763b to 3f8d7641 (...)".
std::string AcceptedText(const Judgement& judgement);

// For people: the first of the results.
std::string FormatJudgement(const Json& question, const Judgement& judgement);

}  // namespace cts
