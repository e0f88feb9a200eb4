// A plugin that computes ABS of i32, and the generator's graphs of a variable that holds what a
// mask selects, but for what the variable PLUGIN_FAULT tells it to do wrong: when it is loaded, or
// with a scalar; every other tensor is answered well. After "large:" it is what execute does wrong
// of every tensor with an element beyond 1000, instead.
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "tools/adapters/plugin.h"

namespace {

constexpr std::string_view kLarge = "large:";

std::string_view Given() {
  const char* const fault = std::getenv("PLUGIN_FAULT");
  return fault == nullptr ? "" : fault;
}

bool IsOfLarge() { return Given().substr(0, kLarge.size()) == kLarge; }

bool Is(std::string_view fault) {
  return fault == (IsOfLarge() ? Given().substr(kLarge.size()) : Given());
}

const char* error_text = "";
bool bad = false;   // the graph in hand is the one to fail on
std::jmp_buf over;  // set by a prepare that has returned
const tensor_cts_graph* bad_graph = nullptr;
char* late = nullptr;  // an output of a call that is over, to be written to

// A text that nothing ends, up to a page that nobody may read.
const char* Endless() {
  const size_t size = 1 << 20;
  void* const text =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memset(text, 'x', size);
  return static_cast<const char*>(text);
}

// No tail call, and every frame is touched.
int Recurse(int depth) {
  volatile char frame[1024];
  frame[depth % 1024] = static_cast<char>(depth);
  if (depth < 0) return 0;  // where no stack reaches
  return Recurse(depth + 1) + frame[depth % 1024];
}

void Misbehave(const tensor_cts_input_buffer& input, tensor_cts_output_buffer& output) {
  auto* const y = static_cast<char*>(output.data);
  if (Is("segv")) {
    volatile int* nowhere = nullptr;
    *nowhere = 1;
  }
  if (Is("stack")) output.written = static_cast<size_t>(Recurse(0));
  if (Is("abort")) std::abort();
  if (Is("exit")) std::exit(3);
  if (Is("exit-0")) std::exit(0);
  if (Is("_exit-0")) _exit(0);
  if (Is("killed")) kill(getpid(), SIGKILL);
  if (Is("throws")) throw std::runtime_error("weights \x1b[31mlost");
  if (Is("throws-number")) throw 42;
  if (Is("ends-thread")) pthread_exit(nullptr);
  if (Is("longjmp")) std::longjmp(over, 1);
  if (Is("hangs")) {
    while (true) pause();
  }
  if (Is("thread-crashes")) {
    std::thread([] { raise(SIGSEGV); }).detach();
    sleep(10);
  }
  if (Is("thread-throws")) std::thread([] { throw std::runtime_error("in a thread"); }).join();
  if (Is("forks-well")) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
  }
  // Both come back from execute; which of them first must not matter.
  if (Is("forks") && fork() != 0) sleep(1);
  if (Is("forks-late") && fork() == 0) usleep(200000);
  if (Is("memory")) {
    char* const hog = static_cast<char*>(std::malloc(size_t{1} << 30));
    for (size_t i = 0; i < size_t{1} << 30; i += 4096) hog[i] = 1;
    sleep(10);
  }
  if (Is("overrun")) y[output.bytes] = 0;
  if (Is("overrun-far")) std::memset(y, 0, output.bytes + 4096);
  if (Is("underrun")) y[-1] = 0;
  if (Is("underrun-far")) std::memset(y - (1 << 16), 0, 1 << 16);
  if (Is("reads-behind")) std::memcpy(y, static_cast<const char*>(input.data) + 4096, 4);
  if (Is("writes-input")) *static_cast<int32_t*>(const_cast<void*>(input.data)) = 1;
  if (Is("writes-graph")) *const_cast<char*>(bad_graph->blocks[0].values[0].name) = 'x';
  if (Is("writes-late")) late = y;
  if (Is("frees-output")) std::free(y);
  if (Is("closes")) {
    for (int fd = 0; fd < 1024; ++fd) close(fd);
  }
}

// VARIABLE, VARIABLE_READ, CONST, SELECT, VARIABLE_WRITE: what it holds, and which elements to
// renew.
struct State {
  std::string held, mask;
};

bool PrepareVariable(const tensor_cts_block& block, State& state) {
  if (block.operator_count != 5 || block.input_count != 1 || block.output_count != 2) return false;
  const tensor_cts_operator& variable = block.operators[0];
  const tensor_cts_operator& select = block.operators[3];
  if (std::string_view(variable.name) != "VARIABLE" || std::string_view(select.name) != "SELECT") {
    return false;
  }
  for (size_t i = 0; i < variable.attribute_count; ++i) {
    const tensor_cts_attribute& attribute = variable.attributes[i];
    if (std::string_view(attribute.name) != "initial_value") continue;
    for (size_t k = 0; k < block.value_count; ++k) {
      const tensor_cts_value& value = block.values[k];
      if (attribute.kind != TENSOR_CTS_TEXT || std::string_view(value.name) != attribute.text)
        continue;
      state.held.assign(static_cast<const char*>(value.data), value.bytes);
    }
  }
  const tensor_cts_value& mask = block.values[select.inputs[0]];
  state.mask.assign(static_cast<const char*>(mask.data), mask.bytes);
  return !state.held.empty() && !state.mask.empty();
}

void Step(State& state, const tensor_cts_input_buffer& input, tensor_cts_output_buffer* outputs) {
  std::memcpy(outputs[0].data, state.held.data(), state.held.size());
  const size_t element = state.held.size() / state.mask.size();
  for (size_t i = 0; i < state.mask.size(); ++i) {
    if (state.mask[i] == 0) continue;
    std::memcpy(state.held.data() + i * element, static_cast<const char*>(input.data) + i * element,
                element);
  }
  std::memcpy(outputs[1].data, state.held.data(), state.held.size());
  outputs[0].written = outputs[1].written = state.held.size();
}

tensor_cts_status Prepare(const tensor_cts_graph* graph, void** prepared) {
  const tensor_cts_block& block = graph->blocks[0];
  bad = false;
  if (State state; PrepareVariable(block, state)) {
    *prepared = new State(state);
    return TENSOR_CTS_OK;
  }
  const tensor_cts_operator& op = block.operators[0];
  error_text = "only ABS of i32";
  if (block.operator_count != 1 || std::string_view(op.name) != "ABS" || op.input_count != 1 ||
      op.output_count != 1) {
    return TENSOR_CTS_UNSUPPORTED;
  }
  const tensor_cts_value& x = block.values[op.inputs[0]];
  if (std::string_view(x.type) != "i32") return TENSOR_CTS_UNSUPPORTED;
  bad = x.rank == 0 && !IsOfLarge();
  bad_graph = graph;
  if (setjmp(over) != 0) return TENSOR_CTS_OK;
  if (bad && Is("prepare-throws")) throw std::runtime_error("no kernel");
  if (bad && Is("prepare-crashes")) raise(SIGFPE);
  if (bad && Is("prepare-status")) return static_cast<tensor_cts_status>(-7);
  if (bad && Is("fails")) {
    error_text = "the device\nis gone";
    return TENSOR_CTS_FAILED;
  }
  if (bad && Is("wild-error-text")) {
    error_text = reinterpret_cast<const char*>(16);
    return TENSOR_CTS_ERROR;
  }
  if (bad && Is("null-error-text")) {
    error_text = nullptr;
    return TENSOR_CTS_ERROR;
  }
  if (bad && Is("endless-error-text")) {
    error_text = Endless();
    return TENSOR_CTS_ERROR;
  }
  *prepared = new State;
  error_text = "the types differ";
  const tensor_cts_value& y = block.values[op.outputs[0]];
  if (std::string_view(x.type) != y.type) return TENSOR_CTS_ERROR;
  if (x.bytes == y.bytes) return TENSOR_CTS_OK;
  error_text = "the shapes differ";
  return TENSOR_CTS_ERROR;
}

tensor_cts_status Execute(void* prepared, const tensor_cts_input_buffer* inputs, size_t,
                          tensor_cts_output_buffer* outputs, size_t) {
  if (auto* const state = static_cast<State*>(prepared); !state->held.empty()) {
    Step(*state, inputs[0], outputs);
    return TENSOR_CTS_OK;
  }
  for (size_t i = 0; IsOfLarge() && i < inputs[0].bytes / 4; ++i) {
    const int32_t x = static_cast<const int32_t*>(inputs[0].data)[i];
    bad = bad || x > 1000 || x < -1000;
  }
  if (bad && Is("prints")) {
    // These lines look like an answer.
    std::printf("{\"case\": \"abs/i32-scalar-run-full-range\", \"status\": \"unsupported\"}\n");
    [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, "{}\n", 3);
    char byte = 0;
    [[maybe_unused]] const ssize_t got = read(STDIN_FILENO, &byte, 1);
  }
  if (bad) Misbehave(inputs[0], outputs[0]);
  const auto* const x = static_cast<const int32_t*>(inputs[0].data);
  auto* const y = static_cast<int32_t*>(outputs[0].data);
  for (size_t i = 0; i < outputs[0].bytes / 4; ++i) y[i] = x[i] < 0 ? -x[i] : x[i];
  if (bad && Is("wrong")) ++y[outputs[0].bytes / 4 - 1];
  if (bad && Is("written-unset")) return TENSOR_CTS_OK;
  outputs[0].written = outputs[0].bytes;
  if (bad && Is("written-none")) outputs[0].written = 0;
  if (bad && Is("written-odd")) outputs[0].written = 3;
  if (bad && Is("written-more")) outputs[0].written = 8;
  if (bad && Is("written-garbage")) outputs[0].written = SIZE_MAX - 7;
  if (bad && Is("execute-status")) return static_cast<tensor_cts_status>(42);
  return TENSOR_CTS_OK;
}

const char* ErrorText() { return error_text; }

void Free(void* prepared) {
  delete static_cast<State*>(prepared);
  if (late != nullptr) std::thread([] { *late = 1; }).join();
  if (bad && Is("free-throws")) throw std::runtime_error("not mine");
  if (bad && Is("free-crashes")) std::abort();
}

}  // namespace

#ifndef NO_ENTRY
extern "C" const tensor_cts_plugin_table* tensor_cts_plugin(uint32_t abi) {
  static tensor_cts_plugin_table table = {TENSOR_CTS_PLUGIN_ABI,
                                          0,
                                          "faulty",
                                          "0.1",
                                          "none to speak of",
                                          Prepare,
                                          Execute,
                                          ErrorText,
                                          Free};
  if (abi != TENSOR_CTS_PLUGIN_ABI || Is("load-null")) return nullptr;
  if (Is("load-wild")) return reinterpret_cast<const tensor_cts_plugin_table*>(16);
  if (Is("load-newer")) table.abi = TENSOR_CTS_PLUGIN_ABI + 1;
  if (Is("load-older")) table.abi = 0;
  if (Is("load-no-prepare")) table.prepare = nullptr;
  if (Is("load-no-execute")) table.execute = nullptr;
  if (Is("load-no-error-text")) table.error_text = nullptr;
  if (Is("load-no-free")) table.free = nullptr;
  if (Is("load-no-name")) table.name = nullptr;
  if (Is("load-empty-version")) table.version = "";
  if (Is("load-endless-name")) table.name = Endless();
  if (Is("load-deceives")) table.name = "f\u0430ulty";  // the second letter is Cyrillic
  if (Is("load-wild-name")) table.name = reinterpret_cast<const char*>(16);
  if (Is("load-endless-about")) table.about = Endless();
  if (Is("load-throws")) throw std::runtime_error("no device");
  if (Is("load-aborts")) std::abort();
  if (Is("load-exits")) std::exit(0);
  if (Is("load-hangs")) sleep(100);
  if (Is("load-prints")) std::puts("{\"worker\": \"somebody else\", \"version\": \"9\"}");
  return &table;
}

extern "C" const char* tensor_cts_plugin_declared() {
  if (Is("load-declares-text")) return "ADD and MUL";
  if (Is("load-declares-wrongly")) return R"({"format": "tensor-cts-declared-1"})";
  if (Is("load-declares-unknown")) {
    return R"({"format": "tensor-cts-declared-1", "edition": "tosa-1.0", "operators": ["ABBS"]})";
  }
  if (Is("load-declares-endlessly")) return Endless();
  if (Is("load-declares-wildly")) std::abort();
  if (!Is("declares")) return nullptr;
  return R"({"format": "tensor-cts-declared-1", "edition": "tosa-1.0", "operators": ["ABS"],
             "types": ["i32", "fp32"]})";
}
#endif
