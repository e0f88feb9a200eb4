#include "tools/program/run/protocol.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "reference/base/json.h"

namespace cts {
namespace {

// No batch is larger, whatever a worker announces.
constexpr int kMaxBatch = 4096;

WorkerLine FaultyLine(std::string fault) { return {.fault = std::move(fault)}; }

bool IsAbsolutePath(const Json& json) {
  if (!json.is_string()) return false;
  const std::string path = json.get<std::string>();
  return path.starts_with('/') && path.find('\0') == path.npos;
}

}  // namespace

std::string Quote(std::string_view text) {
  return StrCat('"', text.substr(0, 200), text.size() > 200 ? "..." : "", '"');
}

// Members that the contract does not name are ignored. A member of another type than the contract
// says is not ignored.
WorkerLine ParseWorkerLine(const std::string& text) {
  const auto json = ParseJson(text, "standard output");
  if (!json.ok() || !json->is_object()) {
    return FaultyLine(StrCat("found ", Quote(text),
                             " on standard output, expected a JSON object in one",
                             " line and nothing else"));
  }
  WorkerLine line;
  std::string status;
  line.announcement = json->contains("worker");
  for (const auto& [member, target] :
       {std::pair("status", &status), std::pair("message", &line.message),
        std::pair("worker", &line.name), std::pair("version", &line.version),
        std::pair("about", &line.about), std::pair("fault", &line.fault)}) {
    if (!json->contains(member)) continue;
    if (!(*json)[member].is_string()) {
      return FaultyLine(StrCat("found \"", member, "\": ", (*json)[member].dump().substr(0, 200),
                               ", expected a string"));
    }
    *target = (*json)[member].get<std::string>();
  }
  // The adapter itself reports that the adapted implementation broke its contract.
  if (!line.fault.empty()) return line;
  if (line.announcement) {
    const Json batch = json->value("batch", Json(1));
    if (!batch.is_number_integer() || batch < 1) {
      return FaultyLine(StrCat("found \"batch\": ", batch.dump().substr(0, 200),
                               " in the announcement of the worker, expected an integer from 1"));
    }
    if (json->contains("declared")) {
      const Json& declared = (*json)["declared"];
      if (!declared.is_object()) {
        return FaultyLine(StrCat("found \"declared\": ", declared.dump().substr(0, 200),
                                 " in the announcement of the worker, expected an object as ",
                                 "schemas/declared.schema.json describes it"));
      }
      line.declared = declared.dump();
    }
    if (json->contains("code")) {
      const Json& code = (*json)["code"];
      if (!code.is_array() || !std::all_of(code.begin(), code.end(), IsAbsolutePath)) {
        return FaultyLine(StrCat("found \"code\": ", code.dump().substr(0, 200),
                                 ", expected a list of absolute paths"));
      }
      line.code = code.get<std::set<std::string>>();
    }
    line.batch = batch > kMaxBatch ? kMaxBatch : batch.get<int>();
    return line;
  }
  if (json->contains("case")) {
    const Json& id = (*json)["case"];
    if (!id.is_string()) {
      return FaultyLine(
          StrCat("found \"case\": ", id.dump().substr(0, 200), ", expected the id as a string"));
    }
    line.id = id.get<std::string>();
  }
  if (!json->contains("status")) {
    return FaultyLine(StrCat("found ", Quote(text), ", expected a member \"status\""));
  }
  line.status = CaseStatusOf(status);
  if (!line.status || (!IsAnswer(*line.status) && *line.status != CaseStatus::kCrash)) {
    return FaultyLine(StrCat("found status ", Quote(status),
                             ", expected ok, error, accepted, unsupported or crash"));
  }
  return line;
}

std::string WorkerRequest(const std::string& id, const std::filesystem::path& case_dir,
                          const std::filesystem::path& result_dir, bool more) {
  const Json json = {{"case", id},
                     {"case_dir", case_dir.string()},
                     {"result_dir", result_dir.string()},
                     {"more", more}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cts
