#include "reference/evaluate/operator_call.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "reference/base/float_format.h"
#include "reference/base/json.h"
#include "reference/base/nearest.h"
#include "reference/evaluate/infer_shapes.h"
#include "reference/graph/structure.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/edition_wording.h"
#include "reference/ops/operator.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace {

constexpr size_t kMaxRank = 64;  // of a shape that is read at all; the levels allow up to 32
constexpr size_t kMaxShown = 60;

// The text at a place, shortened for a message.
std::string Found(const Json& json) {
  if (json.is_object()) return json.contains("dtype") ? "a tensor" : "an object";
  if (json.is_array()) return StrCat("a list of ", json.size());
  std::string text = json.dump(-1, ' ', true);
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "...";
  return text;
}

template <class... Args>
Status Bad(const std::string& place, const Args&... args) {
  return InvalidArgument(place.empty() ? "/" : place, ": ", args...);
}

std::string Joined(const std::vector<std::string>& names, std::string_view last = ", ") {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : ", ";
    text += names[i];
  }
  return text;
}

// "expected one of A, B", or the nearest of many.
std::string Expected(const std::vector<std::string>& known, std::string_view name) {
  constexpr size_t kFew = 14, kNearest = 3;
  if (known.empty()) return "expected none";
  if (known.size() <= kFew) {
    return StrCat("expected ", known.size() > 1 ? "one of " : "", Joined(known));
  }
  return StrCat("did you mean ", Joined(NearestNames(known, name, kNearest), " or "), "?");
}

Status CheckObject(const Json& json, const std::string& place,
                   const std::vector<std::string>& required,
                   const std::vector<std::string>& optional, std::string_view what) {
  if (!json.is_object()) return Bad(place, "found ", Found(json), ", expected ", what);
  std::vector<std::string> known = required;
  known.insert(known.end(), optional.begin(), optional.end());
  for (const auto& [name, value] : json.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return Bad(place, "found the member ", Found(name), ", ", Expected(known, name));
    }
  }
  for (const std::string& name : required) {
    if (!json.contains(name)) return Bad(place, "expected a member \"", name, "\"");
  }
  return absl::OkStatus();
}

StatusOr<std::string> TextFromJson(const Json& json, const std::string& place,
                                   std::string_view what) {
  if (!json.is_string()) return Bad(place, "found ", Found(json), ", expected ", what);
  return json.get<std::string>();
}

// One integer or boolean element. A bit pattern may be written signed or unsigned. Errors say what
// was found and expected, but no place.
StatusOr<int64_t> IntegerFromJson(const Json& json, DType dtype, bool is_pattern = false) {
  int64_t least = IntegerMin(dtype), greatest = IntegerMax(dtype);
  if (is_pattern && Info(dtype).bits < 63) {
    least = -(int64_t{1} << (Info(dtype).bits - 1));
    greatest = (int64_t{1} << Info(dtype).bits) - 1;
  }
  if (dtype == DType::kBool && json.is_boolean()) return json.get<bool>() ? 1 : 0;
  const bool beyond = json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{INT64_MAX};
  if (json.is_number_integer() && !beyond) {
    const int64_t value = json.get<int64_t>();
    if (least <= value && value <= greatest) return value;
  }
  if (dtype == DType::kBool) {
    return InvalidArgument("found ", Found(json), ", expected true, false, 1 or 0");
  }
  return InvalidArgument("found ", Found(json), ", expected an integer from ", least, " to ",
                         greatest, " (", Name(dtype), ")");
}

// One floating-point element, rounded to the type. Errors likewise.
StatusOr<double> FloatFromJson(const Json& json, DType dtype) {
  double value = 0;
  bool decimal = false;
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    const char *begin = text.data(), *const end = begin + text.size();
    // A hexadecimal number stops at its x.
    const char* const digits = begin + (text.starts_with('-') ? 1 : 0);
    const bool number = digits != end && (('0' <= *digits && *digits <= '9') || *digits == '.');
    const auto [stop, error] = std::from_chars(begin, end, value);
    decimal = number && stop == end && error != std::errc::invalid_argument;
    // Beyond fp64 at either end: from_chars leaves the value alone, strtod gives zero or infinity.
    if (decimal && error == std::errc::result_out_of_range) {
      value = std::strtod(text.c_str(), nullptr);
      if (std::isinf(value)) {
        return InvalidArgument("found ", Found(json), ", which is beyond the greatest ",
                               Name(dtype));
      }
    }
  }
  if (!decimal) {
    CTS_ASSIGN_OR_RETURN(value, DoubleFromJson(json));
  }
  const double rounded = DecodeFloat(dtype, EncodeFloat(dtype, value));
  if (std::isfinite(value) && !std::isfinite(rounded)) {
    return InvalidArgument("found ", Found(json), ", which is beyond the greatest ", Name(dtype));
  }
  if (std::isinf(value) && !std::isinf(rounded)) {
    return InvalidArgument("found ", Found(json), ", but ", Name(dtype), " has no infinity");
  }
  return rounded;
}

Status SetElement(const Json& json, int64_t i, Tensor& tensor, bool is_pattern = false) {
  if (IsFloat(tensor.dtype())) {
    CTS_ASSIGN_OR_RETURN(const double value, FloatFromJson(json, tensor.dtype()));
    tensor.SetFloat(i, value);
  } else {
    CTS_ASSIGN_OR_RETURN(const int64_t value, IntegerFromJson(json, tensor.dtype(), is_pattern));
    tensor.SetInteger(i, value);
  }
  return absl::OkStatus();
}

StatusOr<DType> DTypeFromJson(const Json& json, const std::string& place) {
  CTS_ASSIGN_OR_RETURN(const std::string name, TextFromJson(json, place, "the name of a type"));
  if (const std::optional<DType> dtype = ParseDType(name)) return *dtype;
  std::vector<std::string> names;
  names.reserve(kDTypes.size());
  for (const DTypeInfo& info : kDTypes) names.emplace_back(info.name);
  return Bad(place, "found ", Found(json), ", ", Expected(names, name));
}

StatusOr<Shape> ShapeFromJson(const Json& json, const std::string& place) {
  if (!json.is_array() || json.size() > kMaxRank) {
    return Bad(place, "found ", Found(json), ", expected a list of at most ", kMaxRank,
               " dimensions");
  }
  Shape shape;
  for (const Json& item : json) {
    const auto size = IntegerFromJson(item, DType::kI64);
    if (!size.ok()) return Annotate(size.status(), StrCat(place, "/", shape.size()));
    shape.push_back(*size);
  }
  return shape;
}

// "i32_t" -> "i32".
std::string WithoutSuffix(std::string_view type) {
  if (type.ends_with("_t")) type.remove_suffix(2);
  return std::string(type);
}

bool IsList(const ArgumentSpec& argument) {
  return argument.type == "tensor_list_t" || argument.type == "shape_list_t";
}

// A tensor of a call. It has no values if its shape has no elements, or more than a call may have.
// The argument tables and conditions may still refuse it.
struct Given {
  DType dtype = DType::kI32;
  Shape shape;
  std::shared_ptr<const Tensor> values;
};

// Turns one call into a graph.
class Reader {
 public:
  Reader(const Edition& edition, const OperatorSpec& spec, const Json& json)
      : edition_(edition),
        spec_(spec),
        arguments_(json.at("arguments")),
        output_types_(json.value("output_types", Json::object())) {}

  // Fills in graph, inputs, withheld.
  Status Read(OperatorCall& call) {
    CTS_RETURN_IF_ERROR(CheckNames());
    CTS_RETURN_IF_ERROR(ReadTensors());
    CTS_RETURN_IF_ERROR(ReadOutputTypes());
    node_.op = spec_.name;
    for (const ArgumentSpec& argument : spec_.arguments) {
      switch (argument.category) {
        case ArgumentCategory::kInput:
          CTS_RETURN_IF_ERROR(AddInputs(argument, call.inputs));
          break;
        case ArgumentCategory::kAttribute:
          CTS_RETURN_IF_ERROR(AddAttribute(argument));
          break;
        case ArgumentCategory::kOutput:
          CTS_RETURN_IF_ERROR(AddOutput(argument));
          break;
      }
    }
    CTS_RETURN_IF_ERROR(SettleOutputs(call));
    Block& block = graph_.main();
    // A graph of 1.0 yields no shapes: EvaluateCall answers for CONST_SHAPE.
    if (spec_.name != "CONST_SHAPE") block.outputs = node_.outputs;
    block.operators.push_back(std::move(node_));
    call.graph = std::move(graph_);
    call.withheld = withheld_;
    return absl::OkStatus();
  }

 private:
  static std::string Place(const ArgumentSpec& argument) {
    return StrCat(argument.category == ArgumentCategory::kOutput ? "/output_types/" : "/arguments/",
                  argument.name);
  }
  // 0.100 writes a scalar attribute as a tensor.
  static const std::string& TypeOf(const ArgumentSpec& attribute) {
    return attribute.type == "tensor_t" ? attribute.element_type : attribute.type;
  }
  // Zero points of RESCALE are bit patterns: those of unsigned tensors, too.
  bool IsPattern(const ArgumentSpec& argument) const {
    return spec_.name == "RESCALE" &&
           (argument.name.ends_with("_zp") || argument.name.ends_with("_qpoint"));
  }
  bool IsConstant() const { return spec_.name == "CONST" || spec_.name == "CONST_SHAPE"; }

  Status CheckNames() const {
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

  // Counts the elements of all inputs together; false if there are too many.
  bool Fits(int64_t count) {
    if (count > kMaxCallElements - elements_) return false;
    elements_ += count;
    return true;
  }

  static Status TooLarge(const std::string& place) {
    return Bad(place, "found more elements than the ", kMaxCallElements, " that a call may have");
  }
  void Withhold(const std::string& place) {
    if (withheld_.ok()) withheld_ = TooLarge(place);
  }

  StatusOr<Given> TensorFromJson(const Json& json, const std::string& place) {
    CTS_RETURN_IF_ERROR(CheckObject(json, place, {"dtype", "shape", "data"}, {},
                                    "a tensor: an object with dtype, shape and data"));
    Given given;
    CTS_ASSIGN_OR_RETURN(given.dtype, DTypeFromJson(json["dtype"], place + "/dtype"));
    CTS_ASSIGN_OR_RETURN(given.shape, ShapeFromJson(json["shape"], place + "/shape"));
    const Json& data = json["data"];
    if (!data.is_null() && !data.is_array()) {
      return Bad(place + "/data", "found ", Found(data), ", expected a list, or null for ones");
    }
    const bool empty_shape = given.dtype == DType::kShape && given.shape == Shape{0};
    const StatusOr<int64_t> count = CheckedElementCount(given.shape);
    const int64_t size = count.ok() ? *count : 0;
    if (!data.is_null() && (count.ok() || empty_shape) &&
        static_cast<int64_t>(data.size()) != size) {
      return Bad(place + "/data", "found ", Found(data), ", expected ", size,
                 " elements for shape ", ToString(given.shape));
    }
    if (!count.ok() && !empty_shape) {
      if (given.dtype == DType::kShape || (data.is_array() && !data.empty())) {
        return Bad(place, Message(count.status()));
      }
      Withhold(place);
      return given;
    }
    if (!Fits(size)) {
      Withhold(place);
      return given;
    }
    Tensor values(given.dtype, given.shape);
    for (int64_t i = 0; i < size; ++i) {
      if (data.is_array()) {
        const Status set = SetElement(data[static_cast<size_t>(i)], i, values);
        if (!set.ok()) return Annotate(set, StrCat(place, "/data/", i));
      } else if (IsFloat(given.dtype)) {
        values.SetFloat(i, 1);
      } else {
        values.SetInteger(i, 1);
      }
    }
    given.values = std::make_shared<const Tensor>(std::move(values));
    return given;
  }

  // The operands that state their type. The types of the others follow from these.
  Status ReadTensors() {
    for (const ArgumentSpec& argument : spec_.arguments) {
      const std::string place = Place(argument);
      if (argument.category != ArgumentCategory::kInput) continue;
      const Json& json = arguments_[argument.name];
      std::vector<Given>& given = given_[argument.name];
      if (IsList(argument)) {
        if (!json.is_array()) {
          return Bad(place, "found ", Found(json), ", expected a list of tensors");
        }
        for (const Json& item : json) {
          CTS_ASSIGN_OR_RETURN(Given tensor,
                               TensorFromJson(item, StrCat(place, "/", given.size())));
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

  Status ReadOutputTypes() {
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

  // The type of an element type such as "in_t": fixed, another operand's, or the only one left in
  // the table of supported types.
  std::optional<DType> Resolve(const std::string& variable) const {
    if (const std::optional<DType> fixed = ParseDType(WithoutSuffix(variable))) return fixed;
    if (const auto found = types_.find(variable); found != types_.end()) return found->second;
    if (variable == "mul_t") {  // RESCALE's multiplier, of which the rows say nothing
      const auto scale32 = arguments_.find("scale32");
      const bool wide = scale32 != arguments_.end() && scale32->is_boolean() && *scale32;
      return wide ? DType::kI32 : DType::kI16;
    }
    std::set<DType> candidates;
    for (const TypeRow& row : spec_.type_rows) {
      const bool fits = std::all_of(types_.begin(), types_.end(), [&](const auto& known) {
        const std::optional<DType> type = row.Type(known.first);
        return !type.has_value() || *type == known.second;
      });
      const std::optional<DType> type = row.Type(variable);
      if (fits && type.has_value()) candidates.insert(*type);
    }
    if (candidates.size() == 1) return *candidates.begin();
    return std::nullopt;
  }

  // A plain value where the edition has an input: a constant tensor.
  StatusOr<Given> ConstantFromJson(const ArgumentSpec& argument, const Json& json) {
    const std::string place = Place(argument);
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
      const Status set = SetElement(json.is_array() ? json[static_cast<size_t>(i)] : json, i,
                                    values, IsPattern(argument));
      if (!set.ok()) return Annotate(set, json.is_array() ? StrCat(place, "/", i) : place);
    }
    given.values = std::make_shared<const Tensor>(std::move(values));
    return given;
  }

  Status AddInputs(const ArgumentSpec& argument, std::map<std::string, Tensor>& inputs) {
    std::vector<Given>& given = given_[argument.name];
    if (given.empty() && !IsList(argument)) {
      CTS_ASSIGN_OR_RETURN(Given constant, ConstantFromJson(argument, arguments_[argument.name]));
      given.push_back(std::move(constant));
    }
    Block& block = graph_.main();
    for (size_t k = 0; k < given.size(); ++k) {
      const std::string name = IsList(argument) ? StrCat(argument.name, "_", k) : argument.name;
      node_.inputs.push_back(name);
      block.tensors.push_back({name, given[k].dtype, given[k].shape});
      // A graph of 1.0 takes no shapes.
      if (given[k].dtype == DType::kShape && given[k].values != nullptr) {
        block.tensors.back().values = given[k].values;
        block.operators.push_back({.op = "CONST_SHAPE", .inputs = {}, .outputs = {name}});
        continue;
      }
      block.inputs.push_back(name);
      if (given[k].values != nullptr) inputs.emplace(name, *given[k].values);
    }
    return absl::OkStatus();
  }

  Status AddAttribute(const ArgumentSpec& argument) {
    if (IsConstant()) return absl::OkStatus();  // AddOutput's business
    const auto found = arguments_.find(argument.name);
    if (found == arguments_.end()) return absl::OkStatus();  // optional
    const std::string place = Place(argument);
    if (found->is_object()) {
      CTS_ASSIGN_OR_RETURN(const Json plain, PlainFromTensor(argument, *found, place));
      return SetAttribute(argument, plain, place);
    }
    return SetAttribute(argument, *found, place);
  }

  // A tensor where this edition has an attribute and another an input.
  StatusOr<Json> PlainFromTensor(const ArgumentSpec& argument, const Json& json,
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
      plain.push_back(IsFloat(given.dtype)          ? Json(FormatHex(given.values->Float(i)))
                      : given.dtype == DType::kBool ? Json(given.values->Integer(i) != 0)
                                                    : Json(given.values->Integer(i)));
    }
    return plain;
  }

  Status SetAttribute(const ArgumentSpec& argument, const Json& json, const std::string& place) {
    const std::string& variable = TypeOf(argument);
    AttributeValue& value = node_.attributes[argument.name];
    if (const EnumSpec* enumeration = edition_.FindEnum(variable)) {
      CTS_ASSIGN_OR_RETURN(value, TextFromJson(json, place, "the name of a value of " + variable));
      std::vector<std::string> names;
      for (const EnumValue& known : enumeration->values) names.push_back(known.name);
      const auto& name = std::get<std::string>(value);
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        return Bad(place, "found ", Found(json), ", ", Expected(names, name));
      }
      return absl::OkStatus();
    }
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
      value = std::move(list);
      return absl::OkStatus();
    }
    const Json& scalar = json.is_array() && json.size() == 1 ? json[0] : json;
    if (IsFloat(dtype)) {
      const StatusOr<double> number = FloatFromJson(scalar, dtype);
      if (!number.ok()) return Annotate(number.status(), place);
      value = *number;
    } else {
      const StatusOr<int64_t> number = IntegerFromJson(scalar, dtype, IsPattern(argument));
      if (!number.ok()) return Annotate(number.status(), place);
      if (dtype == DType::kBool) {
        value = *number != 0;
      } else {
        value = *number;
      }
    }
    return absl::OkStatus();
  }

  Status AddOutput(const ArgumentSpec& argument) {
    const std::string place = Place(argument);
    GraphTensor tensor{.name = argument.name};
    std::optional<DType> dtype;
    std::optional<Shape> shape;
    if (const auto found = output_types_.find(argument.name); found != output_types_.end()) {
      if (found->contains("dtype")) {
        CTS_ASSIGN_OR_RETURN(dtype, DTypeFromJson((*found)["dtype"], place + "/dtype"));
      }
      if (found->contains("shape")) {
        CTS_ASSIGN_OR_RETURN(shape, ShapeFromJson((*found)["shape"], place + "/shape"));
      }
    }
    if (IsConstant()) {
      CTS_RETURN_IF_ERROR(AddConstant(argument, dtype, shape, tensor));
    } else {
      if (!dtype && argument.type == "shape_t") dtype = DType::kShape;
      if (!dtype) dtype = Resolve(argument.element_type);
      if (!dtype) {
        return Bad("/output_types", "expected a member \"", argument.name,
                   "\" with the dtype of that output: more than one goes with these inputs");
      }
      tensor.dtype = *dtype;
      if (shape) {
        tensor.shape = *std::move(shape);
      } else {
        unknown_.insert(argument.name);
      }
    }
    node_.outputs.push_back(tensor.name);
    graph_.main().tensors.push_back(std::move(tensor));
    return absl::OkStatus();
  }

  // Takes a shape's elements from those that are left; false if too few are left. The argument
  // tables refuse what is no shape at all.
  static bool Take(const Shape& shape, int64_t& left) {
    if (std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 1; })) return true;
    const StatusOr<int64_t> count = CheckedElementCount(shape);
    if (!count.ok() || *count > left) return false;
    left -= *count;
    return true;
  }

  // Outputs get the shapes that the call leaves open. One that is too large may pass if another
  // shape follows from the inputs: then the conditions refuse it before anything is computed.
  Status SettleOutputs(OperatorCall& call) {
    Block& block = graph_.main();
    int64_t left = kMaxCallElements - elements_;
    const bool settled =
        std::all_of(node_.outputs.begin(), node_.outputs.end(), [&](const std::string& name) {
          return !unknown_.contains(name) && Take(block.Find(name)->shape, left);
        });
    if (IsConstant() || settled) return absl::OkStatus();
    std::map<std::string, std::shared_ptr<const Tensor>> values;
    for (const GraphTensor& tensor : block.tensors) {
      if (tensor.values != nullptr) values[tensor.name] = tensor.values;
    }
    for (const auto& [name, value] : call.inputs) {
      if (value.dtype() == DType::kShape) values[name] = std::make_shared<const Tensor>(value);
    }
    left = kMaxCallElements - elements_;
    const auto shapes = InferShapes(node_, block, values, edition_, *call.level);
    for (GraphTensor& tensor : block.tensors) {
      const auto output = std::find(node_.outputs.begin(), node_.outputs.end(), tensor.name);
      if (output == node_.outputs.end()) continue;
      if (unknown_.contains(tensor.name)) {
        if (!shapes.ok()) {
          call.undetermined = Bad("/output_types", "expected a member \"", tensor.name,
                                  "\" with the shape of that output: ", Message(shapes.status()));
          tensor.shape = block.tensors.front().shape;
          continue;
        }
        tensor.shape = shapes->at(tensor.name);
      }
      if (!Take(shapes.ok() ? shapes->at(tensor.name) : tensor.shape, left)) {
        return withheld_.ok() ? TooLarge("/output_types/" + tensor.name) : withheld_;
      }
    }
    return absl::OkStatus();
  }

  Status AddConstant(const ArgumentSpec& argument, std::optional<DType> dtype,
                     const std::optional<Shape>& shape, GraphTensor& tensor) {
    Given given;
    if (spec_.name == "CONST") {
      given = given_["values"][0];
    } else if (arguments_["values"].is_object()) {
      CTS_ASSIGN_OR_RETURN(given, TensorFromJson(arguments_["values"], "/arguments/values"));
    } else {
      CTS_ASSIGN_OR_RETURN(given,
                           ConstantFromJson(*spec_.FindArgument("values"), arguments_["values"]));
    }
    if (given.values == nullptr) {
      return Bad("/arguments/values", "found shape ", ToString(given.shape),
                 ", expected dimensions of at least 1 and at most ", kMaxCallElements, " elements");
    }
    if (dtype.value_or(given.dtype) != given.dtype || shape.value_or(given.shape) != given.shape) {
      return Bad(Place(argument), "found ", Name(dtype.value_or(given.dtype)),
                 ToString(shape.value_or(given.shape)), ", expected ", Name(given.dtype),
                 ToString(given.shape), " as in /arguments/values");
    }
    tensor.dtype = given.dtype;
    tensor.shape = given.shape;
    tensor.values = given.values;
    return absl::OkStatus();
  }

  const Edition& edition_;
  const OperatorSpec& spec_;
  const Json& arguments_;
  const Json output_types_;
  Graph graph_ = EmptyGraph();
  GraphOperator node_;
  std::map<std::string, std::vector<Given>> given_;  // tensors, by input
  std::map<std::string, DType> types_;               // by element type: "in_t" -> i8
  std::set<std::string> unknown_;                    // outputs without a shape
  int64_t elements_ = 0;
  Status withheld_;
};

Status CheckOperator(const Edition& edition, const std::string& name) {
  const std::string place = "/operator";
  const OperatorSpec* spec = edition.FindOperator(name);
  if (spec == nullptr) {
    std::vector<std::string> names;
    for (const OperatorSpec& known : edition.operators) names.push_back(known.name);
    std::string upper = name;
    for (char& c : upper) c = 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    const std::string with = EditionsWith(upper);
    return Bad(place, "found ", Found(name), ", of which ", edition.id, " knows nothing",
               with.empty() ? "" : StrCat(", an operator of ", with), "; ", Expected(names, upper));
  }
  if (spec->group == "control-flow" || spec->group == "variable" || spec->group == "custom") {
    return Bad(place, name, " makes sense within a graph only; use tensor-cts eval --graph");
  }
  if (OperatorFor(*spec) == nullptr) {
    return Bad(place, "the reference does not have ", name, " yet");
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<OperatorCall> OperatorCallFromJson(const Json& json, const CallDefaults& defaults) {
  CTS_RETURN_IF_ERROR(CheckObject(json, "", {"operator", "arguments"},
                                  {"id", "edition", "level", "data_set", "output_types"},
                                  "an object: an operator call"));
  const auto text = [&](const char* member, const std::string& fallback) -> StatusOr<std::string> {
    if (!json.contains(member)) return fallback;
    return TextFromJson(json[member], StrCat("/", member), "a name");
  };
  OperatorCall call;
  CTS_ASSIGN_OR_RETURN(const std::string edition_id, text("edition", defaults.edition));
  const StatusOr<const Edition*> edition = FindEdition(edition_id);
  if (!edition.ok() || !(*edition)->Has(Feature::kExecuted)) {
    std::vector<std::string> known;
    for (const std::string& id : EditionIds()) {
      CTS_ASSIGN_OR_RETURN(const Edition* each, FindEdition(id));
      if (each->Has(Feature::kExecuted)) known.push_back(id);
    }
    return Bad("/edition", "found ", Found(edition_id), ", ", Expected(known, edition_id));
  }
  call.edition = *edition;
  CTS_ASSIGN_OR_RETURN(const std::string level, text("level", defaults.level));
  call.level = call.edition->FindLevel(level);
  if (call.level == nullptr) {
    std::vector<std::string> known;
    for (const Level& each : call.edition->levels) known.push_back(each.name);
    return Bad("/level", "found ", Found(level), ", ", Expected(known, level));
  }
  if (json.contains("data_set")) {
    const Json& set = json["data_set"];
    if (!set.is_number_integer() || set < 0 || set > 5) {
      return Bad("/data_set", "found ", Found(set),
                 ", expected the number of a data set of appendix A, 0 to 5");
    }
    call.data_set = set.get<int>();
  }
  CTS_ASSIGN_OR_RETURN(const std::string op,
                       TextFromJson(json["operator"], "/operator", "the name of an operator"));
  CTS_RETURN_IF_ERROR(CheckOperator(*call.edition, op));
  CTS_RETURN_IF_ERROR(Reader(*call.edition, *call.edition->FindOperator(op), json).Read(call));
  return call;
}

namespace {

bool IsAboutOutputShape(const Violation& violation) {
  return violation.condition == "graph.shape" ||
         violation.condition.find(".output_") != std::string::npos;
}

// The findings that two guesses of the outputs' shapes have in common. Those about these shapes
// count only if there are no others.
StatusOr<Evaluation> EvaluateUndetermined(const OperatorCall& call) {
  Graph other = call.graph;
  const GraphOperator& node = other.main().operators.back();
  for (GraphTensor& tensor : other.main().tensors) {
    if (std::find(node.outputs.begin(), node.outputs.end(), tensor.name) == node.outputs.end()) {
      continue;
    }
    for (int64_t& size : tensor.shape) ++size;
  }
  const auto first = Evaluate(call.graph, call.inputs, *call.edition, *call.level, call.data_set);
  const auto second = Evaluate(other, call.inputs, *call.edition, *call.level, call.data_set);
  if (!first.ok() || !second.ok()) return call.undetermined;
  Evaluation common;
  for (const Violation& violation : first->violations) {
    const auto& others = second->violations;
    if (std::any_of(others.begin(), others.end(),
                    [&](const Violation& each) { return each.condition == violation.condition; })) {
      common.violations.push_back(violation);
    }
  }
  if (!std::all_of(common.violations.begin(), common.violations.end(), IsAboutOutputShape)) {
    std::erase_if(common.violations, IsAboutOutputShape);
  }
  if (common.violations.empty()) return call.undetermined;
  common.outcome = Outcome::kError;
  for (const Violation& violation : common.violations) {
    const Condition* condition = FindCondition(violation.condition, *call.edition);
    if (condition == nullptr || condition->kind != ConditionKind::kErrorIf) {
      common.outcome = Outcome::kUnpredictable;
    }
  }
  return common;
}

}  // namespace

StatusOr<Evaluation> EvaluateCall(const OperatorCall& call) {
  if (!call.undetermined.ok()) return EvaluateUndetermined(call);
  StatusOr<Evaluation> evaluated =
      Evaluate(call.graph, call.inputs, *call.edition, *call.level, call.data_set);
  if (!evaluated.ok()) return call.withheld.ok() ? evaluated.status() : call.withheld;
  Evaluation evaluation = *std::move(evaluated);
  const Block& block = call.graph.main();
  const GraphOperator& node = block.operators.back();
  if (node.op == "CONST_SHAPE" && evaluation.outcome == Outcome::kValid) {
    const GraphTensor& tensor = *block.Find(node.outputs[0]);
    const Rule rule{.form = call.edition->precision->form(),
                    .clause = StrCat(call.edition->id, ", CONST_SHAPE: exact")};
    evaluation.outputs.push_back(
        {tensor.name, tensor.dtype, tensor.shape, rule, {{.expected = *tensor.values}}});
  }
  return evaluation;
}

Json TensorToJson(const Tensor& tensor, DType dtype) {
  Json data = Json::array();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (IsFloat(tensor.dtype())) {
      data.push_back(FormatHex(tensor.Float(i)));
    } else if (tensor.dtype() == DType::kBool) {
      data.push_back(tensor.Integer(i) != 0);
    } else {
      data.push_back(tensor.Integer(i));
    }
  }
  return {{"dtype", Name(dtype)}, {"shape", tensor.shape()}, {"data", std::move(data)}};
}

Json EvaluationToJson(const Evaluation& evaluation, const Edition& edition) {
  Json conditions = Json::array(), violations = Json::array();
  for (const Violation& violation : evaluation.violations) {
    if (std::find(conditions.begin(), conditions.end(), violation.condition) == conditions.end()) {
      conditions.push_back(violation.condition);
    }
    const Condition* condition = FindCondition(violation.condition, edition);
    violations.push_back(
        {{"condition", violation.condition},
         {"kind", condition != nullptr ? Name(condition->kind) : ""},
         {"paraphrase", condition != nullptr ? Paraphrase(edition, *condition) : ""},
         {"place", violation.op},
         {"message", violation.message}});
  }
  Json outputs = Json::object(), flushed = Json::object(), rules = Json::object();
  for (const ExpectedOutput& output : evaluation.outputs) {
    Json rule = RuleToJson(output.rule);
    for (const Answer& answer : output.answers) {
      const std::string prefix = answer.flushed ? "flushed_" : "";
      (answer.flushed ? flushed : outputs)[ResultName(output)] =
          TensorToJson(answer.expected, output.dtype);
      if (answer.bound) rule[prefix + "bound"] = TensorToJson(*answer.bound, DType::kFp64);
      if (answer.upper) rule[prefix + "upper"] = TensorToJson(*answer.upper, output.dtype);
    }
    rules[ResultName(output)] = std::move(rule);
  }
  Json json = {{"outcome", Name(evaluation.outcome)}, {"conditions", std::move(conditions)},
               {"violations", std::move(violations)}, {"outputs", std::move(outputs)},
               {"flushed", std::move(flushed)},       {"rules", std::move(rules)}};
  if (!evaluation.message.empty()) json["message"] = evaluation.message;
  return json;
}

CallAnswer AnswerCall(std::string_view line, const CallDefaults& defaults,
                      const std::string& place) {
  const StatusOr<Json> json = ParseJson(line, "not JSON");
  if (!json.ok()) return MalformedCall(place + Message(json.status()));
  const Json id = json->is_object() && json->contains("id") ? (*json)["id"] : Json(nullptr);
  const StatusOr<OperatorCall> call = OperatorCallFromJson(*json, defaults);
  if (!call.ok()) return MalformedCall(place + Message(call.status()), id);
  const StatusOr<Evaluation> evaluation = EvaluateCall(*call);
  if (!evaluation.ok()) return MalformedCall(place + Message(evaluation.status()), id);
  Json answer = EvaluationToJson(*evaluation, *call->edition);
  answer["id"] = id;
  return {answer.dump(), false};
}

CallAnswer MalformedCall(const std::string& reason, const Json& id) {
  const Json answer = {{"id", id}, {"malformed", reason}};
  // A line that is not JSON may not be UTF-8 either.
  return {answer.dump(-1, ' ', false, Json::error_handler_t::replace), true};
}

}  // namespace cts
