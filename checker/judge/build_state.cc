#include "checker/judge/build_state.h"

#include "reference/base/json.h"

namespace cts {

Json BuildStateToJson(const BuildState& state) {
  return {{"version", state.version},
          {"editions", state.editions},
          {"recipes", state.recipes},
          {"checker", state.checker}};
}

}  // namespace cts
