// SPDX-License-Identifier: Apache-2.0
// Runs CHOLMOD of SuiteSparse as a yardstick for the elimination of sparse rows. It measures numeric factorisation and
// solve after one analysis.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mbc::bench {

// This is a symmetric positive definite matrix, stored as the ascending row numbers of each column of the lower
// triangle.
struct SymmetricMatrix {
  std::vector<int> column_ptr, row;
  std::vector<double> value;
};

class CholmodSolver {
 public:
  virtual ~CholmodSolver() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;  // for example "CHOLMOD, METIS, supernodal"
  // Factorises numerically and solves for the right-hand side of the constructor.
  virtual std::span<const double> solve() = 0;
};

// Returns a solver for every available fill-reducing order (AMD, METIS, CHOLMOD's nested dissection), by rows and in
// supernodes. The result is empty if the benchmarks are built without CHOLMOD. The arguments are copied.
std::vector<std::unique_ptr<CholmodSolver>> cholmod_solvers(const SymmetricMatrix& matrix,
                                                            const std::vector<double>& right);

// Returns the version and the loaded BLAS, or says that CHOLMOD is not available.
std::string cholmod_description();

// Restarts the program with an environment that forbids threads, because CHOLMOD and some BLAS libraries otherwise
// start them. This must be the first call of main.
void keep_to_one_thread(char** argv);

}  // namespace mbc::bench
