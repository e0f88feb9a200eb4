#include "reference/graph/call.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <limits>
#include <optional>

#include "absl/strings/escaping.h"
#include "reference/base/contains.h"
#include "reference/spec/type_names.h"

namespace cts {
namespace {

// A list of tensors or of shapes.
bool IsOperandList(const ArgumentSpec& argument) {
  return argument.type.starts_with("tensor_list_t") || argument.type == "shape_list_t";
}

bool IsShape(const ArgumentSpec& argument) {
  return argument.type == "shape_t" || argument.type == "shape_list_t";
}

// "[rank(shape1)]" and "[2*rank(shape1)]" as a number; nothing for any other shape. RESHAPE has an
// operand `shape` and an output of shape `shape`: a name in rank() is always that of a shape.
std::optional<int64_t> LengthByRank(const ShapePattern& pattern,
                                    const std::map<std::string, Shape>& shapes) {
  if (pattern.kind != ShapePattern::Kind::kRankOf) return std::nullopt;
  const auto shape = shapes.find(pattern.name);
  if (shape == shapes.end()) return std::nullopt;
  return pattern.factor * static_cast<int64_t>(shape->second.size());
}

// The type of an attribute's elements, without "_t".
std::string TypeOfValue(const ArgumentSpec& spec) {
  return WithoutSuffix(spec.type == "tensor_t" ? spec.element_type : spec.type);
}

// The zero points of RESCALE, which are bit patterns: those of unsigned tensors, too.
bool IsZeroPoint(const ArgumentSpec& argument) {
  return argument.name.ends_with("_zp") || argument.name.ends_with("_qpoint");
}

// RESCALE's mul_t.
DType MultiplierType(bool scale32) { return scale32 ? DType::kI32 : DType::kI16; }

std::string AttributeNames(const OperatorSpec& spec) {
  std::string names;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kAttribute) continue;
    names += (names.empty() ? "" : ", ") + argument.name;
  }
  return names.empty() ? "none" : names;
}

int64_t RankLimit(const RankBound& bound, const Level& level) {
  return bound.constant + (bound.plus_max_rank ? level.Max("MAX_RANK") : 0);
}

}  // namespace

Call::Call(const Edition& edition, const OperatorSpec& spec, const Level& level, const Block& block,
           const GraphOperator& op,
           const std::map<std::string, std::shared_ptr<const Tensor>>& values,
           const Surroundings& surroundings)
    : edition_(&edition),
      spec_(&spec),
      given_(&spec),
      level_(&level),
      block_(&block),
      surroundings_(surroundings) {
  Bind(block, op, values);
  // A rank beyond the level's maximum makes the result unpredictable, which outranks every error.
  if (fits_) CheckRanksOfLevel();
  if (fits_) FindTypeRow();
  if (fits_) CheckNumbers();
  if (fits_) CheckRanksAndShapes();
  if (fits_ && spec.view != nullptr) ShowView();
}

int64_t Argument::SeenOffset(const Shape& shape, int64_t offset) const {
  return Offset(shape, Permute(Index(Given(shape), offset), view_axes));
}

// Operands that the edition lays out otherwise are permuted here, and nowhere else: the operators'
// texts have one layout each.
void Call::ShowView() {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    Argument& argument = arguments_[i];
    const ArgumentSpec &given = *argument.spec, &seen = spec_->view->arguments[i];
    argument.spec = &seen;
    if (given.category == ArgumentCategory::kAttribute && seen.category != given.category) {
      const auto& list = std::get<std::vector<int64_t>>(*argument.attribute);
      const DType dtype = given.element_type == "mul_t"
                              ? MultiplierType(SeenFlag("scale32"))
                              : *ParseDType(WithoutSuffix(given.element_type));
      const Shape shape = {static_cast<int64_t>(list.size())};
      argument.attribute = nullptr;
      argument.was_attribute = true;
      argument.values = {std::make_shared<const Tensor>(Tensor::OfIntegers(dtype, shape, list))};
      viewed_.push_back(std::make_shared<const GraphTensor>(
          GraphTensor{given.name, dtype, shape, argument.values[0]}));
      argument.tensors = {viewed_.back().get()};
    }
    if (given.view_axes.empty()) continue;
    argument.view_axes = given.view_axes;
    for (size_t k = 0; k < argument.tensors.size(); ++k) {
      if (argument.tensors[k] == nullptr) continue;
      auto tensor = std::make_shared<GraphTensor>(*argument.tensors[k]);
      tensor->shape = Permute(tensor->shape, given.view_axes);
      auto& values = argument.values[k];
      if (values != nullptr) {
        values = std::make_shared<const Tensor>(Permute(*values, given.view_axes));
      }
      if (tensor->values != nullptr) tensor->values = values;
      argument.tensors[k] = tensor.get();
      viewed_.push_back(std::move(tensor));
    }
  }
  spec_ = spec_->view.get();
}

void Call::Bind(const Block& block, const GraphOperator& op,
                const std::map<std::string, std::shared_ptr<const Tensor>>& values) {
  // A tensor list takes what the other operands leave.
  const auto bind_tensors = [&](ArgumentCategory category, const std::vector<std::string>& names,
                                std::string_view what) {
    size_t single = 0, lists = 0;
    for (const ArgumentSpec& argument : spec_->arguments) {
      if (argument.category != category) continue;
      (IsOperandList(argument) ? lists : single)++;
    }
    if (names.size() < single || (lists == 0 && names.size() > single)) {
      return Violate("graph.operand_count", "found ", names.size(), " ", what, ", expected ",
                     lists == 0 ? "" : "at least ", single);
    }
    size_t next = 0;
    for (Argument& argument : arguments_) {
      if (argument.spec->category != category) continue;
      const size_t count = IsOperandList(*argument.spec) ? names.size() - single : 1;
      for (size_t k = 0; k < count; ++k, ++next) {
        argument.tensors.push_back(block.Find(names[next]));
        const auto found = values.find(names[next]);
        argument.values.push_back(found == values.end() ? nullptr : found->second);
      }
    }
  };

  arguments_.reserve(spec_->arguments.size());
  for (const ArgumentSpec& argument : spec_->arguments) arguments_.push_back({.spec = &argument});
  bind_tensors(ArgumentCategory::kInput, op.inputs, "inputs");
  bind_tensors(ArgumentCategory::kOutput, op.outputs, "outputs");

  // The values of CONST and CONST_SHAPE stand with the tensor, not among the attributes.
  const bool constant = IsConstant(spec_->name);
  for (Argument& argument : arguments_) {
    if (argument.spec->category != ArgumentCategory::kAttribute || constant) continue;
    const auto found = op.attributes.find(argument.spec->name);
    if (found == op.attributes.end()) {
      if (!argument.spec->optional) {
        Violate("graph.attribute", "attribute ", argument.spec->name, " is missing, expected ",
                Wanted(*argument.spec));
      }
      continue;
    }
    argument.attribute = &found->second;
    if (!FitsAttribute(*argument.spec, TypeOfValue(*argument.spec), found->second)) {
      const bool is_text = std::holds_alternative<std::string>(found->second);
      const char* quote = is_text ? "`" : "";
      Violate("graph.attribute", "attribute ", argument.spec->name, ": found ", quote,
              absl::Utf8SafeCHexEscape(cts::ValueText(found->second)), quote, ", expected ",
              Wanted(*argument.spec));
    }
  }
  for (const auto& [name, value] : op.attributes) {
    const ArgumentSpec* argument = spec_->FindArgument(name);
    if (argument == nullptr || argument->category != ArgumentCategory::kAttribute) {
      Violate("graph.attribute", "attribute ", name, " is unknown to ", spec_->name, ", expected ",
              AttributeNames(*spec_));
    }
  }
}

std::string Call::Wanted(const ArgumentSpec& spec) const {
  const std::string type = TypeOfValue(spec);
  if (const EnumSpec* enumeration = edition_->FindEnum(type + "_t")) {
    std::string names;
    for (const EnumValue& value : enumeration->values) {
      const bool last = &value == &enumeration->values.back();
      names += StrCat(names.empty() ? "" : last ? " or " : ", ", value.name);
    }
    return names;
  }
  if (spec.name == "initial_value") return "the name of a tensor";
  if (type == "tosa_graph") return "the name of a graph";
  if (type == "String") return "text";
  if (spec.name == "var_shape") return "a list of sizes";
  const std::string element = ParseDType(type) ? type : type + "_t";
  const std::vector<Dimension>& dimensions = spec.pattern.dimensions;
  if (dimensions.size() == 1) {
    return StrCat("a list of ", dimensions[0].name, " elements of ", element);
  }
  return spec.pattern.IsList() ? StrCat("a list of ", element) : StrCat("a value of ", element);
}

bool Call::FitsAttribute(const ArgumentSpec& spec, const std::string& type,
                         const AttributeValue& value) const {
  const auto* name = std::get_if<std::string>(&value);
  const auto* list = std::get_if<std::vector<int64_t>>(&value);
  if (const EnumSpec* enumeration = edition_->FindEnum(type + "_t")) {
    return name != nullptr && std::any_of(enumeration->values.begin(), enumeration->values.end(),
                                          [&](const EnumValue& v) { return v.name == *name; });
  }
  // A tensor by name. The graph's structure ensures that it exists and has values.
  if (spec.name == "initial_value") return name != nullptr;
  if (type == "tosa_graph" || type == "String") return name != nullptr;
  if (spec.pattern.IsList() || spec.name == "var_shape") {
    if (list == nullptr || spec.name == "var_shape") return list != nullptr;
    const std::vector<Dimension>& dimensions = spec.pattern.dimensions;
    return dimensions.size() != 1 || !dimensions[0].size ||
           static_cast<int64_t>(list->size()) == *dimensions[0].size;
  }
  if (type == "bool") return std::holds_alternative<bool>(value);
  return std::holds_alternative<int64_t>(value) || std::holds_alternative<double>(value) ||
         (type == "shape" && list != nullptr) ||
         (type == "in_out" && std::holds_alternative<bool>(value));
}

void Call::FindTypeRow() {
  const std::vector<TypeRow>& rows = spec_->type_rows;
  std::map<std::string, DType> bound;  // type variable -> what the operands have
  for (const Argument& argument : arguments_) {
    if (argument.spec->category == ArgumentCategory::kAttribute) continue;
    for (const GraphTensor* tensor : argument.tensors) {
      if (tensor == nullptr) continue;  // an output that is still to be declared
      if (IsShape(*argument.spec)) {
        if (tensor->dtype != DType::kShape) {
          return Violate("graph.type_row", argument.spec->name, ": found ", Name(tensor->dtype),
                         ", expected shape");
        }
        continue;
      }
      const std::string& variable = argument.spec->element_type;
      if (variable == "-") continue;  // any type: what control flow and CUSTOM are given
      if (const std::optional<DType> fixed = ParseDType(WithoutSuffix(variable))) {
        if (tensor->dtype != *fixed) {
          return Violate("graph.type_row", argument.spec->name, ": found ", Name(tensor->dtype),
                         ", expected ", Name(*fixed));
        }
        continue;
      }
      const auto [found, inserted] = bound.emplace(variable, tensor->dtype);
      if (!inserted && found->second != tensor->dtype) {
        return Violate("graph.type_row", argument.spec->name, ": found ", Name(tensor->dtype),
                       ", expected ", Name(found->second), " as the other tensors of type ",
                       variable);
      }
    }
  }
  if (const std::string acc_type = SeenEnum("acc_type"); !acc_type.empty()) {
    bound["acc_t"] = *TypeOfEnumerator(acc_type);
  }
  // A VARIABLE has no operand. The rows are of the attribute `type`, by the name of its type;
  // otherwise of the initial value.
  if (spec_->name == "VARIABLE") {
    const GraphTensor* initial = InitialValue();
    const std::string of_attribute = TypeOfValue(*Get("type").spec) + "_t";
    const bool by_attribute = !rows.empty() && rows.front().types.contains(of_attribute);
    bound[by_attribute ? of_attribute : Get("initial_value").spec->element_type] =
        by_attribute || initial == nullptr ? VariableType() : initial->dtype;
  }
  // The multiplier of RESCALE has a type that no row names: 32 bits with scale32, otherwise 16.
  if (const auto mul = bound.find("mul_t"); mul != bound.end()) {
    const DType expected = MultiplierType(SeenFlag("scale32"));
    if (mul->second != expected) {
      return Violate("graph.type_row", "multiplier: found ", Name(mul->second), ", expected ",
                     Name(expected), " with scale32 ", SeenFlag("scale32") ? "true" : "false");
    }
    bound.erase(mul);
  }
  const auto is_for = [&](const TypeRow& row) {
    return std::all_of(row.attributes.begin(), row.attributes.end(), [&](const auto& attribute) {
      const std::string given = SeenEnum(attribute.first);
      return given.empty() || given == attribute.second;
    });
  };
  for (const TypeRow& row : rows) {
    const bool fits = std::all_of(bound.begin(), bound.end(), [&](const auto& binding) {
      return !row.types.contains(binding.first) || row.Type(binding.first) == binding.second;
    });
    if (fits && is_for(row)) {
      row_ = &row;
      return;
    }
  }
  std::string found;
  for (const auto& [variable, type] : bound) {
    found += StrCat(found.empty() ? "" : ", ", variable, "=", Name(type));
  }
  // RESIZE's rows differ by mode as well.
  if (!rows.empty()) {
    for (const auto& [name, value] : rows.front().attributes) {
      if (!SeenEnum(name).empty()) found += StrCat(", ", name, "=", SeenEnum(name));
    }
  }
  Violate("graph.type_row", "no row of the table of supported types has ", found, ", expected ",
          NearestRows(bound));
}

std::string Call::NearestRows(const std::map<std::string, DType>& bound) const {
  constexpr size_t kMost = 8;
  std::vector<std::string> nearest;
  size_t fewest = std::numeric_limits<size_t>::max();
  for (const TypeRow& row : spec_->type_rows) {
    size_t differing = 0;
    std::string text;
    for (const auto& [variable, type] : bound) {
      const auto expected = row.types.find(variable);
      if (expected == row.types.end()) continue;
      if (expected->second != Name(type)) ++differing;
      text += StrCat(text.empty() ? "" : ", ", variable, "=", expected->second);
    }
    for (const auto& [name, value] : row.attributes) {
      const std::string given = SeenEnum(name);
      if (given.empty()) continue;
      if (given != value) ++differing;
      text += StrCat(text.empty() ? "" : ", ", name, "=", value);
    }
    if (differing > fewest) continue;
    if (differing < fewest) nearest.clear();
    fewest = differing;
    if (!Contains(nearest, text)) nearest.push_back(text);
  }
  const size_t shown = std::min(nearest.size(), kMost);
  std::string text;
  for (size_t k = 0; k < shown; ++k) text += (k == 0 ? "" : " or ") + nearest[k];
  return nearest.size() == shown ? text : StrCat(text, " or ", nearest.size() - shown, " more");
}

// Checks each number among the attributes against its declared type. A number beyond it is no
// argument at all, and would overflow in the computation of shapes and indices.
void Call::CheckNumbers() {
  // Without the outputs' types any row that the inputs allow will do.
  const bool rows_decided =
      std::none_of(arguments_.begin(), arguments_.end(), [](const Argument& argument) {
        return std::count(argument.tensors.begin(), argument.tensors.end(), nullptr) > 0;
      });
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    if (argument.attribute == nullptr) continue;
    const ArgumentSpec& spec = *argument.spec;
    const std::string& variable = spec.type == "tensor_t" ? spec.element_type : spec.type;
    std::optional<DType> type = ParseDType(WithoutSuffix(variable));
    if (variable == "mul_t") type = MultiplierType(SeenFlag("scale32"));
    if (!type.has_value() && rows_decided) type = row_->PlainType(variable);
    if (!type.has_value() || *type == DType::kShape || edition_->FindEnum(variable)) continue;
    if (spec.name == "initial_value") continue;
    const auto* number = std::get_if<double>(argument.attribute);
    const auto* integer = std::get_if<int64_t>(argument.attribute);
    const auto* list = std::get_if<std::vector<int64_t>>(argument.attribute);
    if (*type == DType::kBool || IsFloat(*type)) {
      const bool fits = IsFloat(*type) ? number || integer : number == nullptr;
      if (!fits) {
        Violate("graph.attribute", "attribute ", spec.name, ": found ",
                cts::ValueText(*argument.attribute), ", expected ", Name(*type));
      }
      continue;
    }
    if (integer == nullptr && list == nullptr) {
      Violate("graph.attribute", "attribute ", spec.name, ": found ",
              cts::ValueText(*argument.attribute), ", expected an integer of ", Name(*type));
      continue;
    }
    int64_t least = IntegerMin(*type), greatest = IntegerMax(*type);
    // RESCALE's zero points are attributes in 0.100.
    if (spec_->Seen().name == "RESCALE" && IsZeroPoint(spec_->Seen().arguments[i])) {
      least = -(int64_t{1} << (Info(*type).bits - 1));
      greatest = (int64_t{1} << Info(*type).bits) - 1;
    }
    for (const int64_t x : list != nullptr ? *list : std::vector<int64_t>{*integer}) {
      if (x >= least && x <= greatest) continue;
      Violate("graph.attribute", "attribute ", spec.name, ": found ", x, ", expected ", Name(*type),
              " from ", least, " to ", greatest);
    }
  }
}

void Call::CheckRanksOfLevel() {
  for (const Argument& argument : arguments_) {
    const std::optional<RankBound>& most = argument.spec->max_rank;
    if (argument.spec->category == ArgumentCategory::kAttribute || !most) continue;
    if (!most->plus_max_rank) continue;
    for (const GraphTensor* tensor : argument.tensors) {
      if (tensor == nullptr) continue;  // an output whose shape is being inferred
      const int64_t rank = static_cast<int64_t>(tensor->shape.size());
      if (rank <= RankLimit(*most, *level_)) continue;
      Violate("graph.level_rank", argument.spec->name, ": found rank ", rank, ", expected at most ",
              RankLimit(*most, *level_));
    }
  }
}

void Call::CheckRanksAndShapes() {
  std::map<std::string, int64_t> sizes;  // "IC" -> 3
  std::map<std::string, Shape> shapes;   // "shape1" -> [...]
  if (spec_->Seen().name == "RESCALE") {
    const Shape& shape = arguments_.front().tensors.front()->shape;
    // A scalar has no channel: RESCALE has an ERROR_IF of its own for that.
    sizes["NC"] = SeenFlag("per_channel") && !shape.empty() ? shape.back() : 1;
  }
  for (const Argument& argument : arguments_) {
    if (argument.spec->category == ArgumentCategory::kAttribute) continue;
    for (const GraphTensor* tensor : argument.tensors) {
      if (tensor == nullptr) continue;  // an output that is still to be declared
      const int64_t rank = static_cast<int64_t>(tensor->shape.size());
      const ArgumentSpec& spec = *argument.spec;
      for (int64_t size : tensor->shape) {
        // The edition does not say whether a dimension of zero is an error or unpredictable. Only
        // an empty list of shape_t has one.
        if (size < (tensor->dtype == DType::kShape ? 0 : 1)) {
          return Violate("graph.dimension", spec.name, ": found shape ", ToString(tensor->shape),
                         ", expected dimensions of at least 1");
        }
      }
      if (tensor->dtype == DType::kShape && rank != 1) {
        return Violate("graph.rank", spec.name, ": found a shape of rank ", rank, ", expected 1");
      }
      if (spec.min_rank && rank < RankLimit(*spec.min_rank, *level_)) {
        return Violate("graph.rank", spec.name, ": found rank ", rank, ", expected at least ",
                       RankLimit(*spec.min_rank, *level_));
      }
      if (spec.max_rank && !spec.max_rank->plus_max_rank && rank > spec.max_rank->constant) {
        return Violate("graph.rank", spec.name, ": found rank ", rank, ", expected at most ",
                       spec.max_rank->constant);
      }
      const ShapePattern& pattern = spec.pattern;
      if (IsOperandList(spec) || pattern.kind == ShapePattern::Kind::kAny) continue;
      if (pattern.kind == ShapePattern::Kind::kRankOf) continue;  // below: all ranks are known then
      if (pattern.kind == ShapePattern::Kind::kNamed) {
        const auto [found, inserted] = shapes.emplace(pattern.name, tensor->shape);
        if (!inserted && found->second != tensor->shape) {
          return Violate("graph.shape", spec.name, ": found shape ", ToString(tensor->shape),
                         ", expected ", ToString(found->second));
        }
        continue;
      }
      if (static_cast<int64_t>(pattern.dimensions.size()) != rank) {
        return Violate("graph.rank", spec.name, ": found rank ", rank, ", expected ", spec.shape);
      }
      for (size_t i = 0; i < pattern.dimensions.size(); ++i) {
        const Dimension& dimension = pattern.dimensions[i];
        const int64_t size = tensor->shape[i];
        // DEPTHWISE_CONV2D's "C*M"; earlier operands have C and M.
        if (!dimension.factors.empty()) {
          const auto factor1 = sizes.find(dimension.factors[0]);
          const auto factor2 = sizes.find(dimension.factors[1]);
          if (factor1 != sizes.end() && factor2 != sizes.end()) {
            int64_t product = 0;  // no size if it overflows
            if (__builtin_mul_overflow(factor1->second, factor2->second, &product)) product = -1;
            sizes.emplace(dimension.name, product);
          }
        }
        const auto [found, inserted] = sizes.emplace(dimension.name, dimension.size.value_or(size));
        if (found->second != size) {
          return Violate(
              "graph.shape", spec.name, ": found shape ", ToString(tensor->shape), ", expected ",
              spec.shape,
              dimension.size ? "" : StrCat(" with ", dimension.name, " = ", found->second));
        }
      }
    }
  }
  for (const Argument& argument : arguments_) {
    std::optional<int64_t> length = LengthByRank(argument.spec->pattern, shapes);
    // RESCALE's multiplier and shift where they are attributes.
    if (argument.attribute != nullptr && argument.spec->shape == "[NC]") length = sizes["NC"];
    if (!length) continue;
    const bool attribute = argument.spec->category == ArgumentCategory::kAttribute;
    const int64_t found =
        attribute ? Length(argument.spec->name) : argument.tensors.front()->shape[0];
    if (found == *length) continue;
    return Violate(attribute ? "graph.attribute" : "graph.shape", argument.spec->name,
                   ": found a list of ", found, ", expected ", argument.spec->shape, " = ",
                   *length);
  }
}

const Argument* Call::Find(std::string_view argument) const {
  for (const Argument& a : arguments_) {
    if (a.spec->name == argument) return &a;
  }
  return nullptr;
}

const Argument* Call::FindSeen(std::string_view argument) const {
  const std::vector<ArgumentSpec>& seen = spec_->Seen().arguments;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (seen[i].name == argument) return &arguments_[i];
  }
  return nullptr;
}

bool Call::SeenFlag(std::string_view argument) const {
  const Argument* a = FindSeen(argument);
  return a != nullptr && a->attribute != nullptr && std::get<bool>(*a->attribute);
}

std::string Call::SeenEnum(std::string_view argument) const {
  const Argument* a = FindSeen(argument);
  if (a == nullptr || a->attribute == nullptr) return "";
  return std::get<std::string>(*a->attribute);
}

const Argument& Call::Get(std::string_view argument) const {
  const Argument* found = Find(argument);
  assert(found != nullptr && "an operator asked for an argument that its edition does not have");
  return *found;
}

bool Call::Has(std::string_view argument) const { return Find(argument) != nullptr; }

Call Call::RecordingIn(Inquiry* inquiry) const {
  Call copy = *this;
  copy.inquiry_ = inquiry;
  return copy;
}

void Call::Ask(std::string_view argument, Asked::What what, int64_t index) const {
  if (inquiry_ == nullptr) return;
  // Takes the name that lives as long as the call, not the predicate's.
  const Asked asked{Get(argument).spec->name, what, index};
  std::vector<Asked>& all = inquiry_->asked;
  if (!Contains(all, asked)) all.push_back(asked);
}

bool Inquiry::AsksElement(std::string_view argument, int64_t index) const {
  const Asked element{argument, Asked::What::kElement, index};
  return Contains(asked, element);
}

bool Inquiry::CouldSee(std::string_view argument, int64_t index) const {
  return sees_all || std::any_of(asked.begin(), asked.end(), [&](const Asked& one) {
           if (one.argument != argument) return false;
           const bool element = one.what == Asked::What::kElement;
           return element ? one.index == index
                          : one.what == Asked::What::kFlag || one.what == Asked::What::kEnum;
         });
}

std::string ValueText(const AttributeValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<double>(&value)) return NumberText(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) return ToString(*list);
  return std::to_string(std::get<int64_t>(value));
}

std::string Call::ElementName(std::string_view argument, int64_t i) const {
  const ArgumentSpec& spec = *Get(argument).spec;
  if (i < static_cast<int64_t>(spec.elements.size())) {
    return StrCat(spec.name, "_", spec.elements[static_cast<size_t>(i)]);
  }
  return Length(argument) == 1 ? spec.name : StrCat(spec.name, "[", i, "]");
}

std::string Call::ValueText(std::string_view argument, int64_t i) const {
  const Argument& a = Get(argument);
  const bool is_number = a.attribute != nullptr ? std::holds_alternative<double>(*a.attribute)
                                                : IsFloat(a.values[0]->dtype());
  return is_number ? Number(argument).Text() : std::to_string(Integer(argument, i));
}

std::string Call::Text(const Asked& asked) const {
  const Argument& argument = Get(asked.argument);
  const std::string name = argument.tensors.size() > 1 && asked.what != Asked::What::kCount
                               ? StrCat(asked.argument, "[", asked.index, "]")
                               : std::string(asked.argument);
  const auto k = static_cast<size_t>(asked.index);
  switch (asked.what) {
    case Asked::What::kShape:
      return StrCat(name, " of shape ", ToString(argument.Given(argument.tensors[k]->shape)));
    case Asked::What::kType:
      return StrCat(name, " of type ", Name(argument.tensors[k]->dtype));
    case Asked::What::kElement:
      return StrCat(ElementName(asked.argument, asked.index), " ",
                    ValueText(asked.argument, asked.index));
    case Asked::What::kFlag:
      return StrCat(name, Flag(asked.argument) ? " true" : " false");
    case Asked::What::kEnum:
      return StrCat(name, " ", absl::Utf8SafeCHexEscape(Enum(asked.argument)));
    case Asked::What::kCount:
      break;
  }
  return StrCat(name, " of ", argument.tensors.size(), " tensors");
}

std::optional<int64_t> Call::Value(const Quantity& quantity) const {
  const Argument& argument = arguments_[quantity.argument];
  if (quantity.kind == Quantity::Kind::kElement) {
    const auto index = static_cast<int64_t>(quantity.index);
    if (index >= Length(argument.spec->name)) return std::nullopt;
    return Integer(argument.spec->name, index);
  }
  if (quantity.kind == Quantity::Kind::kLength && IsOperandList(*argument.spec)) {
    return static_cast<int64_t>(argument.tensors.size());
  }
  const GraphTensor* tensor = argument.tensors.empty() ? nullptr : argument.tensors[0];
  if (argument.spec->name == "initial_value") tensor = InitialValue();
  if (tensor == nullptr) return std::nullopt;
  const Shape& shape = tensor->shape;
  if (quantity.kind == Quantity::Kind::kRank) return static_cast<int64_t>(shape.size());
  // The one dimension of a shape_t is its length.
  if (quantity.index >= shape.size()) return std::nullopt;
  return shape[quantity.index];
}

int Call::Count(std::string_view argument) const {
  Ask(argument, Asked::What::kCount);
  return static_cast<int>(Get(argument).tensors.size());
}

const Shape& Call::shape(std::string_view argument, int k) const {
  Ask(argument, Asked::What::kShape, k);
  return Get(argument).tensors[k]->shape;
}

DType Call::dtype(std::string_view argument, int k) const {
  Ask(argument, Asked::What::kType, k);
  return Get(argument).tensors[k]->dtype;
}

const std::shared_ptr<const Tensor>& Call::values(std::string_view argument, int k) const {
  if (inquiry_ != nullptr) inquiry_->sees_all = true;
  return Get(argument).values[k];
}

bool Call::IsOneTensor(std::string_view argument, std::string_view other) const {
  return Get(argument).tensors == Get(other).tensors;
}

bool Call::Knows(std::string_view argument) const {
  const Argument& a = Get(argument);
  return a.attribute != nullptr || (!a.values.empty() && a.values[0] != nullptr);
}

const Tensor* Call::Take(const Argument& argument) const {
  assert(!argument.values.empty());
  const Tensor* const values = argument.values[0].get();
  took_unknown_ = took_unknown_ || values == nullptr;
  return values;
}

int64_t Call::Length(std::string_view argument) const {
  const Argument& a = Get(argument);
  if (a.attribute == nullptr) {
    if (a.tensors.empty() || a.tensors[0] == nullptr) return 0;
    return a.values[0] != nullptr ? a.values[0]->size() : ElementCount(a.tensors[0]->shape);
  }
  if (const auto* list = std::get_if<std::vector<int64_t>>(a.attribute)) {
    return static_cast<int64_t>(list->size());
  }
  return 1;
}

int64_t Call::Integer(std::string_view argument, int64_t i) const {
  Ask(argument, Asked::What::kElement, i);
  const Argument& a = Get(argument);
  if (a.attribute == nullptr) {
    const Tensor* const values = Take(a);
    return values == nullptr ? 0 : values->Integer(i);
  }
  if (const auto* list = std::get_if<std::vector<int64_t>>(a.attribute)) return (*list)[i];
  if (const auto* flag = std::get_if<bool>(a.attribute)) return *flag;
  if (const auto* number = std::get_if<double>(a.attribute)) return ExactNumber(*number).Integer();
  return std::get<int64_t>(*a.attribute);
}

bool Call::Flag(std::string_view argument) const {
  const Argument* a = Find(argument);
  if (a != nullptr) Ask(argument, Asked::What::kFlag);
  return a != nullptr && a->attribute != nullptr && std::get<bool>(*a->attribute);
}

ExactNumber Call::Number(std::string_view argument) const {
  Ask(argument, Asked::What::kElement);
  const Argument& a = Get(argument);
  if (a.attribute == nullptr) {
    const Tensor* const values = Take(a);
    if (values == nullptr) return int64_t{0};
    if (IsFloat(values->dtype())) return values->Element(0);
    return values->Integer(0);
  }
  if (const auto* number = std::get_if<double>(a.attribute)) return *number;
  return std::get<int64_t>(*a.attribute);
}

std::string Call::Enum(std::string_view argument) const {
  const Argument* a = Find(argument);
  if (a == nullptr || a->attribute == nullptr) return "";
  Ask(argument, Asked::What::kEnum);
  return std::get<std::string>(*a->attribute);
}

const Block& Call::Subgraph(std::string_view argument) const {
  const Block* found = surroundings_.graph->FindGraph(Enum(argument));
  assert(found != nullptr && "the structure of the graph has been checked");
  return *found;
}

std::string Call::VariableName() const {
  return Has("uid") ? StrCat(Integer("uid")) : Enum("name");
}

const Variable* Call::FindVariable() const {
  const auto found = surroundings_.variables->find(VariableName());
  return found == surroundings_.variables->end() ? nullptr : &found->second;
}

DType Call::VariableType() const { return EnumeratedType("type"); }

// Every name that the attribute may have is that of a type: an edition with another is refused.
DType Call::EnumeratedType(std::string_view argument) const {
  return TypeOfEnumerator(Enum(argument)).value();
}

const GraphTensor* Call::InitialValue() const {
  const Argument* a = Find("initial_value");
  if (a == nullptr || a->attribute == nullptr) return nullptr;
  return block_->Find(std::get<std::string>(*a->attribute));
}

}  // namespace cts
