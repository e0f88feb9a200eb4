#include "reference/faults/tensor_faults.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/contains.h"

namespace cts {
namespace {

std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

// The place of element `i` along each axis.
std::vector<int64_t> Place(const Shape& shape, int64_t i) {
  std::vector<int64_t> place(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; i /= shape[axis]) place[axis] = i % shape[axis];
  return place;
}

int64_t ZeroPoint(const Call& call, const std::string& argument) {
  for (const ArgumentSpec& spec : call.spec().arguments) {
    if (spec.name == argument) return call.Number(argument).Integer();
  }
  return 0;
}

// Rows of the input that belong to other tiles.
class Halo : public ArithmeticFault {
 public:
  Halo(const Call& call, int row_axis) : call_(call), axis_(static_cast<size_t>(row_axis)) {
    const size_t k = axis_ - 1;
    stride_ = call.Integer("stride", static_cast<int64_t>(k));
    pad_ = call.Integer("pad", static_cast<int64_t>(2 * k));
    row_ = Strides(call.shape("input"))[axis_];
    const DType type = call.dtype("input");
    if (call.name() == "MAX_POOL2D") {
      outside_ = IsFloat(type) ? 0 : IntegerMin(type);
      outside_float_ = -std::numeric_limits<double>::infinity();
    } else if (!IsFloat(type)) {
      outside_ = ZeroPoint(call, "input_zp");
    }
  }
  void Begin(DType, int64_t offset) override {
    const Shape& out = call_.shape("output");
    const int64_t tile = offset / Strides(out)[axis_] % out[axis_] / kRows;
    const bool is_last = (tile + 1) * kRows >= out[axis_];
    end_ = is_last ? std::numeric_limits<int64_t>::max() : (tile + 1) * kRows * stride_ - pad_;
  }
  double Load(const Operand& operand, int64_t i) override {
    return IsOutside(operand, i) ? outside_float_ : operand.Element(i);
  }
  int64_t LoadInteger(const Operand& operand, int64_t i) override {
    return IsOutside(operand, i) ? outside_ : operand.Integer(i);
  }

 private:
  static constexpr int64_t kRows = 8;

  bool IsOutside(const Operand& operand, int64_t i) const {
    return operand.id == 0 && i / row_ % call_.shape("input")[axis_] >= end_;
  }

  const Call& call_;
  const size_t axis_;
  int64_t stride_ = 1, pad_ = 0, row_ = 1, end_ = 0, outside_ = 0;
  double outside_float_ = 0;
};

const Argument& ArgumentOf(const Call& call, std::string_view name) {
  const auto& arguments = call.arguments();
  return *std::find_if(arguments.begin(), arguments.end(),
                       [&](const Argument& argument) { return argument.spec->name == name; });
}

// Whether the edition's layout has the text's axes in this order.
bool IsStoredInOrder(const OperatorSpec& spec, const std::string& name,
                     const std::vector<int>& axes) {
  const auto& arguments = spec.Seen().arguments;
  const auto seen =
      std::find_if(arguments.begin(), arguments.end(),
                   [&](const ArgumentSpec& argument) { return argument.name == name; });
  AxisOrder order = Inverse(spec.arguments[seen - arguments.begin()].view_axes);
  for (size_t axis = order.size(); order.size() < axes.size(); ++axis) order.push_back(axis);
  return std::equal(order.begin(), order.end(), axes.begin(), axes.end(),
                    [](size_t a, int b) { return a == static_cast<size_t>(b); });
}

int64_t OffsetInOrder(const Shape& shape, const std::vector<int>& axes, int64_t i) {
  const std::vector<int64_t> place = Place(shape, i);
  int64_t offset = 0;
  for (const int axis : axes) {
    const size_t a = static_cast<size_t>(axis);
    offset = offset * shape[a] + place[a];
  }
  return offset;
}

// The text's place of the element that lies in memory, by the edition's layout, at the place that
// element `i` has in this order.
int64_t InMemory(const Argument& argument, const std::vector<int>& axes, int64_t i) {
  const Shape& shape = argument.tensors[0]->shape;
  const int64_t offset = OffsetInOrder(shape, axes, i);
  return argument.view_axes.empty() ? offset : argument.SeenOffset(shape, offset);
}

// The input outside of windows that begin at negative positions.
class UnsignedOrigin : public ArithmeticFault {
 public:
  UnsignedOrigin(const Call& call, int axes) : call_(call), axes_(static_cast<size_t>(axes)) {
    if (!IsFloat(call.dtype("input"))) zero_point_ = ZeroPoint(call, "input_zp");
  }
  void Begin(DType, int64_t offset) override {
    const std::vector<int64_t> place = Place(call_.shape("output"), offset);
    lost_ = false;
    for (size_t k = 0; k < axes_; ++k) {
      const auto i = static_cast<int64_t>(k);
      lost_ = lost_ || place[k + 1] * call_.Integer("stride", i) < call_.Integer("pad", 2 * i);
    }
  }
  double Load(const Operand& operand, int64_t i) override {
    return lost_ && operand.id == 0 ? 0 : operand.Element(i);
  }
  int64_t LoadInteger(const Operand& operand, int64_t i) override {
    return lost_ && operand.id == 0 ? zero_point_ : operand.Integer(i);
  }

 private:
  const Call& call_;
  const size_t axes_;
  int64_t zero_point_ = 0;
  bool lost_ = false;
};

}  // namespace

FaultFamily::FaultFamily(std::string op) : op_(std::move(op)) {}

void FaultFamily::Add(const std::string& name, std::string sentence,
                      std::function<bool(const TypeRow&)> touches, Wrong wrong) {
  AddReported(name, std::move(sentence), "", std::move(touches), std::move(wrong));
}

void FaultFamily::AddReported(const std::string& name, std::string sentence, std::string report,
                              std::function<bool(const TypeRow&)> touches, Wrong wrong) {
  std::string prefix = op_ + ".";
  for (char& c : prefix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  faults_.push_back({.id = prefix + name,
                     .op = op_,
                     .source = report.empty() ? FaultSource::kHardware : FaultSource::kReported,
                     .sentence = std::move(sentence),
                     .clause = clause.empty() ? op_ : clause,
                     .report = std::move(report),
                     .touches = std::move(touches),
                     .does = std::move(wrong)});
}

void FaultFamily::AddReadOrder(const std::string& name, std::string sentence,
                               const std::string& operand, const std::vector<int>& axes) {
  Add(name, std::move(sentence), nullptr, ByCall([operand, axes](CallEditor& editor) {
        const Argument& argument = ArgumentOf(editor.original(), operand);
        return Rearrange(editor, operand, [&](int64_t i) { return InMemory(argument, axes, i); });
      }));
  faults_.back().shows = [operand, axes](const OperatorSpec& spec, const TypeRow&) {
    return !IsStoredInOrder(spec, operand, axes);
  };
}

void FaultFamily::AddStoreOrder(const std::string& name, std::string sentence,
                                const std::vector<int>& axes) {
  Add(name, std::move(sentence), nullptr, ByResult([axes](const Call& call, OperatorOutputs& out) {
        const Argument& argument = ArgumentOf(call, "output");
        Tensor& stored = *out.at("output");
        const Tensor right = stored;
        for (int64_t i = 0; i < right.size(); ++i) {
          stored.SetBits(InMemory(argument, axes, i), right.Bits(i));
        }
      }));
  faults_.back().shows = [axes](const OperatorSpec& spec, const TypeRow&) {
    return !IsStoredInOrder(spec, "output", axes);
  };
}

bool Rearrange(CallEditor& editor, const std::string& name,
               const std::function<int64_t(int64_t i)>& from) {
  const Tensor& before = *editor.original().values(name);
  Tensor after = before;
  for (int64_t i = 0; i < after.size(); ++i) after.SetBits(i, before.Bits(from(i)));
  const bool differs = !(after == before);
  if (differs) editor.SetOperand(name, std::move(after));
  return differs;
}

bool ReadInOrder(CallEditor& editor, const std::string& name, const std::vector<int>& axes) {
  const Shape& shape = editor.original().shape(name);
  return Rearrange(editor, name, [&](int64_t i) { return OffsetInOrder(shape, axes, i); });
}

bool Reverse(CallEditor& editor, const std::string& name, const std::vector<int>& axes) {
  const Shape& shape = editor.original().shape(name);
  const std::vector<int64_t> strides = Strides(shape);
  return Rearrange(editor, name, [&](int64_t i) {
    const std::vector<int64_t> place = Place(shape, i);
    int64_t from = i;
    for (const int axis : axes) {
      const size_t a = static_cast<size_t>(axis);
      from += (shape[a] - 1 - 2 * place[a]) * strides[a];
    }
    return from;
  });
}

bool Blank(CallEditor& editor, const std::string& name, int axis, int64_t first, int64_t end,
           int64_t value) {
  const Tensor& before = *editor.original().values(name);
  Tensor after = before;
  for (int64_t i = 0; i < after.size(); ++i) {
    const int64_t k = Place(after.shape(), i)[static_cast<size_t>(axis)];
    if (k < first || k >= end) continue;
    IsFloat(after.dtype()) ? after.SetElement(i, 0) : after.SetInteger(i, value);
  }
  const bool differs = !(after == before);
  if (differs) editor.SetOperand(name, std::move(after));
  return differs;
}

bool PadOperand(CallEditor& editor, int64_t value, const std::vector<size_t>& sides) {
  const Tensor& before = *editor.original().values("input");
  std::vector<int64_t> pad = editor.Integers("pad"), left = pad;
  for (size_t side = 0; side < pad.size(); ++side) {
    const bool chosen = sides.empty() || Contains(sides, side);
    (chosen ? left : pad)[side] = 0;
  }
  if (pad == std::vector<int64_t>(pad.size(), 0)) return false;
  Shape shape = before.shape();
  for (size_t side = 0; side < pad.size(); ++side) shape[1 + side / 2] += pad[side];
  Tensor after(before.dtype(), shape);
  if (!IsFloat(after.dtype())) {
    for (int64_t i = 0; i < after.size(); ++i) after.SetInteger(i, value);
  }
  const std::vector<int64_t> strides = Strides(shape);
  for (int64_t i = 0; i < before.size(); ++i) {
    const std::vector<int64_t> place = Place(before.shape(), i);
    int64_t to = 0;
    for (size_t axis = 0; axis < place.size(); ++axis) {
      const bool padded = axis > 0 && 2 * (axis - 1) < pad.size();
      to += (place[axis] + (padded ? pad[2 * (axis - 1)] : 0)) * strides[axis];
    }
    after.SetBits(to, before.Bits(i));
  }
  editor.SetOperand("input", std::move(after));
  editor.Set("pad", left);
  return true;
}

bool StepThroughBatches(CallEditor& editor, const std::string& name, int64_t stride) {
  const Tensor& before = *editor.original().values(name);
  const int64_t image = Strides(before.shape())[0];
  Tensor after(before.dtype(), before.shape());
  for (int64_t i = 0; i < after.size(); ++i) {
    const int64_t from = i / image * stride + i % image;
    if (from < before.size()) after.SetBits(i, before.Bits(from));
  }
  const bool differs = !(after == before);
  if (differs) editor.SetOperand(name, std::move(after));
  return differs;
}

void AddBatchFaults(FaultFamily& family, const std::vector<std::string>& operands,
                    const std::string& result) {
  const auto add = [&](const std::string& name, const std::string& sentence,
                       std::function<int64_t(const Call&, const std::string&)> stride) {
    family.Add(name, sentence, nullptr,
               ByCall([operands, stride = std::move(stride)](CallEditor& editor) {
                 bool differs = false;
                 for (const std::string& operand : operands) {
                   const int64_t step = stride(editor.original(), operand);
                   differs = StepThroughBatches(editor, operand, step) || differs;
                 }
                 return differs;
               }));
  };
  add("reads_the_first_batch_for_all", "reads the first batch of the input for every batch",
      [](const Call&, const std::string&) { return int64_t{0}; });
  if (!result.empty()) {
    add("steps_through_batches_by_the_output",
        "reads each batch of the input as far behind the one before as the output's batches lie",
        [result](const Call& call, const std::string&) { return Strides(call.shape(result))[0]; });
  }
  add("steps_through_batches_without_the_last_axis",
      "reads each batch of the input behind the one before as if the last axis had size 1",
      [](const Call& call, const std::string& operand) {
        const Shape& shape = call.shape(operand);
        return Strides(shape)[0] / shape.back();
      });
}

Wrong CountsTheAxisFromTheEnd() {
  return ByCall([](CallEditor& editor) {
    const Call& call = editor.original();
    const size_t rank = call.shape("input").size();
    const auto axis = static_cast<size_t>(call.Integer("axis"));
    std::vector<int> order(rank);
    for (size_t k = 0; k < rank; ++k) order[k] = static_cast<int>(k);
    std::swap(order[axis], order[rank - 1 - axis]);
    return ReadInOrder(editor, "input", order);
  });
}

Wrong ReversesTheResult(int axis) {
  return ByResult([axis](const Call&, OperatorOutputs& results) {
    for (auto& [output, tensor] : results) {
      const Tensor right = *tensor;
      const size_t a = static_cast<size_t>(axis);
      const int64_t stride = Strides(right.shape())[a], size = right.shape()[a];
      for (int64_t i = 0; i < right.size(); ++i) {
        const int64_t k = i / stride % size;
        tensor->SetBits(i, right.Bits(i + (size - 1 - 2 * k) * stride));
      }
    }
  });
}

Wrong RepeatsEvery(int axis, int64_t every) {
  return ByResult([=](const Call&, OperatorOutputs& results) {
    for (auto& [output, tensor] : results) {
      const size_t a = static_cast<size_t>(axis);
      const int64_t stride = Strides(tensor->shape())[a];
      for (int64_t i = 0; i < tensor->size(); ++i) {
        if (i / stride % tensor->shape()[a] % every == every - 1) {
          tensor->SetBits(i, tensor->Bits(i - stride));
        }
      }
    }
  });
}

Wrong LosesTheHalo(int row_axis) {
  return [=](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
    Halo fault(call, row_axis);
    return ComputeWith(op, call, fault);
  };
}

Wrong LosesWindowsThatBeginInThePadding(int axes) {
  return [=](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
    UnsignedOrigin fault(call, axes);
    return ComputeWith(op, call, fault);
  };
}

Wrong HalvesTheWeight() {
  return ByCall([](CallEditor& editor) {
    Tensor weight = *editor.original().values("weight");
    const Tensor before = weight;
    for (int64_t i = 0; i < weight.size(); ++i) {
      // Ties to even, as far as i8 goes.
      const double half = static_cast<double>(weight.Integer(i)) / 2;
      weight.SetInteger(i, std::min<int64_t>(2 * std::lrint(half), 126));
    }
    if (weight == before) return false;
    editor.SetOperand("weight", std::move(weight));
    return true;
  });
}

Faults WindowFaults(const WindowOperator& window) {
  FaultFamily family(window.name);
  const int rows = window.axes - 1, columns = window.axes;
  family.clause = window.name + ", every element of the output";
  family.Add("spoils_every_16th_column", "stores a neighbour in the last of every 16 columns",
             nullptr, RepeatsEvery(columns, 16));
  family.Add("spoils_every_32nd_column", "stores a neighbour in the last of every 32 columns",
             nullptr, RepeatsEvery(columns, 32));
  family.Add("spoils_every_16th_row", "stores a neighbour in the last of every 16 rows", nullptr,
             RepeatsEvery(rows, 16));
  if (window.reads_windows) {
    family.Add("loses_the_halo", "computes tiles of 8 rows, each from its own rows of the input",
               nullptr, LosesTheHalo(rows));
  }
  family.clause = window.name + ", shape of the input";
  std::vector<int> first = {0, window.axes + 1}, last = {0};
  for (int axis = 1; axis <= window.axes; ++axis) first.push_back(axis), last.push_back(axis);
  last.push_back(window.axes + 1);
  family.AddReadOrder("reads_channels_first", "reads an input whose channels come before its axes",
                      "input", first);
  family.AddReadOrder("reads_channels_last", "reads an input whose channels come after its axes",
                      "input", last);
  family.clause = window.name + ", shape of the output";
  family.AddStoreOrder("stores_channels_last", "stores the output's channels after its axes", last);
  family.AddStoreOrder("stores_channels_first", "stores the output's channels before its axes",
                       first);
  const int channels = window.axes + 1;
  family.Add("stores_channels_backwards", "stores the output's channels from the last to the first",
             nullptr, ReversesTheResult(channels));
  family.clause = window.name + ", shape of the input";
  // A pool's channel depends on that channel alone, so that reading and storing show the same.
  if (window.first_kernel_axis >= 0) {
    family.Add("reads_channels_backwards", "reads the input's channels from the last to the first",
               nullptr, ByCall([channels](CallEditor& editor) {
                 return Reverse(editor, "input", {channels});
               }));
  }
  AddBatchFaults(family, {"input"}, "output");
  return family.Take();
}

Faults WeightFaults(const WindowOperator& window) {
  FaultFamily family(window.name);
  family.clause = window.name + ", shape of the weight";
  const int first = window.first_kernel_axis, axes = window.axes, channel = window.channel_axis;
  std::vector<int> kernel;
  kernel.reserve(static_cast<size_t>(axes));
  for (int axis = 0; axis < axes; ++axis) kernel.push_back(first + axis);
  family.Add("turns_the_kernel", "reverses the kernel along its axes", nullptr,
             ByCall([kernel](CallEditor& editor) { return Reverse(editor, "weight", kernel); }));
  family.Add("transposes_the_kernel", "reads a kernel whose last two axes are exchanged", nullptr,
             ByCall([kernel](CallEditor& editor) {
               std::vector<int> order;
               const int rank = static_cast<int>(editor.original().shape("weight").size());
               order.reserve(static_cast<size_t>(rank));
               for (int axis = 0; axis < rank; ++axis) order.push_back(axis);
               std::swap(order[static_cast<size_t>(kernel.back())],
                         order[static_cast<size_t>(kernel.back() - 1)]);
               return ReadInOrder(editor, "weight", order);
             }));
  const auto forgets = [&](const std::string& name, const std::string& sentence, int axis,
                           bool last) {
    family.Add(name, sentence, nullptr, ByCall([axis, last](CallEditor& editor) {
                 const Call& call = editor.original();
                 const int64_t size = call.shape("weight")[static_cast<size_t>(axis)];
                 const int64_t k = last ? size - 1 : 0;
                 return Blank(editor, "weight", axis, k, k + 1, ZeroPoint(call, "weight_zp"));
               }));
  };
  forgets("forgets_the_last_row_of_the_kernel", "leaves out the last row of the kernel",
          kernel[kernel.size() - 2], true);
  forgets("forgets_the_first_column_of_the_kernel", "leaves out the first column of the kernel",
          kernel.back(), false);
  if (channel >= 0) {
    forgets("forgets_the_last_channel", "leaves out the last input channel", channel, true);
    for (const int64_t width : {4, 16}) {
      family.Add(StrCat("loses_channels_beyond_vectors_of_", width),
                 StrCat("adds whole vectors of ", width, " channels, and not the rest"), nullptr,
                 ByCall([channel, width](CallEditor& editor) {
                   const Call& call = editor.original();
                   const int64_t size = call.shape("weight")[static_cast<size_t>(channel)];
                   return size > width && Blank(editor, "weight", channel, size / width * width,
                                                size, ZeroPoint(call, "weight_zp"));
                 }));
    }
  }
  return family.Take();
}

}  // namespace cts
