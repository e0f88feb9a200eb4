// Names of implementations, vendors and versions, which people compare by eye.
#pragma once

#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

// Returns the form in which names are compared: NFKC (Unicode, UAX #15), without blanks at either
// end, and with one blank between words. `name` must be UTF-8. A name beyond ASCII needs ICU; it is
// an error if ICU is missing.
StatusOr<std::string> NormalName(std::string_view name);

// Returns the reason why a claim or a run cannot use a name; returns an empty text if it can. A
// name must be printable, must not be empty, and must be in its normal form. It may contain ASCII
// characters except < and >, and other characters that UTS #39 recommends. It must not mix scripts
// whose letters look alike, beyond what the level "highly restrictive" of UTS #39 allows. It must
// not look like a name of ours, "builtin:...". A name without Latin letters must not look like a
// name in ASCII.
StatusOr<std::string> FaultOfName(std::string_view name);

}  // namespace cts
