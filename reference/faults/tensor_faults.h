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

  std::string clause;  // of the faults that are added next; empty: the operator's name
  void Add(const std::string& name, std::string sentence,
           std::function<bool(const TypeRow&)> touches, Wrong wrong);
  // Adds a fault that was found in a real implementation; `report` becomes Fault::report.
  void AddReported(const std::string& name, std::string sentence, std::string report,
                   std::function<bool(const TypeRow&)> touches, Wrong wrong);
  // Adds a fault that reads an operand as if its axes were stored in the order `axes`, beginning
  // with the axis that changes slowest. `axes` numbers the axes as the operator's code (its text)
  // does. The fault shows only in editions that do not store the axes in the order `axes`.
  void AddReadOrder(const std::string& name, std::string sentence, const std::string& operand,
                    const std::vector<int>& axes);
  // Adds a fault that stores the output with its axes in the order `axes`. The numbers and the
  // order mean the same as in AddReadOrder.
  void AddStoreOrder(const std::string& name, std::string sentence, const std::vector<int>& axes);
  Faults Take() { return std::move(faults_); }

 private:
  const std::string op_;
  Faults faults_;
};

// --- Operands -----------------------------------------------------------------------------------

// Reorders the operand's elements: element i gets the value of the old element `from(i)`. This
// function and the next three return false if the operand does not change.
bool Rearrange(CallEditor& editor, const std::string& name,
               const std::function<int64_t(int64_t i)>& from);
// Reads the operand as if its axes were stored in the order `axes` instead of the order in the
// operator's text. The first of `axes` changes slowest.
bool ReadInOrder(CallEditor& editor, const std::string& name, const std::vector<int>& axes);
// Reverses the operand along these axes.
bool Reverse(CallEditor& editor, const std::string& name, const std::vector<int>& axes);
// Replaces the elements at the positions from `first` to `end` - 1 along the axis. They become
// `value` in an integer operand, and zero in a floating-point operand.
bool Blank(CallEditor& editor, const std::string& name, int axis, int64_t first, int64_t end,
           int64_t value);
// Enlarges the operand `input` by the padding of some sides, and sets this padding to zero in the
// attribute `pad`. The new elements are `value` in an integer operand, and zero in a floating-point
// operand. `pad` has two elements for each padded axis: the padding before the first position along
// the axis, and the padding after the last. The first padded axis is axis 1. `sides` lists the
// positions in `pad` whose padding becomes part of the operand; an empty list means all positions.
// Returns false if this padding is zero already.
bool PadOperand(CallEditor& editor, int64_t value, const std::vector<size_t>& sides = {});

// Reads the operand as if each batch (a position along axis 0) began `stride` elements after the
// beginning of the batch before it. Elements beyond the operand are zero. Returns false if the
// operand does not change.
bool StepThroughBatches(CallEditor& editor, const std::string& name, int64_t stride);
// Adds faults that read the batches of these operands from wrong places: the first batch in place
// of every batch, or batches at a wrong distance from each other. `result` names an output whose
// batches may have another size than those of the operands; empty if there is no such output.
void AddBatchFaults(FaultFamily& family, const std::vector<std::string>& operands,
                    const std::string& result);

// Reads `input` as if two axes were exchanged in memory: those with the numbers `axis` (the
// attribute) and rank - 1 - `axis`. The output has the right shape; only its elements come from
// wrong places.
Wrong CountsTheAxisFromTheEnd();

// --- Results ------------------------------------------------------------------------------------

// Every `every`th position along an axis of the output repeats the position before it.
Wrong RepeatsEvery(int axis, int64_t every);

// Stores each output in reverse order along the axis.
Wrong ReversesTheResult(int axis);

// --- Windows ------------------------------------------------------------------------------------

struct WindowOperator {
  std::string name;  // "CONV2D"
  int axes = 2;      // windows slide along the input's axes 1 to `axes`
  // The weight's axis that has the window's size along axis 1 of the input. The weight's axes for
  // the input's axes 2, ... follow. -1 if the operator has no weight.
  int first_kernel_axis = -1;
  int channel_axis = -1;  // the weight's axis of input channels; a sum runs over all of them
  // Whether an element of the output reads a window of the input. False for TRANSPOSE_CONV2D.
  bool reads_windows = true;
};
// The faults that any operator can have if its windows slide over an image.
Faults WindowFaults(const WindowOperator& window);
// The faults that such an operator can have when it reads its weight.
Faults WeightFaults(const WindowOperator& window);

// Replaces each weight w by an even number: 2 * round(w / 2), but at most 126.
Wrong HalvesTheWeight();

// Computes the origin of a window as an unsigned number, so that a window that begins in the
// padding adds nothing.
Wrong LosesWindowsThatBeginInThePadding(int axes);

// Computes the output in tiles of 8 rows. A tile sees only the input's rows before the first window
// of the next tile, and reads padding in place of all later rows. The last tile sees all rows.
Wrong LosesTheHalo(int row_axis);

}  // namespace cts
