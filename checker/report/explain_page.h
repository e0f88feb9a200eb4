// The page of one case.
#pragma once

#include <string>

#include "checker/report/explain.h"

namespace cts {

// One self-contained page, which needs no script. It has the content of ExplainText, and pictures
// of the differences. Text from outside never becomes markup.
std::string ExplainPage(const CaseToExplain& of, const OriginFinder& find_origin,
                        const SetFinder& find_sets = nullptr);

}  // namespace cts
