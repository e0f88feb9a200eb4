// `tensor-cts list`: prints the facts of an edition as JSON, or as tables for people.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/bundle/suite.h"
#include "reference/spec/edition.h"

namespace cts {

// One object for each operator: operator, group, arguments (as in the edition's file), type_rows
// (their number).
Json ListOperators(const Edition& edition);

// One object for each operator and type row: operator, mode, types, bindings (of the variables that
// `types` leaves open, if there are any), profiles (alternatives; each is a list of names that are
// needed together).
Json ListTypes(const Edition& edition);

// One object for each level: level, maxima.
Json ListLevels(const Edition& edition);

// One object for each profile and extension: profile, kind, status, numbers
// (floats or integers), extends, includes.
Json ListProfiles(const Edition& edition);

// One object for each value of an enumeration: enumeration, value, number, needs (an extension, if
// it needs one).
Json ListEnumerations(const Edition& edition);

// One object for each named choice: choice, about, options, clause.
Json ListChoices(const Edition& edition);

// One object for each known edition: edition, version, operators (their number), follows, certify
// (the recipe whose cases a claim must pass).
StatusOr<Json> ListEditions();

// One object for each case: id, operator, outcome, conditions.
Json ListCases(const Suite& suite);

// One object for each feature that the edition has: feature, sentence (its meaning).
Json ListFeatures(const Edition& edition);

// One object for each fault: id, operator, source, sentence, clause, report (if there is one),
// types. `types` has the modes of the type rows that the fault touches; it is empty if the fault
// does not depend on types.
Json ListFaults(const Edition& edition);

inline constexpr size_t kAnyWidth = std::numeric_limits<size_t>::max();

// Tables for people, made from the rows that the functions above return. If possible, lines have at
// most `width` columns.
std::string FormatOperators(const Json& rows, size_t width = kAnyWidth);
std::string FormatTypes(const Json& rows, size_t width = kAnyWidth);
std::string FormatLevels(const Json& rows, size_t width = kAnyWidth);
std::string FormatFeatures(const Json& rows, size_t width = kAnyWidth);
std::string FormatFaults(const Json& rows, size_t width = kAnyWidth);
std::string FormatCases(const Json& rows);  // one id per line

// Returns a table with aligned columns under a line of headings. `columns` names members of the
// rows, which are objects; a column without a value in any row is left out. If a line would be
// wider than `width`, the text of its last column continues on further lines. A list is written as
// "a, b", a list within a list as "a+b", an object as "name=value, name=value". Numbers are flush
// right; nothing is cut off.
std::string FormatTable(const Json& rows, const std::vector<std::string>& columns,
                        size_t width = kAnyWidth);

}  // namespace cts
