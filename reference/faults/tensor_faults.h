// Parts of faults of operators on images, weights and matrices.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reference/faults/fault.h"

namespace cts {

// Faults of one operator and one source, put together with few words.
class FaultFamily {
 public:
  explicit FaultFamily(std::string op);

  std::string clause;  // of the faults that are added next
  void Add(const std::string& name, std::string sentence,
           std::function<bool(const TypeRow&)> touches, Wrong wrong);
  // Adds a fault of a real implementation.
  void AddReported(const std::string& name, std::string sentence, std::string report,
                   std::function<bool(const TypeRow&)> touches, Wrong wrong);
  // Reads an operand, or stores the output, as if the text's axes lay in memory in this order,
  // slowest first. It is a fault in editions whose layout is another.
  void AddReadOrder(const std::string& name, std::string sentence, const std::string& operand,
                    const std::vector<int>& axes);
  void AddStoreOrder(const std::string& name, std::string sentence, const std::vector<int>& axes);
  Faults Take() { return std::move(faults_); }

 private:
  const std::string op_;
  Faults faults_;
};

// --- Operands -----------------------------------------------------------------------------------

// Reorders the operand's elements: element i becomes element `from(i)`. False if that gives the
// same operand.
bool Rearrange(CallEditor& editor, const std::string& name,
               const std::function<int64_t(int64_t i)>& from);
// Reads the operand as if its axes were stored in the order `axes`, slowest first, and not in the
// text's.
bool ReadInOrder(CallEditor& editor, const std::string& name, const std::vector<int>& axes);
// Reverses the operand along axes.
bool Reverse(CallEditor& editor, const std::string& name, const std::vector<int>& axes);
// Replaces the elements whose position along the axis is at least `first` and before `end`, by
// `value` in an integer operand and by zero in any other.
bool Blank(CallEditor& editor, const std::string& name, int axis, int64_t first, int64_t end,
           int64_t value);
// Puts the padding into the operand itself, filled with `value`, and removes it from `pad`. Axes
// from 1 on. `sides`: the elements of pad (before and after each axis) to which this applies; all
// if empty.
bool PadOperand(CallEditor& editor, int64_t value, const std::vector<size_t>& sides = {});

// Reads `input` along axis rank - 1 - axis, if that is another axis. The output has the shape that
// it should have; only the elements read lie elsewhere.
Wrong CountsTheAxisFromTheEnd();

// --- Results ------------------------------------------------------------------------------------

// Every `every`th position along an axis repeats the one before it.
Wrong RepeatsEvery(int axis, int64_t every);

// --- Windows ------------------------------------------------------------------------------------

struct WindowOperator {
  std::string name;  // "CONV2D"
  int axes = 2;      // that windows slide along: 1, 2, ...
  // The first of the weight's axes along those, if there is a weight.
  int first_kernel_axis = -1;
  int channel_axis = -1;  // of the weight's input channels that one sum takes
  // Whether an element of the output reads a window of the input.
  bool reads_windows = true;
};
// The faults that any operator can have if its windows slide over an image.
Faults WindowFaults(const WindowOperator& window);
// The faults of its weights.
Faults WeightFaults(const WindowOperator& window);

// The weight without its last bit: 2 * round(w / 2).
Wrong HalvesTheWeight();

// Computes the origin of a window as an unsigned number: nothing of a window that begins in the
// padding is added.
Wrong LosesWindowsThatBeginInThePadding(int axes);

// Computes tiles of 8 rows of the output, each from its own rows of the input, as if padding lay
// beyond them.
Wrong LosesTheHalo(int row_axis);

}  // namespace cts
