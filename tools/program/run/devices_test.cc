#include "tools/program/run/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "reference/base/file.h"
#include "reference/base/json.h"
#include "tools/program/run/resume.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class DevicesTest : public ::testing::Test {
 protected:
  DevicesTest() {
    std::string name = (fs::temp_directory_path() / "devices_test_XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~DevicesTest() override { fs::remove_all(root_); }

  StatusOr<std::vector<Device>> Read(const Json& json) const {
    const fs::path file = root_ / "boards.json";
    EXPECT_TRUE(SaveJson(file, json).ok());
    return ReadDevices(file);
  }
  std::string Error(const Json& json) const {
    const auto devices = Read(json);
    return devices.ok() ? "no error" : Message(devices.status());
  }

  fs::path root_;
};

TEST_F(DevicesTest, EachHasALockOfItsOwn) {
  const auto devices =
      Read({{"devices",
             {{{"name", "a"}, {"adapter", "ssh a worker"}},
              {{"name", "b"}, {"adapter", "ssh b worker"}, {"lock", "/x/../l"}}}}});
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_EQ(devices->size(), 2U);
  EXPECT_EQ((*devices)[0].name, "a");
  EXPECT_EQ((*devices)[1].adapter, "ssh b worker");
  EXPECT_THAT((*devices)[0].lock.filename().string(), StartsWith("tensor-cts-device-"));
  EXPECT_EQ((*devices)[0].lock.parent_path(), fs::temp_directory_path());
  EXPECT_EQ((*devices)[1].lock, "/l");
}

TEST_F(DevicesTest, ErrorsNamePlaceFoundAndExpected) {
  const Json a = {{"name", "a"}, {"adapter", "x"}};
  EXPECT_THAT(Error({{"devices", {a, {{"name", "a"}, {"adapter", "y"}}}}}),
              HasSubstr("boards.json: /devices/1/name: found \"a\", as /devices/0 has it, expected "
                        "another name for each device"));
  EXPECT_THAT(Error({{"devices", {a, {{"name", "b"}, {"adapter", "x"}}}}}),
              HasSubstr("/devices/1/adapter: found the command of /devices/0, expected another"));
  EXPECT_THAT(Error({{"devices", Json::array()}}), HasSubstr("/devices: found []"));
  EXPECT_THAT(Message(ReadDevices(root_ / "none.json").status()), HasSubstr("none.json"));
}

// ---- Who is to blame for a case without an answer ----------------------------------------------

TEST(IsFaultOfCase, AsTheRuleSays) {
  struct Row {
    NoAnswer what;
    bool of_case;
  };
  const Row rows[] = {
      // A living device: another one is asked, if there is one.
      {{.device_answers = true, .others = true}, false},
      {{.device_answers = true, .others = false}, true},
      {{.device_answers = true, .before = 1, .others = true}, true},
      // As with one machine, a timeout counts at once.
      {{.device_answers = true, .timeout = true, .others = true}, true},
      // A lost device: the case is not to blame yet, whatever it did.
      {{.device_answers = false, .others = true}, false},
      {{.device_answers = false, .timeout = true, .others = true}, false},
      {{.device_answers = false, .others = false}, false},
      // The second device without an answer.
      {{.device_answers = false, .before = 1, .others = true}, true},
      {{.device_answers = false, .before = 1, .others = false}, true},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(IsFaultOfCase(row.what), row.of_case)
        << row.what.device_answers << row.what.timeout << row.what.before << row.what.others;
  }
}

class DevicePoolTest : public DevicesTest {
 protected:
  DevicePoolTest() {
    for (const char* name : {"a", "b", "c"}) {
      devices_.push_back({name, StrCat("run on ", name), root_ / StrCat(name, ".lock")});
    }
    entries_.resize(3);
  }
  std::vector<Device> devices_;
  std::vector<SuiteEntry> entries_;
};

TEST_F(DevicePoolTest, ACaseGoesToAnotherDevice) {
  DevicePool pool(devices_);
  pool.GiveBack({.entry = entries_.data(), .from = devices_.data(), .before = 1});
  EXPECT_FALSE(pool.HasFor(devices_[0]));
  EXPECT_FALSE(pool.TakeFor(devices_[0]));
  ASSERT_TRUE(pool.HasFor(devices_[1]));
  const auto taken = pool.TakeFor(devices_[1]);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->entry, entries_.data());
  EXPECT_EQ(taken->before, 1);
  EXPECT_FALSE(pool.AnyHandedBack());
}

TEST_F(DevicePoolTest, TheLastDeviceTakesItsOwnCase) {
  DevicePool pool(devices_);
  pool.GiveBack({.entry = entries_.data(), .from = devices_.data()});
  EXPECT_TRUE(pool.Lose(devices_[1], "power"));
  EXPECT_FALSE(pool.Lose(devices_[1], "again"));
  EXPECT_FALSE(pool.HasFor(devices_[0]));
  EXPECT_TRUE(pool.Lose(devices_[2], "network"));
  EXPECT_TRUE(pool.HasFor(devices_[0]));
  EXPECT_EQ(pool.LostText(), "b: power; c: network");
  EXPECT_THAT(pool.Living(), ElementsAre(devices_.data()));
}

TEST_F(DevicePoolTest, ADeviceIsAskedForACaseOfItsOwnFirst) {
  DevicePool pool(devices_);
  EXPECT_EQ(pool.Known(devices_[0], nullptr), nullptr);
  pool.Answered(nullptr, &entries_[2]);
  EXPECT_EQ(pool.Known(devices_[0], nullptr), &entries_[2]);
  pool.Answered(&devices_[1], &entries_[1]);
  EXPECT_EQ(pool.Known(devices_[0], nullptr), &entries_[1]);
  pool.Answered(&devices_[0], entries_.data());
  EXPECT_EQ(pool.Known(devices_[0], nullptr), entries_.data());
  EXPECT_EQ(pool.Known(devices_[0], entries_.data()), &entries_[1]);
}

TEST_F(DevicePoolTest, IdleDevicesWaitForTheOthers) {
  DevicePool pool(devices_);
  pool.Lose(devices_[2], "power");
  const auto never = [] { return false; };
  std::atomic<int> taken{0};
  std::thread a([&] {
    while (pool.WaitFor(devices_[0], never)) taken += pool.TakeFor(devices_[0]) ? 1 : 0;
  });
  for (const SuiteEntry& entry : entries_) {
    pool.GiveBack({.entry = &entry, .from = &devices_[1]});
  }
  while (pool.AnyHandedBack()) std::this_thread::yield();
  EXPECT_FALSE(pool.WaitFor(devices_[1], never));
  a.join();
  EXPECT_EQ(taken, 3);
  EXPECT_FALSE(pool.WaitFor(devices_[2], never));
}

TEST_F(DevicePoolTest, ALockIsOfOneRun) {
  DevicePool one(devices_), other(devices_);
  EXPECT_TRUE(one.Lock(devices_[0]).ok());
  EXPECT_THAT(Message(other.Lock(devices_[0])),
              HasSubstr("another run uses it, and has locked " + devices_[0].lock.string()));
  EXPECT_TRUE(other.Lock(devices_[1]).ok());
  devices_[2].lock = root_ / "none" / "lock";
  EXPECT_THAT(Message(one.Lock(devices_[2])), HasSubstr("cannot be opened for its lock"));
}

// ---- What run.json says after --resume ---------------------------------------------------------

TEST(JoinDevices, KeepsWhatEarlierPartsDid) {
  const std::vector<DeviceRecord> before = {{"a", "x", 2, std::vector<size_t>{0, 3}, "power"},
                                            {"b", "y", 1, std::vector<size_t>{1}, "network"}};
  const auto joined = JoinDevices(
      before, {{"c", "z", 0, std::vector<size_t>(), {}}, {"a", "x", 0, std::vector<size_t>(), {}}});
  ASSERT_EQ(joined.size(), 3U);
  EXPECT_EQ(joined[0].name, "c");
  EXPECT_EQ(joined[1].name, "a");
  EXPECT_EQ(joined[1].positions, before[0].positions);
  EXPECT_FALSE(joined[1].lost);  // it has another chance
  EXPECT_EQ(joined[2].name, "b");
  EXPECT_EQ(joined[2].lost, "network");
}

}  // namespace
}  // namespace cts
