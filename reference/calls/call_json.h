// Reads values from the JSON of a call. Errors say which value was found and which value was
// expected.
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

// Describes a JSON value in a message, shortened if necessary.
std::string Found(const Json& json);
// Returns "expected one of A, B" with all names in `known`. If `known` has many names, returns "did
// you mean A or B?" with the names nearest to `name`.
std::string Expected(const std::vector<std::string>& known, std::string_view name);

// --- Reading a value. Errors name the place of the value.

// Returns an error unless `json` is an object that has all `required` members, and all its other
// members are in `optional`. If `json` is not an object, the error says that `what` was expected.
Status CheckObject(const Json& json, const std::string& place,
                   const std::vector<std::string>& required,
                   const std::vector<std::string>& optional, std::string_view what);
StatusOr<std::string> TextFromJson(const Json& json, const std::string& place,
                                   std::string_view what);
StatusOr<DType> DTypeFromJson(const Json& json, const std::string& place);
StatusOr<Shape> ShapeFromJson(const Json& json, const std::string& place);

// --- Reading elements. Errors do not name the place.

// Reads one integer or boolean. If `is_pattern`, the integer is a bit pattern, which may be written
// as a signed or an unsigned number.
StatusOr<int64_t> IntegerFromJson(const Json& json, DType dtype, bool is_pattern = false);
// Reads one floating-point number, and rounds it to the type. An error if a finite number becomes
// infinite, or if the number is infinite and the type has no infinity.
StatusOr<double> FloatFromJson(const Json& json, DType dtype);
Status SetElement(const Json& json, int64_t i, Tensor& tensor, bool is_pattern = false);

}  // namespace cts::calls
