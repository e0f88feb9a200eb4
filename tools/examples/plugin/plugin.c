/* A plugin for `tensor-cts run SUITE --plugin libplugin.so`: ADD, SUB and ABS of i32 and fp32, in
 * graphs of one operator, without broadcasting. It answers "unsupported" to anything else, and refuses operands that do not fit together. Replace prepare and execute by calls of yours.
 */
#include <stdlib.h>
#include <string.h>
#include <tensor-cts/plugin.h>

#define MAX_OPERANDS 2

static const char* why = ""; /* the host calls from one thread at a time */

static tensor_cts_status say(tensor_cts_status status, const char* text) {
  why = text;
  return status;
}

static const char* error_text(void) { return why; }

/* What execute needs, and nothing that belongs to the graph. */
typedef struct plan {
  char kind; /* of the operator: '+', '-' or 'a' */
  int is_float;
  size_t operands;
  size_t input[MAX_OPERANDS]; /* which input of the graph an operand is, if no constant */
  void* constant[MAX_OPERANDS];
} plan;

static void free_plan(void* prepared) {
  plan* p = prepared;
  for (size_t i = 0; i < MAX_OPERANDS; ++i) free(p->constant[i]);
  free(p);
}

/* 0 if the shapes are equal, 1 if broadcasting makes one of them the other, 2 if they clash. */
static int compare_shapes(const tensor_cts_value* a, const tensor_cts_value* b) {
  int result = 0;
  if (a->rank != b->rank) return 2;
  for (size_t d = 0; d < a->rank; ++d) {
    if (a->shape[d] == b->shape[d]) continue;
    if (a->shape[d] != 1 && b->shape[d] != 1) return 2;
    result = 1;
  }
  return result;
}

static tensor_cts_status plan_operator(const tensor_cts_block* block,
                                       const struct tensor_cts_operator* op, plan* p) {
  if (strcmp(op->name, "ADD") == 0) p->kind = '+';
  if (strcmp(op->name, "SUB") == 0) p->kind = '-';
  if (strcmp(op->name, "ABS") == 0) p->kind = 'a';
  if (p->kind == 0) return say(TENSOR_CTS_UNSUPPORTED, "an operator other than ADD, SUB and ABS");
  p->operands = p->kind == 'a' ? 1 : 2;
  if (op->input_count != p->operands || op->output_count != 1) {
    return say(TENSOR_CTS_ERROR, "a wrong number of operands");
  }
  const tensor_cts_value* output = &block->values[op->outputs[0]];
  for (size_t i = 0; i < p->operands; ++i) {
    const tensor_cts_value* operand = &block->values[op->inputs[i]];
    if (strcmp(operand->type, output->type) != 0) {
      return say(TENSOR_CTS_ERROR, "operands and result of different types");
    }
    const int difference = compare_shapes(operand, output);
    if (difference == 2) return say(TENSOR_CTS_ERROR, "shapes that do not go together");
    if (difference == 1) return say(TENSOR_CTS_UNSUPPORTED, "broadcasting");
  }
  p->is_float = strcmp(output->type, "fp32") == 0;
  if (!p->is_float && strcmp(output->type, "i32") != 0) {
    return say(TENSOR_CTS_UNSUPPORTED, "types other than i32 and fp32");
  }
  for (size_t i = 0; i < p->operands; ++i) {
    const tensor_cts_value* operand = &block->values[op->inputs[i]];
    if (operand->data != NULL) {
      p->constant[i] = malloc(operand->bytes);
      if (p->constant[i] == NULL) return say(TENSOR_CTS_FAILED, "no memory");
      memcpy(p->constant[i], operand->data, operand->bytes);
      continue;
    }
    while (p->input[i] < block->input_count && block->inputs[p->input[i]] != op->inputs[i]) {
      ++p->input[i];
    }
    if (p->input[i] == block->input_count) {
      return say(TENSOR_CTS_UNSUPPORTED, "an operand that another operator makes");
    }
  }
  return TENSOR_CTS_OK;
}

static tensor_cts_status prepare(const tensor_cts_graph* graph, void** prepared) {
  const tensor_cts_block* block = &graph->blocks[0];
  const struct tensor_cts_operator* only = NULL;
  for (size_t i = 0; i < block->operator_count; ++i) {
    const char* name = block->operators[i].name;
    if (strcmp(name, "CONST") == 0) continue; /* its output has data */
    if (only != NULL) return say(TENSOR_CTS_UNSUPPORTED, "more than one operator");
    only = &block->operators[i];
  }
  if (only == NULL || block->output_count != 1) {
    return say(TENSOR_CTS_UNSUPPORTED, "graphs without an operator, or with several outputs");
  }
  plan* p = calloc(1, sizeof(plan));
  if (p == NULL) return say(TENSOR_CTS_FAILED, "no memory");
  *prepared = p; /* the host frees it, whatever we return */
  return plan_operator(block, only, p);
}

static tensor_cts_status execute(void* prepared, const tensor_cts_input_buffer* inputs,
                                 size_t input_count, tensor_cts_output_buffer* outputs,
                                 size_t output_count) {
  const plan* p = prepared;
  const void* x[MAX_OPERANDS] = {NULL, NULL};
  (void)input_count;
  (void)output_count;
  for (size_t i = 0; i < p->operands; ++i) {
    x[i] = p->constant[i] != NULL ? p->constant[i] : inputs[p->input[i]].data;
    if (x[i] == NULL) return say(TENSOR_CTS_ERROR, "a shape that no tensor has");
  }
  const size_t count = outputs[0].bytes / 4;
  for (size_t i = 0; i < count; ++i) {
    if (p->is_float) {
      const float *a = x[0], *b = x[1];
      float* y = outputs[0].data;
      y[i] = p->kind == '+' ? a[i] + b[i] : p->kind == '-' ? a[i] - b[i] : a[i] < 0 ? -a[i] : a[i];
      if (p->kind == 'a' && a[i] == 0) y[i] = 0; /* -0 is not below 0 */
    } else {
      const uint32_t *a = x[0], *b = x[1]; /* unsigned: an overflow must not be undefined */
      uint32_t* y = outputs[0].data;
      y[i] = p->kind == '+'   ? a[i] + b[i]
             : p->kind == '-' ? a[i] - b[i]
             : a[i] >> 31     ? -a[i]
                              : a[i];
    }
  }
  outputs[0].written = count * 4;
  return TENSOR_CTS_OK;
}

static const tensor_cts_plugin_table table = {
    TENSOR_CTS_PLUGIN_ABI, 0, "example", "1", NULL, prepare, execute, error_text, free_plan};

const tensor_cts_plugin_table* tensor_cts_plugin(uint32_t abi) {
  return abi == TENSOR_CTS_PLUGIN_ABI ? &table : NULL;
}
