// SPDX-License-Identifier: Apache-2.0
// The rows A of a model at one state, those of contacts within reach, and of those that are asked for what they are in
// the scale of the masses (M = L L^T) when the equations of the model are kept: B = A_C L^-T (1 - V V^T), the columns
// of V a basis of the rows of A_E L^-T. Impulses p of these rows change the speeds by L^-T w, w = B^T p, and are
// answered by impulses of the equations, the least ones where equations depend on each other.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "runtime/contact/timestep/mass_blocks.h"
#include "runtime/contact/timestep/reach.h"
#include "runtime/equations/dense_rows.h"
#include "runtime/equations/equations.h"
#include "runtime/equations/row_lengths.h"
#include "runtime/rows/cone/row_list.h"

namespace mbc::runtime {

class ContactRows {
 public:
  // Everything outlives the object.
  ContactRows(Equations& equations, const problem::Problem& info, const Reach& reach);

  // The rows at a state, those of contacts within reach, as they are switched; none is asked for yet. False: M has lost
  // its inertia, or an equation is not finite. With a metric, which is factored and outlives the use of the rows, it
  // takes the place of M.
  bool assemble(double t, const double* y, MassBlocks* metric = nullptr);

  // ---- by row of the model, of the rows that were assembled
  [[nodiscard]] bool is_finite(std::uint32_t row) const;
  [[nodiscard]] double times(std::uint32_t row, const double* u) const;  // A u
  [[nodiscard]] double norm(std::uint32_t row);                          // |A L^-T|
  // No row of a contact changes by more than this where no entry of u does by more than 1: the largest sum of |A|.
  [[nodiscard]] double most() const { return most_; }

  // ---- those that are asked for
  // The next row of B; |A L^-T| of it.
  double take(std::uint32_t row);
  [[nodiscard]] const RowList& rows() const { return rows_; }
  [[nodiscard]] const std::vector<double>& lengths() const { return lengths_; }  // their residuals for one metre
  [[nodiscard]] Eigen::VectorXd to_scaled(const double* u) const { return metric_->to_scaled(u); }
  [[nodiscard]] Eigen::VectorXd from_scaled(const Eigen::VectorXd& w) const { return metric_->from_scaled(w); }
  // Adds the impulses of equations that answer these, by row of B, to those by row of the model.
  void add_answer(const Eigen::VectorXd& impulses, Eigen::VectorXd& by_row) const;

 private:
  void take_values();
  void take_value(std::uint32_t row);
  bool take_equations();
  void add_scaled(std::uint32_t row, RowList& out);  // A L^-T of a row

  Equations& equations_;
  const kernel::SystemLayout& layout_;
  const Reach& reach_;
  std::vector<double> values_;  // of A, in the order of the layout
  double most_ = 0;
  MassBlocks blocks_;
  MassBlocks* metric_ = &blocks_;
  Assembled full_;  // where rows are added to M
  RowList rows_;
  const RowLengths row_lengths_;
  std::vector<double> lengths_;  // by row of B
  std::vector<std::uint32_t> rows_of_equations_;
  Eigen::VectorXd norms_;                // of these
  Eigen::MatrixXd normal_;               // of them, each of norm 1
  Eigen::MatrixXd basis_;                // V
  Eigen::VectorXd values_of_;            // singular values that belong to V
  std::vector<Eigen::VectorXd> shares_;  // by row of B: V^T (A_C L^-T)^T; empty where it is zero
};

}  // namespace mbc::runtime
