// The outcome of running a case: "status" of result.json (schemas/result.schema.json).
#pragma once

#include <optional>
#include <string_view>

namespace cts {

enum class CaseStatus {
  // Answers of the implementation.
  kOk,           // output values
  kError,        // the graph was refused as illegal
  kAccepted,     // the graph was accepted as legal, without output values
  kUnsupported,  // the implementation does not offer something that the case needs
  // The runner got no answer.
  kCrash,  // a crash, even if the adapter survived and reported it
  kTimeout,
  kProtocol,
};
inline constexpr CaseStatus kCaseStatuses[] = {
    CaseStatus::kOk,    CaseStatus::kError,   CaseStatus::kAccepted, CaseStatus::kUnsupported,
    CaseStatus::kCrash, CaseStatus::kTimeout, CaseStatus::kProtocol};

constexpr bool IsAnswer(CaseStatus status) { return status <= CaseStatus::kUnsupported; }

// The name in result.json, such as "ok".
std::string_view Name(CaseStatus status);
std::optional<CaseStatus> CaseStatusOf(std::string_view name);

}  // namespace cts
