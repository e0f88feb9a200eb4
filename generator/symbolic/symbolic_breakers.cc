#include "generator/symbolic/symbolic_breakers.h"

#include <utility>

namespace cts::symbolic_graphs {

Breaker Breaks(std::string condition, DraftChange change, Labels labels) {
  return {std::move(condition), std::move(labels), nullptr, std::move(change), KeepOne};
}

DraftChange WithAttribute(std::string op, std::string attribute, AttributeValue value) {
  return [op = std::move(op), attribute = std::move(attribute), value = std::move(value)](
             const Setting& setting, CaseDraft& draft) {
    KeepOne(setting, draft);
    First(draft, op).attributes[attribute] = value;
  };
}

DraftChange WithoutLastInput(std::string op) {
  return [op = std::move(op)](const Setting& setting, CaseDraft& draft) {
    KeepOne(setting, draft);
    First(draft, op).inputs.pop_back();
  };
}

DraftChange WithElement(std::string input, int64_t element, int64_t value) {
  return [input = std::move(input), element, value](const Setting& setting, CaseDraft& draft) {
    KeepOne(setting, draft);
    draft.Whole().inputs.at(input).SetInteger(element, value);
  };
}

DraftChange WithSymbol(std::string symbol, int64_t value, std::string input) {
  return [symbol = std::move(symbol), value, input = std::move(input)](const Setting& setting,
                                                                       CaseDraft& draft) {
    KeepOne(setting, draft);
    draft.Whole().bindings[0][symbol] = value;
    if (value < 1) {
      draft.Whole().inputs.erase(input);
      return;
    }
    const GraphTensor& tensor = *draft.Whole().graph.main().Find(input);
    Shape shape = draft.Whole().inputs.at(input).shape();
    for (size_t i = 0; i < shape.size(); ++i) {
      if (tensor.symbols[i] == symbol) shape[i] = value;
    }
    Resize(draft, input, std::move(shape));
  };
}

void KeepOne(const Setting&, CaseDraft& draft) {
  draft.Whole().later_inputs.clear();
  draft.Whole().bindings.resize(1);
  draft.Whole().resolved.resize(1);
}

void Resize(CaseDraft& draft, const std::string& input, Shape shape) {
  const Tensor values = draft.Whole().inputs.at(input);
  Tensor resized(values.dtype(), std::move(shape));
  for (int64_t i = 0; i < resized.size(); ++i) resized.SetBits(i, values.Bits(i % values.size()));
  draft.Whole().inputs.insert_or_assign(input, std::move(resized));
}

GraphOperator& First(CaseDraft& draft, std::string_view op) {
  for (GraphOperator& found : draft.Whole().graph.main().operators) {
    if (found.op == op) return found;
  }
  draft.failure = absl::InternalError(StrCat("no operator ", op));
  return draft.Whole().graph.main().operators.front();
}

}  // namespace cts::symbolic_graphs
