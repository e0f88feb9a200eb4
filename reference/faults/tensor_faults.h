// Building blocks for faults of operators on images, weights and matrices.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reference/faults/fault.h"

namespace cts {

// Collects the faults of one operator.
class FaultFamily {
 public:
  explicit FaultFamily(std::string op);

  std::string clause;  // the clause of the faults that are added next
  void Add(const std::string& name, std::string sentence,
           std::function<bool(const TypeRow&)> touches, Wrong wrong);
  // Adds a fault of a real implementation.
  void AddReported(const std::string& name, std::string sentence, std::string report,
                   std::function<bool(const TypeRow&)> touches, Wrong wrong);
  // Adds a fault that reads an operand as if its axes lay in memory in the order `axes`, slowest
  // first. `axes` numbers the axes as the operator's code (its text) does. The fault shows only in
  // editions that store the axes in another order.
  void AddReadOrder(const std::string& name, std::string sentence, const std::string& operand,
                    const std::vector<int>& axes);
  // Adds a fault that stores the output as if its axes lay in memory in the order `axes`.
  void AddStoreOrder(const std::string& name, std::string sentence, const std::vector<int>& axes);
  Faults Take() { return std::move(faults_); }

 private:
  const std::string op_;
  Faults faults_;
};

// --- Operands -----------------------------------------------------------------------------------

// Reorders the operand's elements: element i gets the value of the old element `from(i)`. Returns
// false if the operand does not change.
bool Rearrange(CallEditor& editor, const std::string& name,
               const std::function<int64_t(int64_t i)>& from);
// Reads the operand as if its axes were stored in the order `axes`, slowest first, instead of the
// text's order.
bool ReadInOrder(CallEditor& editor, const std::string& name, const std::vector<int>& axes);
// Reverses the operand along these axes.
bool Reverse(CallEditor& editor, const std::string& name, const std::vector<int>& axes);
// Replaces the elements at the positions from `first` to `end` - 1 along the axis. They become
// `value` in an integer operand, and zero in a floating-point operand.
bool Blank(CallEditor& editor, const std::string& name, int axis, int64_t first, int64_t end,
           int64_t value);
// Enlarges the operand `input` by the padding, filled with `value` (zero for floating point), and
// sets the padding in `pad` to zero. `pad` has two elements for each padded axis: the padding
// before it and the padding after it. The first padded axis is axis 1. `sides` lists the positions
// in `pad` whose padding becomes part of the operand; an empty list means all positions.
bool PadOperand(CallEditor& editor, int64_t value, const std::vector<size_t>& sides = {});

// Reads the operand as if a batch, along axis 0, began `stride` elements behind the batch before
// it. Elements beyond the operand are zero. Returns false if the operand does not change.
bool StepThroughBatches(CallEditor& editor, const std::string& name, int64_t stride);
// Adds the faults of an operator that finds the batches of these operands in wrong places: it reads
// the first batch for all, or steps by the size of the wrong thing. `result` is an output whose
// batches may have another size; empty if there is none.
void AddBatchFaults(FaultFamily& family, const std::vector<std::string>& operands,
                    const std::string& result);

// Reads `input` as if its axes `axis` and rank - 1 - `axis` had changed places in memory. The
// output has the right shape; only the elements come from wrong places.
Wrong CountsTheAxisFromTheEnd();

// --- Results ------------------------------------------------------------------------------------

// Each `every`th position along an axis repeats the position before it.
Wrong RepeatsEvery(int axis, int64_t every);

// Stores each output from the last element of the axis to the first.
Wrong ReversesTheResult(int axis);

// --- Windows ------------------------------------------------------------------------------------

struct WindowOperator {
  std::string name;  // "CONV2D"
  int axes = 2;      // the number of axes that windows slide along: axes 1, 2, ...
  // The weight's axis that corresponds to axis 1. The weight's axes for axes 2, ... follow. -1 if
  // there is no weight.
  int first_kernel_axis = -1;
  int channel_axis = -1;  // the weight's axis of input channels; a sum runs over all of them
  // Whether an element of the output reads a window of the input.
  bool reads_windows = true;
};
// The faults that any operator can have if its windows slide over an image.
Faults WindowFaults(const WindowOperator& window);
// The faults in the weights of such an operator.
Faults WeightFaults(const WindowOperator& window);

// Replaces each weight w by an even number: 2 * round(w / 2), but at most 126.
Wrong HalvesTheWeight();

// Computes the origin of a window as an unsigned number, so that a window that begins in the
// padding adds nothing.
Wrong LosesWindowsThatBeginInThePadding(int axes);

// Computes the output in tiles of 8 rows. For each tile, the input's rows from the beginning of the
// next tile on are read as padding.
Wrong LosesTheHalo(int row_axis);

}  // namespace cts
