// Evidence of an earlier release: its suite is held against the frozen one, its results are judged
// by the rules of this version, and what differs must be a ruling.
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

// What differs between the suite of evidence and the one that the release froze for the claim. A
// blind suite has cases of its own, which follow from its seed: of it only the recipe is compared.
// `digests` are those of the files of evidence.
StatusOr<std::vector<std::string>> CompareWithReleased(const Suite& suite,
                                                       const FileDigests& digests,
                                                       const ReleasedSuite& released,
                                                       const std::optional<SealedAnswers>& answers);

// A verdict that a ruling has changed.
struct Ruled {
  std::string id, then, now, erratum;
};

struct ByRulings {
  // With the verdicts of the release wherever a ruling explains that this version has another:
  // what is signed must say this.
  Report as_signed;
  // With the effects of the rulings: what holds by the rules of this version.
  Report now;
  std::vector<Ruled> changed;
  std::vector<std::string> rulings;  // one line each, of those that concern a case of the suite
};

// `judged` is by this version, `report_json` what the release made of the same results. A verdict
// that differs and that no erratum concerns stays as it was judged here.
StatusOr<ByRulings> ApplyErrata(const Report& judged, const Json& report_json,
                                const Release& release, const std::vector<Erratum>& errata);

// The places at which a statement of the release says other than `expected`, which this version
// made. The release may lack members of annotations that came later; what a ruling has changed is
// compared without order.
std::vector<std::string> CompareStatements(Json found, Json expected, const ByRulings& by);

}  // namespace cts
