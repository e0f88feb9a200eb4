// Builds symbolic programs (reference/graph/symbols.h). The same steps build one static graph for
// each binding. The program is made from these graphs, and becomes each of them again under its
// binding.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "generator/graphs/graph_builder.h"
#include "generator/symbolic/symbolic_program.h"

namespace cts {

// A mistake is remembered and makes the draft fail, as in GraphBuilder.
class SymbolicBuilder {
 public:
  using Name = GraphBuilder::Name;
  using Names = GraphBuilder::Names;
  using Parameters = GraphBuilder::Parameters;

  // A value of the Index Type: the tensor that holds it, and its value for each binding.
  struct Index {
    Name name;
    std::vector<int64_t> values;
  };
  using Indices = std::vector<Index>;
  using Dimension = SymbolicDifferences::Dimension;
  // A size, or a dimension value.
  using NewSize = std::variant<int64_t, Index>;
  // The values of an input, made for a choice and under the name of the random data.
  using Fill = Tensor (*)(const Choice&, std::string_view, DType, const Shape&);

  SymbolicBuilder(const Choice& choice, std::vector<Binding> bindings);

  // An input of the program. `fill` null: the choice's data set.
  Name Input(const Name& name, DType type, const std::vector<Dimension>& dimensions,
             Fill fill = nullptr);
  // An input whose values depend on the binding; none of its dimensions is a symbol.
  Name Input(const Name& name, const std::vector<Tensor>& values);
  Name Constant(const Name& name, const Tensor& values);
  // An operator of the edition, as in GraphBuilder.
  Name Apply(std::string_view op, const Names& operands, const Parameters& parameters = {},
             std::optional<DType> type = std::nullopt);
  Name Rescale(const Name& input, const std::vector<double>& factors, DType type);
  // Takes an operator's own drafts, one for each binding. Their inputs become the program's;
  // dimensions that differ between them become symbols.
  Names Append(const Setting& setting, const std::vector<CaseDraft>& drafts);

  // --- Index values.
  Index Const(int64_t value);
  Index Dim(const Name& tensor, int64_t dimension);
  // For a tensor whose values are known when the program is built, if it runs in integers.
  Index Extract(const Name& tensor, int64_t element);

  // --- Operators that take them.
  Name DimsToTensor(const Indices& dims, DType type);
  Name Iota(const Indices& range, DType type);
  Name ExpandDims(const Name& tensor, const std::vector<int64_t>& indices);
  Name CollapseDims(const Name& tensor, const std::vector<int64_t>& indices);
  Name Reshape(const Name& tensor, const std::vector<NewSize>& shape);
  // The form of an operator that takes the parameters named here at run time, each as index values.
  // The edition has attributes or lists of sizes for them.
  Name AtRunTime(std::string_view op, const Names& operands,
                 const std::vector<std::pair<std::string, Indices>>& run_time,
                 const Parameters& parameters = {});
  // GATHER and SCATTER, whose indices are index values. `batches` is their number of batches. In
  // both operators the indices stand before operand 1.
  Name IndexedAtRunTime(std::string_view op, const Names& operands, const Indices& indices,
                        int64_t batches);

  DType TypeOf(const Name& tensor) { return builders_.front()->TypeOf(tensor); }

  // The program with these outputs, together with its static graphs.
  CaseDraft Finish(const Names& outputs);

 private:
  Index Helper(std::string_view op, const Name& input, const std::string& attribute,
               int64_t argument, std::vector<int64_t> values);
  // The names of index values.
  static Names NamesOf(const Indices& indices);
  template <class Step>
  Name Each(Step step);

  const Choice& choice_;
  const std::vector<Binding> bindings_;
  std::vector<std::unique_ptr<GraphBuilder>> builders_;
  SymbolicDifferences differences_;
  int count_ = 0;
  Status failure_;
};

}  // namespace cts
