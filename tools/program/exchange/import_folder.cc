#include "tools/program/exchange/import_folder.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <system_error>

#include "checker/text/printable.h"
#include "reference/base/file_type.h"
#include "reference/base/foreign_json.h"
#include "reference/bundle/suite.h"
#include "tools/program/exchange/conformance.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxDescBytes = 16 << 20;
constexpr int kMaxDepth = 32;

}  // namespace

StatusOr<std::string> TestFolder::Read(const std::string& name, uint64_t max_bytes,
                                       std::string_view pointer) const {
  const fs::path path = (folder_ / name).lexically_normal();
  const bool outside = fs::path(name).is_absolute() || path.empty() || *path.begin() == ".." ||
                       name.find('\0') != name.npos;
  if (outside) {
    return InvalidArgument(Place(kDescFile), ": ", pointer, ": found '",
                           Shortened(Printable(name), 200), "', expected a path inside ",
                           root_.path().string());
  }
  auto bytes = root_.Read(path.generic_string(), max_bytes);
  if (!bytes.ok()) {
    return Annotate(bytes.status(), StrCat(Place(kDescFile), ": ", pointer));
  }
  return bytes;
}

StatusOr<Json> TestFolder::ReadJson(std::string_view name, std::string_view schema) const {
  CTS_ASSIGN_OR_RETURN(const std::string text, Read(std::string(name), kMaxDescBytes, "/"));
  CTS_ASSIGN_OR_RETURN(Json json, ParseForeignJson(text, Place(name)));
  CTS_RETURN_IF_ERROR(ValidateJson(json, schema, Place(name)));
  return json;
}

StatusOr<std::vector<TestOfOthers>> FindTests(const fs::path& root) {
  std::error_code error;
  std::vector<TestOfOthers> tests;
  const auto add = [&](const fs::path& folder) -> Status {
    CTS_ASSIGN_OR_RETURN(const bool described, IsRegularFile(folder / kDescFile));
    if (!described) return absl::OkStatus();
    const fs::path relative = folder.lexically_relative(root).lexically_normal();
    tests.push_back({relative == "." ? fs::path() : relative, "", std::nullopt});
    return absl::OkStatus();
  };
  CTS_ASSIGN_OR_RETURN(const bool directory, IsDirectory(root));
  if (!directory) {
    return InvalidArgument(root.string(), ": expected a folder of tests, each with a ", kDescFile);
  }
  CTS_RETURN_IF_ERROR(add(root));
  fs::recursive_directory_iterator it(root, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOfLink(it->path()));
    if (type != fs::file_type::directory) continue;
    if (it.depth() >= kMaxDepth) it.disable_recursion_pending();
    CTS_RETURN_IF_ERROR(add(it->path()));
  }
  if (error) return Unavailable(root.string(), ": cannot be searched: ", error.message());
  if (tests.empty()) {
    return InvalidArgument(root.string(), ": found no ", kDescFile,
                           " in it or below, expected folders of tests");
  }
  std::sort(tests.begin(), tests.end(),
            [](const TestOfOthers& a, const TestOfOthers& b) { return a.folder < b.folder; });
  return tests;
}

Status NameTests(const Folder& root, std::vector<TestOfOthers>& tests) {
  std::map<std::string, fs::path> taken;
  for (const bool own : {true, false}) {  // ids of our own come first: they are fixed
    for (TestOfOthers& test : tests) {
      const fs::path folder = root.path() / test.folder;
      CTS_ASSIGN_OR_RETURN(const bool named, Exists(folder / kBesideFile));
      if (named != own) continue;
      const std::string place = (folder / kDescFile).string();
      if (own) {
        CTS_ASSIGN_OR_RETURN(test.beside,
                             TestFolder(root, test.folder).ReadJson(kBesideFile, "conformance"));
        test.id = (*test.beside)["id"].get<std::string>();
        const auto [found, is_new] = taken.emplace(test.id, test.folder);
        if (!is_new) {
          return InvalidArgument((folder / kBesideFile).string(), ": /id: found ", test.id,
                                 ", which ", (root.path() / found->second).string(),
                                 " has, too; expected every id once");
        }
        continue;
      }
      const bool is_root = test.folder.empty();
      const std::string id = IdOfFolder(is_root ? root.path().filename() : test.folder);
      test.id = id;
      for (int k = 2; !taken.emplace(test.id, test.folder).second; ++k)
        test.id = StrCat(id, "+", k);
      if (!IsCaseId(test.id) || test.id.size() > 240) {
        return InvalidArgument(place, ": found a path that makes the id '", Printable(test.id),
                               "', expected one of at most 240 letters, digits and ._+-; rename ",
                               "the folder");
      }
    }
  }
  return absl::OkStatus();
}

std::string IdOfFolder(const fs::path& relative) {
  const auto fold = [](const std::string& text, std::string_view others) {
    std::string folded;
    for (char c : text) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      const bool kept =
          (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || others.find(c) != others.npos;
      folded += kept ? c : '_';
    }
    return folded;
  };
  const std::string parent = relative.parent_path().filename().string();
  std::string name = fold(relative.filename().string(), "._+-");
  const bool begins = !name.empty() && (std::isalnum(static_cast<unsigned char>(name[0])) != 0);
  if (!begins) name = "t" + name;
  return StrCat(parent.empty() ? "test" : fold(parent, "_"), "/", name);
}

}  // namespace cts
