#include "tools/program/run/builtin.h"

#include <algorithm>
#include <vector>

#include "reference/base/npy.h"
#include "reference/bundle/case.h"
#include "reference/evaluate/native.h"
#include "reference/faults/catalogue.h"
#include "reference/spec/edition.h"

namespace cts {

namespace {

constexpr std::string_view kFault = "fault:";

// Whether a case of the fault's operator has types that it does not touch.
bool IsOfOtherTypes(const Fault& fault, const Case& c, const Edition& edition) {
  // A blind case does not say what its types are.
  if (c.op != fault.op || c.mode.empty()) return false;
  const std::vector<TypeRow>& rows = edition.FindOperator(c.op)->type_rows;
  return std::none_of(rows.begin(), rows.end(),
                      [&](const TypeRow& row) { return row.mode == c.mode && fault.Touches(row); });
}

// `builtin:native` with the fault.
StatusOr<std::vector<NativeResult>> Execute(const Fault& fault, const Case& c,
                                            const Edition& edition, const Level& level) {
  // Other faults look at each call, once it is known to be legal and of their types.
  if (fault.As<GraphRewrite>() != nullptr) {
    auto native = ExecuteNativeSequence(c.graph, c.InputsOfExecutions(), edition, level);
    if (!native.ok() || IsOfOtherTypes(fault, c, edition)) return native;
    for (const NativeResult& result : *native) {
      if (result.outcome != Outcome::kValid) return native;
    }
  }
  return ExecuteFaulty(fault, c.graph, c.InputsOfExecutions(), edition, level);
}

}  // namespace

Status CheckBuiltin(const std::string& name, const std::string& edition) {
  if (name == "native") return absl::OkStatus();
  if (!name.starts_with(kFault)) {
    return NotFound("found implementation builtin:", name,
                    ", expected one of: builtin:native builtin:fault:ID");
  }
  CTS_ASSIGN_OR_RETURN(const Edition* const known, FindEdition(edition));
  return FindFault(*known, std::string_view(name).substr(kFault.size())).status();
}

std::string BuiltinVersion() { return CTS_VERSION; }

StatusOr<BuiltinAnswer> RunBuiltin(const std::string& name, const std::filesystem::path& case_dir) {
  CTS_ASSIGN_OR_RETURN(const Case c, ReadCaseInputs(case_dir));
  return RunBuiltin(name, c, case_dir);
}

StatusOr<BuiltinAnswer> RunBuiltin(const std::string& name, const Case& c,
                                   const std::filesystem::path& case_dir) {
  const std::string place = (case_dir / "case.json").string();
  CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(c.edition));
  const Level* const level = edition->FindLevel(c.level);
  if (level == nullptr) {
    return InvalidArgument(place, ": edition ", c.edition, " has no level \"", c.level, "\"");
  }
  CTS_RETURN_IF_ERROR(CheckBuiltin(name, c.edition));
  StatusOr<std::vector<NativeResult>> results;
  bool accepts = false;  // conditions that are not seen
  if (name == "native") {
    results = ExecuteNativeSequence(c.graph, c.InputsOfExecutions(), *edition, *level);
  } else {
    CTS_ASSIGN_OR_RETURN(const Fault* const fault,
                         FindFault(*edition, std::string_view(name).substr(kFault.size())));
    accepts = fault->IsOfConditions();
    results = Execute(*fault, c, *edition, *level);
  }
  if (!results.ok()) return Annotate(results.status(), place);
  BuiltinAnswer answer{CaseStatus::kOk, "", {}};
  for (size_t k = 0; k < results->size(); ++k) {
    const NativeResult& result = (*results)[k];
    switch (result.outcome) {
      case Outcome::kError:
        return BuiltinAnswer{CaseStatus::kError, result.message, {}};
      case Outcome::kUnpredictable:
        // An implementation runs an illegal graph if it does not detect that. Its results cannot be
        // predicted.
        if (accepts) return answer;
        // This is neither an answer nor a refusal: it must not pass, whatever the case expects.
        return BuiltinAnswer{
            CaseStatus::kUnsupported, StrCat("unpredictable: ", result.message), {}};
      case Outcome::kUnsupported:
        return BuiltinAnswer{CaseStatus::kUnsupported, result.message, {}};
      case Outcome::kValid:
      case Outcome::kSealed:  // of a case alone
        break;
    }
    for (const auto& [output, value] : result.outputs) {
      const std::string file = ResultName(output, static_cast<int>(k)) + ".npy";
      answer.files[file] = EncodeNpy(value);
      if (value.is_block_scaled()) {
        answer.files[ResultName(output, static_cast<int>(k)) + ".scale.npy"] =
            EncodeScaleNpy(value);
      }
    }
  }
  return answer;
}

}  // namespace cts
