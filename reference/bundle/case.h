// A case: one graph, its input tensors, and the outcome that the edition prescribes. On disk it is
// a bundle: case.json (schemas/case.schema.json) and .npy files beside it.
#pragma once

#include <climits>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/answer/answer.h"
#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"

namespace cts {

struct Case {
  std::string id;                            // "conv2d/i8-i8-i32-..."; its folder within the suite
  std::string edition;                       // "tosa-1.0"
  std::string level;                         // "8K"
  std::string op;                            // the operator under test
  std::string mode;                          // its type row
  std::map<std::string, std::string> types;  // of that row: "in_t" -> "i8"
  std::vector<std::vector<std::string>> profiles;  // of that row: one of these lists is needed,
                                                   // with all of its names
  std::string data_set;                            // "full-range", "special", "S3", "none"
  std::map<std::string, std::string> parameters;   // what the generator chose: "stride" -> "2x1"
  Graph graph;
  std::map<std::string, Tensor> inputs;  // for every input of the main block
  // The inputs of further executions of the graph, in order. Its variables keep their values.
  std::vector<std::map<std::string, Tensor>> later_inputs;
  // For a symbolic program (graph/symbols.h): the values of its symbols, for every execution.
  std::vector<Binding> bindings;
  Outcome outcome = Outcome::kValid;  // or kError, or kSealed: then without answers
  std::string condition;              // kError: the id of the one condition that is broken
  // kValid: the point on which the edition's clauses disagree, with both (graph/disputed.h). Such a
  // case decides no verdict. Empty: no such point.
  std::string disputed;
  // kValid: for every output of the main block, execution by execution.
  std::vector<ExpectedOutput> outputs;

  int executions() const { return 1 + static_cast<int>(later_inputs.size()); }
  // The inputs of the first executions, all if `count` is not given.
  InputSequence InputsOfExecutions(int count = INT_MAX) const;
};

// Finds what the edition's clauses disagree about in a valid case with its outputs, and which of
// these it does not reach.
void FindDispute(Case& c);

// The files that an implementation writes, one for each output and execution.
std::set<std::string> ResultFileNames(const Case& c);

// One file of a bundle: its path within the folder of the case, and its bytes.
struct BundleFile {
  std::string path;
  std::string bytes;
};

// The source of a bundle's files: a directory, or memory.
class BundleSource {
 public:
  virtual ~BundleSource() = default;
  // The name of a file in messages.
  virtual std::string Describe(std::string_view name) const = 0;
  // The bytes of a file, valid until the next call. `name` comes from a case.json and is untrusted.
  virtual StatusOr<std::string_view> Read(std::string_view name, uint64_t max_bytes) = 0;
};

// The longest case.json.
inline constexpr uint64_t kMaxCaseJson = 64 << 20;

// The files of a bundle: case.json first, the others sorted by path. Same case, same bytes.
std::vector<BundleFile> EncodeCase(const Case& c);

// Reads and validates a bundle, every tensor included. Paths out of the folder are refused.
StatusOr<Case> ReadCase(const std::filesystem::path& directory);

// The same for a case.json whose text has been read; the other files come from `source`.
StatusOr<Case> ReadCase(std::string_view case_json, BundleSource& source);

// The part of a case that an implementation may see: the same without the answers.
StatusOr<Case> ReadCaseInputs(const std::filesystem::path& directory);

// The same without the tensors of `answers` and the inputs: what a runner needs.
StatusOr<Case> ReadCaseHeader(const std::filesystem::path& directory);

// Returns the head of a case as it stands in case.json: id, edition, level, operator, mode, types,
// profiles, data set, parameters.
Json CaseHeadToJson(const Case& c);

// The graph as JSON, as it stands in case.json; constants refer to files named <tensor>.npy.
Json GraphToJson(const Graph& graph);

// Reads a file that holds a graph alone, as GraphToJson writes it; constants lie beside it.
StatusOr<Graph> ReadGraph(const std::filesystem::path& file);
// The same for a text that has been read. Errors call it `origin`; constants come from `source`.
StatusOr<Graph> ReadGraph(std::string_view text, std::string_view origin, BundleSource& source);

}  // namespace cts
