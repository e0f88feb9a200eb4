// Names of implementations, vendors and versions, which people compare by eye.
#pragma once

#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

// In the form in which names are compared: NFKC (Unicode, UAX #15), without blanks around it, one
// blank between words. The text is UTF-8. Beyond ASCII this needs ICU: an error if there is none.
StatusOr<std::string> NormalName(std::string_view name);

// Why a name cannot stand in a claim or a run; empty if it can. It must be printable and in its
// normal form, of ASCII without < and > and of characters that UTS #39 recommends, without letters
// of scripts that look alike (highly restrictive there), and must not look like a name of ours,
// "builtin:...", nor, of another script alone, like one of Latin letters.
StatusOr<std::string> FaultOfName(std::string_view name);

}  // namespace cts
