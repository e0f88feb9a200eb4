// Turns symbolic programs, whose shapes contain symbols, into static programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/case.h"

namespace cts {

// Parses arguments of the form SYMBOL=VALUE. Each symbol may occur once.
StatusOr<Binding> ParseBinding(const std::vector<std::string>& arguments);

// Makes a static case from one execution of a symbolic case: the execution with this binding. The
// static case has the static graph, and the inputs and answers of that execution. The function
// checks that the static graph gives these answers. The static graph of an error case must break
// the same condition as the case. Errors: the case has no such binding (the error names the missing
// or wrong symbols), or the binding breaks a condition before there is a static graph (the error
// names the condition).
StatusOr<Case> ResolveCase(const Case& c, const Binding& binding);

// Returns the static graph alone, as JSON. If a dimension depends on data, the case must have
// inputs for the binding. If no dimension depends on data, any binding works.
StatusOr<std::string> ResolveGraph(const Case& c, const Binding& binding);

// Writes the files of a case into a new folder.
Status WriteCase(const Case& c, const std::filesystem::path& directory);

}  // namespace cts
