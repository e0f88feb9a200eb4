// The layout of the public TOSA conformance tests: a folder with desc.json, a `.tosa` file and
// `.npy` files. Converts between their compliance modes and ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "reference/formats/tosa/tosa_flatbuffer.h"

namespace cts {

inline constexpr std::string_view kDescFile = "desc.json";
// The facts that desc.json has no place for (schemas/conformance.schema.json). They have a file of
// their own, because the public schema admits no further members.
inline constexpr std::string_view kBesideFile = "tensor-cts.json";

// The files of a case in that layout: desc.json, test.tosa, a `.npy` for every input, and
// tensor-cts.json. Unimplemented: the layout or the `.tosa` format has no place for the case.
StatusOr<std::vector<BundleFile>> EncodeConformance(const Case& c, const TosaVersion& version = {});

// The entry of desc.json for an output: mode and figures. The public checker then accepts the
// results that the rule of the output accepts, as nearly as it can. Unimplemented: no mode fits.
StatusOr<Json> ComplianceOf(const Case& c, const ExpectedOutput& output);

// The difference between desc.json's entry for an output and the edition's own rule.
struct Compliance {
  bool same = true;      // the edition's own rule: nothing was changed
  std::string relation;  // otherwise "looser", "tighter" or "other"
};

// Judges an output by its entry in desc.json (`entry` fits the schema). The reference has computed
// the output by the edition's own rule. Invalid argument: the entry contradicts the graph.
// Unimplemented: the reference lacks a value that the mode needs.
StatusOr<Compliance> HonourCompliance(const Json& entry, const Case& c, ExpectedOutput& output);

// The names of types in desc.json: "fp32" -> "FP32", "i8" -> "INT8".
std::string PublicTypeName(DType dtype);

}  // namespace cts
