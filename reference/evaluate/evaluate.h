// Executes a graph by the specification. The outcome is valid, error or unpredictable, or
// unsupported where the reference cannot say.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/bundle/case.h"
#include "reference/graph/graph.h"
#include "reference/ops/computation.h"
#include "reference/ops/operator.h"
#include "reference/spec/edition.h"

namespace cts {

struct Evaluation {
  Outcome outcome = Outcome::kValid;
  std::vector<Violation> violations;    // of every kind, in the order found
  std::vector<ExpectedOutput> outputs;  // kValid: one for every output of the main block
  std::string message;                  // kUnsupported: what the reference cannot do, and where
};

// The most executions of the graphs of COND_IF and WHILE_LOOP in one execution of the whole (a loop
// that does nothing else has 16383 iterations of two graphs). The reference says kUnsupported
// beyond that, beyond kMaxElements of one tensor, and of CUSTOM.
inline constexpr int64_t kMaxGraphExecutions = 1 << 15;

// The reference's answer. `inputs` must fit the main block's inputs in type and shape. The status
// is other than OK if the graph is not one (a dangling tensor, an unknown operator, a cycle). The
// outcome is kUnsupported, too, if an operator starts from a result that has a bound and so no one
// value, unless the rules settle what follows, as where elements only move
// (schemas/editions/notes.md, Graphs). `data_set` is S of the dot-product rule, -1 for any other
// data.
StatusOr<Evaluation> Evaluate(const Graph& graph, const std::map<std::string, Tensor>& inputs,
                              const Edition& edition, const Level& level, int data_set = -1);

// Executes one graph several times, in order; variables keep what they hold. Returns one answer for
// each execution, up to the first that is not valid.
StatusOr<std::vector<Evaluation>> EvaluateSequence(const Graph& graph, const InputSequence& inputs,
                                                   const Edition& edition, const Level& level,
                                                   int data_set = -1);

// The embedded implementation `builtin:native`: the same operator texts, rounded to the type after
// every step. Outputs by tensor name.
struct NativeResult {
  Outcome outcome = Outcome::kValid;
  std::string message;
  std::map<std::string, Tensor> outputs;
};
StatusOr<NativeResult> ExecuteNative(const Graph& graph,
                                     const std::map<std::string, Tensor>& inputs,
                                     const Edition& edition, const Level& level);
// What an operator computed, by output argument.
using OperatorOutputs = std::map<std::string, std::shared_ptr<Tensor>>;

// An implementation that departs from `builtin:native`: reference/faults.
class Departure {
 public:
  virtual ~Departure() = default;
  // Whether it finds the condition broken by the call; `broken` says whether it is broken. If it
  // misses a broken condition, the graph ends there as kUnpredictable.
  virtual bool Sees(std::string_view condition, const Call& call, bool broken) const {
    return (void)condition, (void)call, broken;
  }
  // Whether it refuses a call that breaks no condition.
  virtual bool Refuses(const Call& call) const { return (void)call, false; }
  // What it computes; nothing if the same as `builtin:native`.
  virtual std::optional<OperatorOutputs> Compute(const Operator& op, const Call& call) const {
    return (void)op, (void)call, std::nullopt;
  }
};

StatusOr<std::vector<NativeResult>> ExecuteNativeSequence(const Graph& graph,
                                                          const InputSequence& inputs,
                                                          const Edition& edition,
                                                          const Level& level,
                                                          const Departure* departure = nullptr);

// One element that an operator read to compute one element of an output.
struct ReadElement {
  std::string tensor;
  Shape index;
  DType dtype = DType::kI32;
  double value = 0;     // of a floating-point tensor
  int64_t integer = 0;  // of any other
  // On the last element that was read before a multiplication: its factors, zero points taken off.
  // A sum of products reads the one or two elements of a product just before it.
  std::optional<std::pair<double, double>> factors;
};

// The elements that were read for element `offset` of a tensor, in the order of the operator's
// text. If control flow makes the tensor, the operator within that computes it is traced. Empty if
// no operator computes it or the graph is not valid.
StatusOr<std::vector<ReadElement>> TraceElement(const Graph& graph,
                                                const std::map<std::string, Tensor>& inputs,
                                                const Edition& edition, const Level& level,
                                                std::string_view output, int64_t offset);
// The same for the last of several executions.
StatusOr<std::vector<ReadElement>> TraceSequence(const Graph& graph, const InputSequence& inputs,
                                                 const Edition& edition, const Level& level,
                                                 std::string_view output, int64_t offset);

}  // namespace cts
