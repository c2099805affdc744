// SPDX-License-Identifier: Apache-2.0
// The residual of a contact problem: the natural map in the metric of the masses.
//
// Rows are divided by their norms s, those of a friction by the norm of all its rows together, so that q = s p are
// jumps of speeds and G = B B^T has ones, or less, on its diagonal. With
//
//   y = G q + e C (q - z) - d,   a = q - r y
//
// the map is q - P(a), P the projection onto q_i >= 0 and onto the disc of each friction's limit, which is taken at q.
// It is zero exactly at the solutions of the problem whose rows give way by e C and are pulled to z: e = 0 is the
// problem itself, z = 0 compliance (C = l^2/s^2, l the residual of a row for one metre: that of equal springs), z the
// last iterate a proximal step. The factors r are 1, of frictions more where the direction of a slow slip is sought.
// Its size is a jump of a speed. (P. Alart, A. Curnier, Computer Methods in Applied Mechanics and Engineering 92 (1991)
// 353-375.)
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/rows/cone/problem.h"

namespace mbc::runtime {

class NaturalMap {
 public:
  using Vector = Eigen::VectorXd;

  // The problem outlives the object.
  explicit NaturalMap(const ConeProblem& problem);

  [[nodiscard]] Eigen::Index size() const { return scale_.size(); }
  [[nodiscard]] const Vector& scale() const { return scale_; }
  [[nodiscard]] const ConeProblem& problem() const { return problem_; }
  [[nodiscard]] const RowList& rows() const { return rows_; }  // of norm 1
  [[nodiscard]] const Vector& wanted() const { return wanted_; }

  [[nodiscard]] const Vector& compliance() const { return compliance_; }  // C
  [[nodiscard]] std::size_t products();                                   // entries of G

  // ---- which problem
  void give_way(double compliance);                       // e, z = 0
  void pull_to(const Vector& center, double compliance);  // e, z
  void weigh_slips(double factor);                        // r of frictions, that of the others is 1
  void weigh_by_compliance();                             // r = 1/(e C)

  // ---- its residual; all of these are of the last q
  double evaluate(const Vector& q);  // returns error()
  [[nodiscard]] const Vector& residual() const { return residual_; }
  [[nodiscard]] double error() const { return error_; }  // the largest entry of it
  // Without friction and with r = 1/(e C), where a depends on w alone: the convex function |w|^2/2 + e C P(a)^2/2 of w,
  // whose derivative is B^T times the residual.
  [[nodiscard]] double potential() const;

  // The rows that may have a multiplier at this solution: those that have one, unilateral rows that do not part by more
  // than that, frictions that stick.
  [[nodiscard]] std::vector<std::uint32_t> touching(const Vector& q, double apart) const;
  // The rows that hold: held, pressing, sticking. False: something slides, or is given.
  [[nodiscard]] bool holding(std::vector<std::uint32_t>& rows) const;

  // ---- its derivative, by rows and columns of the unknowns: the other rows are those of a unit matrix, so that
  // Newton's step of them is -residual()
  struct Entry {
    std::uint32_t row = 0, column = 0;  // among the unknowns; several of one place are added
    double value = 0;
  };
  struct Derivative {
    std::vector<std::uint32_t> unknowns;
    std::vector<Entry> entries;
    Vector right;  // what Newton's step of the unknowns is to make of them
    bool symmetric = true;
  };
  void differentiate(const Vector& q, Derivative& out);

  [[nodiscard]] Vector jump(const Vector& q) const;  // B^T p

 private:
  void take_products();
  [[nodiscard]] std::pair<double, int> sizes_of_acting() const;
  void group_columns();
  void take_limits(const Vector& q);
  void take_slopes(const Vector& q);
  void find_unknowns(Derivative& out);
  [[nodiscard]] std::uint32_t row_of_law(std::size_t law) const;
  [[nodiscard]] bool slides(std::size_t friction) const;
  template <class Add>
  void add_response(std::uint32_t row, double factor, const Add& add) const;
  template <class Add>
  void add_sliding(std::size_t friction, std::uint32_t component, const Add& add) const;

  const ConeProblem& problem_;
  RowList rows_, products_;                               // products_: G
  Vector scale_, wanted_, compliance_, center_, weight_;  // compliance_: C
  double share_ = 0;                                      // e
  Vector speeds_, at_, residual_, limits_;
  double error_ = 0;
  std::vector<double> given_;                       // limits and given forces, as the law says
  std::vector<std::vector<std::uint32_t>> groups_;  // of columns, no two of which are in one limit
  std::vector<std::uint32_t> group_of_;             // by column
  RowList slopes_;  // of these, in the scale of q, where they were given_there_ at slopes_at_
  Vector slopes_at_;
  std::vector<double> given_there_;
  bool slopes_known_ = false;
  std::vector<int> place_;  // by row: among the unknowns, or -1
};

}  // namespace mbc::runtime
