#include "reference/base/shared_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cts {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(SharedLibrary, IsTheFirstThatThereIs) {
  const StatusOr<SharedLibrary> math =
      SharedLibrary::Open({"libm.so.none", "libm.so.6", "libc.so.6"}, [] { return "install it"; });
  ASSERT_TRUE(math.ok()) << Message(math.status());
  EXPECT_EQ(math->name(), "libm.so.6");
  double (*floor)(double) = nullptr;
  ASSERT_TRUE(math->Find("floor", floor).ok());
  EXPECT_EQ(floor(2.5), 2.0);
  EXPECT_THAT(Message(math->Find("no_such_function", floor)),
              AllOf(HasSubstr("no_such_function"), HasSubstr("expected a libm.so.6 that has")));
}

TEST(SharedLibrary, ThatIsNotThereIsAnErrorWithTheRemedy) {
  const StatusOr<SharedLibrary> none = SharedLibrary::Open({"libno-such.so.1", "libno-such.so.2"},
                                                           [] { return "install libno-such2"; });
  ASSERT_FALSE(none.ok());
  EXPECT_TRUE(absl::IsUnavailable(none.status()));
  EXPECT_THAT(Message(none.status()),
              AllOf(HasSubstr("libno-such.so.1: cannot open shared object file"),
                    HasSubstr("install libno-such2")));
}

}  // namespace
}  // namespace cts
