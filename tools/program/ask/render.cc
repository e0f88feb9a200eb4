#include "tools/program/ask/render.h"

#include <algorithm>

#include "reference/bundle/case.h"
#include "reference/formats/mlir/mlir_dialect.h"
#include "reference/formats/mlir/mlir_text.h"
#include "reference/spec/edition.h"

namespace cts {

StatusOr<std::string> RenderCases(const std::vector<std::filesystem::path>& case_dirs,
                                  const std::string& prefix, std::string_view mlir_version) {
  if (!IsMlirName(prefix)) {
    return InvalidArgument("prefix \"", prefix,
                           "\": expected letters, digits and underscores, no digit first");
  }
  std::string text;
  for (size_t i = 0; i < case_dirs.size(); ++i) {
    const std::string function = StrCat(prefix, "_", i);
    StatusOr<Case> read = ReadCaseHeader(case_dirs[i]);
    if (!read.ok()) return read.status();
    const StatusOr<const Edition*> known = FindEdition(read->edition);
    if (!known.ok()) return Annotate(known.status(), case_dirs[i].string());
    const Edition* const edition = *known;
    const std::string_view version = MlirVersionOf(*edition);
    const bool other = !mlir_version.empty() && !version.empty() && mlir_version != version;
    const StatusOr<std::string> rendered =
        other ? Status(absl::StatusCode::kUnimplemented,
                       StrCat("edition ", edition->id, ": the dialect of MLIR ", version,
                              ", not of MLIR ", mlir_version))
              : RenderMlir(read->graph, *edition, function);
    if (i > 0) text += "// -----\n";
    if (rendered.ok()) {
      text += StrCat("// ", function, ": ", read->id, "\n", *rendered);
    } else if (absl::IsUnimplemented(rendered.status())) {
      std::string reason = Message(rendered.status());
      std::replace(reason.begin(), reason.end(), '\n', ' ');
      text += StrCat("// ", function, " unsupported: ", reason, "\n");
    } else {
      return Annotate(rendered.status(), case_dirs[i].string());
    }
  }
  return text;
}

}  // namespace cts
