// Incomplete evidence. It is in OUT.partial until it is complete; then it is moved to OUT.
//
// OUT.partial/journal has a line for each event while the implementation ran, such as a new result.
// Each line is signed together with the line before it. An interrupted or killed run continues from
// the journal, and only with the results in it: without the key, no result can be changed, added or
// moved. The journal cannot show whether its last lines were removed together with the results that
// they record. A reader of the evidence has to trust the signer not to do that.
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
  // The folder in which the evidence for `out` is made: OUT.partial.
  static std::filesystem::path PlaceFor(const std::filesystem::path& out);

  // Without `resume`, makes the folder, and refuses an existing folder with results or foreign
  // files. With `resume`, continues with the contents of the folder, and refuses a folder without a
  // journal or with a journal that `key` did not sign.
  static StatusOr<std::unique_ptr<Draft>> Of(const std::filesystem::path& out,
                                             const Ed25519Key& key, bool resume);
  // Removes the folder, unless it stays for --resume (Stays).
  ~Draft() override;

  // The folder of the evidence within the draft.
  std::filesystem::path path() const;
  // Whether the draft stays for --resume, because the implementation has returned a result.
  bool Stays() const;

  // Compares a fact (the digest of the claim or of the suite) with the journal. If the journal
  // lacks the fact, adds it. Returns an error if the journal has another digest. `place` names the
  // origin of the fact in the message.
  Status Hold(std::string_view what, const std::string& digest, const std::string& place);
  bool Knows(std::string_view what) const { return facts_.count(std::string(what)) > 0; }
  // Compares run.json with the journal. The contents of run.json must be those that the journal
  // last records as written, or contents that a later line records as about to be written.
  Status CheckRecord() const;

  Status WritesRecord(const std::string& digest) override;
  Status WroteRecord(const std::string& digest) override;
  Status WillBe(const std::string& id, const std::string& digest) override;
  Status Came(const std::string& id, const std::string& digest) override;
  std::optional<std::string> DigestOf(const std::string& id) const override;
  std::string NextDigestOf(const std::string& id) const override;
  std::optional<std::string> last_result() const override { return last_result_; }

  // Moves `whole` to `out`, which must not exist. `whole` is the evidence in the draft, or an
  // archive file in the draft. The destructor removes the rest of the draft.
  Status Put(const std::filesystem::path& whole);
  // After this call, the draft does not stay for --resume.
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
  bool owned_ = false;  // the destructor may remove the folder
  bool discard_ = false;
  int journal_ = -1;
  mutable std::mutex mutex_;  // guards all members below
  std::string last_signature_;
  Status failed_;  // the error of the first line that could not be written; after it, no line is
                   // written
  std::map<std::string, std::string> facts_;  // digests by name
  // The digests that run.json may have, the newest last; "" stands for a missing run.json.
  std::vector<std::string> records_ = {""};
  ResultDigests results_, earlier_;         // earlier_: results of earlier parts of the run
  ResultDigests next_;                      // announced by WillBe in earlier parts of the run
  std::optional<std::string> last_result_;  // the time of the last result of earlier parts
};

}  // namespace cts
