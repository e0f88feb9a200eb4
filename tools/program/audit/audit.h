// The strength of a recipe, or of a suite on disk: the faults that its cases catch.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "generator/recipe/recipe.h"
#include "reference/base/json_fwd.h"
#include "reference/faults/fault.h"

namespace cts {

// One fault in one type row, since an implementation may have a fault in only some type rows.
struct AuditedFault {
  const Fault* fault = nullptr;
  std::string mode;   // of the type row; empty if the fault does not depend on the row (conditions,
                      // ranks)
  std::string first;  // the first id, in the order of ids, of a case that catches the fault
  std::string data_set;  // of that case
  // The number of cases that catch the fault; at most 1 without AuditOptions::count_all.
  uint64_t caught_by = 0;
  std::string unreachable;  // why no case can catch it
  bool caught() const { return !first.empty(); }
};

struct Audit {
  std::string recipe, edition;
  bool count_all = false;
  // In the order of the catalogue, then of the edition's type rows.
  std::vector<AuditedFault> faults;
  // The number of faults of the kind ShiftedBound that are not in `faults`, because no case makes
  // the fault's condition read the integer that the fault shifts.
  uint64_t not_asked = 0;

  uint64_t Caught() const;
  uint64_t Survivors() const;  // neither caught nor unreachable
};

struct AuditOptions {
  Recipe recipe;
  // If not empty: the folder of a suite whose cases replace those of the recipe. The recipe still
  // determines the faults, and `since` has no effect.
  std::filesystem::path suite = {};
  std::vector<std::string> faults;  // patterns of ids; all faults if empty
  int jobs = 0;                     // 0: one per core; the audit does not depend on it
  bool count_all = false;           // counts every case that catches a fault, not only the first
  // Runs every fault over every case of its operator and type row, and computes every answer anew.
  // An audit with this option takes much longer, but has the same outcome as without it (a test
  // compares the outcomes).
  bool skip_nothing = false;
  // The case that caught each fault in an earlier audit, by fault and mode. A fault runs first on
  // this case. If the case still catches the fault, the fault runs on no other case.
  // RecallFirstCases fills this map. With `count_all`, the map has no effect.
  std::map<std::pair<std::string, std::string>, std::string> since = {};
  std::function<void(size_t done, size_t total)> progress = {};
  const std::atomic<bool>* stop = nullptr;
};

// Generates the cases of the recipe in memory, or reads those of the suite, and runs the chosen
// faults on the cases that could catch them. Errors: a pattern that no fault matches (the message
// has the most similar ids); a suite of another edition or with a wrong digest; kCancelled if the
// audit was stopped.
StatusOr<Audit> RunAudit(const AuditOptions& options);

// Fills `options->since` from the JSON of an earlier audit, in `file`. Returns an error if that
// audit is of another recipe or edition.
Status RecallFirstCases(const std::string& file, AuditOptions* options);

// Returns the audit in the form of schemas/audit.schema.json.
Json AuditToJson(const Audit& audit);

// Returns the audit as text for people, made from the JSON of AuditToJson: the score by operator,
// source and data set, and the faults that no case catches.
std::string FormatAudit(const Json& json);

// Returns a self-contained HTML page, made from the JSON of AuditToJson.
std::string AuditToHtml(const Json& json);

}  // namespace cts
