// The page of one case.
#pragma once

#include <string>

#include "checker/explain.h"

namespace cts {

// One self-contained page, which needs no script: the text's contents, and pictures where it
// differs. No text from outside is markup there.
std::string ExplainPage(const CaseToExplain& of, const OriginFinder& find_origin);

}  // namespace cts
