// Builds graphs of several operators, region by region, for any edition.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "generator/draft/case_draft.h"

namespace cts {

// The builder remembers the first mistake, which makes the draft fail. Calls after a mistake may
// name tensors that do not exist.
class GraphBuilder {
 public:
  // Tensors are identified by their names, which are unique in the graph.
  using Name = std::string;
  using Names = std::vector<Name>;
  using Parameters = std::map<std::string, AttributeValue, std::less<>>;

  explicit GraphBuilder(const Choice& choice);

  // --- The inputs of a block.

  // Adds an input of the graph, in the main block.
  Name Input(const Name& name, Tensor values);
  // Sets the values of an input in a later execution of the graph. The first call for an input is
  // for the second execution, the next call for the same input is for the third.
  void NextInput(const Name& name, Tensor values);
  // Adds an input of the region that is being built.
  Name Parameter(const Name& name, DType type, const Shape& shape);
  Name Constant(const Name& name, const Tensor& values);

  // --- Operators.

  // Adds an operator of one output and returns the output's name. `operands` are the operator's
  // inputs in the order of its arguments; an argument that is a list takes all remaining operands.
  // `parameters` are the other inputs and the attributes by name. Parameters that the edition lacks
  // are ignored. A missing parameter has its neutral value: a zero point of 0, no padding, a stride
  // of 1, nan_mode PROPAGATE. `type` is the output's type if the operands allow several types
  // (CAST, RESCALE).
  Name Apply(std::string_view op, const Names& operands, const Parameters& parameters = {},
             std::optional<DType> type = std::nullopt);
  // Adds RESCALE by real factors: one factor, or one for every channel. The multipliers have 32
  // bits unless the parameters or an i48 input require 16 bits.
  Name Rescale(const Name& input, const std::vector<double>& factors, DType type,
               Parameters parameters = {});
  // Adds the operator of a draft.
  Names Append(const Setting& setting, const CaseDraft& draft);

  // --- Regions. The operators between Begin and End make up the region that Begin names.
  void Begin(const std::string& region);
  void End(const Names& outputs);
  Names If(const Name& condition, const Names& operands, const std::string& then_region,
           const std::string& else_region);
  Names While(const Names& operands, const std::string& cond_region,
              const std::string& body_region);

  // --- Variables. Their types must be types of VARIABLE.
  void Variable(const std::string& variable, const Tensor& initial);
  Name Read(const std::string& variable);
  void Write(const std::string& variable, const Name& tensor);

  // --- The tensors that are built so far.
  DType TypeOf(const Name& tensor);
  const Shape& ShapeOf(const Name& tensor);
  // The values of a tensor of the main block in the first execution. The reference computes them
  // with the part of the graph that is built so far. Callers use these values to choose scales.
  // After a mistake the values are zeros.
  Tensor Values(const Name& tensor);
  void Fail(Status status);

  // Returns the graph with these outputs of its main block, and the profiles and extensions that it
  // needs in addition to those of the type row.
  CaseDraft Finish(const Names& outputs);

 private:
  Block& block();
  const GraphTensor& Find(const Name& tensor);
  // The setting of an operator with these operands.
  std::optional<Setting> SettingOf(const OperatorSpec& spec, const Names& operands,
                                   const Parameters& parameters, std::optional<DType> type);
  // Declares the outputs of a control-flow operator and adds the operator.
  Names AddControlFlow(GraphOperator node, const Names& like, const Block& where);
  GraphOperator OfVariable(std::string_view op, const std::string& variable);
  std::vector<std::string> Extensions() const;

  const Choice& choice_;
  const Setting& setting_;
  Assembly assembly_;
  // The regions that are being built, the innermost last.
  std::vector<std::string> open_ = {"main"};
  std::vector<const TypeRow*> rows_;                            // the type rows of all operators
  std::vector<std::pair<std::string, GraphTensor>> variables_;  // with their initial values
  // The number of operators so far, for names.
  int count_ = 0;
  Status failure_;
};

}  // namespace cts
