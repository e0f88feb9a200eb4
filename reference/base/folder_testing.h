// For tests: creates an empty directory for each test, and removes it after the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>

#include "reference/base/status.h"

namespace cts {

class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  static int64_t Entries(const std::filesystem::path& directory) {
    return std::distance(std::filesystem::directory_iterator(directory),
                         std::filesystem::directory_iterator());
  }
  static std::string Name() {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    return StrCat("cts_", test.test_suite_name(), "_", test.name());
  }

  const std::filesystem::path root_ = std::filesystem::path(testing::TempDir()) / Name();
};

}  // namespace cts
