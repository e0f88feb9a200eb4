// A program that a user of the installed library writes: consumer SUITE RESULTS. 0: conformant, 1:
// not.
#include <iostream>

#include "checker/judge/check.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const cts::StatusOr<cts::Report> report =
      cts::CheckSuite({.suite = argv[1], .results = argv[2], .jobs = 1});
  if (!report.ok()) {
    std::cerr << report.status() << "\n";
    return 2;
  }
  return cts::Conformant(*report) ? 0 : 1;
}
