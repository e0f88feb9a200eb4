/* The reference as a C interface, also for languages that can call C (Rust, Python's ctypes). It
 * says what an operator must return for your own inputs, and whether your result is acceptable. No
 * suite is needed.
 *
 *   tensor_cts_tensor x = {"input1", "fp32", shape, 1, data, sizeof data};
 *   tensor_cts_argument arguments[] = {{.name = "input1", .tensors = &x, .tensor_count = 1}};
 *   tensor_cts_call call = {.op = "EXP", .arguments = arguments, .argument_count = 1};
 *   tensor_cts_answer* answer = tensor_cts_reference(&call);
 *   tensor_cts_tensor y = {"output", "fp32", shape, 1, mine, sizeof mine};
 *   if (tensor_cts_judge(answer, &y, NULL) == TENSOR_CTS_REJECT) puts(tensor_cts_message());
 *   tensor_cts_close_answer(answer);
 *
 * Link libtensor_cts.so (CMake: tensor-cts::library). Tensors, types and tensor_cts_message() are
 * those of tensor_cts.h. All functions may be called by several threads at a time; an answer never
 * changes. The caller's floating-point mode has no influence on answers. */
#ifndef TENSOR_CTS_REFERENCE_H_
#define TENSOR_CTS_REFERENCE_H_

#include "checker/c/tensor_cts.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tensor_cts_answer tensor_cts_answer;

/* One argument of the operator, by its name in the specification: either tensors (one tensor or a
 * tensor list; the names of the tensors are ignored) or a value as text. */
typedef struct tensor_cts_argument {
  const char* name;
  const tensor_cts_tensor* tensors; /* NULL if `value` is set */
  size_t tensor_count;
  /* "3", "true", "0.5", "0x1.8p3", "nan", "-0.0", "PROPAGATE", "[1, 2]"; NULL if `tensors` is
   * set */
  const char* value;
} tensor_cts_argument;

/* A member that is NULL or 0 counts as not given. */
typedef struct tensor_cts_call {
  const char* op;      /* "EXP" */
  const char* edition; /* NULL: the default of `tensor-cts eval` */
  const char* level;   /* NULL: the edition's narrowest */
  const int* data_set; /* the data set S of the dot-product rule, 0 to 5; NULL: any other data */
  const tensor_cts_argument* arguments;
  size_t argument_count;
  /* The outputs whose type or shape does not follow from the inputs: each with its name, and its
   * type, its shape or both. */
  const tensor_cts_tensor* outputs;
  size_t output_count;
} tensor_cts_call;

/* Returns NULL if `call` is malformed: the message names the place, what was found and what was
 * expected. A call that the specification forbids is not malformed: its outcome is "error".
 * tensor_cts_close_answer accepts NULL. */
tensor_cts_answer* tensor_cts_reference(const tensor_cts_call* call);
void tensor_cts_close_answer(tensor_cts_answer* answer);

/* "valid", "error" (the operator has to be refused), "unpredictable" (an implementation may do
 * anything), or "unsupported" (the reference cannot say). */
const char* tensor_cts_outcome(const tensor_cts_answer* answer);
/* The reason for the outcome "unsupported"; otherwise "". */
const char* tensor_cts_reason(const tensor_cts_answer* answer);

/* A condition that the call breaks. Here and below, strings are valid until the answer is
 * closed. */
typedef struct tensor_cts_violation {
  const char* condition;  /* "add.broadcast" */
  const char* kind;       /* "error_if", "require" or another */
  const char* paraphrase; /* the specification's condition in our words */
  const char* message;    /* how the call breaks it, with the values */
} tensor_cts_violation;
size_t tensor_cts_violation_count(const tensor_cts_answer* answer);
/* Returns 0 if there is no violation with this index. */
int tensor_cts_get_violation(const tensor_cts_answer* answer, size_t index,
                             tensor_cts_violation* violation);

/* One acceptable answer for an output. For an output of a floating-point type, the values have the
 * type "fp64" and are not rounded to the output's type. If there is no bound, `bound.data` is NULL;
 * if there is no upper value, `upper.data` is NULL. */
typedef struct tensor_cts_values {
  int flushed;             /* 1: with subnormal numbers flushed to zero */
  tensor_cts_tensor value; /* for an interval: the least accepted value */
  tensor_cts_tensor bound; /* fp64, element by element */
  tensor_cts_tensor upper; /* for an interval: the greatest accepted value */
} tensor_cts_values;

/* The output that a valid call must return. */
typedef struct tensor_cts_expected {
  const char* name;
  const char* type; /* of the result */
  const int64_t* shape;
  size_t rank;
  const char* rule;   /* "exact", "ulp", "absolute_bound", "dot_product", "interval", "unchecked" */
  const char* clause; /* the place in the edition */
  double ulp;         /* for the rule "ulp" */
  /* One answer, or two if flushing subnormal numbers changes something: a result must fit one
   * answer as a whole. */
  tensor_cts_values values[2];
  size_t value_count;
} tensor_cts_expected;
size_t tensor_cts_expected_count(const tensor_cts_answer* answer);
/* Returns 0 if there is no output with this index. */
int tensor_cts_get_expected(const tensor_cts_answer* answer, size_t index,
                            tensor_cts_expected* expected);

/* Returns 1 if the elements of the output with this index are unsigned numbers, otherwise 0.
 * tensor_cts_output_is_unsigned does the same for a case. */
int tensor_cts_expected_is_unsigned(const tensor_cts_answer* answer, size_t index);

/* Rounds values to a floating-point type, to nearest, ties to even, and writes their bits: 1, 2, 4
 * or 8 bytes each. A value that rounds to more than the type's greatest number becomes infinity, or
 * NaN in a type without infinity. Returns 0 if `type` is not a floating-point type, or if a pointer
 * is NULL. */
int tensor_cts_round(const char* type, const double* values, size_t count, void* bits);

/* The details of a judgement. The strings are valid until the same thread judges again. */
typedef struct tensor_cts_figures {
  int64_t elements, mismatches;
  int64_t first; /* the offset of the first mismatch, in row-major order; -1: no mismatch */
  const char* first_index;    /* "[1,0]" */
  const char* first_expected; /* in words */
  const char* first_got;
  double worst_ulp; /* over all elements; may be infinite */
  const char* took; /* the answer that the result fits: "unflushed", "flushed" or "either"; "" if
                       there is only one answer */
} tensor_cts_figures;

/* Judges your result for the output that has the result's name. TENSOR_CTS_ACCEPT with a message is
 * no verdict: the result is not as expected, but the specification's clauses disagree about an
 * operand, such as a signalling NaN where NaN is ignored. If the outcome is "error", every result
 * is rejected. If the outcome is "unpredictable" or "unsupported", nothing can be judged, and the
 * function returns TENSOR_CTS_BAD_CALL. `figures` may be NULL. */
tensor_cts_verdict tensor_cts_judge(const tensor_cts_answer* answer,
                                    const tensor_cts_tensor* result, tensor_cts_figures* figures);
/* Judges your implementation's refusal of the call. */
tensor_cts_verdict tensor_cts_judge_refusal(const tensor_cts_answer* answer);

#ifdef __cplusplus
}
#endif

#endif
