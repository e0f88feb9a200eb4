// CONST and IDENTITY.
#include "generator/ops/domain.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  return {{"shape", "", {"9x14", "scalar", WithMaxRank(setting, "2x3x1x2x4x3")}},
          {"data", "", {"full-range", "special"}}};
}

Draft BuildConst(const Choice& choice) {
  Draft draft;
  draft.output_type = choice.Type("out_t");
  draft.output_shape = ParseShape(choice["shape"]);
  draft.values = Filled(choice, "output", draft.output_type, draft.output_shape);
  return draft;
}

Draft BuildIdentity(const Choice& choice) {
  Draft draft;
  draft.output_type = choice.Type("in_out_t");
  draft.output_shape = ParseShape(choice["shape"]);
  draft.Input("input1", Filled(choice, "input1", draft.output_type, draft.output_shape));
  return draft;
}

}  // namespace

Domain ConstDomain() { return {Axes, {RoomForSpecials()}, BuildConst}; }
Domain IdentityDomain() { return {Axes, {RoomForSpecials()}, BuildIdentity}; }

}  // namespace cts
