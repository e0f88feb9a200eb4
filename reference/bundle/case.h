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
  std::string id;                            // "conv2d/i8-i8-i32-..."; also the case's folder
                                             // within the suite
  std::string edition;                       // "tosa-1.0"
  std::string level;                         // "8K"
  std::string op;                            // the operator under test
  std::string mode;                          // the row of the operator's type table
  std::map<std::string, std::string> types;  // the types of that row: "in_t" -> "i8"
  // The profiles that the row needs: all profiles of at least one of these lists.
  std::vector<std::vector<std::string>> profiles;
  std::string data_set;                           // "full-range", "special", "S3", "none"
  std::map<std::string, std::string> parameters;  // chosen by the generator: "stride" -> "2x1"
  Graph graph;
  std::map<std::string, Tensor> inputs;  // one for each input of the main block
  // The inputs of further executions of the graph, in order. The graph's variables keep their
  // values from one execution to the next.
  std::vector<std::map<std::string, Tensor>> later_inputs;
  // For a symbolic program (graph/symbols.h): the values of its symbols, one binding for each
  // execution.
  std::vector<Binding> bindings;
  Outcome outcome = Outcome::kValid;  // kError and kSealed: the case has no answers
  std::string condition;              // kError: the id of the only broken condition
  // kValid: names the point on which clauses of the edition disagree, and both clauses
  // (graph/disputed.h). Such a case does not affect any verdict. Empty if there is no such point.
  std::string disputed;
  // kValid: the expected outputs of the main block, execution by execution.
  std::vector<ExpectedOutput> outputs;

  int executions() const { return 1 + static_cast<int>(later_inputs.size()); }
  // The inputs of the first `count` executions, or of all executions by default.
  InputSequence InputsOfExecutions(int count = INT_MAX) const;
};

// If a valid case meets a point on which clauses of the edition disagree, sets the case's
// `disputed`. Also sets `undisputed` of the outputs that do not depend on that point.
void FindDispute(Case& c);

// The names of the files that an implementation writes, one for each output and execution.
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
  // The bytes of a file, valid until the next call of Read. `name` comes from a case.json and is
  // untrusted.
  virtual StatusOr<std::string_view> Read(std::string_view name, uint64_t max_bytes) = 0;
};

// The greatest accepted size of a case.json, in bytes.
inline constexpr uint64_t kMaxCaseJson = 64 << 20;

// The files of a bundle: case.json first, the others sorted by path. Equal cases give equal bytes.
std::vector<BundleFile> EncodeCase(const Case& c);

// Reads and validates a bundle with all its tensors. Refuses paths that leave the folder.
StatusOr<Case> ReadCase(const std::filesystem::path& directory);

// The same for the text of a case.json; the other files come from `source`.
StatusOr<Case> ReadCase(std::string_view case_json, BundleSource& source);

// Reads the part of a case that an implementation may see: all of it except the answers.
StatusOr<Case> ReadCaseInputs(const std::filesystem::path& directory);

// Reads a case without the tensors of inputs and answers. Runners do not need these tensors.
StatusOr<Case> ReadCaseHeader(const std::filesystem::path& directory);

// The descriptive members of case.json: id, edition, level, operator, mode, types, profiles, data
// set, parameters.
Json CaseHeadToJson(const Case& c);

// The graph as case.json has it. A constant's values refer to a file <tensor>.npy.
Json GraphToJson(const Graph& graph);

// Reads a file with only a graph, as GraphToJson writes it. The files of its constants are beside
// it.
StatusOr<Graph> ReadGraph(const std::filesystem::path& file);
// The same for the text of such a file. Errors call it `origin`; constants come from `source`.
StatusOr<Graph> ReadGraph(std::string_view text, std::string_view origin, BundleSource& source);

}  // namespace cts
