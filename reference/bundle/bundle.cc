#include "reference/bundle/bundle.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "reference/base/digest.h"
#include "reference/base/json.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/bundle/read_file.h"
#include "reference/graph/structure.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

// The tensor files that a case.json names anywhere.
void CollectFiles(const Json& json, std::set<std::string>* files) {
  if (json.is_string()) {
    const std::string& text = json.get_ref<const std::string&>();
    if (text.ends_with(".npy")) files->insert(text);
  } else if (json.is_structured()) {
    for (const Json& child : json) CollectFiles(child, files);
  }
}

// Hands out the files of a bundle, and keeps them for the digest.
class Keeper : public BundleSource {
 public:
  using ReadBytes = std::function<StatusOr<std::string>(std::string_view name, uint64_t max_bytes)>;
  Keeper(std::filesystem::path directory, ReadBytes read)
      : directory_(std::move(directory)), read_(std::move(read)) {}

  std::string Describe(std::string_view name) const override {
    return (directory_ / name).string();
  }

  StatusOr<std::string_view> Read(std::string_view name, uint64_t max_bytes) override {
    if (const auto known = files_.find(name); known != files_.end()) return known->second;
    StatusOr<std::string> bytes = read_(name, max_bytes);
    if (!bytes.ok()) return failure_ = bytes.status();
    return files_.emplace(name, *std::move(bytes)).first->second;
  }

  const std::filesystem::path& directory() const { return directory_; }
  // Not OK if a file could not be read.
  const Status& failure() const { return failure_; }

  // Computes BundleDigest of case.json and then of the files read, by path. Those are the files
  // that the case names: nothing else in a case.json is the name of a file.
  std::string Digest(const std::string& case_json) const {
    Sha256Stream stream;
    AddToBundleDigest("case.json", case_json, &stream);
    for (const auto& [name, bytes] : files_) AddToBundleDigest(name, bytes, &stream);
    return stream.Finish();
  }

 private:
  const std::filesystem::path directory_;
  const ReadBytes read_;
  Status failure_;
  std::map<std::string, std::string, std::less<>> files_;
};

// `digest_anyway`: the digest of the files if they make no case.
StatusOr<Case> Verify(const SuiteEntry& entry, const StatusOr<std::string>& case_json,
                      Keeper& files, const std::function<std::string()>& digest_anyway) {
  const auto changed = [&](const auto&... what) {
    return InvalidArgument(files.directory().string(), ": case ", entry.id, ": ", what...,
                           "; the suite is not as it was generated: generate it again");
  };
  const auto other_digest = [&](const std::string& digest, const std::string& also) {
    return changed("the files have the digest ", digest, ", suite.json says ", entry.digest, also);
  };
  if (absl::IsUnavailable(case_json.status())) return case_json.status();
  if (!case_json.ok()) return changed(Message(case_json.status()));
  StatusOr<Case> c = ReadCase(*case_json, files);
  for (const Status& status : {files.failure(), c.status()}) {
    if (absl::IsUnavailable(status)) return status;
  }
  if (!c.ok()) {
    const std::string digest = files.failure().ok() ? digest_anyway() : "";
    if (!digest.empty() && digest != entry.digest)
      return other_digest(digest, "; " + Message(c.status()));
    return changed(Message(c.status()));
  }
  if (const std::string digest = files.Digest(*case_json); digest != entry.digest) {
    return other_digest(digest, "");
  }
  if (c->id != entry.id || c->op != entry.op || Name(c->outcome) != entry.outcome) {
    return changed("case.json has id ", c->id, ", operator ", c->op, ", outcome ", Name(c->outcome),
                   "; suite.json says ", entry.id, ", ", entry.op, ", ", entry.outcome);
  }
  return c;
}

}  // namespace

Status CheckEdition(const Case& c, std::string_view edition,
                    const std::filesystem::path& case_dir) {
  const std::string file = (case_dir / "case.json").string();
  if (c.edition != edition) {
    return InvalidArgument(file, ": /edition: found ", c.edition, ", expected ",
                           std::string(edition),
                           " as in suite.json: a suite is of one edition; generate it again");
  }
  const StatusOr<const Edition*> known = FindEdition(c.edition);
  if (!known.ok()) return Annotate(known.status(), file + ": /edition");
  return Annotate(CheckOperators(c.graph, **known), file);
}

StatusOr<Case> ReadVerifiedCase(const Folder& suite, const SuiteEntry& entry,
                                std::string_view edition) {
  StatusOr<Folder> folder = suite.Inside(entry.id);
  const auto read = [&](std::string_view name, uint64_t max_bytes) -> StatusOr<std::string> {
    CTS_RETURN_IF_ERROR(folder.status());
    return folder->Read(name, max_bytes);
  };
  const PlainArithmetic plain;
  const std::filesystem::path directory = suite.path() / entry.id;
  Keeper files(directory, read);
  CTS_ASSIGN_OR_RETURN(Case c, Verify(entry, read("case.json", kMaxCaseJson), files, [&] {
                         return BundleDigestOnDisk(directory, kMaxCaseJson).value_or("");
                       }));
  CTS_RETURN_IF_ERROR(CheckEdition(c, edition, directory));
  return c;
}

StatusOr<Case> ReadVerifiedCase(const std::vector<BundleFile>& files, const SuiteEntry& entry) {
  const auto read = [&](std::string_view name, uint64_t max_bytes) -> StatusOr<std::string> {
    for (const BundleFile& file : files) {
      if (file.path == name && file.bytes.size() <= max_bytes) return file.bytes;
    }
    return NotFound(entry.id, "/", name, ": no such file");
  };
  Keeper keeper(entry.id, read);
  return Verify(entry, read("case.json", kMaxCaseJson), keeper, [] { return ""; });
}

StatusOr<std::set<std::string>> BundleFileNames(const std::filesystem::path& directory) {
  CTS_ASSIGN_OR_RETURN(const std::string text,
                       ReadBundleFile(directory, "case.json", kMaxCaseJson));
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(text, (directory / "case.json").string()));
  std::set<std::string> names = {"case.json"};
  CollectFiles(json, &names);
  return names;
}

StatusOr<std::string> BundleDigestOnDisk(const std::filesystem::path& directory,
                                         uint64_t max_bytes) {
  std::vector<BundleFile> files;
  CTS_ASSIGN_OR_RETURN(std::string text, ReadBundleFile(directory, "case.json", kMaxCaseJson));
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(text, (directory / "case.json").string()));
  files.push_back({"case.json", std::move(text)});
  std::set<std::string> names;
  CollectFiles(json, &names);
  CTS_ASSIGN_OR_RETURN(const Folder folder, Folder::Open(directory));
  for (const std::string& name : names) {
    CTS_ASSIGN_OR_RETURN(std::string bytes, folder.Read(name, max_bytes));
    files.push_back({name, std::move(bytes)});
  }
  return BundleDigest(files);
}

}  // namespace cts
