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
  std::filesystem::path folder;  // relative to the root
  std::string id;
  std::optional<Json> beside;
};

// The place of one test: reads the files that belong to it, and names places.
class TestFolder {
 public:
  TestFolder(const Folder& root, std::filesystem::path folder)
      : root_(root), folder_(std::move(folder)) {}

  std::string Place(std::string_view name) const {
    return (root_.path() / folder_ / name).lexically_normal().string();
  }

  // `name` comes from `pointer` of desc.json. The path may leave the folder, but not the root:
  // public tests share files.
  StatusOr<std::string> Read(const std::string& name, uint64_t max_bytes,
                             std::string_view pointer) const;

  StatusOr<Json> ReadJson(std::string_view name, std::string_view schema) const;

 private:
  const Folder& root_;
  const std::filesystem::path folder_;
};

// Every folder below the root that has a desc.json, by path. Links are not followed.
StatusOr<std::vector<TestOfOthers>> FindTests(const std::filesystem::path& root);

// Ids: the one in tensor-cts.json, otherwise one made from the path. If several tests would have
// the same id, the second gets "+2".
Status NameTests(const Folder& root, std::vector<TestOfOthers>& tests);

// The id of a test in a folder: the last two components of its path, in lower case, other
// characters as '_'. The path itself is the case's parameter "test".
std::string IdOfFolder(const std::filesystem::path& relative);

}  // namespace cts
