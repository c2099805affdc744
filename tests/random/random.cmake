# Whole models made at random, as text: generator and what is compared. MBC_RANDOM_MODELS=n: n/10000 times
# the usual numbers.
mbc_add_doctest(mbc_random_text_models
  random/random_models_test.cpp random/model_text.cpp random/tree_text.cpp
  LIBS mbc mbc_runtime mbc_compiler mbc_test_expressions Eigen3::Eigen)
