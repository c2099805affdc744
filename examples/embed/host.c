/* SPDX-License-Identifier: Apache-2.0 */
/* From C: a model is compiled, looked at, and followed for five seconds.
 * cc host.c $(pkg-config --cflags --libs mbc) -o host && ./host ../spherical_pendulum.mbd */
#include <mbc/mbc_c.h>
#include <stdio.h>

int main(int argc, char** argv) {
  mbc_model* model = mbc_model_from_file(argc > 1 ? argv[1] : "spherical_pendulum.mbd", NULL);
  if (model == NULL) {
    fprintf(stderr, "%s\n", mbc_error_message());
    return 1;
  }
  mbc_simulation* simulation = mbc_simulation_new(model, NULL);
  double y[16], dy[16], z = 0;
  const size_t size = mbc_model_state_size(model); /* y = [q; u; ...]: position, velocity, integrals of work */
  size_t count = 1;
  mbc_code code = mbc_state(simulation, y, size);
  if (code == MBC_OK) code = mbc_rhs(simulation, 0, y, dy, size);
  if (code == MBC_OK) printf("%s'' = %.4f\n", mbc_model_name(model, MBC_COORDINATES, 2), dy[5]);
  if (code == MBC_OK) code = mbc_step(simulation, 1e-3);
  if (code == MBC_OK) code = mbc_run_until(simulation, 5);
  if (code == MBC_OK) code = mbc_value(simulation, "bob.z", &z, &count);
  if (code == MBC_OK)
    printf("bob.z = %.8f at t = %.0f\n", z, mbc_time(simulation));
  else
    fprintf(stderr, "%s\n", mbc_simulation_message(simulation));
  mbc_simulation_free(simulation);
  mbc_model_free(model);
  return code;
}
