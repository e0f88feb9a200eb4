#include "tools/program/run/case_result.h"

#include <system_error>
#include <utility>

#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/base/status.h"
#include "tools/program/run/protocol.h"

namespace cts {

namespace fs = std::filesystem;

CaseResult ResultOf(const WorkerLine& answer, double seconds, std::string log) {
  CaseResult result{.status = *answer.status,
                    .message = answer.message,
                    .seconds = seconds,
                    .log = std::move(log)};
  if (result.status != CaseStatus::kCrash) return result;
  result.reported = true;
  const size_t size = answer.message.size();
  result.message =
      size == 0 ? "reported by the adapter, without a message"
      : size > Process::kMaxLog
          ? StrCat("reported by the adapter: ...", answer.message.substr(size - Process::kMaxLog))
          : StrCat("reported by the adapter: ", answer.message);
  return result;
}

Json CaseResultToJson(const CaseResult& result) {
  Json json = {{"status", Name(result.status)}, {"seconds", result.seconds}};
  if (!result.message.empty()) json["message"] = result.message;
  if (result.reported) json["reported"] = true;
  if (!result.log.empty()) json["log"] = result.log;
  if (!result.stdout_text.empty()) json["stdout"] = result.stdout_text;
  if (result.exit && result.exit->signal != 0) json["signal"] = result.exit->signal;
  if (result.exit && (result.exit->signal == 0 || result.exit->code != 0)) {
    json["exit_code"] = result.exit->code;
  }
  return json;
}

CaseResult CaseResultFromJson(const Json& json) {
  CaseResult result{.status = *CaseStatusOf(json["status"].get<std::string>()),
                    .message = json.value("message", ""),
                    .seconds = json.value("seconds", 0.0)};
  if (json.contains("signal") || json.contains("exit_code")) {
    result.exit = {.code = json.value("exit_code", 0), .signal = json.value("signal", 0)};
  }
  result.reported = json.value("reported", false);
  result.log = json.value("log", "");
  result.stdout_text = json.value("stdout", "");
  return result;
}

std::map<std::string, uint64_t> ResultLimits(const Case& c) {
  std::map<std::string, uint64_t> limits;
  for (const std::string& name : ResultFileNames(c)) limits[name] = MaxNpyBytes(kMaxElements);
  // A program with unknown sizes has outputs of other shapes than its graph says.
  if (!c.bindings.empty()) return limits;
  for (const std::string& output : c.graph.main().outputs) {
    const GraphTensor* const tensor = c.graph.main().Find(output);
    if (tensor == nullptr) continue;
    const StatusOr<int64_t> count = CheckedElementCount(tensor->shape);
    if (!count.ok()) continue;
    for (int k = 0; k < c.executions(); ++k) {
      limits[ResultName(output, k) + ".npy"] = MaxNpyBytes(*count);
    }
  }
  return limits;
}

Status CheckFiles(const CaseTask& task, CaseResult& result) {
  if (!result.Answered()) return absl::OkStatus();
  std::string fault;
  if (!result.files) {
    CTS_ASSIGN_OR_RETURN(fault, FindStray(task));
  }
  for (const auto& [name, limit] : task.files) {
    if (!fault.empty() ||
        (result.status != CaseStatus::kOk && result.status != CaseStatus::kAccepted))
      break;
    uint64_t size = 0;
    if (result.files) {
      const auto found = result.files->find(name);
      if (found == result.files->end()) continue;
      size = found->second.size();
    } else {
      std::error_code error;
      size = fs::file_size(task.staging / name, error);
      if (error == std::errc::no_such_file_or_directory) continue;  // the checker says so
      if (error) {
        return Unavailable((task.staging / name).string(),
                           ": cannot be examined: ", error.message());
      }
    }
    if (result.status == CaseStatus::kAccepted) {
      fault = StrCat("found ", name, " beside the status accepted, which says that no values are ",
                     "shown; expected the status ok, or no file");
    } else if (size > limit) {
      fault = StrCat("found ", size, " bytes in ", name, ", expected at most ", limit);
    }
  }
  if (fault.empty()) return absl::OkStatus();
  result.status = CaseStatus::kProtocol;
  result.message = std::move(fault);
  return absl::OkStatus();
}

StatusOr<std::string> ReadOutputFile(const CaseTask& task, const CaseResult& result,
                                     const std::string& name) {
  if (!result.files) return ReadFile(task.staging / name);
  const auto found = result.files->find(name);
  if (found == result.files->end()) return NotFound(name, ": no such file");
  return found->second;
}

StatusOr<std::string> FindStray(const CaseTask& task) {
  std::error_code error;
  const auto unavailable = [&] {
    return Unavailable(task.staging.string(), ": cannot be read: ", error.message());
  };
  const fs::file_type type = fs::symlink_status(task.staging, error).type();
  if (type == fs::file_type::none && error != std::errc::permission_denied) return unavailable();
  if (type != fs::file_type::directory) {
    return "its result directory is gone or replaced";
  }
  std::set<std::string> strays;
  for (fs::directory_iterator it(task.staging, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool link = it->is_symlink(error);
    if (error) break;
    if (task.files.count(name) == 0) {
      strays.insert(StrCat("found ", Quote(name), " in its result directory"));
    } else if (link || !it->is_regular_file(error)) {
      strays.insert(
          StrCat("found ", link ? "a link" : "something else", " for the file ", Quote(name)));
    }
  }
  if (error && error != std::errc::permission_denied) return unavailable();
  if (error) return StrCat("its result directory cannot be read: ", error.message());
  if (strays.empty()) return "";
  std::string expected;
  for (const auto& [file, limit] : task.files) {
    expected += StrCat(expected.empty() ? "" : ", ", file);
  }
  return StrCat(*strays.begin(), ", expected no file but ", expected);
}

}  // namespace cts
