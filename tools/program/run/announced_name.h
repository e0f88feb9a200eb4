// Reads the name that an implementation gives itself, and checks whether that name is allowed.
#pragma once

#include <optional>
#include <string>

#include "checker/judge/run_record.h"
#include "reference/base/status.h"
#include "tools/program/run/protocol.h"
#include "tools/program/run/run_options.h"

namespace cts {

// Refuses a name or a version that people may mistake for another one (checker/text/names.h). With
// a claim, also refuses a name or a version that differs from the claimed one after normalization.
// Without a claim, name and version may be missing. Messages begin with `place`, such as
// "results/run.json: /implementation/", and append "name" or "version" to it.
Status CheckAnnouncedName(const ImplementationName& said, const std::optional<ClaimedName>& claimed,
                          const std::string& place);

// Reads the announcement of a worker or a plugin. Refuses a declaration of its support that does
// not fit schemas/declared.schema.json.
StatusOr<ImplementationName> NameOf(const WorkerLine& announcement, const std::string& place);

}  // namespace cts
