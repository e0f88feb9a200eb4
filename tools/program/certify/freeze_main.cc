// freeze-release RELEASE DATE CLAIMS OUT SAMPLE: see freeze.h. Called by tools/release.sh --freeze.
#include <cstdio>
#include <iostream>
#include <string_view>

#include "checker/judge/build_state.h"
#include "tools/program/certify/freeze.h"

namespace {

cts::Status Freeze(char** arguments) {
  // Sources without a commit cannot be built again.
  const std::string_view commit = cts::ThisBuild().commit;
  if (commit == "unknown" || commit.find(", modified") != std::string_view::npos) {
    return cts::InvalidArgument("found a build of the commit ", commit,
                                ", expected one of sources that are committed as they are");
  }
  cts::FreezeOptions options;
  options.release = arguments[1];
  options.date = arguments[2];
  options.out = arguments[4];
  options.progress = [](const std::string& suite) { std::cout << suite << std::endl; };
  CTS_ASSIGN_OR_RETURN(options.claims, cts::ReadClaimsToFreeze(arguments[3]));
  CTS_RETURN_IF_ERROR(cts::FreezeRelease(options));
  CTS_RETURN_IF_ERROR(cts::FreezeGroups(options));
  return cts::MakeSample(options.release, options.date, arguments[5]);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    std::cerr << "usage: freeze-release RELEASE DATE CLAIMS OUT SAMPLE\n";
    return 2;
  }
  const cts::Status done = Freeze(arguments);
  if (done.ok()) return 0;
  std::cerr << "freeze-release: " << cts::Message(done) << "\n";
  return 2;
}
