// The layout of the public TOSA conformance tests: a folder with desc.json, a `.tosa` file and
// `.npy` files. Converts between the compliance modes of desc.json and our comparison rules.
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
// The file for facts that do not fit into desc.json (schemas/conformance.schema.json). It exists
// because the public schema of desc.json allows no further members.
inline constexpr std::string_view kBesideFile = "tensor-cts.json";

// Returns the files of a case in the layout of the public tests: desc.json, test.tosa, a `.npy` for
// every input, and tensor-cts.json. Unimplemented if the layout or the `.tosa` format cannot
// represent the case.
StatusOr<std::vector<BundleFile>> EncodeConformance(const Case& c, const TosaVersion& version = {});

// The entry of desc.json for an output: a mode and its figures. With this entry, the public checker
// accepts the same results as the output's rule. If no mode expresses the rule exactly, it accepts
// nearly the same results. Unimplemented if no mode fits.
StatusOr<Json> ComplianceOf(const Case& c, const ExpectedOutput& output);

// The difference between desc.json's entry for an output and the edition's own rule.
struct Compliance {
  bool same = true;      // the entry agrees with the edition's own rule, so nothing was changed
  std::string relation;  // if not `same`: the entry is "looser", "tighter" or "other"
};

// Replaces the rule of `output` by the rule of `entry`. Before the call, `output` has the edition's
// own rule. `entry` is the entry of desc.json for the output, and must fit the schema. Invalid
// argument if the entry contradicts the graph. Unimplemented if the reference lacks a value that
// the mode needs.
StatusOr<Compliance> HonourCompliance(const Json& entry, const Case& c, ExpectedOutput& output);

// The names of types in desc.json: "fp32" -> "FP32", "i8" -> "INT8".
std::string PublicTypeName(DType dtype);

}  // namespace cts
