#include "generator/symbolic/symbolic_program.h"

#include <algorithm>
#include <set>
#include <utility>

#include "reference/base/contains.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace {

template <class... Args>
Status Bug(const Args&... args) {
  return absl::InternalError(StrCat(args...));
}

class Program {
 public:
  Program(const SymbolicDifferences& differences, Assembly& assembly)
      : differences_(differences),
        bindings_(assembly.bindings),
        graphs_(assembly.resolved),
        block_(assembly.graph.main()) {}

  // Operators that only the program has, in place of the operators that they become.
  void ReplaceOperators(const Edition& edition) {
    for (GraphOperator& op : block_.operators) {
      if (op.outputs.empty()) continue;
      const auto found = differences_.replaced.find(op.outputs[0]);
      if (found == differences_.replaced.end()) continue;
      GraphOperator other = found->second;
      if (other.op.starts_with("DATA_DEPENDENT_")) {
        // The operands that are tensors, without those that the index values replace.
        const OperatorSpec& spec = *edition.FindOperator(op.op);
        std::vector<std::string> tensors;
        size_t next = 0;
        for (const ArgumentSpec& argument : spec.arguments) {
          if (argument.category != ArgumentCategory::kInput) continue;
          const std::string& operand = op.inputs[next++];
          if (argument.type != "shape_t" && argument.name != "indices") tensors.push_back(operand);
        }
        other.inputs.insert(other.inputs.begin(), tensors.begin(), tensors.end());
        other.attributes = op.attributes;
        for (const char* name : {"pad", "out_pad", "stride", "dilation"}) {
          other.attributes.erase(name);
        }
      }
      op = std::move(other);
    }
  }

  // Index values are placed as soon as the tensors exist from which they are taken.
  void PlaceIndexValues() {
    const std::vector<GraphOperator>& helpers = differences_.helpers;
    std::set<std::string> defined(block_.inputs.begin(), block_.inputs.end());
    std::vector<bool> placed(helpers.size(), false);
    std::vector<GraphOperator> operators;
    const auto place = [&] {
      for (size_t i = 0; i < helpers.size(); ++i) {
        const GraphOperator& helper = helpers[i];
        if (placed[i] || (!helper.inputs.empty() && !defined.contains(helper.inputs[0]))) continue;
        placed[i] = true;
        operators.push_back(helper);
        block_.tensors.push_back({helper.outputs[0], DType::kShape, {1}, nullptr});
      }
    };
    place();
    for (GraphOperator& op : block_.operators) {
      defined.insert(op.outputs.begin(), op.outputs.end());
      operators.push_back(std::move(op));
      place();
    }
    block_.operators = std::move(operators);
  }

  // Drops constants that no operator reads any more.
  void DropUnread() {
    std::set<std::string> read(block_.outputs.begin(), block_.outputs.end());
    for (const GraphOperator& op : block_.operators) {
      read.insert(op.inputs.begin(), op.inputs.end());
    }
    std::erase_if(block_.operators, [&](const GraphOperator& op) {
      return IsConstant(op) && !read.contains(op.outputs[0]);
    });
    std::set<std::string> kept(block_.inputs.begin(), block_.inputs.end());
    for (const GraphOperator& op : block_.operators) {
      kept.insert(op.outputs.begin(), op.outputs.end());
    }
    std::erase_if(block_.tensors,
                  [&](const GraphTensor& tensor) { return !kept.contains(tensor.name); });
  }

  // A dimension that differs between bindings is a symbol.
  Status NameDimensions() {
    for (GraphTensor& tensor : block_.tensors) {
      if (differences_.replaced.contains(tensor.name)) tensor.values = nullptr;
      if (tensor.dtype == DType::kShape && tensor.values == nullptr) continue;
      CTS_RETURN_IF_ERROR(CheckSame(tensor));
      std::vector<std::string> symbols;
      for (size_t i = 0; i < tensor.shape.size(); ++i) {
        CTS_ASSIGN_OR_RETURN(std::string symbol, SymbolOf(tensor, i));
        symbols.push_back(std::move(symbol));
      }
      bool any = false;
      for (size_t i = 0; i < symbols.size(); ++i) {
        if (symbols[i].empty()) continue;
        tensor.shape[i] = -1;
        any = true;
      }
      if (any) tensor.symbols = std::move(symbols);
    }
    return absl::OkStatus();
  }

  // Operators that the program and its static graphs share have to be the same in all of them.
  Status CheckOperators() const {
    for (const GraphOperator& op : block_.operators) {
      for (const Graph& graph : graphs_) {
        for (const GraphOperator& other : graph.main().operators) {
          if (other.outputs != op.outputs || differences_.replaced.contains(op.outputs[0])) {
            continue;
          }
          if (other.attributes == op.attributes && other.inputs == op.inputs) continue;
          return Bug(op.op, ": not the same for every binding");
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  Status CheckSame(const GraphTensor& tensor) const {
    for (size_t k = 1; k < graphs_.size(); ++k) {
      const GraphTensor* other = graphs_[k].main().Find(tensor.name);
      if (other == nullptr || other->shape.size() != tensor.shape.size()) {
        return Bug(tensor.name, ": not the same tensor for every binding");
      }
      if (tensor.values != nullptr && *tensor.values != *other->values) {
        return Bug(tensor.name, ": not the same constant for every binding");
      }
    }
    return absl::OkStatus();
  }

  // The symbol of dimension i; empty for a size.
  StatusOr<std::string> SymbolOf(const GraphTensor& tensor, size_t i) const {
    const auto declared = differences_.declared.find(tensor.name);
    if (declared != differences_.declared.end()) {
      const auto* symbol = std::get_if<std::string>(&declared->second[i]);
      return symbol != nullptr ? *symbol : "";
    }
    std::vector<int64_t> sizes;
    sizes.reserve(graphs_.size());
    for (const Graph& graph : graphs_) sizes.push_back(graph.main().Find(tensor.name)->shape[i]);
    const bool differ =
        std::count(sizes.begin(), sizes.end(), sizes[0]) != static_cast<int64_t>(sizes.size());
    if (differ && Contains(block_.inputs, tensor.name)) {
      std::string found;
      for (const auto& [symbol, value] : bindings_[0]) {
        bool same = value == sizes[0];
        for (size_t k = 1; k < sizes.size(); ++k) same &= bindings_[k].at(symbol) == sizes[k];
        if (same) found = symbol;
      }
      if (found.empty()) return Bug(tensor.name, ": dimension ", i, " follows no symbol");
      return found;
    }
    const auto forced = differences_.forced.find(tensor.name);
    if (!differ && (forced == differences_.forced.end() || !forced->second[i])) return "";
    // The dimension gets a symbol of its own. An implementation that runs the program has to find
    // out its value.
    return StrCat(tensor.name, "_", i);
  }

  const SymbolicDifferences& differences_;
  const std::vector<Binding>& bindings_;
  const std::vector<Graph>& graphs_;
  Block& block_;
};

}  // namespace

Status MakeSymbolic(const Edition& edition, const SymbolicDifferences& differences,
                    Assembly& assembly) {
  Program program(differences, assembly);
  program.ReplaceOperators(edition);
  program.PlaceIndexValues();
  program.DropUnread();
  CTS_RETURN_IF_ERROR(program.NameDimensions());
  // A symbol that no input has is no part of the binding.
  const std::set<std::string> symbols = InputSymbols(assembly.graph);
  for (Binding& binding : assembly.bindings) {
    std::erase_if(binding, [&](const auto& entry) { return !symbols.contains(entry.first); });
  }
  return program.CheckOperators();
}

}  // namespace cts
