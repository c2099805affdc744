/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of motion as a plain function, integrated by hand with the classical Runge-Kutta method.
 * cc function.c $(pkg-config --cflags --libs mbc) -o function && ./function ../spherical_pendulum.mbd */
#include <mbc/mbc_c.h>
#include <stdio.h>

enum { kMost = 16 };

static void step(const mbc_plain_rhs* f, double t, double h, double* y) {
  static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
  double rate[kMost] = {0}, sum[kMost] = {0}, stage[kMost];
  for (int s = 0; s < 4; ++s) {
    for (size_t k = 0; k < f->count; ++k) stage[k] = y[k] + at[s] * h * rate[k];
    f->call(f->context, t + at[s] * h, stage, rate);
    for (size_t k = 0; k < f->count; ++k) sum[k] += weight[s] * rate[k];
  }
  for (size_t k = 0; k < f->count; ++k) y[k] += h / 6 * sum[k];
}

int main(int argc, char** argv) {
  mbc_model* model = mbc_model_from_file(argc > 1 ? argv[1] : "spherical_pendulum.mbd", NULL);
  if (model == NULL) return fprintf(stderr, "%s\n", mbc_error_message()), 1;
  mbc_simulation* simulation = mbc_simulation_new(model, NULL);
  mbc_plain_rhs f = {sizeof f, NULL, NULL, 0};
  double y[kMost];
  if (mbc_rhs_function(simulation, &f) != MBC_OK || f.count > kMost || mbc_state(simulation, y, f.count) != MBC_OK) {
    fprintf(stderr, "%s\n", mbc_simulation_message(simulation));
    return 1;
  }
  for (int k = 0; k < 5000; ++k) step(&f, k * 1e-3, 1e-3, y); /* accelerations know the rod; drift is of order h^4 */
  printf("bob.z = %.8f at t = 5\n", y[2]);
  mbc_simulation_free(simulation);
  mbc_model_free(model);
  return 0;
}
