#include "reference/calls/call_json.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "reference/base/contains.h"
#include "reference/base/float_format.h"
#include "reference/base/nearest.h"

namespace cts::calls {
namespace {

constexpr size_t kMaxRank = 64;  // of a shape that is read at all; the levels allow up to 32
constexpr size_t kMaxShown = 60;

std::string Joined(const std::vector<std::string>& names, std::string_view last = ", ") {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

std::string Found(const Json& json) {
  if (json.is_object()) return json.contains("dtype") ? "a tensor" : "an object";
  if (json.is_array()) return StrCat("a list of ", json.size());
  std::string text = json.dump(-1, ' ', true);
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "...";
  return text;
}

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
    if (!Contains(known, name)) {
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

StatusOr<int64_t> IntegerFromJson(const Json& json, DType dtype, bool is_pattern) {
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

Status SetElement(const Json& json, int64_t i, Tensor& tensor, bool is_pattern) {
  if (IsFloat(tensor.dtype())) {
    CTS_ASSIGN_OR_RETURN(const double value, FloatFromJson(json, tensor.dtype()));
    tensor.SetValue(i, value);
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

}  // namespace cts::calls
