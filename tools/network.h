// Networks that somebody brings along: graphs of many operators, judged as cases.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "checker/check.h"
#include "reference/base/status.h"
#include "reference/graph/case.h"
#include "reference/graph/suite.h"
#include "reference/spec/edition.h"

namespace cts {

struct Network {
  std::string id;  // "networks/mobilenet"
  Graph graph;
  std::map<std::string, Tensor> inputs;  // for every input of the main block
  std::string edition = std::string(kDefaultEdition);
  std::string level = "8K";
};

// The case that asks for the network's outputs. Where the reference has the answers, as for all
// integer networks, they are the expectation. Where an operator starts from a result that is only
// bounded, the outputs are unchecked (RuleKind::kUnchecked).
// Errors: inputs that do not fit, and a network that is illegal or unpredictable with these inputs.
StatusOr<Case> CaseOfNetwork(const Network& network);

struct NetworkOptions {
  std::filesystem::path file;  // .tosa, or else text of MLIR
  // For every input of the network: "NAME=FILE.npy", the name as it stands in the file.
  std::vector<std::string> inputs;
  std::string id;             // of the case; empty: after the file
  std::filesystem::path out;  // the suite: must not exist, or be an empty directory
  std::string edition = std::string(kDefaultEdition), level = "8K";
};

// Writes a suite of that one case: whole, or nothing.
StatusOr<Suite> ImportNetwork(const NetworkOptions& options);

// One operator of a network, judged on its own: by what it made of what the implementation itself
// had handed to it.
struct OperatorVerdict {
  enum class Kind {
    kPass,
    kFail,
    kMissing,    // its inputs or its results were not handed over
    kNotJudged,  // the reference cannot say
  };
  std::string op;  // "operator 3 of the graph, CONV2D"
  Kind kind = Kind::kPass;
  std::string message;  // why not kPass
};

// Reads what the implementation made of a tensor; kNotFound where it did not hand it over.
using ReadIntermediate = std::function<StatusOr<Tensor>(const GraphTensor& tensor, int execution)>;

// The operators of the main block in their order, execution by execution.
// Errors: a tensor that was handed over and cannot be read.
StatusOr<std::vector<OperatorVerdict>> JudgeOperators(const Case& c, const ReadIntermediate& read);

// Judges the operators of every case that has a folder DIR/<id> with intermediate results
// (<tensor>.npy, of later executions <tensor>.1.npy ...; outputs of the graph may stand there or in
// the results). A case fails by its first operator that breaks its bound; what was unchecked is
// checked if every operator passed.
// Errors: no such folder, or something in it that cannot be read.
Status JudgeIntermediates(const std::filesystem::path& directory, Report* report);

}  // namespace cts
