// Data layout around one operator whose results have bounds. Everything before the operator is
// exact; the accepted values of its results move along with the results (schemas/editions/notes.md,
// Graphs).
#include <algorithm>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace {

using Name = GraphBuilder::Name;

bool IsDotProduct(const Setting& setting) {
  return setting.edition->precision->IsDotProduct(setting.spec->name);
}

// A label of several dimensions, if there is one: a vector has nothing to move about.
void KeepOne(Axis& axis) {
  const auto found =
      std::find_if(axis.values.begin(), axis.values.end(),
                   [](const std::string& value) { return value.find('x') != std::string::npos; });
  axis.values = {found == axis.values.end() ? axis.values.front() : *found};
  axis.more.clear();
}

// Whether RESHAPE and TRANSPOSE stand before the operator.
constexpr ListedAxis<bool> kBeforeAxis{"before", "b", {{"none", false}, {"layout", true}}};
enum class Behind { kReshape, kTranspose, kReverse, kIdentity, kSlice, kConcat, kTile };
constexpr ListedAxis<Behind> kBehindAxis{"after",
                                         "a",
                                         {{"reshape", Behind::kReshape},
                                          {"transpose", Behind::kTranspose},
                                          {"reverse", Behind::kReverse},
                                          {"identity", Behind::kIdentity},
                                          {"slice", Behind::kSlice},
                                          {"concat", Behind::kConcat},
                                          {"tile", Behind::kTile}}};

std::vector<Axis> LayoutAxes(const Setting& setting) {
  std::vector<Axis> axes = OwnAxes(setting, {}, 99);
  for (Axis& axis : axes) {
    if (axis.name != "data") {
      KeepOne(axis);
    } else if (setting.spec->name == "POW") {
      axis.values = {"finite"};  // few powers of other numbers are finite
    } else if (axis.values.size() > 2) {
      axis.values.resize(2);
    }
  }
  // PRO-FP casts from i32, but moves none.
  const bool moves = !IsIntegerRow(setting) || HasIntegers(setting);
  AddAxis(axes, moves ? kBeforeAxis.All() : kBeforeAxis.With({"none"}));
  // The dot-product rule judges a tensor as a whole: no element may be missing or occur twice.
  AddAxis(axes, IsDotProduct(setting)
                    ? kBehindAxis.With({"reshape", "transpose", "reverse", "identity"})
                    : kBehindAxis.All());
  return axes;
}

std::vector<int64_t> ReversedAxes(size_t rank) {
  std::vector<int64_t> perms;
  for (size_t i = rank; i-- > 0;) perms.push_back(static_cast<int64_t>(i));
  return perms;
}

// An input that RESHAPE and TRANSPOSE turn into `wanted`.
Name Before(GraphBuilder& builder, const Tensor& given, std::string_view reader) {
  const Tensor wanted = WithoutShownZeros(given, reader);
  Shape shape = wanted.shape();
  std::reverse(shape.begin(), shape.end());
  Tensor input(wanted.dtype(), {wanted.size()});
  for (int64_t i = 0; i < wanted.size(); ++i) {
    const Shape index = Index(wanted.shape(), i);
    int64_t offset = 0;
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset = offset * wanted.shape()[axis] + index[axis];
    }
    input.SetBits(offset, wanted.Bits(i));
    // Operators that move data may lose the sign of a zero, which 1/x would show.
    if (IsFloat(wanted.dtype()) && wanted.Value(i) == 0) input.SetValue(offset, 0);
  }
  const Name shaped =
      builder.Apply("RESHAPE", {builder.Input("input", std::move(input))}, {{"shape", shape}});
  return builder.Apply("TRANSPOSE", {shaped}, {{"perms", ReversedAxes(shape.size())}});
}

Name After(GraphBuilder& builder, Behind layout, const Name& result) {
  const Shape shape = builder.ShapeOf(result);
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  if (layout == Behind::kIdentity) return builder.Apply("IDENTITY", {result});
  if (layout == Behind::kReshape) {
    return builder.Apply("RESHAPE", {result}, {{"shape", Shape{ElementCount(shape)}}});
  }
  if (layout == Behind::kTranspose) {
    return builder.Apply("TRANSPOSE", {result}, {{"perms", ReversedAxes(shape.size())}});
  }
  if (layout == Behind::kReverse) return builder.Apply("REVERSE", {result}, {{"axis", last}});
  if (layout == Behind::kConcat) {
    const Name reversed = builder.Apply("REVERSE", {result}, {{"axis", int64_t{0}}});
    return builder.Apply("CONCAT", {result, reversed}, {{"axis", int64_t{0}}});
  }
  std::vector<int64_t> start(shape.size(), 0), size = shape, multiples(shape.size(), 1);
  if (layout == Behind::kTile) {
    multiples.back() = 2;
    return builder.Apply("TILE", {result}, {{"multiples", multiples}});
  }
  // All but the first element of the last axis, and all but the last of the first one.
  if (size.back() > 1) start.back() = 1, --size.back();
  if (size.front() > 1) --size.front();
  return builder.Apply("SLICE", {result}, {{"start", start}, {"size", size}});
}

CaseDraft BuildLayout(const Choice& choice) {
  GraphBuilder builder(choice);
  CaseDraft own = OwnDomain(choice.setting.spec->name).build(choice);
  if (choice[kBeforeAxis]) {
    for (const ArgumentSpec& argument : choice.setting.spec->arguments) {
      if (argument.category != ArgumentCategory::kInput) continue;
      own.Known(argument.name,
                Before(builder, own.tensor(argument.name), choice.setting.spec->name));
      break;
    }
  }
  const Name result = builder.Append(choice.setting, own)[0];
  CaseDraft draft = builder.Finish({After(builder, choice[kBehindAxis], result)});
  draft.one_value = own.one_value;
  return draft;
}

bool IsFp32(const Setting& setting) {
  for (const char* variable : {"in_out_t", "in_t"}) {
    if (const auto type = setting.row->PlainType(variable)) return type == DType::kFp32;
  }
  return false;
}
bool IsFp32OrFp16(const Setting& setting) {
  return IsFp32(setting) || setting.row->Type("in_out_t") == DType::kFp16;
}
// Rounded from an integer, and from a wider type.
bool IsRoundingCast(const Setting& setting) {
  const DType in = setting.Type("in_t"), out = setting.Type("out_t");
  return (in == DType::kI32 && out == DType::kFp32) || (in == DType::kFp32 && out == DType::kFp16);
}

Domain LayoutDomain() { return {.axes = LayoutAxes, .build = BuildLayout}; }

}  // namespace

std::vector<GraphDomain> LayoutGraphs() {
  return {{"layout-exp", "EXP", IsFp32OrFp16, LayoutDomain},
          {"layout-erf", "ERF", IsFp32, LayoutDomain},
          {"layout-reciprocal", "RECIPROCAL", IsFp32, LayoutDomain},
          {"layout-pow", "POW", IsFp32, LayoutDomain},
          {"layout-add", "ADD", IsFp32, LayoutDomain},
          {"layout-cast", "CAST", IsRoundingCast, LayoutDomain},
          {"layout-reduce-sum", "REDUCE_SUM", IsFp32, LayoutDomain},
          {"layout-matmul", "MATMUL", IsFp32, LayoutDomain},
          {"layout-conv2d", "CONV2D", IsFp32, LayoutDomain},
          {"layout-avg-pool2d", "AVG_POOL2D", IsFp32, LayoutDomain}};
}

}  // namespace cts
