/* An implementation under test in a shared library: `tensor-cts run SUITE --plugin LIB.so`.
 *
 * The library exports the function tensor_cts_plugin, which returns a table of functions. The host
 * is a child process of tensor-cts. For each case, the host calls prepare, then execute once for
 * each execution of the case, then free. Variables keep their values from one execution to the
 * next. The host calls the plugin from one thread at a time, unless the table has the flag
 * TENSOR_CTS_PLUGIN_THREADS. If a plugin crashes, hangs or exits, the case has the result `crash`
 * or `timeout`. A plugin may start threads and processes. A process that the plugin forks must
 * neither use the buffers nor return from a call. The host ends a forked process that returns, and
 * ignores its answer.
 *
 * Tensors are dense, row-major, in the machine's byte order. Types have the specification's names:
 * "bool", "i4", "i8", "i16", "i32", "i48", "i64", "shape", "fp8e4m3", "fp8e5m2", "fp16", "bf16",
 * "fp32". An element takes 1, 2, 4 or 8 bytes: bool and i4 take 1 byte (i4 is sign-extended), i48
 * and shape take 8 bytes (sign-extended). A floating-point element is stored as its bit pattern.
 * Some graphs are illegal on purpose: check a graph before you use it.
 *
 * A plugin has its own floating-point mode, apart from the host's: each call begins with the mode
 * that the plugin's previous call left.
 *
 * This is the only header of tensor-cts that a plugin needs. */
#ifndef TENSOR_CTS_PLUGIN_H_
#define TENSOR_CTS_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENSOR_CTS_PLUGIN_ABI 1

typedef enum tensor_cts_status {
  TENSOR_CTS_OK = 0,
  TENSOR_CTS_ERROR = 1,       /* the graph is illegal, so it is refused */
  TENSOR_CTS_UNSUPPORTED = 2, /* the graph, legal or not, is not supported */
  TENSOR_CTS_FAILED = 3       /* the implementation itself failed: recorded as a crash */
} tensor_cts_status;

/* All strings that the host and the plugin exchange are zero-terminated. */

typedef struct tensor_cts_value { /* a tensor of a graph, without its values at run time */
  const char* name;
  const char* type;
  const int64_t* shape; /* `rank` dimensions */
  size_t rank;
  const void* data; /* the elements of a constant; otherwise NULL */
  size_t bytes;     /* the size of the whole tensor; 0 if it has no element (legal only for type
                       "shape"), or if no tensor can have the shape (a dimension below 0, more
                       elements than memory can hold) */
} tensor_cts_value;

typedef enum tensor_cts_attribute_kind {
  TENSOR_CTS_BOOL = 0,    /* `integer` is 0 or 1 */
  TENSOR_CTS_INTEGER = 1, /* `integer` */
  TENSOR_CTS_REAL = 2,    /* `real`, an exact value of the operator's type */
  TENSOR_CTS_TEXT = 3,    /* `text`, the name of an enumerator, a block or a tensor */
  TENSOR_CTS_LIST = 4     /* `list`, which has `count` elements */
} tensor_cts_attribute_kind;

typedef struct tensor_cts_attribute {
  const char* name; /* "nan_mode" */
  tensor_cts_attribute_kind kind;
  int64_t integer;
  double real;
  const char* text;
  const int64_t* list;
  size_t count;
} tensor_cts_attribute;

/* No typedef: checker/c/tensor_cts.h has a function of that name. */
struct tensor_cts_operator {
  const char* name; /* "CONV2D" */
  /* Indices into the block's values, in the order of the edition's arguments. */
  const size_t* inputs;
  size_t input_count;
  const size_t* outputs; /* indices, like inputs */
  size_t output_count;
  const tensor_cts_attribute* attributes;
  size_t attribute_count;
};

typedef struct tensor_cts_block {
  const char* name; /* the name by which attributes refer to the block */
  const tensor_cts_value* values;
  size_t value_count;
  const struct tensor_cts_operator* operators; /* in an order that can be executed */
  size_t operator_count;
  const size_t* inputs; /* indices into values */
  size_t input_count;
  const size_t* outputs; /* indices, like inputs */
  size_t output_count;
} tensor_cts_block;

typedef struct tensor_cts_graph {
  const char* edition; /* "tosa-1.0" */
  const char* level;   /* "8K" or "none" */
  /* The first block runs; control-flow operators name the other blocks. */
  const tensor_cts_block* blocks;
  size_t block_count;
} tensor_cts_graph;

/* The inputs and outputs of execute are in buffers of the host, aligned to 64 bytes. Use them only
 * until execute returns; outputs must be complete by then. The buffer of a tensor of 0 bytes is
 * NULL; only illegal cases have such tensors. The host finds these faults:
 * - A write to an input, a constant or another part of the graph crashes.
 * - Inaccessible pages surround each buffer. The gap between the end of a buffer and the page after
 *   it has 0 to 63 bytes. The gap between the page before a buffer and the buffer's beginning has
 *   at least 64 bytes, and at most a page. A write to a gap of an output is found when execute has
 *   returned. A write to a gap of an input or a constant crashes at once. A read of a gap is not
 *   found.
 * - With `tensor-cts run`, a write to an output after execute has returned crashes the call that is
 *   running at that moment. With `tensor-cts sweep`, such a write is found with the next answer,
 *   unless the process ends before that. Only bytes that are written before execute returns count.
 *   Before each call, the host fills every output: with the byte 0xFF if its type is a
 *   floating-point type, and with the byte 0xA5 for all other types. */
typedef struct tensor_cts_input_buffer {
  const void* data;
  size_t bytes;
} tensor_cts_input_buffer;

typedef struct tensor_cts_output_buffer {
  void* data;     /* room for a tensor of the declared shape */
  size_t bytes;   /* the size of that room */
  size_t written; /* execute sets it to the number of bytes of the output. If it differs from
                     `bytes`, the output has another shape than the declared one: a wrong answer */
} tensor_cts_output_buffer;

typedef struct tensor_cts_plugin_table {
  uint32_t abi; /* TENSOR_CTS_PLUGIN_ABI */
  uint32_t flags;
  /* These texts have at most 200 bytes each, and are the same whenever the library is loaded on
   * this machine. */
  const char* name;    /* of the implementation */
  const char* version; /* of the implementation */
  const char* about;   /* a line for people, such as the instruction set in use; may be NULL */

  /* Takes a graph, which is read-only and valid until free returns, and sets `*prepared` to the
   * data that execute needs. If `*prepared` is not NULL, the host passes it to free, whatever
   * status prepare returns. */
  tensor_cts_status (*prepare)(const tensor_cts_graph* graph, void** prepared);

  /* Inputs and outputs are in the order in which the first block lists them. */
  tensor_cts_status (*execute)(void* prepared, const tensor_cts_input_buffer* inputs,
                               size_t input_count, tensor_cts_output_buffer* outputs,
                               size_t output_count);

  /* Returns the reason why the last call on this thread did not return OK, or NULL. The text is
   * valid until the next call on this thread. The host keeps its first 4096 bytes. */
  const char* (*error_text)(void);

  void (*free)(void* prepared);
} tensor_cts_plugin_table;

/* Flag: execute may be called from several threads at a time, with the same `prepared`. */
#define TENSOR_CTS_PLUGIN_THREADS 1u

#if defined(__GNUC__)
#define TENSOR_CTS_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define TENSOR_CTS_PLUGIN_EXPORT
#endif

/* The function that the library exports. `abi` is the host's TENSOR_CTS_PLUGIN_ABI. Returns NULL if
 * the plugin does not support this version of the interface. */
TENSOR_CTS_PLUGIN_EXPORT const tensor_cts_plugin_table* tensor_cts_plugin(uint32_t abi);

/* A library may also export this function. It declares what the implementation supports, as a JSON
 * object that schemas/declared.schema.json describes: at most 65536 bytes, valid until the process
 * ends, and the same whenever the library is loaded on this machine. The host calls it once, after
 * tensor_cts_plugin. If the plugin answers a case as unsupported although the declaration covers
 * the case, the case counts as wrong. Other unsupported cases are counted separately. Returns NULL
 * if the library declares nothing. */
TENSOR_CTS_PLUGIN_EXPORT const char* tensor_cts_plugin_declared(void);

#ifdef __cplusplus
}
#endif

#endif
