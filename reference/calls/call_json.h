// Reads values from the JSON of a call. Errors say what was found and what was expected.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/json.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"

namespace cts::calls {

// --- Messages.

// `place` is a JSON pointer.
template <class... Args>
Status Bad(const std::string& place, const Args&... args) {
  return InvalidArgument(place.empty() ? "/" : place, ": ", args...);
}

// A JSON value as text, shortened for a message.
std::string Found(const Json& json);
// Returns "expected one of A, B"; if there are many names, "did you mean A or B?" with the nearest
// ones.
std::string Expected(const std::vector<std::string>& known, std::string_view name);

// --- Reading a value. Errors name its place.

// An error unless the object has all required members, and no others except optional ones.
Status CheckObject(const Json& json, const std::string& place,
                   const std::vector<std::string>& required,
                   const std::vector<std::string>& optional, std::string_view what);
StatusOr<std::string> TextFromJson(const Json& json, const std::string& place,
                                   std::string_view what);
StatusOr<DType> DTypeFromJson(const Json& json, const std::string& place);
StatusOr<Shape> ShapeFromJson(const Json& json, const std::string& place);

// --- Reading elements. Errors do not name the place.

// One integer or boolean. If `is_pattern`, an integer may be written signed or unsigned.
StatusOr<int64_t> IntegerFromJson(const Json& json, DType dtype, bool is_pattern = false);
// One floating-point number, rounded to the type.
StatusOr<double> FloatFromJson(const Json& json, DType dtype);
Status SetElement(const Json& json, int64_t i, Tensor& tensor, bool is_pattern = false);

}  // namespace cts::calls
