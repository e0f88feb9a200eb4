// The name that an implementation gives itself, and the check whether it may have that name.
#pragma once

#include <optional>
#include <string>

#include "checker/judge/run_record.h"
#include "reference/base/status.h"
#include "tools/program/run/protocol.h"
#include "tools/program/run/run_options.h"

namespace cts {

// Refuses a name or a version that the eye cannot tell from another (checker/text/names.h). If
// there is a claim, also refuses one that differs from the claim's, compared in the normal form. A
// run takes an implementation without a name or a version; a claim does not. `place` is the place
// of the two, up to the member: "results/run.json: /implementation/".
Status CheckAnnouncedName(const ImplementationName& said, const std::optional<ClaimedName>& claimed,
                          const std::string& place);

// Reads the announcement of a worker or a plugin. Refuses a declaration of what it supports that
// has another form than schemas/declared.schema.json.
StatusOr<ImplementationName> NameOf(const WorkerLine& announcement, const std::string& place);

}  // namespace cts
