#include "reference/base/system_package.h"

#include <gtest/gtest.h>

namespace cts {
namespace {

const std::vector<SystemPackage> kNames = {{"debian", {0, 0}, "liba1"},
                                           {"debian", {13, 0}, "liba1t64"},
                                           {"ubuntu", {22, 4}, "liba1"},
                                           {"ubuntu", {24, 4}, "liba1t64"}};

TEST(SystemPackage, IsThatOfTheSystemAndItsVersion) {
  const std::string before = "install it (apt-get install liba1)";
  const std::string since = "install it (apt-get install liba1t64)";
  for (const auto& [text, line] : std::vector<std::pair<std::string, std::string>>{
           {"PRETTY_NAME=\"Debian 12\"\nVERSION_ID=\"12\"\nID=debian\n", before},
           {"ID=debian\nVERSION_ID=\"13\"", since},
           {"ID=debian\nVERSION_CODENAME=forky\n", since},
           {"ID=ubuntu\nVERSION_ID=\"22.04\"\n", before},
           {"ID='ubuntu'\nVERSION_ID=23.10\n", before},
           {"ID=ubuntu\nVERSION_ID=\"24.04\"\n", since},
           {"ID=ubuntu\nVERSION_ID=\"25.04\"\n", since},
           {"ID=ubuntu\nVERSION_ID=\"20.04\"\n", "install it"},
           {"ID=fedora\nVERSION_ID=43\nID_LIKE=debian\n", "install it"},
           {"ID=\nVERSION_ID=\n", "install it"},
           {"\n\nID", "install it"},
           {"", "install it"}}) {
    EXPECT_EQ(InstallIt(kNames, text), line) << text;
  }
}

TEST(SystemPackage, OfThisSystemIsSomething) {
  EXPECT_EQ(InstallIt(kNames).substr(0, 10), "install it");
}

}  // namespace
}  // namespace cts
