// The names and types of a block that is written as text of MLIR.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reference/base/status.h"
#include "reference/formats/mlir/mlir_dialect.h"
#include "reference/graph/graph.h"

namespace cts::mlir_text {

// For example "%a, %b".
std::string Values(const std::vector<std::string>& names);

// A block, with the names and types that its tensors have in the text.
class BlockNames {
 public:
  // `function_name`: the name of the surrounding function. `nesting`: the number of operators'
  // regions around the block; 0 for the function's own block.
  BlockNames(const Block& block, const MlirDialect& dialect, std::string_view function_name,
             int nesting);

  const Block& block() const { return block_; }
  const MlirDialect& dialect() const { return dialect_; }
  std::string_view function_name() const { return function_name_; }
  int nesting() const { return nesting_; }
  // The dialect in words.
  std::string Dialect() const { return StrCat("the dialect of MLIR ", dialect_.version); }
  std::string Indent() const { return std::string(static_cast<size_t>(2 * nesting_), ' '); }

  // A tensor; null if the block declares no tensor of that name.
  const GraphTensor* Find(const std::string& name) const;
  // A tensor; an error if the block does not declare it or the text cannot hold its name.
  StatusOr<const GraphTensor*> Lookup(const std::string& name) const;
  // For example "tensor<1xi8>, tensor<2xi8>".
  StatusOr<std::string> Types(const std::vector<std::string>& names) const;
  // A name that no tensor of the block has.
  std::string NewName(std::string name) const;
  // Whether the text gives a tensor an unsigned type.
  bool IsUnsigned(std::string_view name) const { return unsigned_.contains(name); }
  // An error if a tensor is signed for one of its users and unsigned for another.
  Status CheckSigns() const;

 private:
  const Block& block_;
  const MlirDialect& dialect_;
  const std::string_view function_name_;
  const int nesting_;
  std::unordered_map<std::string, const GraphTensor*> tensors_;
  std::set<std::string, std::less<>> unsigned_;
};

}  // namespace cts::mlir_text
