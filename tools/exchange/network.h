// Networks that users bring along: graphs of many operators, judged as cases.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "checker/check.h"
#include "checker/explain.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"
#include "reference/spec/edition.h"

namespace cts {

struct Network {
  std::string id;  // "networks/mobilenet"
  Graph graph;
  std::map<std::string, Tensor> inputs;  // for every input of the main block
  std::string edition = std::string(kDefaultEdition);
  std::string level = "8K";
};

// The case that asks for the network's outputs. Where the reference has the answer, as for all of
// an integer network, that answer is the expected one. An output is unchecked
// (RuleKind::kUnchecked) if it depends on an operator that starts from a result that is only
// bounded. Errors: inputs that do not fit, and a network that is illegal or unpredictable with
// these inputs.
StatusOr<Case> CaseOfNetwork(const Network& network);

struct NetworkOptions {
  std::filesystem::path file;  // .tosa, or else text of MLIR
  // "NAME=FILE.npy" for every input of the network. NAME is the name in the file, or in the case;
  // it may contain a "=".
  std::vector<std::string> inputs;
  std::string id;             // of the case; empty: after the file
  std::filesystem::path out;  // the suite: must not exist, or be an empty directory
  std::string edition = std::string(kDefaultEdition), level = "8K";
};

// Writes a suite of that one case, as a whole or nothing.
StatusOr<Suite> ImportNetwork(const NetworkOptions& options);

// One operator of a network, judged on its own: its result is judged by the inputs that the
// implementation itself had handed to it.
struct OperatorVerdict {
  enum class Kind {
    kPass,
    kFail,
    kMissing,    // its inputs or its results were not handed over
    kNotJudged,  // the reference cannot say
  };
  std::string op;       // "operator 3 of the graph, CONV2D"
  size_t position = 0;  // of the operator in the main block
  Kind kind = Kind::kPass;
  std::string message;  // why not kPass
  // For the first operator that fails: the operator as a case, and the implementation's result.
  std::shared_ptr<const CheckedCase> failure = nullptr;
  std::vector<OutputReport> outputs = {};  // of what was judged
};

// Reads the implementation's values of a tensor; kNotFound if it did not hand the tensor over.
using ReadIntermediate = std::function<StatusOr<Tensor>(const GraphTensor& tensor, int execution)>;

// The operators of the main block in their order, execution by execution.
// Errors: a tensor that was handed over and cannot be read.
StatusOr<std::vector<OperatorVerdict>> JudgeOperators(const Case& c, const ReadIntermediate& read);

// Judges the operators of every case that has a folder DIR/<id> with intermediate results
// (<tensor>.npy, of later executions <tensor>.1.npy ...; outputs of the graph are those of the
// results).
//
// If an operator breaks its bound, the case fails by the first one that does, and so does each of
// its unchecked outputs that depends on such an operator. If every operator passes, the unchecked
// outputs count as checked. Operators that flush subnormals where others, or other cases, keep them
// are a finding, as among cases. Files that belong to no case or to no tensor are noted. Errors: no
// such folder, or something in it that cannot be read.
Status JudgeIntermediates(const std::filesystem::path& directory, Report* report);

// The same for one case. Changes its report. Tells `explain` what became of the case's operators,
// and why the first that breaks its bound does so.
StatusOr<std::string> ExplainIntermediates(const std::filesystem::path& directory,
                                           const std::filesystem::path& results, bool full,
                                           CheckedCase* checked);

}  // namespace cts
