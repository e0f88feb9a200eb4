/* A vendor's test of one kernel, in C: every MAXIMUM case of a suite whose operands are i32 and of
 * one shape. vendor_test_c SUITE; 0: all accepted, 1: one was not, 2: the suite cannot be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tensor-cts/tensor_cts.h>

/* The kernel under test. */
static void maximum_i32(const int32_t* a, const int32_t* b, int32_t* out, size_t count) {
  for (size_t i = 0; i < count; ++i) out[i] = a[i] > b[i] ? a[i] : b[i];
}

static int same_shape(const tensor_cts_tensor* a, const tensor_cts_tensor* b) {
  return a->rank == b->rank &&
         (a->rank == 0 || memcmp(a->shape, b->shape, a->rank * sizeof(*a->shape)) == 0);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  tensor_cts_suite* suite = tensor_cts_open_suite(argv[1]);
  if (suite == NULL) {
    fprintf(stderr, "%s\n", tensor_cts_message());
    return 2;
  }
  int checked = 0, wrong = 0;
  for (size_t i = 0; i < tensor_cts_case_count(suite); ++i) {
    tensor_cts_case* c = tensor_cts_open_case(suite, tensor_cts_case_id(suite, i));
    if (c == NULL) {
      fprintf(stderr, "%s\n", tensor_cts_message());
      return 2;
    }
    tensor_cts_tensor a, b, result;
    if (strcmp(tensor_cts_operator(c), "MAXIMUM") == 0 && !tensor_cts_expects_error(c) &&
        tensor_cts_input_count(c) == 2 && tensor_cts_output_count(c) == 1 &&
        tensor_cts_input(c, 0, &a) && tensor_cts_input(c, 1, &b) &&
        tensor_cts_output(c, 0, &result) && strcmp(a.type, "i32") == 0 && same_shape(&a, &b)) {
      int32_t* out = malloc(result.bytes);
      if (out == NULL) return 2;
      maximum_i32(a.data, b.data, out, result.bytes / sizeof(*out));
      result.data = out;
      const tensor_cts_verdict verdict = tensor_cts_check(c, &result);
      if (verdict != TENSOR_CTS_ACCEPT) {
        printf("%s: %s\n", tensor_cts_case_id(suite, i), tensor_cts_message());
        ++wrong;
      }
      ++checked;
      free(out);
    }
    tensor_cts_close_case(c);
  }
  tensor_cts_close_suite(suite);
  printf("%d cases checked, %d wrong\n", checked, wrong);
  return checked > 0 && wrong == 0 ? 0 : 1;
}
