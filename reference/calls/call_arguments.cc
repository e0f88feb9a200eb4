#include "reference/calls/call_arguments.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "reference/base/contains.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/calls/call_json.h"
#include "reference/spec/type_names.h"

namespace cts::calls {
namespace {

std::string PlaceOf(const ArgumentSpec& argument) { return "/arguments/" + argument.name; }

// 0.100 writes a scalar attribute as a tensor.
const std::string& TypeOf(const ArgumentSpec& attribute) {
  return attribute.type == "tensor_t" ? attribute.element_type : attribute.type;
}

}  // namespace

Status TooLarge(const std::string& place) {
  return Bad(place, "found more elements than the ", kMaxElements, " that a call may have");
}

bool IsList(const ArgumentSpec& argument) {
  return argument.type == "tensor_list_t" || argument.type == "shape_list_t";
}

Arguments::Arguments(const Edition& edition, const OperatorSpec& spec, const Json& call,
                     std::vector<Tensor>& tensors)
    : edition_(edition),
      spec_(spec),
      arguments_(call.at("arguments")),
      output_types_(call.value("output_types", Json::object())),
      tensors_(tensors) {}

Status Arguments::Read() {
  CTS_RETURN_IF_ERROR(CheckNames());
  CTS_RETURN_IF_ERROR(ReadTensors());
  return ReadOutputTypes();
}

StatusOr<std::vector<Given>> Arguments::Inputs(const ArgumentSpec& argument) {
  std::vector<Given> given = given_[argument.name];
  if (given.empty() && !IsList(argument)) {
    CTS_ASSIGN_OR_RETURN(Given constant, ConstantFromJson(argument, arguments_[argument.name]));
    given.push_back(std::move(constant));
  }
  return given;
}

StatusOr<std::optional<AttributeValue>> Arguments::Attribute(const ArgumentSpec& argument) {
  const auto found = arguments_.find(argument.name);
  if (found == arguments_.end()) return std::optional<AttributeValue>();
  const std::string place = PlaceOf(argument);
  if (!found->is_object()) return AttributeFromJson(argument, *found, place);
  CTS_ASSIGN_OR_RETURN(const Json plain, PlainFromTensor(argument, *found, place));
  return AttributeFromJson(argument, plain, place);
}

StatusOr<Given> Arguments::ConstantValues() {
  if (spec_.name == "CONST") return given_["values"][0];
  const Json& values = arguments_["values"];
  if (values.is_object()) return TensorFromJson(values, "/arguments/values");
  return ConstantFromJson(*spec_.FindArgument("values"), values);
}

StatusOr<OutputType> Arguments::Output(const ArgumentSpec& argument) const {
  OutputType type;
  const std::string place = "/output_types/" + argument.name;
  const auto found = output_types_.find(argument.name);
  if (found == output_types_.end()) return type;
  if (found->contains("dtype")) {
    CTS_ASSIGN_OR_RETURN(type.dtype, DTypeFromJson((*found)["dtype"], place + "/dtype"));
  }
  if (found->contains("shape")) {
    CTS_ASSIGN_OR_RETURN(type.shape, ShapeFromJson((*found)["shape"], place + "/shape"));
  }
  return type;
}

std::optional<DType> Arguments::Resolve(const std::string& variable) const {
  if (const std::optional<DType> fixed = ParseDType(WithoutSuffix(variable))) return fixed;
  if (const auto found = types_.find(variable); found != types_.end()) return found->second;
  if (variable == "mul_t") {  // RESCALE's multiplier, of which the rows say nothing
    bool wide = false;
    for (size_t i = 0; i < spec_.arguments.size(); ++i) {
      if (spec_.Seen().arguments[i].name != "scale32") continue;
      const auto scale32 = arguments_.find(spec_.arguments[i].name);
      wide = scale32 != arguments_.end() && scale32->is_boolean() && *scale32;
    }
    return wide ? DType::kI32 : DType::kI16;
  }
  std::set<DType> candidates;
  for (const TypeRow& row : spec_.type_rows) {
    const bool fits = std::all_of(types_.begin(), types_.end(), [&](const auto& known) {
      const std::optional<DType> type = row.PlainType(known.first);
      return !type.has_value() || *type == known.second;
    });
    const std::optional<DType> type = row.PlainType(variable);
    if (fits && type.has_value()) candidates.insert(*type);
  }
  if (candidates.size() == 1) return *candidates.begin();
  return std::nullopt;
}

Status Arguments::CheckNames() const {
  std::vector<std::string> required, optional, outputs;
  for (const ArgumentSpec& argument : spec_.arguments) {
    if (argument.category == ArgumentCategory::kOutput) {
      outputs.push_back(argument.name);
    } else {
      (argument.optional ? optional : required).push_back(argument.name);
    }
  }
  CTS_RETURN_IF_ERROR(CheckObject(arguments_, "/arguments", required, optional,
                                  "an object: argument to tensor or value"));
  return CheckObject(output_types_, "/output_types", {}, outputs,
                     "an object: output to dtype and shape");
}

Status Arguments::ReadTensors() {
  for (const ArgumentSpec& argument : spec_.arguments) {
    const std::string place = PlaceOf(argument);
    if (argument.category != ArgumentCategory::kInput) continue;
    const Json& json = arguments_[argument.name];
    std::vector<Given>& given = given_[argument.name];
    if (IsList(argument)) {
      if (!json.is_array()) {
        return Bad(place, "found ", Found(json), ", expected a list of tensors");
      }
      for (const Json& item : json) {
        CTS_ASSIGN_OR_RETURN(Given tensor, TensorFromJson(item, StrCat(place, "/", given.size())));
        given.push_back(std::move(tensor));
      }
    } else if (json.is_object()) {
      CTS_ASSIGN_OR_RETURN(Given tensor, TensorFromJson(json, place));
      given.push_back(std::move(tensor));
    }
    if (!given.empty()) types_.emplace(argument.element_type, given[0].dtype);
  }
  if (spec_.name != "CONST") return absl::OkStatus();
  // Its one argument is a tensor, although the edition calls it an attribute.
  CTS_ASSIGN_OR_RETURN(Given values, TensorFromJson(arguments_["values"], "/arguments/values"));
  given_["values"].push_back(std::move(values));
  return absl::OkStatus();
}

Status Arguments::ReadOutputTypes() {
  for (const auto& [name, json] : output_types_.items()) {
    const std::string place = "/output_types/" + name;
    CTS_RETURN_IF_ERROR(
        CheckObject(json, place, {}, {"dtype", "shape"}, "an object with dtype and shape"));
    if (!json.contains("dtype")) continue;
    CTS_ASSIGN_OR_RETURN(const DType dtype, DTypeFromJson(json["dtype"], place + "/dtype"));
    types_.emplace(spec_.FindArgument(name)->element_type, dtype);
  }
  return absl::OkStatus();
}

bool Arguments::Fits(int64_t count) {
  if (count > elements_left_) return false;
  elements_left_ -= count;
  return true;
}

bool Arguments::IsPattern(const ArgumentSpec& argument) const {
  if (spec_.Seen().name != "RESCALE") return false;
  const auto place = static_cast<size_t>(&argument - spec_.arguments.data());
  const std::string& name = spec_.Seen().arguments[place].name;
  return name.ends_with("_zp") || name.ends_with("_qpoint");
}

Tensor* Arguments::InMemory(const Json& data, const Given& given) {
  if (!data.is_number_unsigned() || data.get<uint64_t>() >= tensors_.size()) return nullptr;
  Tensor& tensor = tensors_[data.get<size_t>()];
  return tensor.dtype() == given.dtype && tensor.shape() == given.shape ? &tensor : nullptr;
}

StatusOr<Given> Arguments::TensorFromJson(const Json& json, const std::string& place) {
  CTS_RETURN_IF_ERROR(CheckObject(json, place, {"dtype", "shape", "data"}, {},
                                  "a tensor: an object with dtype, shape and data"));
  Given given;
  CTS_ASSIGN_OR_RETURN(given.dtype, DTypeFromJson(json["dtype"], place + "/dtype"));
  CTS_ASSIGN_OR_RETURN(given.shape, ShapeFromJson(json["shape"], place + "/shape"));
  const Json& data = json["data"];
  Tensor* const in_memory = InMemory(data, given);
  if (!data.is_null() && !data.is_array() && in_memory == nullptr) {
    return Bad(place + "/data", "found ", Found(data), ", expected a list, or null for ones");
  }
  const bool empty_shape = given.dtype == DType::kShape && given.shape == Shape{0};
  const StatusOr<int64_t> count = CheckedElementCount(given.shape);
  const int64_t size = count.ok() ? *count : 0;
  if (data.is_array() && (count.ok() || empty_shape) && static_cast<int64_t>(data.size()) != size) {
    return Bad(place + "/data", "found ", Found(data), ", expected ", size, " elements for shape ",
               ToString(given.shape));
  }
  if (!count.ok() && !empty_shape) {
    if (given.dtype == DType::kShape || (data.is_array() && !data.empty())) {
      return Bad(place, Message(count.status()));
    }
    if (withheld_.ok()) withheld_ = TooLarge(place);
    return given;
  }
  if (!Fits(size)) {
    if (withheld_.ok()) withheld_ = TooLarge(place);
    return given;
  }
  if (in_memory != nullptr) {
    CTS_RETURN_IF_ERROR(Annotate(CheckElements(*in_memory), place));
    given.values = std::make_shared<Tensor>(std::move(*in_memory));
    return given;
  }
  Tensor values(given.dtype, given.shape);
  for (int64_t i = 0; i < size; ++i) {
    if (data.is_array()) {
      const Status set = SetElement(data[static_cast<size_t>(i)], i, values);
      if (!set.ok()) return Annotate(set, StrCat(place, "/data/", i));
    } else if (IsFloat(given.dtype)) {
      values.SetValue(i, 1);
    } else {
      values.SetInteger(i, 1);
    }
  }
  given.values = std::make_shared<Tensor>(std::move(values));
  return given;
}

StatusOr<Given> Arguments::ConstantFromJson(const ArgumentSpec& argument, const Json& json) {
  const std::string place = PlaceOf(argument);
  Given given;
  if (argument.type == "shape_t") {
    given.dtype = DType::kShape;
  } else if (const std::optional<DType> dtype = Resolve(argument.element_type)) {
    given.dtype = *dtype;
  } else {
    return Bad(place, "found ", Found(json), ", of which no type follows; expected a tensor");
  }
  if (json.is_null()) return Bad(place, "found null, expected a tensor or a value");
  // A single value is a list of one where the edition has a vector.
  const bool vector = argument.type == "shape_t" || argument.shape.starts_with("[");
  if (json.is_array() || vector) {
    given.shape = {json.is_array() ? static_cast<int64_t>(json.size()) : 1};
  }
  if (json.is_array() && json.empty() && given.dtype != DType::kShape) {
    return Bad(place, "found an empty list, expected at least one value");
  }
  const int64_t size = ElementCount(given.shape);
  if (!Fits(size)) return TooLarge(place);
  Tensor values(given.dtype, given.shape);
  for (int64_t i = 0; i < size; ++i) {
    const Status set = SetElement(json.is_array() ? json[static_cast<size_t>(i)] : json, i, values,
                                  IsPattern(argument));
    if (!set.ok()) return Annotate(set, json.is_array() ? StrCat(place, "/", i) : place);
  }
  given.values = std::make_shared<Tensor>(std::move(values));
  return given;
}

StatusOr<Json> Arguments::PlainFromTensor(const ArgumentSpec& argument, const Json& json,
                                          const std::string& place) {
  CTS_ASSIGN_OR_RETURN(const Given given, TensorFromJson(json, place));
  const std::optional<DType> dtype = Resolve(TypeOf(argument));
  if (dtype && given.dtype != *dtype && given.dtype != DType::kShape) {
    return Bad(place + "/dtype", "found ", Name(given.dtype), ", expected ", Name(*dtype));
  }
  if (given.values == nullptr || given.shape.size() > 1) {
    return Bad(place, "found a tensor of shape ", ToString(given.shape),
               ", expected at most one dimension: an attribute in ", edition_.id);
  }
  Json plain = Json::array();
  for (int64_t i = 0; i < given.values->size(); ++i) {
    plain.push_back(IsFloat(given.dtype)          ? Json(FormatHex(given.values->Value(i)))
                    : given.dtype == DType::kBool ? Json(given.values->Integer(i) != 0)
                                                  : Json(given.values->Integer(i)));
  }
  return plain;
}

StatusOr<AttributeValue> Arguments::AttributeFromJson(const ArgumentSpec& argument,
                                                      const Json& json,
                                                      const std::string& place) const {
  const std::string& variable = TypeOf(argument);
  if (const EnumSpec* enumeration = edition_.FindEnum(variable)) {
    CTS_ASSIGN_OR_RETURN(std::string name,
                         TextFromJson(json, place, "the name of a value of " + variable));
    std::vector<std::string> names;
    for (const EnumValue& known : enumeration->values) names.push_back(known.name);
    if (!Contains(names, name)) {
      return Bad(place, "found ", Found(json), ", ", Expected(names, name));
    }
    return AttributeValue(std::move(name));
  }
  // If the operands have no such type among the rows, the number is read as it stands: the call is
  // then refused for its types.
  const DType dtype = Resolve(variable).value_or(DType::kI64);
  if (argument.shape.starts_with("[")) {
    if (!json.is_array()) {
      return Bad(place, "found ", Found(json), ", expected a list of integers");
    }
    std::vector<int64_t> list;
    for (const Json& item : json) {
      const StatusOr<int64_t> element = IntegerFromJson(item, dtype);
      if (!element.ok()) return Annotate(element.status(), StrCat(place, "/", list.size()));
      list.push_back(*element);
    }
    return AttributeValue(std::move(list));
  }
  const Json& scalar = json.is_array() && json.size() == 1 ? json[0] : json;
  if (IsFloat(dtype)) {
    const StatusOr<double> number = FloatFromJson(scalar, dtype);
    if (!number.ok()) return Annotate(number.status(), place);
    return AttributeValue(*number);
  }
  const StatusOr<int64_t> number = IntegerFromJson(scalar, dtype, IsPattern(argument));
  if (!number.ok()) return Annotate(number.status(), place);
  return dtype == DType::kBool ? AttributeValue(*number != 0) : AttributeValue(*number);
}

}  // namespace cts::calls
