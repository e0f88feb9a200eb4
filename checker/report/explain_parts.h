// The parts that the text and the page of an explanation have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/judge/check_report.h"
#include "checker/report/clusters.h"
#include "checker/rules/match.h"

namespace cts {

// Whether an enclosure judges at least one output, so that a pass means "not refuted".
bool IsEnclosed(const CaseReport& report);
// Says how narrow the enclosures of an output's elements are.
std::string EnclosureText(const EnclosureFigures& figures);

// The elements that the rule refuses, in the order of the tensor.
std::vector<int64_t> RefusedElements(const ElementJudge& judge, int64_t size);
// The refused elements for which IsFlushed holds.
std::vector<int64_t> FlushedElements(const ExpectedOutput& output, const Answer& answer,
                                     const Tensor& result, const std::vector<int64_t>& refused);
// Describes the flushed elements: "12 of the 30 that differ, the first at [3]: zero was answered
// ...". Returns an empty text if no refused element is flushed.
std::string FlushedText(const ExpectedOutput& output, const Answer& answer, const Tensor& result,
                        const std::vector<int64_t>& refused);
// The ten worst refused elements, the worst first. Equally bad elements are in the order of the
// tensor. Flushed elements are left out unless all refused elements are flushed.
std::vector<int64_t> WorstElements(const ExpectedOutput& output, const Answer& answer,
                                   const Tensor& result, const std::vector<int64_t>& refused);
// Says where in the output the refused elements are, the best guess first: "the last lane of
// vectors of 8: all 8 that differ lie there, ...". Empty if no set of elements explains the refused
// elements.
std::vector<std::string> WhereWords(const Shape& shape, const std::vector<int64_t>& refused,
                                    const std::vector<NamedSet>& named);
// The values that the rule accepts at one element, as text for people.
std::string AcceptedRange(const ExpectedOutput& output, const Answer& answer,
                          const ElementJudge& judge, int64_t i);
// "0x3f800000"; "0x7fa00000, signalling NaN". The only NaN of fp8e4m3 is neither quiet nor
// signalling.
std::string FormatBits(DType dtype, uint64_t bits);
// The expected value of an element as text. For a NaN, the text also has the bits of the type's
// usual NaN.
std::string ExpectedText(const ExpectedOutput& output, const Answer& answer, int64_t i);
// Whether an element of the result is a zero that flushing explains, although `answer` keeps
// subnormals: the expected value is subnormal, or flushed operands give the zero.
bool IsFlushed(const ExpectedOutput& output, const Answer& answer, const Tensor& result, int64_t i);
// Says how far a refused element is from the expected value: "3 ulp, 3 times what is allowed". If
// the element is a flushed zero, or a zero with the wrong sign, the text says so instead.
std::string OffBy(const ExpectedOutput& output, const Answer& answer, const Tensor& result,
                  int64_t i);
// The rule as text: "ulp, as ... compares: within 3 ulp".
std::string RuleText(const Rule& rule);

}  // namespace cts
