#include "reference/graph/bundle.h"

#include <set>
#include <vector>

#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/graph/case.h"
#include "reference/graph/suite.h"

namespace cts {
namespace {

// The tensor files that a case.json names, wherever it does.
void CollectFiles(const Json& json, std::set<std::string>* files) {
  if (json.is_string()) {
    const std::string& text = json.get_ref<const std::string&>();
    if (text.ends_with(".npy")) files->insert(text);
  } else if (json.is_structured()) {
    for (const Json& child : json) CollectFiles(child, files);
  }
}

}  // namespace

StatusOr<std::string> BundleDigestOnDisk(const std::filesystem::path& directory) {
  std::vector<BundleFile> files;
  CTS_ASSIGN_OR_RETURN(std::string text, ReadFile(directory / "case.json"));
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(text, (directory / "case.json").string()));
  files.push_back({"case.json", std::move(text)});
  std::set<std::string> names;
  CollectFiles(json, &names);
  for (const std::string& name : names) {
    CTS_ASSIGN_OR_RETURN(const std::filesystem::path path, PathInside(directory, name));
    CTS_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path));
    files.push_back({name, std::move(bytes)});
  }
  return BundleDigest(files);
}

}  // namespace cts
