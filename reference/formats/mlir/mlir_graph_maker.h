// Makes tensors and operators of a graph from the parsed parts of an MLIR text.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference/base/status.h"
#include "reference/formats/mlir/mlir_cursor.h"
#include "reference/formats/mlir/mlir_literals.h"
#include "reference/formats/mlir/mlir_types.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts::mlir_parse {

// A block that is being read: its tensors, and their names in the text.
struct Scope {
  Block block;
  std::unordered_map<std::string, size_t> values;  // "%0", "%0#1" -> position in block.tensors
  std::vector<Type> output_types;
  std::set<size_t> unsigned_tensors;  // positions in block.tensors
};

// A value that an operation uses.
struct Use {
  size_t tensor;  // its position in block.tensors
  size_t place;   // in the text
};

struct Operation {
  size_t place;      // in the text
  std::string name;  // "tosa.conv2d"
  bool generic;      // whether the text has MLIR's generic form, with the name in quotes
  std::vector<std::pair<std::string, size_t>> results;  // "%0", and its place in the text
};

class GraphMaker {
 public:
  // `in` supplies the place in the text for error messages.
  GraphMaker(const Cursor& in, const Edition& edition) : in_(in), edition_(edition) {}

  // A unique name for a region.
  std::string RegionName(std::string_view wanted) { return UniqueName(wanted, regions_); }

  // Adds a tensor that the text calls `name`.
  Status Define(Scope& scope, const std::string& name, size_t place, const Type& type);

  // Returns an error if the tensors of `uses` do not have the types `types`, which the text states
  // for these tensors.
  Status CheckTypes(const Scope& scope, const std::vector<Use>& uses,
                    const std::vector<Type>& types, size_t place) const;

  // Adds the operator of an operation that has been read completely.
  Status Finish(Scope& scope, const Operation& operation, const std::vector<Use>& operands,
                const std::vector<Type>& operand_types, const std::vector<Type>& result_types,
                Literals attributes, const std::vector<std::string>& regions);

 private:
  // A unique name in the graph.
  std::string UniqueName(std::string_view wanted, std::set<std::string>& taken);
  // An error if unsigned numbers are used in a way that TOSA cannot express.
  Status CheckSigns(const Scope& scope, const Operation& operation,
                    const std::vector<Use>& operands, const std::vector<Type>& result_types,
                    const GraphOperator& op) const;
  // Moves the attributes to the graph. Dense values become values of the operator's tensors.
  Status TakeAttributes(Scope& scope, const Operation& operation, Literals& attributes,
                        GraphOperator& op, const OperatorSpec& spec);

  const Cursor& in_;
  const Edition& edition_;
  std::set<std::string> names_, regions_ = {"main"};  // names in use, of tensors and of regions
  std::unordered_map<std::string, int> counts_;       // how often a name was requested
};

}  // namespace cts::mlir_parse
