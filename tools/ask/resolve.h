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

// The execution of a symbolic case under a binding, as a static case of its own: the static graph,
// the inputs and the answers of that execution, which the static graph is held against. Of an error
// case whose static graph is an error, too, by the same condition. An error that names what is
// missing or wrong where the binding is none of the case's, and the condition where it breaks one
// before there is a static graph.
StatusOr<Case> ResolveCase(const Case& c, const Binding& binding);

// The static graph alone, as JSON; under any binding, as long as no dimension depends on data.
StatusOr<std::string> ResolveGraph(const Case& c, const Binding& binding);

// The files of a case in a new folder.
Status WriteCase(const Case& c, const std::filesystem::path& directory);

}  // namespace cts
