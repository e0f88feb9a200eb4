#include "reference/faults/relation_faults.h"

#include "absl/strings/ascii.h"
#include "reference/ops/relation.h"

namespace cts {
namespace {

// A zero may be the right answer of a boolean: its opposite never is.
Wrong ZerosWhere(const std::function<bool(const Call&)>& holds) {
  return [holds](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
    if (!holds(call)) return std::nullopt;
    OperatorOutputs results = ComputeRight(op, call);
    for (auto& [output, tensor] : results) {
      const bool is_bool = tensor->dtype() == DType::kBool;
      for (int64_t i = 0; i < tensor->size(); ++i) {
        tensor->SetBits(i, is_bool ? 1 - tensor->Bits(i) : 0);
      }
    }
    return results;
  };
}

}  // namespace

Faults RelationFaults(const Edition& edition, const OperatorSpec& spec) {
  const std::string& name = spec.Seen().name;
  Faults faults;
  for (const Relation& relation : RelationsOf(name)) {
    faults.push_back(
        {.id = StrCat(absl::AsciiStrToLower(name), ".shape.", relation.name, ".zeros"),
         .op = name,
         .source = FaultSource::kShape,
         .sentence = StrCat("answers zeros, or the opposite of booleans, where ", relation.meaning),
         .clause = name,
         .touches =
             [&relation, &edition](const TypeRow& row) {
               return relation.WhyImpossible(edition, row).empty();
             },
         .where = relation.holds,
         .does = ZerosWhere(relation.holds)});
  }
  return faults;
}

}  // namespace cts
