#include "reference/spec/features.h"

namespace cts {
namespace {

struct Row {
  std::string_view name, sentence;
};

constexpr Row kRows[] = {
#define CTS_FEATURE(identifier, name, sentence) {name, sentence},
#include "reference/spec/features.def"
#undef CTS_FEATURE
};

}  // namespace

std::string_view Name(Feature feature) { return kRows[static_cast<size_t>(feature)].name; }

std::string_view Sentence(Feature feature) { return kRows[static_cast<size_t>(feature)].sentence; }

std::optional<Feature> ParseFeature(std::string_view name) {
  for (size_t i = 0; i < kFeatureCount; ++i) {
    if (kRows[i].name == name) return static_cast<Feature>(i);
  }
  return std::nullopt;
}

}  // namespace cts
