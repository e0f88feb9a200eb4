#include "checker/judge/case_status.h"

namespace cts {

std::string_view Name(CaseStatus status) {
  constexpr std::string_view kNames[] = {"ok",    "error",   "accepted", "unsupported",
                                         "crash", "timeout", "protocol"};
  return kNames[static_cast<int>(status)];
}

std::optional<CaseStatus> CaseStatusOf(std::string_view name) {
  for (const CaseStatus status : kCaseStatuses) {
    if (Name(status) == name) return status;
  }
  return std::nullopt;
}

}  // namespace cts
