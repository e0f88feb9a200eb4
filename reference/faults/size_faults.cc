#include "reference/faults/size_faults.h"

#include "absl/strings/ascii.h"
#include "reference/ops/size_ladder.h"

namespace cts {
namespace {

// Zeros for the elements whose index within the axes is `from` or above.
void ClearFrom(Tensor& tensor, const std::vector<size_t>& axes, int64_t from) {
  const Shape& shape = tensor.shape();
  std::vector<int64_t> steps(shape.size(), 1);  // from one element to the next along an axis
  for (size_t axis = shape.size(); axis-- > 1;) steps[axis - 1] = steps[axis] * shape[axis];
  for (int64_t i = 0; i < tensor.size(); ++i) {
    int64_t index = 0;
    for (const size_t axis : axes) index = index * shape[axis] + i / steps[axis] % shape[axis];
    if (index >= from) tensor.SetBits(i, 0);
  }
}

Wrong Zeros() {
  return ByElement([](const Call&, Tensor& out, int64_t i) { out.SetBits(i, 0); });
}

Wrong ZerosBeyond(const SizedDimension& dimension, int64_t block) {
  if (dimension.IsOfResult()) {
    return ByResult([&dimension, block](const Call& call, OperatorOutputs& results) {
      for (auto& [output, tensor] : results) ClearFrom(*tensor, dimension.axes(call), block);
    });
  }
  return ByCall([&dimension, block](CallEditor& editor) {
    const Call& call = editor.original();
    const std::shared_ptr<const Tensor>& values = call.values(dimension.argument);
    if (values == nullptr) return false;
    Tensor cleared = *values;
    ClearFrom(cleared, dimension.axes(call), block);
    editor.SetOperand(dimension.argument, std::move(cleared));
    return true;
  });
}

// "17_to_32", "7", "1025_or_more".
std::string NameOf(const Rung& rung) {
  std::string name = Text(rung);
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}

}  // namespace

Faults SizeFaults(const OperatorSpec& spec) {
  const std::string& name = spec.Seen().name;
  Faults faults;
  for (const SizedDimension& dimension : DimensionsOf(name)) {
    const std::string id =
        StrCat(absl::AsciiStrToLower(name), ".shape.", absl::AsciiStrToLower(dimension.name), "_");
    const auto add = [&](const std::string& what, const std::string& sentence, const Rung& rung,
                         std::function<bool(int64_t)> holds, Wrong wrong) {
      faults.push_back(
          {.id = id + what,
           .op = name,
           .source = FaultSource::kShape,
           .sentence = sentence,
           .clause = name,
           .touches = [&spec](const TypeRow& row) { return !LadderKind(spec, row).empty(); },
           .where = [&dimension, holds = std::move(holds)](
                        const Call& call) { return holds(dimension.size(call)); },
           .rung = rung.above + 1,
           .does = std::move(wrong)});
    };
    for (const Rung& rung : dimension.rungs) {
      add(
          NameOf(rung) + ".zeros",
          StrCat("answers zeros where ", dimension.meaning, " is ", Text(rung)), rung,
          [rung](int64_t size) { return rung.Has(size); }, Zeros());
      constexpr int64_t kVector = 8;
      if (dimension.axes == nullptr || rung.above == 0 || rung.above % kVector != 0) continue;
      const bool answers = dimension.IsOfResult();
      add(
          StrCat("beyond_", rung.above, ".zeros"),
          StrCat(answers ? "answers" : "takes", " zeros for what lies beyond the first ",
                 rung.above, " of ", dimension.meaning),
          rung, [rung](int64_t size) { return size > rung.above; },
          ZerosBeyond(dimension, rung.above));
    }
  }
  return faults;
}

}  // namespace cts
