// Symbolic programs as static ones.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/case.h"

namespace cts {

// SYMBOL=VALUE, each symbol once.
StatusOr<Binding> ParseBinding(const std::vector<std::string>& arguments);

// The execution of a symbolic case under a binding, as a static case of its own. It has the static
// graph, and the inputs and the answers of that execution; the static graph is checked against
// them. If the static graph of an error case is an error, too, it must be by the same condition.
// Errors: the case has no such binding (the error names what is missing or wrong), or the binding
// breaks a condition before there is a static graph (the error names the condition).
StatusOr<Case> ResolveCase(const Case& c, const Binding& binding);

// The static graph alone, as JSON. Any binding will do, as long as no dimension depends on data.
StatusOr<std::string> ResolveGraph(const Case& c, const Binding& binding);

// The files of a case in a new folder.
Status WriteCase(const Case& c, const std::filesystem::path& directory);

}  // namespace cts
