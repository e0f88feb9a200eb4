#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "reference/base/contains.h"
#include "tools/program/shrink/case_edits.h"
#include "tools/program/shrink/steps.h"

namespace cts {
namespace {

struct Axis {
  std::string tensor;
  size_t dim = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's own comparison with 0
  auto operator<=>(const Axis&) const = default;
};

std::vector<int64_t> Range(int64_t first, int64_t count) {
  std::vector<int64_t> range(static_cast<size_t>(count));
  std::iota(range.begin(), range.end(), first);
  return range;
}

// A box at a border still needs the padding there; elsewhere padding would only add elements. At
// most three variants, ordered by the number of elements in the output, the fewest first.
std::vector<Case> PaddingVariants(const Search& search, const Case& c) {
  std::vector<std::pair<int64_t, Case>> variants;
  const auto add = [&](Case variant) {
    if (variant.outcome == Outcome::kValid && !search.Infer(variant)) return;
    const CaseSize size = SizeOf(variant);
    variants.emplace_back(size.outputs, std::move(variant));
  };
  const std::vector<GraphOperator>& operators = c.graph.main().operators;
  const auto padded = std::find_if(operators.begin(), operators.end(), [](const GraphOperator& op) {
    return op.attributes.count("pad") > 0;
  });
  const auto* pad = padded == operators.end()
                        ? nullptr
                        : std::get_if<std::vector<int64_t>>(&padded->attributes.at("pad"));
  if (pad == nullptr || pad->size() > 6) return {c};
  for (size_t zeros = 0; zeros < size_t{1} << pad->size(); ++zeros) {
    Case variant = c;
    auto& changed = std::get<std::vector<int64_t>>(
        variant.graph.main()
            .operators[static_cast<size_t>(padded - operators.begin())]
            .attributes.at("pad"));
    bool again = false;
    for (size_t i = 0; i < changed.size(); ++i) {
      if ((zeros >> i & 1) == 0) continue;
      again = again || changed[i] == 0;
      changed[i] = 0;
    }
    if (!again) add(std::move(variant));
  }
  std::stable_sort(variants.begin(), variants.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Case> best;
  for (auto& [outputs, variant] : variants) {
    if (best.size() < 3) best.push_back(std::move(variant));
  }
  return best;
}

// Returns the names of the sizes of a list, as "N" and "IH".
std::vector<std::string> NamesOfSizes(const ShapePattern& pattern) {
  if (pattern.kind == ShapePattern::Kind::kRankOf) {
    return {StrCat(pattern.factor, "*rank(", pattern.name, ")")};
  }
  std::vector<std::string> names;
  for (const Dimension& dimension : pattern.dimensions) names.push_back(dimension.name);
  return names;
}

// Sets of dimensions that may have to shrink together, the largest gain first.
std::vector<std::vector<Axis>> JointAxes(const Search& search) {
  const Block& block = search.best().graph.main();
  // The tensors whose dimensions this step may choose; for an error case, outputs as well.
  std::vector<const GraphTensor*> tensors;
  for (const GraphTensor& tensor : block.tensors) {
    const bool given = tensor.values != nullptr || Contains(block.inputs, tensor.name);
    if (tensor.dtype != DType::kShape && (given || search.best().outcome == Outcome::kError)) {
      tensors.push_back(&tensor);
    }
  }
  std::map<Axis, std::set<std::string>> symbols;  // that the tables of arguments give it
  for (size_t i = 0; i < block.operators.size(); ++i) {
    const GraphOperator& op = block.operators[i];
    const OperatorSpec* spec = search.edition().FindOperator(op.op);
    if (spec == nullptr) continue;
    size_t in = 0, out = 0;
    for (const ArgumentSpec& argument : spec->arguments) {
      if (argument.category == ArgumentCategory::kAttribute) continue;
      const bool input = argument.category == ArgumentCategory::kInput;
      const std::vector<std::string>& names = input ? op.inputs : op.outputs;
      size_t& at = input ? in : out;
      if (at >= names.size()) break;
      const GraphTensor* tensor = block.Find(names[at++]);
      if (tensor == nullptr || !argument.pattern.IsList()) continue;
      const std::vector<std::string> sizes = NamesOfSizes(argument.pattern);
      for (size_t dim = 0; dim < std::min(tensor->shape.size(), sizes.size()); ++dim) {
        symbols[{tensor->name, dim}].insert(StrCat(i, ":", sizes[dim]));
      }
    }
  }
  std::vector<std::vector<Axis>> sets;
  const auto add = [&](std::vector<Axis> set) {
    std::sort(set.begin(), set.end());
    if (!Contains(sets, set)) sets.push_back(std::move(set));
  };
  for (const GraphTensor* tensor : tensors) {
    for (size_t dim = 0; dim < tensor->shape.size(); ++dim) {
      const int64_t size = tensor->shape[dim];
      if (size < 2) continue;
      const Axis self{tensor->name, dim};
      std::vector<Axis> named, with_lists, same_place, from_end, same_size;
      for (const GraphTensor* other : tensors) {
        for (size_t d = 0; d < other->shape.size(); ++d) {
          if (other->shape[d] != size) continue;
          const Axis axis{other->name, d};
          const bool shares =
              axis == self || std::any_of(symbols[self].begin(), symbols[self].end(),
                                          [&](const std::string& symbol) {
                                            return symbols[axis].count(symbol) > 0;
                                          });
          if (shares) named.push_back(axis);
          if (shares || other->shape.size() == 1) with_lists.push_back(axis);
          if (axis == self || (d == dim && other->shape.size() == tensor->shape.size())) {
            same_place.push_back(axis);
          }
          same_size.push_back(axis);
        }
      }
      for (auto& set : {named, with_lists, same_place, std::vector<Axis>{self}, same_size}) {
        add(set);
      }
    }
  }
  std::stable_sort(sets.begin(), sets.end(), [&](const auto& a, const auto& b) {
    return search.best().graph.main().Find(a[0].tensor)->shape[a[0].dim] >
           search.best().graph.main().Find(b[0].tensor)->shape[b[0].dim];
  });
  return sets;
}

// The indices along an axis that the first wrong element needs.
std::vector<int64_t> SlicesToKeep(const Search& search, const Axis& axis) {
  const std::vector<Search::Element> elements = search.ElementsToKeep();
  std::vector<int64_t> slices;
  if (!elements.empty()) {
    const Shape shape = search.best().graph.main().Find(axis.tensor)->shape;
    const auto read = search.ReadFor(elements[0]);
    if (const auto found = read.find(axis.tensor); found != read.end()) {
      slices.push_back(Index(shape, *found->second.begin())[axis.dim]);
    }
  }
  if (slices.empty() || slices[0] != 0) slices.push_back(0);
  return slices;
}

// SLICE still takes the part that is left of its result; RESHAPE makes as many elements as there
// are.
void FitShapeOperands(Case& c, const GraphOperator& op, size_t dim, int64_t before,
                      const std::vector<int64_t>& keep) {
  Block& block = c.graph.main();
  const auto now = static_cast<int64_t>(keep.size());
  if (op.op == "SLICE") {
    GraphTensor* start = ShapeOperand(block, op, 1);
    GraphTensor* size = ShapeOperand(block, op, 2);
    if (start == nullptr || size == nullptr) return;
    std::vector<int64_t> from = start->values->Integers(), count = size->values->Integers();
    if (dim >= from.size() || dim >= count.size()) return;
    const auto below = [&](int64_t end) {
      return std::count_if(keep.begin(), keep.end(), [&](int64_t k) { return k < end; });
    };
    const int64_t first = below(from[dim]), last = below(from[dim] + count[dim]);
    if (first == last || from[dim] < 0 || from[dim] + count[dim] > before) return;
    from[dim] = first;
    count[dim] = last - first;
    SetOperand(*start, from);
    SetOperand(*size, count);
  } else if (op.op == "RESHAPE") {
    GraphTensor* shape = ShapeOperand(block, op, 1);
    if (shape == nullptr) return;
    std::vector<int64_t> sizes = shape->values->Integers();
    for (int64_t& size : sizes) {
      if (size % before != 0) continue;
      size = size / before * now;
      SetOperand(*shape, sizes);
      return;
    }
  }
}

bool TrySlices(Search& search, const std::vector<Axis>& set, const std::vector<int64_t>& keep) {
  Case c = search.best();
  Block& block = c.graph.main();
  for (const Axis& axis : set) {
    GraphTensor* tensor = Find(block, axis.tensor);
    const int64_t before = tensor->shape[axis.dim];
    if (tensor->values == nullptr && !Contains(block.inputs, axis.tensor)) {
      tensor->shape[axis.dim] = static_cast<int64_t>(keep.size());
      continue;
    }
    ChangeTensor(c, axis.tensor,
                 [&](const Tensor& value) { return TakeSlices(value, axis.dim, keep); });
    for (GraphOperator& op : block.operators) {
      if (!op.inputs.empty() && op.inputs[0] == axis.tensor) {
        FitShapeOperands(c, op, axis.dim, before, keep);
      }
    }
  }
  const CaseSize size = SizeOf(c);
  for (Case& variant : BorderVariants(search, std::move(c))) {
    if (size < search.size() && search.Try(std::move(variant))) return true;
  }
  return false;
}

}  // namespace

void CutOutElement(Search& search) {
  for (const Search::Element& element : search.ElementsToKeep()) {
    const auto read = search.ReadFor(element);
    if (read.empty()) continue;
    Case c = search.best();
    for (const auto& [name, offsets] : read) {
      const Shape shape = search.best().graph.main().Find(name)->shape;
      for (size_t dim = 0; dim < shape.size(); ++dim) {
        int64_t low = shape[dim], high = -1;
        for (const int64_t offset : offsets) {
          const int64_t at = Index(shape, offset)[dim];
          low = std::min(low, at);
          high = std::max(high, at);
        }
        if (high - low + 1 == shape[dim]) continue;
        ChangeTensor(c, name, [&, dim = dim](const Tensor& tensor) {
          return TakeSlices(tensor, dim, Range(low, high - low + 1));
        });
      }
    }
    for (Case& variant : PaddingVariants(search, c)) {
      if (search.Try(std::move(variant))) return;
    }
    // Elements that were not read become zero, if they cannot be removed.
    Case zeros = search.best();
    for (const std::string& name : search.Leaves()) {
      const auto found = read.find(name);
      ChangeTensor(zeros, name, [&](Tensor tensor) {
        for (int64_t i = 0; i < tensor.size(); ++i) {
          if (found == read.end() || found->second.count(i) == 0) tensor.SetBits(i, 0);
        }
        return tensor;
      });
    }
    if (search.Try(std::move(zeros))) return;
  }
}

void CropDimensions(Search& search) {
  for (const std::vector<Axis>& set : JointAxes(search)) {
    if (search.Over()) return;
    const auto size = [&] {
      const GraphTensor* tensor = search.best().graph.main().Find(set[0].tensor);
      return tensor != nullptr && set[0].dim < tensor->shape.size() ? tensor->shape[set[0].dim] : 0;
    };
    const int64_t n = size();
    // Another set may have had these dimensions.
    const bool together = std::all_of(set.begin(), set.end(), [&](const Axis& axis) {
      const GraphTensor* tensor = search.best().graph.main().Find(axis.tensor);
      return tensor != nullptr && axis.dim < tensor->shape.size() && tensor->shape[axis.dim] == n;
    });
    if (!together || n < 2) continue;
    // One slice alone, at first that of a wrong element.
    bool one = false;
    for (const int64_t slice : SlicesToKeep(search, set[0])) {
      one = one || TrySlices(search, set, {slice});
    }
    if (one) continue;
    Reduce(static_cast<size_t>(n), 1, [&](const std::vector<size_t>& keep) {
      return TrySlices(search, set, std::vector<int64_t>(keep.begin(), keep.end()));
    });
  }
}

std::vector<Case> BorderVariants(const Search& search, Case c) {
  std::vector<Case> variants;
  Block& block = c.graph.main();
  const auto resize = std::find_if(block.operators.begin(), block.operators.end(),
                                   [](const GraphOperator& op) { return op.op == "RESIZE"; });
  const bool error = c.outcome != Outcome::kValid;
  if (error || resize == block.operators.end() || search.Infer(c)) return {std::move(c)};
  GraphTensor* operands[3] = {ShapeOperand(block, *resize, 1), ShapeOperand(block, *resize, 2),
                              ShapeOperand(block, *resize, 3)};
  if (operands[0] == nullptr || operands[1] == nullptr || operands[2] == nullptr) return {};
  const std::vector<int64_t> scale = operands[0]->values->Integers(),
                             offset = operands[1]->values->Integers();
  const Shape& input = Find(block, resize->inputs[0])->shape;
  if (scale.size() != 4 || offset.size() != 2 || input.size() != 4) return {};
  for (int64_t height = 1; height <= 3; ++height) {
    for (int64_t width = 1; width <= 3; ++width) {
      Case variant = c;
      // From OH = ((IH - 1) * n - offset + border) / d + 1.
      SetOperand(*Find(variant.graph.main(), operands[2]->name),
                 {(height - 1) * scale[1] + offset[0] - (input[1] - 1) * scale[0],
                  (width - 1) * scale[3] + offset[1] - (input[2] - 1) * scale[2]});
      if (search.Infer(variant)) variants.push_back(std::move(variant));
    }
  }
  return variants;
}

void DropDimensions(Search& search) {
  size_t most = 0;
  for (const GraphTensor& tensor : search.best().graph.main().tensors) {
    most = std::max(most, tensor.shape.size());
  }
  for (size_t dim = most; dim-- > 0;) {
    Case c = search.best();
    Block& block = c.graph.main();
    for (GraphTensor& tensor : block.tensors) {
      if (tensor.dtype == DType::kShape || tensor.shape.size() != most) continue;
      if (tensor.shape[dim] != 1) continue;
      Shape shape = tensor.shape;
      shape.erase(shape.begin() + static_cast<ptrdiff_t>(dim));
      if (tensor.values == nullptr && !Contains(block.inputs, tensor.name)) {
        tensor.shape = shape;
        continue;
      }
      ChangeTensor(c, tensor.name, [&](const Tensor& value) {
        Tensor flat(value.dtype(), shape);
        flat.bytes() = value.bytes();
        return flat;
      });
    }
    const auto at = static_cast<int64_t>(dim);
    for (GraphOperator& op : block.operators) {
      if (const auto axis = op.attributes.find("axis"); axis != op.attributes.end()) {
        if (auto* number = std::get_if<int64_t>(&axis->second)) *number -= *number > at;
      }
      if (const auto perms = op.attributes.find("perms"); perms != op.attributes.end()) {
        if (auto* list = std::get_if<std::vector<int64_t>>(&perms->second)) {
          std::erase(*list, at);
          for (int64_t& number : *list) number -= number > at;
        }
      }
      for (size_t k = 1; k < op.inputs.size(); ++k) {
        GraphTensor* operand = ShapeOperand(block, op, k);
        if (operand == nullptr) continue;
        std::vector<int64_t> values = operand->values->Integers();
        // One number a dimension, or PAD's two.
        const size_t each = values.size() / most;
        if (each == 0 || values.size() % most != 0) continue;
        values.erase(values.begin() + static_cast<ptrdiff_t>(dim * each),
                     values.begin() + static_cast<ptrdiff_t>((dim + 1) * each));
        SetOperand(*operand, values);
      }
    }
    if (search.Try(std::move(c))) return DropDimensions(search);
    if (search.Over()) return;
  }
}

}  // namespace cts
