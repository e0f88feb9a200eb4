// Runs an implementation on single cases, for commands such as `shrink`.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "tools/program/run/run_options.h"

namespace cts {

// Runs cases that belong to no suite, one after the other. If possible, one process runs all of
// these cases. While the object exists, SIGINT, SIGTERM and SIGHUP end the current case.
class CaseRunner {
 public:
  // Uses only the options that name and limit the implementation. The CaseRunner writes everything
  // under `scratch`, an existing directory.
  static StatusOr<std::unique_ptr<CaseRunner>> Open(const RunOptions& options,
                                                    const std::filesystem::path& scratch);
  virtual ~CaseRunner() = default;

  // Runs a case and returns the files that RESULTS/<id> would hold, by name: "result.json" and the
  // outputs. nullopt if interrupted.
  using Files = std::map<std::string, std::string>;
  virtual StatusOr<std::optional<Files>> Run(const Case& c) = 0;

  // The implementation's command as run.json records it.
  virtual std::string command() const = 0;
};

}  // namespace cts
