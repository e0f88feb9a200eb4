// Steps that make attributes and elements simpler.
#pragma once

#include "tools/program/shrink/search.h"

namespace cts {

void SimplifyAttributes(Search& search);
void SimplifyValues(Search& search);

}  // namespace cts
