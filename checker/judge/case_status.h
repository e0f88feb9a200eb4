// What became of a case: "status" of result.json (schemas/result.schema.json).
#pragma once

#include <optional>
#include <string_view>

namespace cts {

enum class CaseStatus {
  // Answers of the implementation.
  kOk,           // values
  kError,        // the graph was refused as illegal
  kAccepted,     // taken as legal, without values
  kUnsupported,  // not offered
  // The runner got no answer.
  kCrash,  // also one that the adapter survived and reported
  kTimeout,
  kProtocol,
};
inline constexpr CaseStatus kCaseStatuses[] = {
    CaseStatus::kOk,    CaseStatus::kError,   CaseStatus::kAccepted, CaseStatus::kUnsupported,
    CaseStatus::kCrash, CaseStatus::kTimeout, CaseStatus::kProtocol};

constexpr bool IsAnswer(CaseStatus status) { return status <= CaseStatus::kUnsupported; }

// "ok".
std::string_view Name(CaseStatus status);
std::optional<CaseStatus> CaseStatusOf(std::string_view name);

}  // namespace cts
