// Builds symbolic programs (reference/graph/symbols.h). A binding gives each symbol a value, and
// turns the program into a static graph. Each step extends the static graph of every binding.
// Finish makes the program from these graphs. With each binding, the program becomes the static
// graph of this binding again.
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

// The builder remembers a mistake, which makes the draft fail, as in GraphBuilder.
class SymbolicBuilder {
 public:
  using Name = GraphBuilder::Name;
  using Names = GraphBuilder::Names;
  using Parameters = GraphBuilder::Parameters;

  // A value of the specification's Index Type: the tensor that holds the value, and the value for
  // each binding.
  struct Index {
    Name name;
    std::vector<int64_t> values;
  };
  using Indices = std::vector<Index>;
  using Dimension = SymbolicDifferences::Dimension;
  // A constant size, or an index value.
  using NewSize = std::variant<int64_t, Index>;
  // Makes the values of an input for a choice. Random data depends on the name.
  using Fill = Tensor (*)(const Choice&, std::string_view, DType, const Shape&);

  SymbolicBuilder(const Choice& choice, std::vector<Binding> bindings);

  // Adds an input of the program. If `fill` is null, the values are those of the choice's data set.
  Name Input(const Name& name, DType type, const std::vector<Dimension>& dimensions,
             Fill fill = nullptr);
  // Adds an input with one tensor of values for each binding. No dimension of the input is a
  // symbol.
  Name Input(const Name& name, const std::vector<Tensor>& values);
  Name Constant(const Name& name, const Tensor& values);
  // Adds an operator of the edition, as GraphBuilder does.
  Name Apply(std::string_view op, const Names& operands, const Parameters& parameters = {},
             std::optional<DType> type = std::nullopt);
  Name Rescale(const Name& input, const std::vector<double>& factors, DType type);
  // Adds an operator that is described by a draft for each binding. The drafts' inputs become
  // inputs of the program. Dimensions that differ between the drafts become symbols.
  Names Append(const Setting& setting, const std::vector<CaseDraft>& drafts);

  // --- Index values.
  Index Const(int64_t value);
  Index Dim(const Name& tensor, int64_t dimension);
  // Extracts an element of `tensor` as an index value. The builder computes the values of `tensor`,
  // which must be of an integer type.
  Index Extract(const Name& tensor, int64_t element);

  // --- Operators that take index values.
  Name DimsToTensor(const Indices& dims, DType type);
  Name Iota(const Indices& range, DType type);
  Name ExpandDims(const Name& tensor, const std::vector<int64_t>& indices);
  Name CollapseDims(const Name& tensor, const std::vector<int64_t>& indices);
  Name Reshape(const Name& tensor, const std::vector<NewSize>& shape);
  // Adds the form of an operator that takes the parameters `run_time` at run time, each as a list
  // of index values. In the static graphs, these parameters are attributes or lists of sizes.
  Name AtRunTime(std::string_view op, const Names& operands,
                 const std::vector<std::pair<std::string, Indices>>& run_time,
                 const Parameters& parameters = {});
  // Adds GATHER or SCATTER with index values as indices, for `batches` batches. In both operators,
  // the indices are the second operand.
  Name IndexedAtRunTime(std::string_view op, const Names& operands, const Indices& indices,
                        int64_t batches);

  DType TypeOf(const Name& tensor) { return builders_.front()->TypeOf(tensor); }

  // Returns the program with these outputs, together with its static graphs.
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
