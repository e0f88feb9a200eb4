// A worker that does next to nothing: writes one small tensor for every case, and answers. When its
// input ends it writes to the file that TRIVIAL_WORKER_TIME names how many seconds it was busy,
// from having a request to having answered it.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

namespace {

// The value of a member whose value is a string without escapes.
std::string Member(const std::string& line, const std::string& name) {
  const std::string key = "\"" + name + "\":\"";
  const size_t begin = line.find(key);
  if (begin == std::string::npos) return "";
  return line.substr(begin + key.size(), line.find('"', begin + key.size()) - begin - key.size());
}

// output.npy of i8 {1}.
bool WriteOutput(const std::string& directory) {
  std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
  bytes += "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }";
  bytes.resize(127, ' ');
  bytes += "\n\x01";
  const int fd = open((directory + "/output.npy").c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  const bool good = fd >= 0 && write(fd, bytes.data(), bytes.size()) == ssize_t(bytes.size());
  if (fd >= 0) close(fd);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const bool batches = argc > 1 && std::string(argv[1]) == "--batch";
  if (batches) {
    std::cout << R"({"worker": "trivial", "version": "1", "batch": )" << argv[2] << "}"
              << std::endl;
  }
  std::ios::sync_with_stdio(false);
  std::chrono::steady_clock::duration busy{};
  for (std::string line; std::getline(std::cin, line);) {
    const auto start = std::chrono::steady_clock::now();
    const bool good = WriteOutput(Member(line, "result_dir"));
    std::cout << R"({"case": ")" << Member(line, "case") << R"(", "status": ")"
              << (good ? "ok" : "unsupported") << "\"}\n"
              << std::flush;
    busy += std::chrono::steady_clock::now() - start;
  }
  if (const char* const place = std::getenv("TRIVIAL_WORKER_TIME")) {
    std::ofstream(place) << std::chrono::duration<double>(busy).count() << "\n";
  }
}
