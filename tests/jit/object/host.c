// SPDX-License-Identifier: Apache-2.0
/* Tests a kernel in an object file from a C program that needs no compiler and no LLVM, only the support library. Every
 * function is called once and must leave the same bits as the interpreter. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "kernel/support/mbc_support.h"

struct Call {
  mbc_kernel_function function;
  const uint64_t *t, *state, *params, *inputs, *mask;
  uint64_t *work, *deriv;
  const uint64_t *work_after, *deriv_after;
  int32_t status;
};

#include "model_data.h"

static int is_nan(uint64_t bits) { return (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u; }

static int differ(const uint64_t* a, const uint64_t* b, int size) {
  int count = 0;
  for (int i = 0; i < size; ++i) count += a[i] != b[i] && !(is_nan(a[i]) && is_nan(b[i]));
  return count;
}

static double as_double(const uint64_t* bits) {
  double value;
  memcpy(&value, bits, sizeof value);
  return value;
}

int main(void) {
  const int count = (int)(sizeof calls / sizeof calls[0]);
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    const struct Call* c = &calls[i];
    double work[kWork], deriv[kDeriv];
    memcpy(work, c->work, sizeof work);
    memcpy(deriv, c->deriv, sizeof deriv);
    const int32_t status = c->function(as_double(c->t), (const double*)c->state, (const double*)c->params,
                                       (const double*)c->inputs, (const double*)c->mask, work, deriv);
    memcpy(c->work, work, sizeof work);
    memcpy(c->deriv, deriv, sizeof deriv);
    if (status != c->status || differ(c->work, c->work_after, kWork) || differ(c->deriv, c->deriv_after, kDeriv))
      ++wrong;
  }
  printf("%d of %d functions equal the interpreter\n", count - wrong, count);
  return wrong != 0;
}
