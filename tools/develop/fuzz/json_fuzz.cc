// A text as JSON, by the fast and by the slow way: they must agree. The first byte chooses a
// schema.
#include "reference/base/json.h"
#include "reference/base/json_view.h"
#include "tools/develop/fuzz/fuzz.h"

namespace cts {

void FuzzJson(std::string_view text) {
  constexpr const char* kSchemas[] = {"case", "result", "run", "suite", "case/graph"};
  const std::string schema = kSchemas[TakeByte(&text) % std::size(kSchemas)];
  const StatusOr<Json> slow = ParseJson(text, "text");
  if (slow.ok()) {
    const StatusOr<Json> again = ParseJson(FormatJson(*slow), "text");
    Assert(again.ok() && *again == *slow, "it survives being written and read");
  }
  const bool valid = slow.ok() && ValidateJson(*slow, schema, "text").ok();
  Assert(valid || !FastAccepts(text, schema), "what the fast way accepts, the slow way does");
  Assert(JsonText::Read(text, schema, "text").ok() == valid, "both ways together are the slow one");
}

}  // namespace cts
