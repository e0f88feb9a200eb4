// Parses, validates and writes JSON. No exception of nlohmann::json leaves these functions.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

// Parses a text. Errors name `origin` (a path), the line, the column and the fault found there.
// Also refuses nesting beyond 100 levels, a member that occurs twice, a member name of more than
// kMaxMatchedBytes bytes (schema.h), and an integer beyond 64 bits.
StatusOr<Json> ParseJson(std::string_view text, std::string_view origin);

// Validates `json` against an embedded schema ("case", "suite", "result", ...), or against the part
// of a schema for one member ("case/graph"). Errors name `origin`, the JSON pointer of each wrong
// value (at most three), and the value that the schema expects there.
Status ValidateJson(const Json& json, std::string_view schema, std::string_view origin);

// Reads, parses and validates a file. If `schema` is empty, does not validate the file.
StatusOr<Json> LoadJson(const std::filesystem::path& path, std::string_view schema,
                        uint64_t max_bytes = 512 << 20);

// JSON text with an indentation of two spaces and a final newline. A finite double is the shortest
// text that reads back as the same double. For a double that is not finite, FormatJson writes the
// result of DoubleToJson. Control characters and invisible characters are escaped.
std::string FormatJson(const Json& json);
// JSON text on one line, without a newline. Unlike in FormatJson, a double may have more digits
// than necessary, and is null if it is not finite.
std::string FormatJsonLine(const Json& json);

// Writes the text of FormatJson to a file with WriteFile.
Status SaveJson(const std::filesystem::path& path, const Json& json);

// DoubleToJson returns a number, or the text "nan", "inf" or "-inf". DoubleFromJson reads these
// values, and also hexadecimal text such as "0x1.8p3". Any other value, or an integer that is not
// exact in fp64, is an error.
Json DoubleToJson(double value);
StatusOr<double> DoubleFromJson(const Json& json);

// Returns the exact value in hexadecimal, in the form that C's strtod and Python's float.fromhex
// read: "0x1.8p+3", "-0x0p+0", "nan", "inf", "-inf".
std::string FormatHex(double value);

}  // namespace cts
