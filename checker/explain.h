// Why a case has its verdict, in words for whoever has to mend it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/graph/case.h"

namespace cts {

// The inputs that one element of an output was made of, one line each; empty if that is not known.
using Provenance = std::function<std::vector<std::string>(
    const Case& c, const ExpectedOutput& output, int64_t offset)>;

// In words, the condition that an error case breaks; empty if that is not known.
using Meaning = std::function<std::string(const Case& c)>;

// Errors: as CheckSuite; an unknown case, with the ids nearest to it. Both functions may be empty.
StatusOr<std::string> Explain(const std::filesystem::path& suite,
                              const std::filesystem::path& results, std::string_view case_id,
                              const Provenance& provenance, const Meaning& meaning = nullptr);

// At most `count` ids that contain `id` or lie nearest to it by edit distance.
std::vector<std::string> NearestIds(const std::vector<std::string>& ids, std::string_view id,
                                    size_t count);

}  // namespace cts
