// Certifying: makes an evidence directory from a claim.
#pragma once

#include <atomic>
#include <filesystem>

#include "checker/judge/check.h"
#include "tools/program/certify/blind_evidence.h"
#include "tools/program/certify/mandatory_suite.h"
#include "tools/program/run/run_options.h"

namespace cts {

struct CertifyOptions {
  std::filesystem::path claim, key, out;
  std::filesystem::path passphrase;  // the file with the passphrase of an encrypted key
  bool archive = false;              // `out` is one file, whose name ends in kArchiveSuffix
  std::filesystem::path suite;       // a suite generated before; empty: generate a suite
  // Existing results of the whole suite; if not empty, no implementation runs.
  std::filesystem::path results;
  std::filesystem::path answers;  // for results of a blind run: the file with its sealed answers
  ChallengeFiles challenge;       // for the answer to a challenge
  bool resume = false;            // continue an interrupted call for the same `claim` and `out`
  RunOptions run;  // Certify sets its suite and out; `pack` applies to the generated suite, too
  int jobs = 0;    // threads for everything except the implementation; 0: one per core
  StageProgress progress = {};
  const std::atomic<bool>* stop = nullptr;  // once true, Certify ends with an error
  BaseRecipe recipe = CertifyRecipe;        // tests use a smaller recipe
};

struct Certified {
  // The paths in the report are paths in the evidence. For an archive, they are paths in the folder
  // that is made when the archive is unpacked.
  Report report;
  std::filesystem::path statement;  // the path, in the same form as in `report`
  std::string text;                 // for a terminal
};

// Makes the evidence in OUT.partial (draft.h), and moves it to OUT at the end. An archive is made
// in OUT.partial, too. If the call fails after the implementation has returned a result,
// OUT.partial remains for `resume`.
StatusOr<Certified> Certify(const CertifyOptions& options);

}  // namespace cts
