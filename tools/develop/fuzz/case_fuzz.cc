// A bundle: case.json, then its .npy files one after the other in the order in which it is read.
#include <map>
#include <vector>

#include "checker/rules/match.h"
#include "reference/bundle/case.h"
#include "tools/develop/fuzz/fuzz.h"

namespace cts {
namespace {

class Pieces : public BundleSource {
 public:
  explicit Pieces(std::string_view bytes) : rest_(bytes) {}

  std::string Describe(std::string_view name) const override { return std::string(name); }
  StatusOr<std::string_view> Read(std::string_view name, uint64_t max_bytes) override {
    const auto [place, is_new] = known_.try_emplace(std::string(name));
    if (is_new) place->second = Next();
    if (place->second.size() > max_bytes) return InvalidArgument(name, ": too long");
    return place->second;
  }

  // Up to where the next .npy file begins.
  std::string_view Next() {
    const size_t end = std::min(rest_.find("\x93NUMPY", 1), rest_.size());
    const std::string_view piece = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return piece;
  }

 private:
  std::string_view rest_;
  std::map<std::string, std::string_view> known_;
};

}  // namespace

void FuzzCase(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::string_view case_json = pieces.Next();
  const StatusOr<Case> c = ReadCase(case_json, pieces);
  if (!c.ok()) {
    Assert(!Message(c.status()).empty(), "a refusal has a reason");
    return;
  }
  for (const ExpectedOutput& output : c->outputs) {
    for (const Answer& answer : output.answers) ValidateAnswer(output, answer).IgnoreError();
  }
  // A case that was read can be written and read.
  std::map<std::string, std::string> files;
  for (BundleFile& file : EncodeCase(*c)) files.emplace(file.path, std::move(file.bytes));
  class Written : public BundleSource {
   public:
    explicit Written(const std::map<std::string, std::string>& files) : files_(files) {}
    std::string Describe(std::string_view name) const override { return std::string(name); }
    StatusOr<std::string_view> Read(std::string_view name, uint64_t) override {
      const auto found = files_.find(std::string(name));
      if (found == files_.end()) return NotFound(name);
      return found->second;
    }

   private:
    const std::map<std::string, std::string>& files_;
  } written(files);
  const StatusOr<Case> again = ReadCase(files.at("case.json"), written);
  Assert(again.ok(), "it survives being written and read");
  Assert(again->outputs.size() == c->outputs.size() && again->inputs == c->inputs,
         "it is the same case");
}

}  // namespace cts
