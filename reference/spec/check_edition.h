// Checks an edition that has been read from a file. The program relies on the checked properties.
// Tests check these properties for the embedded editions.
//
// An error begins with the JSON pointer of the wrong value. The caller adds the name of the
// edition's file.
#pragma once

#include <string>

#include "reference/base/status.h"
#include "reference/spec/edition.h"

namespace cts {

// Checks everything except the table of precision. An operator without a definition needs a text
// (code in the program). At least one of ExecutedEditions() must have an operator with the same
// text and the same arguments. Each type row must also be a row of such an operator.
Status CheckEdition(const Edition& edition);

// Compares every step of an operator's definition with the argument tables of the definition's
// edition, and checks the domain of the operator's cases. `place` is the operator's JSON pointer.
Status CheckDefinition(const OperatorSpec& spec, const Edition& edition, const std::string& place);

// Checks the table of precision: each result has one row, and the program can compute each row's
// bound. An error names `file`, the file of the table.
Status CheckPrecision(const Edition& edition, const std::string& file);

// Makes an error about the value at a JSON pointer.
template <class... What>
Status WrongAt(const std::string& place, const What&... what) {
  return InvalidArgument(place, ": ", what...);
}

// Joins the names of things: "a, b, c".
template <class Named>
std::string NamesOf(const Named& things) {
  std::string names;
  for (const auto& thing : things) names += (names.empty() ? "" : ", ") + thing.name;
  return names;
}

// The possible values of an attribute in words: "one of PROPAGATE, IGNORE", "true or false".
std::string ValuesOf(const ArgumentSpec& attribute, const Edition& edition);
bool IsValueOf(const DescribedValue& value, const ArgumentSpec& attribute, const Edition& edition);
std::string TextOf(const DescribedValue& value);

// The type of an argument in a row; nullopt if the argument may have any type.
std::optional<DType> TypeIn(const TypeRow& row, const ArgumentSpec& argument);

// Whether an argument is a shape or a list of shapes.
bool IsShapeArgument(const ArgumentSpec& argument);

// "bool, i4, i8, ...": the types that tensors can have.
std::string TypesOfTensors();

// The embedded editions that the program executes.
std::vector<const Edition*> ExecutedEditions();

}  // namespace cts
