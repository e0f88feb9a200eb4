#include "reference/bundle/suite.h"

#include <algorithm>
#include <charconv>

#include "reference/answer/answer.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/json_view.h"
#include "reference/bundle/case.h"

namespace cts {
bool IsCaseId(std::string_view id) {
  const size_t slash = id.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == id.size()) return false;
  if (id[0] == '.' || id[slash + 1] == '.' || id.find('/', slash + 1) != id.npos) return false;
  return id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._+-/") == id.npos;
}

StatusOr<Shard> ParseShard(std::string_view text) {
  constexpr int kMost = 99999;  // as run.schema.json has it
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  if (index.ec == std::errc() && index.ptr != end && *index.ptr == '/') {
    const auto of = std::from_chars(index.ptr + 1, end, shard.of);
    if (of.ec == std::errc() && of.ptr == end && 1 <= shard.index && shard.index <= shard.of &&
        shard.of <= kMost) {
      return shard;
    }
  }
  return InvalidArgument("shard: found '", text, "', expected I/N with I from 1 to N, such as ",
                         "2/4, and N at most ", kMost);
}

const SuiteEntry* Suite::Find(std::string_view id) const {
  const auto found = std::lower_bound(
      cases.begin(), cases.end(), id,
      [](const SuiteEntry& entry, std::string_view wanted) { return entry.id < wanted; });
  return found != cases.end() && found->id == id ? &*found : nullptr;
}

// The length before the bytes keeps two different lists from running together into one text.
void AddToBundleDigest(std::string_view path, std::string_view bytes, Sha256Stream* stream) {
  stream->Add(std::string(path) + "\n" + std::to_string(bytes.size()) + "\n");
  stream->Add(bytes);
}

std::string BundleDigest(const std::vector<BundleFile>& files) {
  Sha256Stream stream;
  for (const BundleFile& file : files) AddToBundleDigest(file.path, file.bytes, &stream);
  return stream.Finish();
}

std::string SuiteDigest(const std::vector<SuiteEntry>& cases) {
  Sha256Stream stream;
  for (const SuiteEntry& entry : cases) stream.Add(entry.id + "\n" + entry.digest + "\n");
  return stream.Finish();
}

Json SuiteEntryToJson(const SuiteEntry& entry) {
  Json json = {{"id", entry.id},
               {"operator", entry.op},
               {"outcome", entry.outcome},
               {"digest", entry.digest},
               {"conditions", entry.conditions}};
  if (entry.teeth) json["teeth"] = *entry.teeth;
  if (!entry.neighbour.empty()) json["neighbour"] = entry.neighbour;
  return json;
}

SuiteEntry SuiteEntryFromJson(const Json& json) {
  SuiteEntry entry;
  entry.id = json["id"].get<std::string>();
  entry.op = json["operator"].get<std::string>();
  entry.outcome = json["outcome"].get<std::string>();
  entry.digest = json["digest"].get<std::string>();
  entry.conditions = json["conditions"].get<std::vector<std::string>>();
  if (json.contains("teeth")) entry.teeth = json["teeth"].get<double>();
  if (json.contains("neighbour")) entry.neighbour = json["neighbour"].get<std::string>();
  return entry;
}

Json SuiteToJson(const Suite& suite) {
  Json cases = Json::array();
  for (const SuiteEntry& entry : suite.cases) cases.push_back(SuiteEntryToJson(entry));
  Json json = {{"format", "tensor-cts-suite-1"}, {"name", suite.name},
               {"edition", suite.edition},       {"level", suite.level},
               {"generator", suite.generator},   {"seed", suite.seed},
               {"digest", suite.digest},         {"cases", std::move(cases)}};
  if (!suite.recipe.empty()) json["recipe"] = Json::parse(suite.recipe);
  if (!suite.answers.empty()) json["answers"] = suite.answers;
  return json;
}

StatusOr<Suite> ReadSuite(const std::filesystem::path& directory) {
  CTS_ASSIGN_OR_RETURN(Suite suite, ReadSuiteToRun(directory));
  if (suite.answers.empty()) return suite;
  return InvalidArgument((directory / "suite.json").string(),
                         ": found a blind suite, expected one with answers: `tensor-cts unblind` ",
                         "puts its results beside the suite that answers them");
}

StatusOr<Suite> ReadSuiteToRun(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "suite.json";
  const StatusOr<std::string> text = ReadFile(path, kMaxSuiteJson);
  const StatusOr<JsonText> loaded =
      text.ok() ? JsonText::Read(*text, "suite", path.string()) : StatusOr<JsonText>(text.status());
  if (!loaded.ok()) {
    return Annotate(loaded.status(), StrCat(directory.string(),
                                            ": expected a suite as tensor-cts generate writes it"));
  }
  const JsonView json = loaded->root();
  Suite suite;
  suite.name = json["name"].Text();
  suite.edition = json["edition"].Text();
  suite.level = json["level"].Text();
  suite.generator = json["generator"].Text();
  // The schema has it between 0 and 2^53 - 1.
  suite.seed = static_cast<uint64_t>(json["seed"].Integer().value_or(0));
  suite.digest = json["digest"].Text();
  suite.answers = json["answers"].Text();
  if (json.Has("recipe")) {
    CTS_ASSIGN_OR_RETURN(const Json recipe, ParseJson(json["recipe"].Dump(), path.string()));
    suite.recipe = recipe.dump();
  }
  for (const auto item_json : json["cases"].Items()) {
    const JsonView item(item_json);
    SuiteEntry entry;
    entry.id = item["id"].Text();
    entry.op = item["operator"].Text();
    entry.outcome = item["outcome"].Text();
    entry.digest = item["digest"].Text();
    entry.conditions = item["conditions"].Texts();
    if (item.Has("teeth")) entry.teeth = item["teeth"].Number();
    entry.neighbour = item["neighbour"].Text();
    const std::string place = StrCat(path.string(), ": /cases/", suite.cases.size(), "/id");
    if ((entry.outcome == Name(Outcome::kSealed)) != !suite.answers.empty()) {
      return InvalidArgument(path.string(), ": /cases/", suite.cases.size(), "/outcome: found ",
                             entry.outcome, ", expected sealed where /answers is there, and there ",
                             "alone; generate the suite again");
    }
    if (!IsCaseId(entry.id)) {
      return InvalidArgument(place, ": found \"", entry.id,
                             "\", expected operator/case in lower-case letters, digits and ._+-");
    }
    if (!suite.cases.empty() && entry.id == suite.cases.back().id) {
      return InvalidArgument(place, ": found \"", entry.id,
                             "\" twice, expected every id once; generate the suite again");
    }
    if (!suite.cases.empty() && entry.id < suite.cases.back().id) {
      return InvalidArgument(place, ": found \"", entry.id, "\" after \"", suite.cases.back().id,
                             "\", expected ids in ascending order; generate the suite again");
    }
    suite.cases.push_back(std::move(entry));
  }
  if (const std::string digest = SuiteDigest(suite.cases); digest != suite.digest) {
    return InvalidArgument(path.string(), ": /digest: found ", suite.digest,
                           ", but the cases have ", digest,
                           ": the manifest was changed; generate the suite again");
  }
  return suite;
}

}  // namespace cts
