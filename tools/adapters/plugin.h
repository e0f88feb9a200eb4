/* An implementation under test in a shared library: `tensor-cts run SUITE --plugin LIB.so`.
 *
 * The library exports one function, tensor_cts_plugin, which returns a table. The host, a child
 * process of tensor-cts, calls for each case: prepare, execute (once or more, in order, variables
 * keep what they hold), free. It calls from one thread at a time unless the table says otherwise.
 * A plugin that crashes, hangs or exits gives a result like any other: `crash` or `timeout`. It may
 * start threads and processes. A process that it forks must not return from a call, nor use the
 * buffers: it ends where it returns, and what it would have answered counts for nothing.
 *
 * Tensors are dense, row-major, in the machine's byte order. Types have the specification's names:
 * "bool", "i4", "i8", "i16", "i32", "i48", "i64", "shape", "fp8e4m3", "fp8e5m2", "fp16", "bf16",
 * "fp32". An element takes 1, 2, 4 or 8 bytes: bool and i4 one (i4 sign-extended), i48 and shape
 * eight (sign-extended), floats their bits. Cases may be illegal on purpose: check before use.
 *
 * The floating-point mode that a plugin sets is its own: the host computes in another, and each
 * call finds the mode that the call before it left.
 *
 * A plugin needs nothing of tensor-cts but this header. */
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
  TENSOR_CTS_ERROR = 1,       /* the graph is illegal, and refused */
  TENSOR_CTS_UNSUPPORTED = 2, /* legal as it may be, not offered */
  TENSOR_CTS_FAILED = 3       /* the implementation itself failed: no answer, recorded as a crash */
} tensor_cts_status;

/* Every text that a plugin gets or gives ends with a zero. */

typedef struct tensor_cts_value { /* a tensor of a graph, without what it holds at run time */
  const char* name;
  const char* type;
  const int64_t* shape; /* `rank` dimensions */
  size_t rank;
  const void* data; /* of a constant; NULL of any other */
  size_t bytes;     /* of the whole tensor; 0 where none has the shape (a dimension below 1; only
                       the type "shape" may legally have no element) */
} tensor_cts_value;

typedef enum tensor_cts_attribute_kind {
  TENSOR_CTS_BOOL = 0,    /* integer: 0 or 1 */
  TENSOR_CTS_INTEGER = 1, /* integer */
  TENSOR_CTS_REAL = 2,    /* real: exact in the type that the operator has */
  TENSOR_CTS_TEXT = 3,    /* text: an enumeration's name, a graph's (a block), a tensor's */
  TENSOR_CTS_LIST = 4     /* list, count */
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
  const size_t* outputs; /* likewise */
  size_t output_count;
  const tensor_cts_attribute* attributes;
  size_t attribute_count;
};

typedef struct tensor_cts_block {
  const char* name; /* what attributes call it */
  const tensor_cts_value* values;
  size_t value_count;
  const struct tensor_cts_operator* operators; /* in an order that can be executed */
  size_t operator_count;
  const size_t* inputs; /* indices into values */
  size_t input_count;
  const size_t* outputs; /* likewise */
  size_t output_count;
} tensor_cts_block;

typedef struct tensor_cts_graph {
  const char* edition;            /* "tosa-1.0" */
  const char* level;              /* "8K" or "none" */
  const tensor_cts_block* blocks; /* the first one runs; control flow names the others */
  size_t block_count;
} tensor_cts_graph;

/* What execute reads and writes: buffers of the host, aligned to 64 bytes, to be used until execute
 * returns; by then outputs must be complete. A tensor of 0 bytes has no buffer but NULL: its case
 * is illegal. What is found out:
 * - Inputs, constants and the rest of the graph cannot be written: who tries, crashes.
 * - Around each buffer lie pages that cannot be touched. Up to 63 bytes behind it and up to a page
 *   and 63 bytes before it are not among these: there, writing is found when execute has returned
 *   (of inputs and constants at once), and reading is not found.
 * - Who writes to an output when execute has returned: by a crash of the call that runs then (run),
 *   or with the next answer (sweep), unless the process has ended by then. What was written in time
 *   counts; what is missing is 0xFF in floating point, 0xA5 elsewhere. */
typedef struct tensor_cts_input_buffer {
  const void* data;
  size_t bytes;
} tensor_cts_input_buffer;

typedef struct tensor_cts_output_buffer {
  void* data;     /* room for the shape that the graph declares */
  size_t bytes;   /* of that room */
  size_t written; /* execute sets it: so many bytes hold the output. Another number than `bytes`
                     means another shape than the declared one, and is no correct answer */
} tensor_cts_output_buffer;

typedef struct tensor_cts_plugin_table {
  uint32_t abi; /* TENSOR_CTS_PLUGIN_ABI */
  uint32_t flags;
  /* Of at most 200 bytes each, and the same whenever the library is loaded on this machine. */
  const char* name;    /* of the implementation */
  const char* version; /* of the implementation */
  const char* about;   /* a line for people, such as the instruction set in use; may be NULL */

  /* Takes a graph, valid until free returns, and not to be written; puts what execute needs into
   * `*prepared`. What it puts there is freed even if the status is not OK, if it is not NULL. */
  tensor_cts_status (*prepare)(const tensor_cts_graph* graph, void** prepared);

  /* Inputs and outputs in the order of the first block's. */
  tensor_cts_status (*execute)(void* prepared, const tensor_cts_input_buffer* inputs,
                               size_t input_count, tensor_cts_output_buffer* outputs,
                               size_t output_count);

  /* Why the last call of this thread did not return OK; valid until its next call. May return
   * NULL. 4096 bytes are kept. */
  const char* (*error_text)(void);

  void (*free)(void* prepared);
} tensor_cts_plugin_table;

/* Flag: execute may be called from several threads at a time, with one `prepared`. */
#define TENSOR_CTS_PLUGIN_THREADS 1u

#if defined(__GNUC__)
#define TENSOR_CTS_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define TENSOR_CTS_PLUGIN_EXPORT
#endif

/* What the library exports. `abi` is the host's; a plugin that does not know it returns NULL. */
TENSOR_CTS_PLUGIN_EXPORT const tensor_cts_plugin_table* tensor_cts_plugin(uint32_t abi);

/* What it may export besides: what the implementation supports, as a JSON object that
 * schemas/declared.schema.json describes; at most 65536 bytes, valid for good, and the same
 * whenever the library is loaded on this machine. Called once, after tensor_cts_plugin. What it
 * declares and then calls unsupported counts as wrong; what it does not declare is counted apart.
 * NULL: it declares nothing. */
TENSOR_CTS_PLUGIN_EXPORT const char* tensor_cts_plugin_declared(void);

#ifdef __cplusplus
}
#endif

#endif
