/* SPDX-License-Identifier: Apache-2.0 */
/* A model as machine code, in a program that needs neither mbc nor LLVM, only what one of these two has written:
 * mbc compile ../spherical_pendulum.mbd --prefix pendulum -o pendulum.h
 * mbc compile ../spherical_pendulum.mbd --prefix pendulum -o pendulum.o
 * cc -I. object.c pendulum.o PREFIX/lib/libmbc_support.a -lm -o object && ./object */
#include <stdio.h>
#include <string.h>

#include "pendulum.h"

static double mask[pendulum_mask_size + 1], work[pendulum_work_size];

static void rates(double t, const double* y, double* dy) {
  pendulum_rhs(t, y, pendulum_params_written, pendulum_inputs_written, mask, work, dy);
}

int main(void) {
  enum { n = pendulum_state_size };
  static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
  const double h = 1e-3;
  double y[n], sum[n], rate[n] = {0}, stage[n];
  memcpy(y, pendulum_state_written, sizeof y);
  for (int k = 0; k < pendulum_mask_size; ++k) mask[k] = 1; /* all rows take part */
  for (int step = 0; step < 5000; ++step) {
    memset(sum, 0, sizeof sum);
    for (int s = 0; s < 4; ++s) {
      for (int k = 0; k < n; ++k) stage[k] = y[k] + at[s] * h * rate[k];
      rates((step + at[s]) * h, stage, rate);
      for (int k = 0; k < n; ++k) sum[k] += weight[s] * rate[k];
    }
    for (int k = 0; k < n; ++k) y[k] += h / 6 * sum[k];
  }
  printf("%s = %.8f at t = 5\n", pendulum_state_names[2], y[2]);
  return 0;
}
