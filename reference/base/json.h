// Parses, validates and writes JSON. No exception of nlohmann::json leaves these functions.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

// Parses a text. Errors name `origin` (a path), the line, the column and what was found there.
// Refuses nesting beyond 100 levels and duplicate members.
StatusOr<Json> ParseJson(std::string_view text, std::string_view origin);

// Validates `json` against an embedded schema ("case", "suite", "result", ...), or against the part
// of a schema for one member ("case/graph"). Errors name `origin`, the JSON pointer of the wrong
// value, and what the schema expects there.
Status ValidateJson(const Json& json, std::string_view schema, std::string_view origin);

// Reads a file, parses it and validates it. If `schema` is empty, nothing is validated.
StatusOr<Json> LoadJson(const std::filesystem::path& path, std::string_view schema,
                        uint64_t max_bytes = 512 << 20);

// JSON text with an indentation of two spaces and a final newline. A number is the shortest text
// that reads back equal. Control characters and invisible characters are escaped.
std::string FormatJson(const Json& json);
// JSON text on one line, without a newline. A double may have more digits than in FormatJson, and
// is null if it is not finite.
std::string FormatJsonLine(const Json& json);

// Writes the text of FormatJson by WriteFile.
Status SaveJson(const std::filesystem::path& path, const Json& json);

// A double as JSON is a number, "nan", "inf" or "-inf". DoubleFromJson also reads hexadecimal text
// such as "0x1.8p3".
Json DoubleToJson(double value);
StatusOr<double> DoubleFromJson(const Json& json);

// The exact value in hexadecimal, in the form that C's strtod and Python's float.fromhex read:
// "0x1.8p+3", "-0x0p+0", "nan", "inf", "-inf".
std::string FormatHex(double value);

}  // namespace cts
