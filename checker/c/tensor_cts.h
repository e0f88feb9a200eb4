/* The checker for tests written in C, or in anything that can call C. Open a suite and a case, run
 * your own code on the inputs of the case, pass each output to the checker, and read the verdict.
 *
 * Link tensor-cts::checker (CMake: find_package(tensor-cts)). tools/examples/ has an example.
 *
 * Tensors are dense, row-major, in the machine's byte order. Types have the specification's names:
 * "bool", "i4", "i8", "i16", "i32", "i48", "i64", "shape", "fp8e4m3", "fp8e5m2", "fp16", "bf16",
 * "fp32". An element takes 1, 2, 4 or 8 bytes. An element of bool or i4 takes one byte, one of i48
 * or shape takes eight; i4, i48 and shape are sign-extended. A floating-point element is stored as
 * its bits.
 *
 * A function that fails returns NULL, 0 or TENSOR_CTS_BAD_CALL; tensor_cts_message() then says what
 * was found, what was expected and what to do. Several threads may use the same suite, or the same
 * open case, at the same time. */
#ifndef TENSOR_CTS_H_
#define TENSOR_CTS_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tensor_cts_suite tensor_cts_suite;
typedef struct tensor_cts_case tensor_cts_case;

typedef struct tensor_cts_tensor {
  const char* name;
  const char* type;
  const int64_t* shape; /* `rank` dimensions */
  size_t rank;
  const void* data; /* NULL for an output, which has no data yet */
  size_t bytes;     /* the size of the whole tensor */
} tensor_cts_tensor;

typedef enum tensor_cts_verdict {
  TENSOR_CTS_ACCEPT =
      0, /* sets a message only if the specification contradicts itself about the output */
  TENSOR_CTS_REJECT = 1,  /* the message says what is wrong: most often the first wrong element */
  TENSOR_CTS_BAD_CALL = 2 /* nothing was judged: unknown output, wrong type, shape or size */
} tensor_cts_verdict;

/* The version of this library, such as "0.1.0". */
const char* tensor_cts_version(void);

/* The reason why the last call of this thread failed or rejected an output. It is "" after a suite
 * or a case was opened, or an output was accepted. If an output is accepted because the
 * specification contradicts itself, the message describes the contradiction. The text is valid
 * until this thread's next call that sets a message. */
const char* tensor_cts_message(void);

/* Opens a directory that `tensor-cts generate` wrote. Closing NULL does nothing. */
tensor_cts_suite* tensor_cts_open_suite(const char* directory);
void tensor_cts_close_suite(tensor_cts_suite* suite);
size_t tensor_cts_case_count(const tensor_cts_suite* suite);
/* The id of the case at `index`, such as "add/i32-..."; NULL if there is no such case. The text is
 * valid until the suite is closed. */
const char* tensor_cts_case_id(const tensor_cts_suite* suite, size_t index);

/* Reads a case and compares its files with the suite's digests. The case stays valid after the
 * suite is closed. */
tensor_cts_case* tensor_cts_open_case(const tensor_cts_suite* suite, const char* id);
void tensor_cts_close_case(tensor_cts_case* c);

/* These texts, and the names, types, shapes and data of tensors, are valid until the case is
 * closed. */
const char* tensor_cts_operator(const tensor_cts_case* c);  /* the operator under test: "ADD" */
const char* tensor_cts_directory(const tensor_cts_case* c); /* its case.json has the graph */

/* 1 if the graph is illegal: an implementation has to refuse it, and there is no output to check.
 */
int tensor_cts_expects_error(const tensor_cts_case* c);

/* The inputs of the graph's main block, and the outputs that it has to return. A case may execute
 * its graph several times; the graph's variables then keep their values from one execution to the
 * next. The inputs and outputs are listed by execution: "x" of the first, "x.1" of the second,
 * "x.2" of the third. tensor_cts_input and tensor_cts_output return 1, or 0 if there is no such
 * index. */
size_t tensor_cts_input_count(const tensor_cts_case* c);
int tensor_cts_input(const tensor_cts_case* c, size_t index, tensor_cts_tensor* tensor);
size_t tensor_cts_output_count(const tensor_cts_case* c);
int tensor_cts_output(const tensor_cts_case* c, size_t index, tensor_cts_tensor* tensor);

/* 1 if the elements of this output are unsigned numbers (RESCALE with output_unsigned). Its type is
 * still "i8" or "i16", because the specification's tensors are signless. A result may be
 * passed in two ways: as "u8" with the value 200, or as "i8" with the same bits, that is, -56. */
int tensor_cts_output_is_unsigned(const tensor_cts_case* c, size_t index);

/* The number of elements of an output that can be judged. For the other elements any number is
 * accepted, because the specification leaves them undefined or because no limit is known. The
 * count depends only on the case. It is 0 if there is no such index. */
size_t tensor_cts_output_judged(const tensor_cts_case* c, size_t index);

/* Judges `result` by the rule of the output whose name is `result->name`. */
tensor_cts_verdict tensor_cts_check(const tensor_cts_case* c, const tensor_cts_tensor* result);

/* No function of this header depends on the caller's floating-point mode, and only the next two
 * change that mode. A language binding that does arithmetic of its own must do this arithmetic
 * between calls of the two. The first makes this thread round to nearest, keep subnormals and mask
 * exceptions. The second restores the mode that the first stored in `before`. */
typedef struct tensor_cts_float_mode {
  uint64_t words[8];
} tensor_cts_float_mode;
void tensor_cts_begin_plain_arithmetic(tensor_cts_float_mode* before);
void tensor_cts_end_plain_arithmetic(tensor_cts_float_mode* before);

#ifdef __cplusplus
}
#endif

#endif
