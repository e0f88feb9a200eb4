// The parts that the text and the page of an explanation have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/judge/check_report.h"
#include "checker/rules/match.h"

namespace cts {

// Whether some output is judged by an enclosure, so that a pass means "not refuted".
bool IsEnclosed(const CaseReport& report);
// How much the enclosures of an output limit.
std::string EnclosureText(const EnclosureFigures& figures);

// The elements that the rule refuses, in the order of the tensor.
std::vector<int64_t> RefusedElements(const ElementJudge& judge, int64_t size);
// The ten worst of them, worst first; ties in the order of the tensor.
std::vector<int64_t> WorstElements(const ElementJudge& judge, const std::vector<int64_t>& refused);
// Where they lie: "the last lane of vectors of 8: all 8 that differ lie there, ...", the best guess
// first; empty if no set of elements explains them.
std::vector<std::string> WhereWords(const Shape& shape, const std::vector<int64_t>& refused);
// The values that the rule accepts at one element, for reading.
std::string AcceptedRange(const ExpectedOutput& output, const Answer& answer,
                          const ElementJudge& judge, int64_t i);
// "0x3f800000".
std::string FormatBits(const Tensor& tensor, int64_t i);
// "ulp, as ... compares: within 3 ulp".
std::string RuleText(const Rule& rule);

}  // namespace cts
