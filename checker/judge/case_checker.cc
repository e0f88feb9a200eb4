#include "checker/judge/case_checker.h"

#include <algorithm>

#include "checker/text/printable.h"
#include "reference/base/file.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/bundle/bundle.h"

namespace cts {

StatusOr<CaseChecker> CaseChecker::Open(const std::filesystem::path& directory, const Suite& suite,
                                        std::string_view id) {
  const PlainArithmetic plain;
  CTS_ASSIGN_OR_RETURN(const SuiteEntry* const entry, FindCase(suite, id, directory));
  CTS_ASSIGN_OR_RETURN(const Folder folder, Folder::Open(directory));
  CTS_ASSIGN_OR_RETURN(Case c, ReadVerifiedCase(folder, *entry, suite.edition));
  CTS_RETURN_IF_ERROR(Annotate(ValidateAnswers(c), (directory / entry->id).string()));
  return CaseChecker(std::move(c));
}

StatusOr<OutputReport> CaseChecker::Check(std::string_view name, const Tensor& result) const {
  const auto output =
      std::find_if(case_.outputs.begin(), case_.outputs.end(),
                   [&](const ExpectedOutput& each) { return ResultName(each) == name; });
  if (output == case_.outputs.end()) {
    std::string known;
    for (const ExpectedOutput& each : case_.outputs) {
      known += StrCat(known.empty() ? "" : ", ", ResultName(each));
    }
    return NotFound(case_.id, ": found a result named '", Shortened(Printable(name), 240),
                    known.empty() ? "', expected none: the case is an error, to be refused"
                                  : StrCat("', expected one of: ", known));
  }
  if (result.dtype() != output->dtype || result.shape() != output->shape) {
    return InvalidArgument(case_.id, ": output ", ResultName(*output), ": found ",
                           Name(result.dtype()), ToString(result.shape()), ", expected ",
                           Name(output->dtype), ToString(output->shape));
  }
  OutputReport report = JudgeTensor(*output, result);
  const bool disputed = !case_.disputed.empty() && !output->undisputed;
  if (report.verdict == Verdict::kFail && disputed) {
    report.verdict = Verdict::kDisputed;
    report.message = DisputedMessage(report.message, case_.disputed);
  }
  return report;
}

}  // namespace cts
