# Motions with known answers, through the embedding interface and both engines. MBC_RANDOM_MODELS=n: n/20 random
# four-bars.
mbc_add_doctest(mbc_physics
  physics/run.cpp physics/two_particles_test.cpp physics/order_test.cpp physics/examples_test.cpp
  physics/verdicts_test.cpp physics/invariance_test.cpp physics/four_bar_test.cpp
  physics/integrators_test.cpp physics/stabilise_test.cpp
  LIBS mbc)
