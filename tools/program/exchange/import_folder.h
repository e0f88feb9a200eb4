// The folders of the public conformance tests, their names and their files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/status.h"

namespace cts {

// A folder with a desc.json, with the facts that are known before the graph is read.
struct TestOfOthers {
  std::filesystem::path folder;  // relative to the root, which is the folder to search
  std::string id;
  std::optional<Json> beside;  // the contents of tensor-cts.json, if the folder has this file
};

// The folder of one test: reads its files, and forms their paths for messages.
class TestFolder {
 public:
  TestFolder(const Folder& root, std::filesystem::path folder)
      : root_(root), folder_(std::move(folder)) {}

  std::string Place(std::string_view name) const {
    return (root_.path() / folder_ / name).lexically_normal().string();
  }

  // Reads the file `name`, which desc.json names at `pointer`. Public tests share files, so the
  // path may lead out of the folder, but not out of the root.
  StatusOr<std::string> Read(const std::string& name, uint64_t max_bytes,
                             std::string_view pointer) const;

  StatusOr<Json> ReadJson(std::string_view name, std::string_view schema) const;

 private:
  const Folder& root_;
  const std::filesystem::path folder_;
};

// Returns every folder below the root that has a desc.json, ordered by path. Does not follow links.
StatusOr<std::vector<TestOfOthers>> FindTests(const std::filesystem::path& root);

// Sets the id of each test. It is the id in tensor-cts.json; without this file, it is made from the
// path. If another test already has the id that is made from the path, the id gets a suffix: the
// first of "+2", "+3" and so on that makes it unique.
Status NameTests(const Folder& root, std::vector<TestOfOthers>& tests);

// Returns the id of the test in a folder: the last two components of the folder's path, in lower
// case, with '_' in place of each character that an id may not have. The case's parameter "test"
// has the unchanged path.
std::string IdOfFolder(const std::filesystem::path& relative);

}  // namespace cts
