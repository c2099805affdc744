// SPDX-License-Identifier: Apache-2.0
#include "bench/cholmod.h"

#include <unistd.h>

#include <cstdlib>

#ifdef MBC_HAVE_CHOLMOD
#include <cholmod.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#endif

namespace mbc::bench {

void keep_to_one_thread(char** argv) {
  if (getenv("OMP_THREAD_LIMIT") != nullptr) return;
  for (const char* name : {"OMP_THREAD_LIMIT", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) setenv(name, "1", 1);
  execv("/proc/self/exe", argv);  // The call returns only if it fails; the timings then include several threads.
}

#ifndef MBC_HAVE_CHOLMOD

std::vector<std::unique_ptr<CholmodSolver>> cholmod_solvers(const SymmetricMatrix&, const std::vector<double>&) {
  return {};
}

std::string cholmod_description() { return "CHOLMOD is not installed (libsuitesparse-dev)"; }

#else

namespace {

class Solver final : public CholmodSolver {
 public:
  Solver(const SymmetricMatrix& matrix, std::vector<double> right, int ordering, const char* order, bool supernodes)
      : name_(fmt::format("CHOLMOD, {}, {}", order, supernodes ? "supernodal" : "simplicial")),
        matrix_(matrix),
        right_values_(std::move(right)) {
    cholmod_start(&common_);
    common_.print = 0;
    common_.nmethods = 1;
    common_.method[0].ordering = ordering;
    common_.supernodal = supernodes ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
    const std::size_t n = right_values_.size();
    sparse_.nrow = sparse_.ncol = n;
    sparse_.nzmax = matrix_.value.size();
    sparse_.p = matrix_.column_ptr.data();
    sparse_.i = matrix_.row.data();
    sparse_.x = matrix_.value.data();
    sparse_.stype = -1;
    sparse_.itype = CHOLMOD_INT;
    sparse_.xtype = CHOLMOD_REAL;
    sparse_.dtype = CHOLMOD_DOUBLE;
    sparse_.sorted = sparse_.packed = 1;
    right_.nrow = right_.d = right_.nzmax = n;
    right_.ncol = 1;
    right_.x = right_values_.data();
    right_.xtype = CHOLMOD_REAL;
    right_.dtype = CHOLMOD_DOUBLE;
    factor_ = cholmod_analyze(&sparse_, &common_);
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  ~Solver() override {
    for (cholmod_dense** dense : {&solution_, &work_, &more_work_}) cholmod_free_dense(dense, &common_);
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }

  // Returns whether this order is available, because CHOLMOD can be built without METIS and nested dissection.
  [[nodiscard]] bool analysed() const { return factor_ != nullptr && common_.status == CHOLMOD_OK; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  std::span<const double> solve() override {
    if (cholmod_factorize(&sparse_, factor_, &common_) == 0 || common_.status != CHOLMOD_OK ||
        cholmod_solve2(CHOLMOD_A, factor_, &right_, nullptr, &solution_, nullptr, &work_, &more_work_, &common_) == 0)
      throw std::runtime_error(name_ + " failed");
    return {static_cast<const double*>(solution_->x), right_values_.size()};
  }

 private:
  std::string name_;
  SymmetricMatrix matrix_;
  std::vector<double> right_values_;
  cholmod_common common_{};
  cholmod_sparse sparse_{};
  cholmod_dense right_{};
  cholmod_factor* factor_ = nullptr;
  cholmod_dense *solution_ = nullptr, *work_ = nullptr, *more_work_ = nullptr;
};

}  // namespace

std::vector<std::unique_ptr<CholmodSolver>> cholmod_solvers(const SymmetricMatrix& matrix,
                                                            const std::vector<double>& right) {
  static constexpr std::array<std::pair<int, const char*>, 3> kOrders = {
      {{CHOLMOD_AMD, "AMD"}, {CHOLMOD_METIS, "METIS"}, {CHOLMOD_NESDIS, "nested dissection"}}};
  std::vector<std::unique_ptr<CholmodSolver>> solvers;
  for (const auto& [ordering, name] : kOrders)
    for (const bool supernodes : {false, true}) {
      auto solver = std::make_unique<Solver>(matrix, right, ordering, name, supernodes);
      if (solver->analysed()) solvers.push_back(std::move(solver));
    }
  return solvers;
}

std::string cholmod_description() {
  std::string blas = "unknown";
  Dl_info info{};
  if (void* dgemm = dlsym(RTLD_DEFAULT, "dgemm_"); dgemm != nullptr && dladdr(dgemm, &info) != 0) {
    char* path = realpath(info.dli_fname, nullptr);
    blas = path != nullptr ? path : info.dli_fname;
    std::free(path);
  }
  int version[3] = {};
  cholmod_version(version);
  return fmt::format("CHOLMOD {}.{}.{}, one thread, BLAS {}", version[0], version[1], version[2], blas);
}

#endif

}  // namespace mbc::bench
