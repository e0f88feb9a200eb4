// Compares the results of a case that ran again.
#pragma once

#include <string>
#include <string_view>

namespace cts {

// Says in words where two .npy files differ: "element 5 [1, 2]: 0x3f800000 the first time,
// 0x3f800001 in repeat 2; 3 of 6 elements differ". Returns an empty text if the files have the same
// bytes.
std::string FirstDifference(std::string_view first, std::string_view second, int repeat);

}  // namespace cts
