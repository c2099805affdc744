/* SPDX-License-Identifier: Apache-2.0 */
/* The equations of motion as a plain function, integrated by ARKODE of SUNDIALS.
 * cc sundials.c $(pkg-config --cflags --libs mbc) -lsundials_arkode -lsundials_nvecserial -o host */
#include <arkode/arkode_erkstep.h>
#include <mbc/mbc_c.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>

static int rate(realtype t, N_Vector y, N_Vector dy, void* given) {
  const mbc_plain_rhs* f = given;
  return f->call(f->context, t, N_VGetArrayPointer(y), N_VGetArrayPointer(dy));
}

int main(int argc, char** argv) {
  mbc_model* model = mbc_model_from_file(argc > 1 ? argv[1] : "spherical_pendulum.mbd", NULL);
  if (model == NULL) return fprintf(stderr, "%s\n", mbc_error_message()), 1;
  mbc_simulation* simulation = mbc_simulation_new(model, NULL);
  mbc_plain_rhs f = {sizeof f, NULL, NULL, 0};
  if (mbc_rhs_function(simulation, &f) != MBC_OK) return puts(mbc_simulation_message(simulation)), 1;
  SUNContext context;
  SUNContext_Create(NULL, &context);
  N_Vector y = N_VNew_Serial((sunindextype)f.count, context);
  mbc_state(simulation, N_VGetArrayPointer(y), f.count);
  void* integrator = ERKStepCreate(rate, 0, y, context);
  realtype reached = 0;
  ERKStepSStolerances(integrator, 1e-11, 1e-12);
  ERKStepSetUserData(integrator, &f);
  ERKStepSetMaxNumSteps(integrator, 100000);
  ERKStepSetStopTime(integrator, 5);
  const int status = ERKStepEvolve(integrator, 5, y, &reached, ARK_NORMAL);
  printf("bob.z = %.8f at t = %.0f\n", N_VGetArrayPointer(y)[2], reached);
  ERKStepFree(&integrator);
  N_VDestroy(y);
  SUNContext_Free(&context);
  mbc_simulation_free(simulation);
  mbc_model_free(model);
  return status < 0;
}
