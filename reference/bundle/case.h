// A case: one graph, its input tensors, the outcome that the edition prescribes. On disk a bundle:
// case.json (schemas/case.schema.json) and .npy files beside it.
#pragma once

#include <climits>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"

namespace cts {

// kUnsupported means that the reference cannot say. No case has that outcome or kUnpredictable.
enum class Outcome { kValid, kError, kUnpredictable, kUnsupported };
std::string_view Name(Outcome outcome);

enum class RuleKind {
  kExact,          // equal to `expected`
  kUlp,            // within `ulp` units in the last place of `expected`
  kAbsoluteBound,  // within `bound`, element by element, of `expected`
  kDotProduct,     // within the limits of the dot-product rule, with `bound` per element
  kInterval,       // between `expected` (the least accepted) and `upper`
  kUnchecked,      // anything of the right type and shape: there is no answer
};
std::string_view Name(RuleKind kind);

// How an output is judged. Everything that depends on the edition is worked out here: the checker
// only compares.
struct Rule {
  RuleKind kind = RuleKind::kExact;
  std::string form;    // the edition whose comparing function it is: "tosa-1.0", "tosa-0.100"
  std::string clause;  // where the edition says so
  // kExact: whether -0 and +0 differ. kAbsoluteBound: the same where the bound is 0, which marks a
  // value of the operator's special-value table.
  bool zero_sign = false;
  bool is_unsigned = false;  // kInterval of integers: stored bits compare as unsigned numbers
  double ulp = 0;            // kUlp
  // kDotProduct, with errors in units of max(bound * 2^(-1-normal_frac), normal_min):
  int64_t kernel_size = 0;               // KS
  int64_t ksb = 0;                       // effective number of roundings
  int data_set = -1;                     // S, or -1
  double absolute_limit = 0;             // of one error
  std::optional<double> variance_limit;  // of the sum of squared errors
  std::optional<double> bias_limit;      // of the magnitude of the sum of errors

  friend bool operator==(const Rule&, const Rule&) = default;
};

// One acceptable answer. A float answer is fp64: the unrounded reference value.
struct Answer {
  bool flushed = false;  // with subnormals of fp16, bf16 and fp32 flushed to zero
  Tensor expected;
  std::optional<Tensor> bound;  // kAbsoluteBound, kDotProduct
  std::optional<Tensor> upper;  // kInterval
};

// A result may fit only one of an output's two answers. It then shows that the implementation
// keeps, or flushes, the subnormals of at least one of the types named.
struct FlushingEvidence {
  std::set<DType> kept;     // if the result fits the unflushed answer; none: that shows nothing
  std::set<DType> flushed;  // if the result fits the flushed answer
  // Whether the edition wants all values of a type flushed or none. Else it allows a mixture.
  bool all_or_none = true;

  friend bool operator==(const FlushingEvidence&, const FlushingEvidence&) = default;
};

struct ExpectedOutput {
  std::string name;  // an output of the main block
  DType dtype;       // what the implementation returns
  Shape shape;
  Rule rule;
  // One, or two where flushing changes something: the result must be acceptable under one of them
  // as a whole. None if nothing is checked.
  std::vector<Answer> answers;
  int execution = 0;  // of the case's executions
  // Nothing if neither of two answers would show anything.
  std::optional<FlushingEvidence> flushing = {};
};

// The name of an output in results and reports, and with ".npy" the name of its file. It is the
// output's name in the first execution, with ".1" behind it in the second and so on.
std::string ResultName(std::string_view output, int execution);
inline std::string ResultName(const ExpectedOutput& output) {
  return ResultName(output.name, output.execution);
}

struct Case {
  std::string id;                            // "conv2d/i8-i8-i32-..."; its folder within the suite
  std::string edition;                       // "tosa-1.0"
  std::string level;                         // "8K"
  std::string op;                            // the operator under test
  std::string mode;                          // its type row
  std::map<std::string, std::string> types;  // of that row: "in_t" -> "i8"
  std::vector<std::vector<std::string>> profiles;  // of that row: any of, each all of
  std::string data_set;                            // "full-range", "special", "S3", "none"
  std::map<std::string, std::string> parameters;   // what the generator chose: "stride" -> "2x1"
  Graph graph;
  std::map<std::string, Tensor> inputs;  // for every input of the main block
  // The inputs of further executions of the graph, in order. Its variables keep what they hold.
  std::vector<std::map<std::string, Tensor>> later_inputs;
  // For a symbolic program (graph/symbolic.h): the values of its symbols, for every execution.
  std::vector<Binding> bindings;
  Outcome outcome = Outcome::kValid;
  std::string condition;  // kError: the id of the one condition that is broken
  // kValid: for every output of the main block, execution by execution.
  std::vector<ExpectedOutput> outputs;

  int executions() const { return 1 + static_cast<int>(later_inputs.size()); }
  // The inputs of the first executions, all if `count` is not given.
  InputSequence InputsOfExecutions(int count = INT_MAX) const;
};

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
  // The bytes of a file, valid until the next call. `name` is what a case.json says: untrusted.
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

// The same without the answers: what an implementation may see.
StatusOr<Case> ReadCaseInputs(const std::filesystem::path& directory);

// The same without the tensors of `answers` and the inputs: what a runner needs.
StatusOr<Case> ReadCaseHeader(const std::filesystem::path& directory);

// What a case says about itself, as it stands in case.json: id, edition, level, operator, mode,
// types, profiles, data set, parameters.
Json CaseHeadToJson(const Case& c);

// The graph as JSON, as it stands in case.json; constants refer to files named <tensor>.npy.
Json GraphToJson(const Graph& graph);

// A rule as it stands in case.json.
Json RuleToJson(const Rule& rule);

// Reads a file that holds a graph alone, as GraphToJson writes it; constants lie beside it.
StatusOr<Graph> ReadGraph(const std::filesystem::path& file);

}  // namespace cts
