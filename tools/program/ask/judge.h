// `tensor-cts judge`: decides whether a result is acceptable for one element, and finds all
// acceptable results.
#pragma once

#include <string>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "tools/program/ask/accepted_values.h"
#include "tools/program/ask/bit_pattern.h"

namespace cts {

// The answer to a question about one element.
struct Judgement {
  ExpectedOutput output;        // of one element
  std::vector<Tensor> results;  // of one element each
  std::vector<bool> accepted;   // one for each result
  // The point on which the edition's clauses disagree; empty if they agree. If they disagree, a
  // result that is not accepted is no fault.
  std::string disputed;
  AcceptedValues values;
};

// Judges the results of a question in the form of schemas/judge_line.schema.json. Errors name the
// place in the question.
StatusOr<Judgement> Judge(const Json& question, Digits digits);

// The accepted values as text for people: "3f8d763b to 3f8d7641 (...)".
std::string AcceptedText(const Judgement& judgement);

// The judgement of the first result as text for people.
std::string FormatJudgement(const Json& question, const Judgement& judgement);

}  // namespace cts
