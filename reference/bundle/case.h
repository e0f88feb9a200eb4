// A case is one graph, its input tensors, and the outcome that the edition prescribes. On disk, a
// case is a bundle: a folder with case.json (schemas/case.schema.json) and .npy files.
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
  // The profiles that the row needs. An implementation needs all profiles of at least one list.
  std::vector<std::vector<std::string>> profiles;
  std::string data_set;                           // "full-range", "special", "S3", "none"
  std::map<std::string, std::string> parameters;  // chosen by the generator: "stride" -> "2x1"
  Graph graph;
  std::map<std::string, Tensor> inputs;  // one for each input of the main block
  // The inputs of the second and later executions of the graph, in order. The graph's variables
  // keep their values from one execution to the next.
  std::vector<std::map<std::string, Tensor>> later_inputs;
  // For a symbolic program (graph/symbols.h): the values of its symbols, one binding for each
  // execution.
  std::vector<Binding> bindings;
  Outcome outcome = Outcome::kValid;  // kError and kSealed: the case has no answers
  std::string condition;              // kError: the id of the only broken condition
  // kValid: the point on which clauses of the edition disagree, and both clauses, as text
  // (graph/disputed.h). No verdict depends on the values of an output that depends on this point.
  // Empty if no output depends on such a point.
  std::string disputed;
  // kValid: the expected outputs of the main block, in the order of the executions.
  std::vector<ExpectedOutput> outputs;

  int executions() const { return 1 + static_cast<int>(later_inputs.size()); }
  // The inputs of the first `count` executions, or of all executions by default.
  InputSequence InputsOfExecutions(int count = INT_MAX) const;
};

// Sets `disputed` of a valid case if an output depends on a point on which clauses of the edition
// disagree; otherwise clears it. In a disputed case, also sets `undisputed` of the outputs that do
// not depend on this point.
void FindDispute(Case& c);

// The names of the files that an implementation writes: one file for each output and each
// execution.
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
  // Returns the name of a file for messages.
  virtual std::string Describe(std::string_view name) const = 0;
  // Returns the bytes of a file, which are valid until the next call of Read. `name` comes from a
  // case.json and is untrusted.
  virtual StatusOr<std::string_view> Read(std::string_view name, uint64_t max_bytes) = 0;
};

// The greatest accepted size of a case.json, in bytes.
inline constexpr uint64_t kMaxCaseJson = 64 << 20;

// Returns the files of a bundle: first case.json, and then the other files, sorted by path. Equal
// cases give equal bytes.
std::vector<BundleFile> EncodeCase(const Case& c);

// Reads and validates a bundle with all its tensors. Refuses paths that leave the folder.
StatusOr<Case> ReadCase(const std::filesystem::path& directory);

// Like ReadCase of a directory, but for the text of a case.json. The other files come from
// `source`.
StatusOr<Case> ReadCase(std::string_view case_json, BundleSource& source);

// Reads a case without the tensors of its answers, which an implementation must not see.
StatusOr<Case> ReadCaseInputs(const std::filesystem::path& directory);

// Reads a case without the tensors of its inputs and answers, for programs that do not need these
// tensors.
StatusOr<Case> ReadCaseHeader(const std::filesystem::path& directory);

// The descriptive members of case.json: id, edition, level, operator, mode, types, profiles, data
// set, parameters.
Json CaseHeadToJson(const Case& c);

// Returns the graph as case.json has it. A constant's values refer to a file <tensor>.npy.
Json GraphToJson(const Graph& graph);

// Reads a file that contains only a graph, in the form of GraphToJson. The files of the constants
// are in the same folder.
StatusOr<Graph> ReadGraph(const std::filesystem::path& file);
// Like ReadGraph of a file, but for the text of the file. Errors name the text `origin`. The files
// of the constants come from `source`.
StatusOr<Graph> ReadGraph(std::string_view text, std::string_view origin, BundleSource& source);

}  // namespace cts
