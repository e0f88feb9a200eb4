// JSON: the one place that loads files, and the only place with exceptions (besides main).
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

// Parses a text. Errors name `origin` (a path), line, column and what was found. Nesting is limited
// to 100 levels, duplicate members are refused.
StatusOr<Json> ParseJson(std::string_view text, std::string_view origin);

// Validates against one of the embedded schemas ("case", "suite", "result", ...), or its part about
// a member ("case/graph"). Errors name `origin`, the JSON pointer and what the schema expects
// there.
Status ValidateJson(const Json& json, std::string_view schema, std::string_view origin);

// Reads, parses and validates. An empty schema validates nothing.
StatusOr<Json> LoadJson(const std::filesystem::path& path, std::string_view schema,
                        uint64_t max_bytes = 512 << 20);

// Two-space indentation and a final newline; numbers as the shortest text that reads back equal.
// Characters that a terminal would obey, and invisible ones, are escaped.
std::string FormatJson(const Json& json);
// The same on one line, without a newline.
std::string FormatJsonLine(const Json& json);

// FormatJson through WriteFile.
Status SaveJson(const std::filesystem::path& path, const Json& json);

// A double as JSON: a number, or "nan", "inf", "-inf"; and back ("0x1.8p3" also reads).
Json DoubleToJson(double value);
StatusOr<double> DoubleFromJson(const Json& json);

// Hexadecimal, with every bit, as C's strtod and Python's float.fromhex read it: "0x1.8p+3",
// "-0x0p+0", "nan", "inf", "-inf".
std::string FormatHex(double value);

}  // namespace cts
