# Motions with known answers, through the embedding interface and both engines.
mbc_add_doctest(mbc_physics
  physics/run.cpp physics/two_particles_test.cpp
  LIBS mbc)
