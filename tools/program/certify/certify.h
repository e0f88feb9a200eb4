// Certifying: makes an evidence directory from a claim.
#pragma once

#include <atomic>
#include <filesystem>

#include "checker/judge/check.h"
#include "tools/program/certify/mandatory_suite.h"
#include "tools/program/run/run_options.h"

namespace cts {

struct CertifyOptions {
  std::filesystem::path claim, key, out;
  bool archive = false;         // `out` is one file, kArchiveSuffix
  std::filesystem::path suite;  // generated before; empty: generate
  // Results that are there already, of the whole suite: then nothing runs here.
  std::filesystem::path results;
  std::filesystem::path answers;  // for results of a blind run: the file that seals its answers
  bool resume = false;            // goes on with an interrupted call for the same claim and out
  RunOptions run;  // Certify sets suite and out; `pack` applies to the generated suite, too
  int jobs = 0;    // threads for our own work; 0: one per core
  StageProgress progress = {};
  const std::atomic<bool>* stop = nullptr;  // once true, ends with an error
  BaseRecipe recipe = CertifyRecipe;        // tests take a smaller one
};

struct Certified {
  Report report;  // its paths are those of the evidence; for an archive, of the folder into which
                  // it unpacks
  std::filesystem::path statement;  // as above
  std::string text;                 // for a terminal
};

// Works in OUT.partial (draft.h), whose evidence becomes OUT at the end. An archive is made in it,
// too. If the call fails once the implementation has answered, OUT.partial stays for `resume`.
StatusOr<Certified> Certify(const CertifyOptions& options);

}  // namespace cts
