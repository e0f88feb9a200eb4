#include "reference/graph/symbols.h"

#include <algorithm>

namespace cts {

const std::vector<RunTimeForm>& RunTimeForms() {
  static const std::vector<RunTimeForm> forms = {
      {"DATA_DEPENDENT_SLICE",
       "SLICE",
       {{"start", IndexCount::kRank}, {"size", IndexCount::kRank}}},
      {"DATA_DEPENDENT_PAD", "PAD", {{"padding", IndexCount::kTwiceRank}}},
      {"DATA_DEPENDENT_GATHER", "GATHER", {{"indices", IndexCount::kRest}}},
      {"DATA_DEPENDENT_SCATTER", "SCATTER", {{"indices", IndexCount::kRest}}},
      {"DATA_DEPENDENT_CONV2D",
       "CONV2D",
       {{"pad", IndexCount::kFour}, {"stride", IndexCount::kTwo}, {"dilation", IndexCount::kTwo}}},
      {"DATA_DEPENDENT_CONV3D",
       "CONV3D",
       {{"pad", IndexCount::kSix},
        {"stride", IndexCount::kThree},
        {"dilation", IndexCount::kThree}}},
      {"DATA_DEPENDENT_DEPTHWISE_CONV2D",
       "DEPTHWISE_CONV2D",
       {{"pad", IndexCount::kFour}, {"stride", IndexCount::kTwo}, {"dilation", IndexCount::kTwo}}},
      {"DATA_DEPENDENT_TRANSPOSE_CONV2D",
       "TRANSPOSE_CONV2D",
       {{"out_pad", IndexCount::kFour}, {"stride", IndexCount::kTwo}}},
  };
  return forms;
}

const RunTimeForm* FindRunTimeForm(std::string_view op) {
  for (const RunTimeForm& form : RunTimeForms()) {
    if (form.name == op) return &form;
  }
  return nullptr;
}

bool TakesAtRunTime(const RunTimeForm& form, std::string_view argument) {
  return std::any_of(form.arguments.begin(), form.arguments.end(),
                     [&](const auto& taken) { return taken.first == argument; });
}

constexpr SymbolicHelper kHelpers[] = {
    {"INDEX_CONST", 0, 0, 0, "value", HelperAttribute::kInteger, true},
    {"GET_DIM", 1, 0, 0, "dim_index", HelperAttribute::kInteger, true},
    {"EXTRACT_DIM", 1, 0, 0, "dim_index", HelperAttribute::kInteger, true},
    {"DIMS_TO_TENSOR", 0, 1, kAnyNumber, "", HelperAttribute::kNone, false},
    {"EXPAND_DIMS", 1, 0, 0, "indices", HelperAttribute::kList, false},
    {"COLLAPSE_DIMS", 1, 0, 0, "indices", HelperAttribute::kList, false},
    {"IOTA", 0, 1, 3, "", HelperAttribute::kNone, false},
};

const SymbolicHelper* FindSymbolicHelper(std::string_view op) {
  for (const SymbolicHelper& helper : kHelpers) {
    if (helper.name == op) return &helper;
  }
  return nullptr;
}

const std::vector<int64_t>* IntegerList(const GraphOperator& op, std::string_view attribute) {
  const auto found = op.attributes.find(std::string(attribute));
  return found == op.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&found->second);
}

const std::string& SymbolOf(const GraphTensor& tensor, size_t dimension) {
  static const std::string none;
  return tensor.symbols.empty() ? none : tensor.symbols[dimension];
}

bool IsSymbolic(const GraphOperator& op) {
  if (op.op == kReshape) return op.attributes.contains(std::string(kNewShape));
  return FindSymbolicHelper(op.op) != nullptr || FindRunTimeForm(op.op) != nullptr;
}

bool IsSymbolic(const Graph& graph) {
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphTensor& tensor : block.tensors) {
        if (!tensor.symbols.empty()) return true;
      }
      for (const GraphOperator& op : block.operators) {
        if (IsSymbolic(op)) return true;
      }
    }
  }
  return false;
}

Status RequireStatic(const Graph& graph) {
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphTensor& tensor : block.tensors) {
        if (tensor.symbols.empty()) continue;
        return InvalidArgument("found a symbolic program (tensor ", tensor.name, ": ",
                               Describe(tensor),
                               "), expected a static graph; tensor-cts resolve makes one");
      }
      for (size_t i = 0; i < block.operators.size(); ++i) {
        if (!IsSymbolic(block.operators[i])) continue;
        return InvalidArgument("found a symbolic program (", Place(graph, block, i),
                               "), expected a static graph; tensor-cts resolve makes one");
      }
    }
  }
  return absl::OkStatus();
}

std::vector<std::string_view> SymbolicOperatorNames() {
  std::vector<std::string_view> names;
  for (const SymbolicHelper& helper : kHelpers) names.push_back(helper.name);
  for (const RunTimeForm& form : RunTimeForms()) names.push_back(form.name);
  return names;
}

std::set<std::string> InputSymbols(const Graph& graph) {
  std::set<std::string> symbols;
  for (const std::string& name : graph.main().inputs) {
    for (const std::string& symbol : graph.main().Find(name)->symbols) symbols.insert(symbol);
  }
  symbols.erase("");
  return symbols;
}

std::set<std::string> AllSymbols(const Graph& graph) {
  std::set<std::string> symbols;
  for (const GraphTensor& tensor : graph.main().tensors) {
    symbols.insert(tensor.symbols.begin(), tensor.symbols.end());
  }
  symbols.erase("");
  return symbols;
}

std::string Describe(const Binding& binding) {
  std::string text;
  for (const auto& [symbol, value] : binding) {
    text += StrCat(text.empty() ? "" : " ", symbol, "=", value);
  }
  return text.empty() ? "no symbol" : text;
}

Status CheckBinding(const Graph& program, const Binding& binding) {
  const std::set<std::string> symbols = AllSymbols(program);
  for (const auto& [name, value] : binding) {
    if (symbols.contains(name)) continue;
    std::string known;
    for (const std::string& symbol : InputSymbols(program)) {
      known += StrCat(known.empty() ? "" : ", ", symbol);
    }
    return InvalidArgument("found symbol ", name, ", which no tensor has; the inputs have ",
                           known.empty() ? "none" : known);
  }
  return absl::OkStatus();
}

}  // namespace cts
