// Verifies evidence of an earlier release. The suite of the evidence is compared with the suite
// that the release froze. The results are judged by the rules of this version, and a ruling must
// explain every changed verdict.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/judge/check.h"
#include "reference/base/json.h"
#include "reference/base/status.h"
#include "tools/program/blind/blind_suite.h"
#include "tools/program/certify/releases.h"

namespace cts {

// The differences between the suite of evidence and the suite that the release froze for the claim.
// For a blind suite, only the recipe is compared, since the cases follow from the suite's own seed.
// `digests` are those of the evidence's files.
StatusOr<std::vector<std::string>> CompareWithReleased(const Suite& suite,
                                                       const FileDigests& digests,
                                                       const ReleasedSuite& released,
                                                       const std::optional<SealedAnswers>& answers);

// Does the same for a claim whose suite was not frozen on its own: the suite must have exactly the
// cases of the groups that belong to the claim.
StatusOr<std::vector<std::string>> CompareWithGroups(const Suite& suite, const Claim& claim,
                                                     const Release& release,
                                                     const ReleasedCases& cases,
                                                     const std::optional<SealedAnswers>& answers);

// A verdict that a ruling has changed.
struct Ruled {
  std::string id, then, now, erratum;
};

struct ByRulings {
  // The report that the signed statement must have: where a ruling explains why this version has
  // another verdict, `as_signed` has the verdict of the release.
  Report as_signed;
  // The report by the rules of this version, with the effects of the rulings.
  Report now;
  std::vector<Ruled> changed;
  std::vector<std::string> rulings;  // one line for each ruling that concerns a case or finding
};

// `judged` is this version's report on the results, and `report_json` the release's report on the
// same results. If a verdict differs and no erratum explains it, both reports keep this version's
// verdict.
StatusOr<ByRulings> ApplyErrata(const Report& judged, const Json& report_json,
                                const Release& release, const std::vector<Erratum>& errata);

// The places at which `found`, a statement of the release, differs from `expected`, which this
// version made. An annotation in `found` may lack members that only later versions write. The
// annotation `elements` is not compared. If a ruling has changed a verdict, the annotation
// `choices` and the order of waived findings and failed tests are not compared either.
std::vector<std::string> CompareStatements(Json found, Json expected, const ByRulings& by);

}  // namespace cts
