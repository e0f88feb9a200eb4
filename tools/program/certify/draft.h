// Evidence that is not whole yet: it lies in OUT.partial until it is put at OUT.
//
// OUT.partial/journal has a line for everything that came while the implementation ran, each signed
// together with the line before it. A run that was interrupted or killed goes on from there, and
// only with the results that came: without the key none can be changed, added or moved. But one
// disk cannot show whether the last lines were cut off with their results: that they were not is
// the signer's word.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/evidence/dsse.h"
#include "reference/base/status.h"
#include "tools/program/run/directory_lock.h"
#include "tools/program/run/result_digests.h"
#include "tools/program/run/run_options.h"

namespace cts {

class Draft : public RunWitness {
 public:
  // The place where the evidence for `out` is made.
  static std::filesystem::path PlaceFor(const std::filesystem::path& out);

  // Makes the place, or goes on with what lies there (`resume`). Refuses a place with results that
  // is not to go on, and a journal that `key` did not sign.
  static StatusOr<std::unique_ptr<Draft>> Of(const std::filesystem::path& out,
                                             const Ed25519Key& key, bool resume);
  // Removes it, unless results came: then it stays for --resume.
  ~Draft() override;

  // The evidence.
  std::filesystem::path path() const;
  // Whether it stays for --resume: an implementation has answered.
  bool Stays() const;

  // Holds a fact against the journal, which gets it if it is new: the digest of the claim or of the
  // suite. `place`: where it lies, for the message.
  Status Hold(std::string_view what, const std::string& digest, const std::string& place);
  bool Knows(std::string_view what) const { return facts_.count(std::string(what)) > 0; }
  // run.json must have the contents that were last in place, or that were to be written since.
  Status CheckRecord() const;

  Status WritesRecord(const std::string& digest) override;
  Status WroteRecord(const std::string& digest) override;
  Status WillBe(const std::string& id, const std::string& digest) override;
  Status Came(const std::string& id, const std::string& digest) override;
  std::optional<std::string> DigestOf(const std::string& id) const override;
  std::string NextDigestOf(const std::string& id) const override;
  std::optional<std::string> last_result() const override { return last_result_; }

  // Puts `whole`, the evidence or a file in its folder, at `out`, and removes the rest.
  Status Put(const std::filesystem::path& whole);
  // From now on nothing of it is kept.
  void Discard() { discard_ = true; }

 private:
  Draft(std::filesystem::path out, const Ed25519Key& key);
  Status Begin();
  Status GoOn();
  Status Read();
  void Take(const std::string& time, const std::string& kind, const std::string& name,
            const std::string& digest);
  Status Append(std::string_view kind, const std::string& name, const std::string& digest);
  Status WriteLine(const std::string& line) const;

  const std::filesystem::path out_, place_;
  const Ed25519Key key_;
  DirectoryLock lock_;
  bool owned_ = false;  // the place is ours, to be removed in the end
  bool discard_ = false;
  int journal_ = -1;
  mutable std::mutex mutex_;  // of everything below
  std::string last_signature_;
  Status failed_;                             // why a line could not be written: none follows
  std::map<std::string, std::string> facts_;  // digests by name
  // Digests that run.json may have, the newest last; "" where it is not there.
  std::vector<std::string> records_ = {""};
  ResultDigests results_, earlier_;         // earlier_: those of the parts before this one
  ResultDigests next_;                      // of the parts before this one: by WillBe
  std::optional<std::string> last_result_;  // of the parts before this one
};

}  // namespace cts
