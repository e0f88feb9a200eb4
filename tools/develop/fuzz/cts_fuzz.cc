// One executable for all targets: --target=NAME chooses one, --targets lists them. The rest of the
// command line is libFuzzer's, which passes over what begins with two dashes.
#include <cstring>

#include "tools/develop/fuzz/fuzz.h"

namespace cts {
namespace {

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

constexpr Target kTargets[] = {
#define FUZZ_TARGET(name, function) {name, function},
#include "tools/develop/fuzz/targets.def"  // NOLINT(bugprone-suspicious-include)
#undef FUZZ_TARGET
};

void (*chosen)(std::string_view bytes) = nullptr;

void Choose(int count, char** arguments) {
  constexpr std::string_view kOption = "--target=";
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--targets") {
      for (const Target& target : kTargets) std::puts(target.name.data());
      std::exit(0);
    }
    if (!argument.starts_with(kOption)) continue;
    for (const Target& target : kTargets) {
      if (target.name == argument.substr(kOption.size())) chosen = target.run;
    }
  }
  if (chosen != nullptr) return;
  std::fputs("expected --target=NAME, one of those that --targets lists\n", stderr);
  std::exit(2);
}

}  // namespace
}  // namespace cts

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  cts::Choose(*count, *arguments);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cts::chosen({reinterpret_cast<const char*>(data), size});
  return 0;
}
