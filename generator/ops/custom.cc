// CUSTOM has no case. The specification does not test it, since only an implementation knows what
// it does; a case would have no answer to expect.
#include "generator/ops/domain.h"

namespace cts::custom_domain {

Domain CustomDomain() { return {}; }

}  // namespace cts::custom_domain
