// The name that an implementation gives itself, and whether it can be called so.
#pragma once

#include <optional>
#include <string>

#include "checker/run_record.h"
#include "reference/base/status.h"
#include "tools/run/protocol.h"
#include "tools/run/run_options.h"

namespace cts {

// Refuses a name or a version that nobody can tell from another by eye (checker/names.h) and, where
// something is claimed, one that is not what the claim says; compared in their normal form. A run
// takes an implementation that does not say its name or its version; a claim does not. `place` is
// where they stand, up to the member: "results/run.json: /implementation/".
Status CheckAnnouncedName(const ImplementationName& said, const std::optional<ClaimedName>& claimed,
                          const std::string& place);

// Reads what a worker or a plugin announces of itself. Refuses a declaration of what it supports
// that has another form than schemas/declared.schema.json.
StatusOr<ImplementationName> NameOf(const WorkerLine& announcement, const std::string& place);

}  // namespace cts
