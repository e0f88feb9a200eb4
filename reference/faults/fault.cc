#include "reference/faults/fault.h"

#include <algorithm>

#include "reference/base/contains.h"
#include "reference/faults/right_answers.h"

namespace cts {
namespace {

// Whether the id without the operator is one of these.
bool HasName(const Fault& fault, const std::vector<std::string>& names) {
  return Contains(names, fault.id.substr(fault.id.find('.') + 1));
}

}  // namespace

std::string_view Name(FaultSource source) {
  switch (source) {
    case FaultSource::kReported:
      return "reported";
    case FaultSource::kHardware:
      return "hardware";
    case FaultSource::kSystematic:
      return "systematic";
    case FaultSource::kState:
      return "state";
    case FaultSource::kShape:
      return "shape";
  }
  return "";
}

OperatorOutputs ComputeWith(const Operator& op, const Call& call, ArithmeticFault& fault) {
  Computation computation(call, ComputationKind::kFaulty);
  computation.set_fault(&fault);
  op.compute(call, computation);
  return computation.outputs();
}

OperatorOutputs ComputeRight(const Operator& op, const Call& call) {
  RightAnswers* const known = RightAnswers::OfThread();
  if (known == nullptr) return ComputeNative(op, call).outputs;
  OperatorOutputs outputs = known->Of(op, call)->outputs;
  for (auto& [name, tensor] : outputs) tensor = std::make_shared<Tensor>(*tensor);
  return outputs;
}

OperatorOutputs ComputeEdited(const Operator& op, const Call& call) {
  struct : ArithmeticFault {
    bool ReadsAlike() const override { return true; }
    bool ComputesPlainly() const override { return true; }
  } none;
  return ComputeWith(op, call, none);
}

Wrong ByCall(std::function<bool(CallEditor&)> edit) {
  return [edit = std::move(edit)](const Operator& op,
                                  const Call& call) -> std::optional<OperatorOutputs> {
    CallEditor editor(call);
    if (!edit(editor)) return std::nullopt;
    const Call* const other = editor.Make();
    if (other == nullptr) return std::nullopt;
    return ComputeEdited(op, *other);
  };
}

Wrong ByResult(std::function<void(const Call&, OperatorOutputs&)> spoil) {
  return [spoil = std::move(spoil)](const Operator& op,
                                    const Call& call) -> std::optional<OperatorOutputs> {
    OperatorOutputs results = ComputeRight(op, call);
    spoil(call, results);
    return results;
  };
}

Wrong ByElement(std::function<void(const Call&, Tensor& out, int64_t i)> spoil) {
  return ByResult([spoil = std::move(spoil)](const Call& call, OperatorOutputs& results) {
    for (auto& [output, tensor] : results) {
      for (int64_t i = 0; i < tensor->size(); ++i) spoil(call, *tensor, i);
    }
  });
}

void MarkReported(Faults& faults, const std::vector<std::string>& names,
                  const std::string& report) {
  for (Fault& fault : faults) {
    if (!HasName(fault, names)) continue;
    fault.source = FaultSource::kReported;
    fault.report = report;
  }
}

void MarkShown(Faults& faults, const std::vector<std::string>& names,
               const std::function<bool(const OperatorSpec&, const TypeRow&)>& shows) {
  for (Fault& fault : faults) {
    if (HasName(fault, names)) fault.shows = shows;
  }
}

void MarkNeeds(Faults& faults, const std::vector<std::string>& names,
               const std::string& extension) {
  for (Fault& fault : faults) {
    if (HasName(fault, names)) fault.needs = extension;
  }
}

bool HasOwnLayout(const OperatorSpec& spec, const TypeRow& row) {
  (void)row;
  return spec.view != nullptr;
}

bool HasType(const TypeRow& row, DType type) {
  return std::any_of(row.types.begin(), row.types.end(),
                     [&](const auto& binding) { return row.PlainType(binding.first) == type; });
}

bool HasNarrowResult(const TypeRow& row) {
  const auto own = row.PlainType("out_t");
  const auto type = own ? own : row.PlainType("in_out_t");
  return type && IsFloat(*type) && Info(*type).bits <= 16 && Format(*type).has_infinity;
}

bool HasFloat(const TypeRow& row) {
  return std::any_of(row.types.begin(), row.types.end(), [&](const auto& binding) {
    const auto type = row.PlainType(binding.first);
    return type.has_value() && IsFloat(*type);
  });
}

bool HasInteger(const TypeRow& row) {
  return std::any_of(row.types.begin(), row.types.end(), [&](const auto& binding) {
    const auto type = row.PlainType(binding.first);
    return type.has_value() && !IsFloat(*type) && *type != DType::kBool;
  });
}

std::function<bool(const TypeRow&)> Rows(std::string variable, std::vector<DType> types) {
  return [variable = std::move(variable), types = std::move(types)](const TypeRow& row) {
    const auto type = row.PlainType(variable);
    return type.has_value() && Contains(types, *type);
  };
}

std::function<bool(const TypeRow&)> FloatRows() { return HasFloat; }
std::function<bool(const TypeRow&)> IntegerRows() { return HasInteger; }

}  // namespace cts
