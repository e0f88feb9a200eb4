#include "tools/program/shrink/shrink.h"

#include "reference/graph/symbols.h"
#include "reference/spec/edition.h"
#include "tools/program/shrink/steps.h"

namespace cts {

StatusOr<Shrunk> Shrink(const Case& given, const Trial& trial, const ShrinkOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(given.edition));
  const Level* level = edition->FindLevel(given.level);
  if (level == nullptr) {
    return InvalidArgument(given.id, ": edition ", given.edition, " has no level ", given.level);
  }
  Search search(*edition, *level, trial, options);
  CTS_RETURN_IF_ERROR(search.Start(given));
  if (search.Over() || search.statistics_only()) return search.Finish();
  if (IsSymbolic(given.graph)) {
    // The other steps do not know what follows from a symbol. resolve makes a static case of what
    // is left.
    search.Step("executions", LeaveOutExecutions);
    return search.Finish();
  }
  while (!search.Over()) {
    const CaseSize before = search.size();
    search.Step("operators", LeaveOutOperators);
    search.Step("executions", LeaveOutExecutions);
    search.Step("what one wrong element is made of", CutOutElement);
    search.Step("dimensions", CropDimensions);
    search.Step("ranks", DropDimensions);
    search.Step("attributes", SimplifyAttributes);
    search.Step("values", SimplifyValues);
    if (search.size() == before) break;
  }
  return search.Finish();
}

}  // namespace cts
