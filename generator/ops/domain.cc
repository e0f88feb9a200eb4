#include "generator/ops/domain.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "reference/graph/disputed.h"

namespace cts {

const std::vector<OperatorDomain>& OperatorDomains() {
  static const std::vector<OperatorDomain> domains = {
#define CTS_OPERATOR(NAME, Function, stem) {#NAME, stem##_domain::Function##Domain},
#include "reference/spec/operators.def"
#undef CTS_OPERATOR
  };
  return domains;
}

std::vector<int64_t>& List(CaseDraft& draft, std::string_view argument) {
  return std::get<std::vector<int64_t>>(
      std::get<AttributeValue>(draft.arguments.find(argument)->second));
}

std::string WithMaxRank(const Setting& setting, std::string_view tail) {
  std::string label(tail);
  const int64_t rank = 1 + std::count(tail.begin(), tail.end(), 'x');
  for (int64_t i = rank; i < setting.MaxRank(); ++i) label.insert(0, "1x");
  for (int64_t i = rank; i > setting.MaxRank(); --i) label.erase(0, label.find('x') + 1);
  return label;
}

std::vector<std::string> SomeShapes(const Setting& setting, bool with_scalar) {
  std::vector<std::string> shapes = {"61", "9x14", "3x5x7", "2x3x4x5",
                                     WithMaxRank(setting, "2x3x1x2x4x3")};
  if (with_scalar) shapes.push_back("scalar");
  return shapes;
}

Constraint Excluded(const std::vector<AxisLabel>& together, std::string_view reason) {
  std::vector<std::string_view> axes;
  for (const AxisLabel& label : together) axes.push_back(label.axis);
  return {std::move(axes), reason, [=](const Setting&, const Labels& labels) {
            return std::any_of(together.begin(), together.end(), [&](const AxisLabel& label) {
              return labels[label.axis] != label.label;
            });
          }};
}

Constraint OnlyWith(const AxisLabel& label, const std::vector<AxisLabel>& others,
                    std::string_view reason) {
  std::vector<std::string_view> axes = {label.axis};
  for (const AxisLabel& other : others) axes.push_back(other.axis);
  return {std::move(axes), reason, [=](const Setting&, const Labels& labels) {
            return labels[label.axis] != label.label ||
                   std::all_of(others.begin(), others.end(), [&](const AxisLabel& other) {
                     return labels[other.axis] == other.label;
                   });
          }};
}

Constraint RoomForSpecials() {
  return {{"data", "shape"},
          "data set special has up to 61 values",
          [](const Setting&, const Labels& labels) {
            return labels[kDataAxis] != DataSet::kSpecial || ElementCount(labels[kShapeAxis]) >= 61;
          }};
}

Tensor Filled(const Choice& choice, std::string_view tensor, DType dtype, const Shape& shape,
              Specials specials) {
  if (choice.data_set() == DataSet::kSpecial) {
    std::vector<uint64_t> bits = SpecialBits(dtype, specials);
    // The sets begin with zeros; a small result may hold nothing else.
    const auto start = static_cast<int64_t>(static_cast<size_t>(5 * choice.attempt) % bits.size());
    std::rotate(bits.begin(), bits.begin() + start, bits.end());
    return Cycle(dtype, shape, bits);
  }
  if (IsExhaustive(choice.data_set())) return Exhaustive(dtype, shape);
  if (choice.data_set() == DataSet::kUnit) {
    return FloatsBetween(choice.Stream(tensor), dtype, shape, -1, 1);
  }
  return FullRange(choice.Stream(tensor), dtype, shape);
}

Axis UnaryShapes(const Setting& setting, DType type) {
  Axis axis = kShapeAxis.With(
      SomeShapes(setting),
      {"1", "1x1x1x1", "127x1", "16x16", WithMaxRank(setting, "1x1x2x1x64x1"), "1x65539"});
  if (Info(type).bits <= 8) axis.more.push_back("256");
  if (Info(type).bits == 16) axis.more.push_back("256x256");
  return axis;
}

std::vector<std::string> PatternData(DType type) {
  if (Info(type).bits == 16) return {"exhaustive16"};
  if (Info(type).bits == 8) return {"exhaustive8"};
  return {};
}

Constraint ShapeOfEveryPattern() {
  return {{"data", "shape"},
          "every bit pattern takes a shape of its own",
          [](const Setting&, const Labels& labels) {
            return (labels[kDataAxis] == DataSet::kExhaustive8) == (labels.Is(kShapeAxis, "256")) &&
                   (labels[kDataAxis] == DataSet::kExhaustive16) ==
                       (labels.Is(kShapeAxis, "256x256"));
          }};
}

std::vector<Constraint> UnaryConstraints() {
  return {RoomForSpecials(),
          {{"data", "shape"},
           "data set limits has up to 100 values",
           [](const Setting&, const Labels& labels) {
             return labels[kDataAxis] != DataSet::kLimits ||
                    ElementCount(labels[kShapeAxis]) >= 100;
           }},
          ShapeOfEveryPattern(),
          OnlyWith({"shape", "1x65539"}, {{"data", "full-range"}},
                   "large shapes carry full-range data only"),
          OnlyWith({"shape", "1x65539"}, {{"operand", "run"}}, "large shapes occur once only")};
}

Axis UnaryOperand() {
  Axis axis = kOperandAxis.All();
  axis.prefers_first = true;
  return axis;
}

CaseDraft BuildFunction(const Choice& choice, double low, double high,
                        const std::vector<double>& thresholds) {
  const DType type = choice.Type("in_out_t");
  const Shape shape = choice[kShapeAxis];
  const DataSet data = choice.data_set();
  // COS and SIN call it "input" in 0.100, as the activation functions always do.
  const std::string name = choice.setting.Takes("input1") ? "input1" : "input";
  CaseDraft draft;
  Tensor input = data == DataSet::kFinite
                     ? FloatsBetween(choice.Stream(name), type, shape, low, high)
                 : data == DataSet::kLimits ? Cycle(type, shape, WithNeighbours(type, thresholds))
                                            : Filled(choice, name, type, shape);
  draft.Input(name, std::move(input), choice[kOperandAxis]);
  draft.output_type = type;
  draft.output_shape = shape;
  return draft;
}

namespace {

std::vector<Axis> FunctionAxes(const Setting& setting) {
  const DType type = setting.Type("in_out_t");
  Axis data = kDataAxis.With({"full-range", "special", "finite"}, {"limits"});
  for (const std::string& every : PatternData(type)) data.values.push_back(every);
  return {UnaryShapes(setting, type), UnaryOperand(), std::move(data)};
}

}  // namespace

Domain FunctionDomain(CaseDraft (*build)(const Choice&)) {
  return {.axes = FunctionAxes,
          .constraints = UnaryConstraints(),
          .build = build,
          .limits = {MaxRankLimit()},
          .relations = {Rank6(FunctionAxes, build, {{"data", "finite"}})}};
}

void AddNanModeAxis(const Setting& setting, DType dtype, std::vector<Axis>& axes) {
  if (!setting.Takes("nan_mode")) return;
  axes.push_back(kNanModeAxis.With({"propagate"}));
  if (IsFloat(dtype)) axes.back().values.push_back("ignore");
}

void SetNanMode(const Choice& choice, CaseDraft& draft) {
  if (!choice.setting.Takes("nan_mode")) return;
  draft.Set("nan_mode", choice[kNanModeAxis] ? "IGNORE" : "PROPAGATE");
}

DataCase SignallingCase(std::vector<Axis> (*axes)(const Setting&),
                        CaseDraft (*build)(const Choice&), Labels at) {
  const auto applies = [](const Setting& setting) {
    const auto& types = setting.row->types;
    return setting.Takes("nan_mode") &&
           std::any_of(types.begin(), types.end(), [](const auto& entry) {
             const std::optional<DType> dtype = ParseDType(entry.second);
             return dtype && HasSignallingNans(*dtype);
           });
  };
  at.Set("nan_mode", "ignore");
  return {kSignalling, "", {}, applies, [=](const Setting&, CaseDraft& draft) {
            draft = BuildAt(draft, axes, build, at);
          }};
}

void AddParametersAxis(const Setting& setting, const std::vector<std::string_view>& arguments,
                       std::vector<Axis>& axes) {
  for (std::string_view name : arguments) {
    const ArgumentSpec* argument = setting.Find(name);
    if (argument == nullptr || argument->ctc_remove.empty()) continue;
    axes.push_back(kParametersAxis.All());
    axes.back().needs = {{"run", argument->ctc_remove.front()}};
    return;
  }
}

void SetParameters(const Choice& choice, const std::vector<std::string_view>& arguments,
                   CaseDraft& draft) {
  const bool run_time = choice.labels.Has("parameters") && choice[kParametersAxis];
  for (std::string_view name : arguments) {
    const auto found = draft.arguments.find(name);
    if (found == draft.arguments.end()) continue;
    if (auto* operand = std::get_if<TensorArgument>(&found->second)) {
      operand->constant = !run_time;
    } else if (run_time) {
      draft.run_time.insert(std::string(name));
    }
  }
}

int64_t AxisNumber(AxisPlace place, const Shape& shape) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (place == AxisPlace::kLast) return rank - 1;
  if (place == AxisPlace::kMiddle) return rank / 2;
  return place == AxisPlace::kSecond ? 1 : 0;
}

LimitCase MaxRankLimit(const Labels& labels) {
  return {"MAX_RANK", "", labels, nullptr, [](const Setting& setting, CaseDraft& draft) {
            const auto raise = [&](Shape& shape) {
              const int64_t more = setting.MaxRank() - static_cast<int64_t>(shape.size());
              if (more > 0) shape.insert(shape.begin(), static_cast<size_t>(more), 1);
            };
            for (auto& [name, value] : draft.arguments) {
              const ArgumentSpec* argument = setting.Find(name);
              auto* operand = std::get_if<TensorArgument>(&value);
              if (operand == nullptr || !argument->max_rank || !argument->max_rank->plus_max_rank) {
                continue;
              }
              for (Tensor& tensor : operand->tensors) {
                Shape shape = tensor.shape();
                raise(shape);
                Tensor raised(tensor.dtype(), shape);
                raised.bytes() = tensor.bytes();
                tensor = std::move(raised);
              }
            }
            raise(draft.output_shape);
          }};
}

void Reshape(Tensor& tensor, Shape shape) {
  const Tensor old = std::exchange(tensor, Tensor(tensor.dtype(), std::move(shape)));
  if (old.size() == 0) return;
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.SetBits(i, old.Bits(i % old.size()));
}

}  // namespace cts
