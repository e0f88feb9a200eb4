// The parts that the text and the page of an explanation have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/judge/check_report.h"
#include "checker/report/clusters.h"
#include "checker/rules/match.h"

namespace cts {

// Whether some output is judged by an enclosure, so that a pass means "not refuted".
bool IsEnclosed(const CaseReport& report);
// Says how narrowly the enclosures bound an output.
std::string EnclosureText(const EnclosureFigures& figures);

// The elements that the rule refuses, in the order of the tensor.
std::vector<int64_t> RefusedElements(const ElementJudge& judge, int64_t size);
// The refused elements that were flushed.
std::vector<int64_t> FlushedElements(const ExpectedOutput& output, const Answer& answer,
                                     const Tensor& result, const std::vector<int64_t>& refused);
// "12 of the 30 that differ, the first at [3]: zero was answered ..."; empty if there is none.
std::string FlushedText(const ExpectedOutput& output, const Answer& answer, const Tensor& result,
                        const std::vector<int64_t>& refused);
// The ten worst of them, worst first; ties in the order of the tensor. Flushed ones only if all
// are.
std::vector<int64_t> WorstElements(const ExpectedOutput& output, const Answer& answer,
                                   const Tensor& result, const std::vector<int64_t>& refused);
// Where they lie: "the last lane of vectors of 8: all 8 that differ lie there, ...", the best guess
// first; empty if no set of elements explains them.
std::vector<std::string> WhereWords(const Shape& shape, const std::vector<int64_t>& refused,
                                    const std::vector<NamedSet>& named);
// The values that the rule accepts at one element, for reading.
std::string AcceptedRange(const ExpectedOutput& output, const Answer& answer,
                          const ElementJudge& judge, int64_t i);
// "0x3f800000"; "0x7fa00000, signalling NaN". The only NaN of fp8e4m3 is neither quiet nor
// signalling.
std::string FormatBits(DType dtype, uint64_t bits);
// The expected value of an element; of a NaN also the bits that the type has for it.
std::string ExpectedText(const ExpectedOutput& output, const Answer& answer, int64_t i);
// Whether zero was answered for a subnormal number, or as it would be if operands were flushed,
// where `answer` keeps subnormals.
bool IsFlushed(const ExpectedOutput& output, const Answer& answer, const Tensor& result, int64_t i);
// How far a refused element is from the expected value: "3 ulp, 3 times what is allowed", or in
// which way it is wrong.
std::string OffBy(const ExpectedOutput& output, const Answer& answer, const Tensor& result,
                  int64_t i);
// "ulp, as ... compares: within 3 ulp".
std::string RuleText(const Rule& rule);

}  // namespace cts
