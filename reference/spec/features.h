// The differences between editions, each with a name of its own (features.def).
#pragma once

#include <bitset>
#include <optional>
#include <string_view>

namespace cts {

enum class Feature {
#define CTS_FEATURE(identifier, name, sentence) identifier,
#include "reference/spec/features.def"
#undef CTS_FEATURE
};

constexpr size_t kFeatureCount = 0
#define CTS_FEATURE(identifier, name, sentence) +1
#include "reference/spec/features.def"
#undef CTS_FEATURE
    ;

std::string_view Name(Feature feature);      // "symbolic_programs"
std::string_view Sentence(Feature feature);  // features.def's sentence about the feature
std::optional<Feature> ParseFeature(std::string_view name);

// The features of an edition.
class Features {
 public:
  bool Has(Feature feature) const { return bits_.test(static_cast<size_t>(feature)); }
  void Add(Feature feature) { bits_.set(static_cast<size_t>(feature)); }

 private:
  std::bitset<kFeatureCount> bits_;
};

}  // namespace cts
