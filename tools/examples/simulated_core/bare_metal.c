/* ABS and ADD of i32 and MATMUL of i8 without operating system and library, over the cases that
   `tensor-cts export --format c` wrote. Only put_character and _start know the machine: here they are
   Linux on x86-64, elsewhere a UART and the reset vector.

   gcc -ffreestanding -nostdlib -static -I EXPORT bare_metal.c EXPORT/cases.c, and every case*.c in EXPORT */
#include "tensor_cts_cases.h"

#define TENSORS 512
static uint64_t arena[1 << 17];
static uint32_t used;
static const void *data[TENSORS];

static char line[4096];
static uint32_t filled;

static void flush(void) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(1), "D"(1), "S"(line), "d"((long)filled)
                   : "rcx", "r11", "memory");
  filled = 0;
}

static void put_character(char character) {
  line[filled++] = character;
  if (filled == sizeof line) flush();
}

static int is_float(enum tensor_cts_type type) {
  return type >= TENSOR_CTS_TYPE_FP8E4M3 && type <= TENSOR_CTS_TYPE_FP64;
}

/* Whether the operator has exactly the operands and results of these types. */
static int has_types(const struct tensor_cts_operator *op, const struct tensor_cts_tensor *tensors,
                     uint32_t count, enum tensor_cts_type type) {
  uint32_t i;
  if (op->input_count != count || op->output_count != 1) return 0;
  for (i = 0; i < count; ++i) {
    if (tensors[op->inputs[i]].type != type) return 0;
  }
  return tensors[op->outputs[0]].type == TENSOR_CTS_TYPE_I32;
}

/* The position in an operand of what stands at `index` of the result, or -1 where the shapes do not
   fit together. */
static int64_t broadcast(const struct tensor_cts_tensor *operand, const struct tensor_cts_tensor *result,
                         int64_t index) {
  int64_t position = 0, step = 1;
  uint32_t i;
  if (operand->rank != result->rank) return -1;
  for (i = result->rank; i-- > 0;) {
    const int64_t size = result->shape[i];
    if (size < 1 || (operand->shape[i] != size && operand->shape[i] != 1)) return -1;
    if (operand->shape[i] > 1) position += index % size * step;
    index /= size;
    step *= operand->shape[i];
  }
  return position;
}

static enum tensor_cts_status elementwise(const struct tensor_cts_operator *op,
                                          const struct tensor_cts_tensor *tensors, uint32_t *out) {
  const struct tensor_cts_tensor *a = &tensors[op->inputs[0]], *result = &tensors[op->outputs[0]];
  const struct tensor_cts_tensor *b = &tensors[op->inputs[op->input_count - 1]];
  const uint32_t *x = data[op->inputs[0]], *y = data[op->inputs[op->input_count - 1]];
  int64_t i;
  uint32_t d;
  if (broadcast(a, result, 0) < 0 || broadcast(b, result, 0) < 0) return TENSOR_CTS_REFUSED;
  for (d = 0; d < result->rank; ++d) {
    if (a->shape[d] != result->shape[d] && b->shape[d] != result->shape[d]) return TENSOR_CTS_REFUSED;
  }
  for (i = 0; i < result->bytes / 4; ++i) {
    const uint32_t value = x[broadcast(a, result, i)];
    out[i] = op->op == TENSOR_CTS_OP_ADD ? value + y[broadcast(b, result, i)]
             : value >> 31               ? 0 - value
                                         : value;
  }
  return TENSOR_CTS_COMPUTED;
}

static enum tensor_cts_status matmul(const struct tensor_cts_operator *op,
                                     const struct tensor_cts_tensor *tensors, int32_t *out) {
  const struct tensor_cts_tensor *a = &tensors[op->inputs[0]], *b = &tensors[op->inputs[1]];
  const struct tensor_cts_tensor *result = &tensors[op->outputs[0]];
  const int8_t *x = data[op->inputs[0]], *y = data[op->inputs[1]];
  int64_t n, h, w, c;
  for (n = 2; n < 4; ++n) {
    const struct tensor_cts_tensor *zero_point = &tensors[op->inputs[n]];
    if (zero_point->rank != 1 || zero_point->shape[0] != 1) return TENSOR_CTS_REFUSED;
  }
  if (a->rank != 3 || b->rank != 3 || result->rank != 3) return TENSOR_CTS_REFUSED;
  if (a->shape[0] != b->shape[0] || a->shape[2] != b->shape[1]) return TENSOR_CTS_REFUSED;
  if (result->shape[0] != a->shape[0] || result->shape[1] != a->shape[1] ||
      result->shape[2] != b->shape[2]) {
    return TENSOR_CTS_REFUSED;
  }
  for (n = 0; n < a->shape[0]; ++n) {
    for (h = 0; h < a->shape[1]; ++h) {
      for (w = 0; w < b->shape[2]; ++w) {
        int32_t sum = 0;
        for (c = 0; c < a->shape[2]; ++c) {
          const int32_t left = x[(n * a->shape[1] + h) * a->shape[2] + c];
          const int32_t right = y[(n * b->shape[1] + c) * b->shape[2] + w];
          sum += (left - *(const int8_t *)data[op->inputs[2]]) *
                 (right - *(const int8_t *)data[op->inputs[3]]);
        }
        *out++ = sum;
      }
    }
  }
  return TENSOR_CTS_COMPUTED;
}

static enum tensor_cts_status compute(const struct tensor_cts_operator *op,
                                      const struct tensor_cts_tensor *tensors) {
  uint32_t i;
  void *out = op->output_count > 0 ? (void *)data[op->outputs[0]] : 0;
  const uint32_t operands = op->op == TENSOR_CTS_OP_ABS ? 1 : op->op == TENSOR_CTS_OP_ADD ? 2 : 4;
  if (op->op == TENSOR_CTS_OP_CONST) return TENSOR_CTS_COMPUTED;
  if (operands == 4 && op->op != TENSOR_CTS_OP_MATMUL) return TENSOR_CTS_UNSUPPORTED;
  for (i = 0; i < op->input_count; ++i) {
    if (is_float(tensors[op->inputs[i]].type)) return TENSOR_CTS_UNSUPPORTED;
  }
  if (!has_types(op, tensors, operands, operands == 4 ? TENSOR_CTS_TYPE_I8 : TENSOR_CTS_TYPE_I32)) {
    return TENSOR_CTS_REFUSED;
  }
  return operands == 4 ? matmul(op, tensors, out) : elementwise(op, tensors, out);
}

static void run(const struct tensor_cts_entry *entry) {
  const struct tensor_cts_case *test = entry->test;
  const void *outputs[TENSORS];
  volatile uint64_t *unwritten = arena; /* a compiler may not call memset */
  enum tensor_cts_status status = TENSOR_CTS_COMPUTED;
  uint32_t i;
  used = 0;
  for (i = 0; i < test->tensor_count && i < TENSORS; ++i) {
    const struct tensor_cts_tensor *tensor = &test->tensors[i];
    data[i] = tensor->values ? tensor->values : &arena[used];
    if (!tensor->values) used += (tensor->bytes + 7) / 8;
  }
  /* An element that is not written must not have the answer to the case before. */
  for (i = 0; i < used && i < sizeof arena / sizeof *arena; ++i) unwritten[i] = 0xA5A5A5A5A5A5A5A5u;
  if (test->tensor_count > TENSORS || used > sizeof arena / sizeof *arena) {
    status = TENSOR_CTS_UNSUPPORTED;
  }
  for (i = 0; status == TENSOR_CTS_COMPUTED && i < test->operator_count; ++i) {
    status = compute(&test->operators[i], test->tensors);
  }
  for (i = 0; i < test->output_count && i < TENSORS; ++i) outputs[i] = data[test->outputs[i].tensor];
  tensor_cts_answer(put_character, entry, status, outputs);
}

__attribute__((force_align_arg_pointer)) void _start(void) {
  uint32_t i;
  tensor_cts_begin(put_character);
  for (i = 0; i < TENSOR_CTS_ENTRY_COUNT; ++i) run(&tensor_cts_cases[i]);
  flush();
  __asm__ volatile("syscall" : : "a"(60), "D"(0) : "rcx", "r11");
}
