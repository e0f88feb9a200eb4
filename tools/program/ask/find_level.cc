#include "tools/program/ask/find_level.h"

#include "checker/text/printable.h"

namespace cts {

StatusOr<const Level*> FindLevel(const Edition& edition, const std::string& name) {
  if (const Level* level = edition.FindLevel(name)) return level;
  std::string known;
  for (const Level& level : edition.levels) known += (known.empty() ? "" : ", ") + level.name;
  return NotFound("edition ", edition.id, ": found level '", Printable(name), "', expected one of ",
                  known);
}

StatusOr<const Level*> FindLevelOrNarrowest(const Edition& edition, const std::string& name) {
  if (name.empty()) return &edition.NarrowestLevel();
  return FindLevel(edition, name);
}

}  // namespace cts
