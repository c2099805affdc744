// SPDX-License-Identifier: Apache-2.0
// Simulation::linearize.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "api/analysis/linear_model.h"
#include "api/model/guard.h"
#include "api/model/info.h"
#include "base/text.h"
#include "compiler/lower/conservative.h"
#include "runtime/linear/equilibrium_search.h"
#include "runtime/linear/poles.h"
#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::api {

namespace {

// Fills a linear model at a state of which the derivatives are known.
class Linearisation {
 public:
  Linearisation(StateQuestion& question, Simulation::Impl& simulation, double t, const std::vector<double>& y)
      : question_(question), simulation_(simulation), d_(question.derivatives()), t_(t), y_(y) {}

  Result<LinearModel> run(bool rests) {
    out_.time = t_;
    out_.state = y_;
    rates_ = d_.rates_by_arguments();
    matrices();
    const Eigen::VectorXd drift = d_.rates();
    out_.drift.assign(drift.begin(), drift.end());
    out_.speeds = question_.info().speeds.size();
    out_.position_rank = d_.position_rank();
    out_.velocity_rank = d_.velocity_rank();
    poles();
    const bool minimum = energy_minimum();
    out_.equilibrium = out_.steady = rests;
    if (Result<void> known = rests ? Result<void>() : motion(); !known) return known.error();
    verdict(minimum);
    return std::move(out_);
  }

 private:
  void matrices() {
    const Eigen::Index n = d_.tangent().size();
    out_.directions = question_.directions();
    out_.inputs = quantities(question_.info().inputs);
    const std::vector<Quantity> outputs = quantities(question_.info().outputs);
    const auto n_inputs = static_cast<Eigen::Index>(out_.inputs.size());
    out_.A = row_major(rates_.leftCols(n));
    out_.B = row_major(rates_.middleCols(d_.inputs_at(), n_inputs));
    const Eigen::MatrixXd all = d_.outputs();
    std::vector<Eigen::Index> unique;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      if (!question_.is_unique(static_cast<std::uint32_t>(k)) || !all.row(static_cast<Eigen::Index>(k)).allFinite()) {
        out_.outputs_left_out.push_back(outputs[k].name);
        continue;
      }
      unique.push_back(static_cast<Eigen::Index>(k));
      out_.outputs.push_back(outputs[k]);
    }
    const Eigen::MatrixXd kept = all(unique, Eigen::all);
    out_.C = row_major(kept.leftCols(n));
    out_.D = row_major(kept.middleCols(d_.inputs_at(), n_inputs));
    const AnalysedText::Tree tree = simulation_.variant().analysis().tree();
    out_.depends_on_time = lower::rates_contain_time(tree.compilation.system);
  }

  void poles() {
    const Eigen::Index n = d_.tangent().size();
    const runtime::Spectrum found = runtime::spectrum(rates_.leftCols(n), d_.rate_errors(t_, y_.data()).leftCols(n));
    out_.poles_found = found.converged;
    for (Eigen::Index k = 0; k < found.values.size(); ++k) {
      Pole p;
      p.value = found.values[k];
      p.error = found.errors[k];
      p.frequency = std::abs(p.value) / (2 * std::numbers::pi);
      p.damping = 0.0 - p.value.real() / std::abs(p.value);
      p.shape.assign(found.shapes.col(k).begin(), found.shapes.col(k).end());
      if (p.value.real() > p.error) ++out_.growing;
      out_.poles.push_back(std::move(p));
    }
    out_.zero_blocks.assign(found.zero_blocks.begin(), found.zero_blocks.end());
    const Eigen::MatrixXd& zeros = found.zero_directions;
    for (Eigen::Index i = 0; i < zeros.rows(); ++i)
      if (zeros.row(i).norm() > runtime::kDirectionPart * zeros.colwise().norm().maxCoeff())
        out_.zero_directions.push_back(out_.directions[static_cast<std::size_t>(i)].name);
  }

  // Returns whether the model is conservative and the energy has a strict minimum here: the stiffness in independent
  // coordinates is positive definite. At rest the derivatives of the accelerations are -M^-1 K.
  [[nodiscard]] bool energy_minimum() {
    const runtime::TangentSpace& tangent = d_.tangent();
    const Eigen::Index n = tangent.n_positions;
    if (n == 0 || tangent.n_speeds != tangent.n_positions || tangent.size() != 2 * n) return false;
    {
      const AnalysedText::Tree tree = simulation_.variant().analysis().tree();
      if (lower::not_conservative(tree.model(), tree.compilation.system)) return false;
    }
    const Eigen::MatrixXd M = d_.reduced_mass(), K = -M * rates_.block(n, 0, n, n);
    const runtime::MassScaling mass = runtime::MassScaling::dense(M);
    if (!mass.valid()) return false;
    const Eigen::MatrixXd scaled = mass.scale_rows(mass.scale_rows(K).transpose());
    const Eigen::VectorXd values = runtime::symmetric_eigensystem((scaled + scaled.transpose()) / 2).values;
    return values[0] > runtime::kSingularStiffness * values[n - 1];
  }

  // Decides whether the state is an equilibrium or in steady motion, and names what moves.
  Result<void> motion() {
    const problem::Problem& info = question_.info();
    runtime::ConstraintProjector projector(question_.equations(), info);
    // The sizes are those of the model at rest, which is the scale for speeds.
    projector.measure(t_, at_rest(y_, info).data());
    const runtime::ModelSize& size = projector.size();
    const auto n = static_cast<std::uint32_t>(info.speeds.size()),
               n_q = static_cast<std::uint32_t>(info.coordinates.size());
    const std::vector<double>& rates = d_.state_rates();
    const Eigen::VectorXd negligible = negligible_rates(size);
    bool moves = false, accelerates = false;
    double fastest = 0;
    const auto is_fastest = [&](std::uint32_t displacement, double rate, bool first) {
      if (!first && std::fabs(rate) <= std::fabs(fastest)) return;
      fastest = rate;
      fastest_ = question_.displacement(displacement).name;
    };
    for (std::uint32_t j = 0; j < n; ++j) {
      if (size.root_inertia[j] * std::fabs(y_[n_q + j]) <= runtime::kAtRest * size.speed) continue;
      is_fastest(j, y_[n_q + j], !moves);
      moves = true;
    }
    for (std::uint32_t k = n_q; k < n_q + n + info.states.size(); ++k) {
      if (std::fabs(rates[k]) <= negligible[k - n_q]) continue;
      is_fastest(n + k - n_q, rates[k], !accelerates);
      accelerates = true;
    }
    out_.equilibrium = !moves && !accelerates;
    out_.steady = out_.equilibrium;
    if (moves && !accelerates) {
      const Result<bool> same = same_along_motion(projector);
      if (!same) return same.error();
      out_.steady = *same;
    }
    if (out_.steady) return {};
    out_.fastest = fastest_;
    out_.fastest_rate = fastest;
    return {};
  }

  // Returns the sizes of [u'; s'] that count as zero: those of a displacement far below the size of the model, and the
  // rounding of loads and of the accelerations along curved paths.
  [[nodiscard]] Eigen::VectorXd negligible_rates(const runtime::ModelSize& size) {
    const auto n = static_cast<Eigen::Index>(question_.info().speeds.size());
    const Eigen::VectorXd inertia = Eigen::Map<const Eigen::VectorXd>(size.root_inertia.data(), n);
    const auto of_mass = [&](Eigen::Index j, double mass_weighted) {
      return inertia[j] > 0 ? mass_weighted / inertia[j] : 0;
    };
    const std::vector<std::uint32_t>& independent = d_.tangent().independent;
    Eigen::VectorXd sizes(d_.tangent().size());
    for (Eigen::Index k = 0; k < sizes.size(); ++k) {
      const auto d = static_cast<Eigen::Index>(independent[static_cast<std::size_t>(k)]);
      sizes[k] = d < n ? of_mass(d, size.position) : d < 2 * n ? of_mass(d - n, size.speed) : 1;
    }
    const Eigen::MatrixXd by_state = d_.accelerations(), of_states = d_.state_rates_by_arguments();
    Eigen::VectorXd out(by_state.rows() + of_states.rows());
    out << by_state.leftCols(sizes.size()).cwiseAbs() * sizes, of_states.leftCols(sizes.size()).cwiseAbs() * sizes;
    out *= runtime::kSteady;
    const double speed =
        inertia.cwiseProduct(Eigen::Map<const Eigen::VectorXd>(y_.data() + question_.info().coordinates.size(), n))
            .norm();
    const double rounding =
        runtime::kRoundOffShown *
        (runtime::size_of_loads(question_.equations(), size, t_, y_.data()) + speed * speed / size.position);
    for (Eigen::Index j = 0; j < n; ++j) out[j] = std::max(out[j], of_mass(j, rounding));
    return out;
  }

  // Returns whether the linear model is the same at a state that the motion reaches with these speeds.
  Result<bool> same_along_motion(runtime::ConstraintProjector& projector) {
    const Eigen::MatrixXd here = rates_;
    const std::vector<std::uint32_t> independent = d_.tangent().independent;
    const auto n_q = question_.info().coordinates.size(), n = question_.info().speeds.size();
    double fastest = 0;
    for (std::size_t j = 0; j < n; ++j) fastest = std::max(fastest, std::fabs(y_[n_q + j]));
    std::vector<double> there = y_, way(n);
    for (std::size_t j = 0; j < n; ++j) way[j] = 0.7 / fastest * y_[n_q + j];
    projector.displace(true, t_, there.data(), way.data());
    if (!question_.info().rows.empty()) projector.project(t_, there.data(), runtime::kRoundOffShown, true);
    bool same = here.size() == 0;
    if (question_.evaluate(t_, there).ok() && d_.tangent().independent == independent && !same)
      same = (d_.rates_by_arguments() - here).cwiseAbs().maxCoeff() <= runtime::kSteady * here.cwiseAbs().maxCoeff();
    if (Result<void> back = question_.evaluate(t_, y_); !back) return back.error();
    return same;
  }

  void verdict(bool minimum) {
    const auto decays = [](const Pole& p) { return p.value.real() < -p.error; };
    if (out_.growing > 0)
      out_.stability = Stability::unstable;
    else if (!out_.zero_blocks.empty())
      out_.stability = Stability::zero_poles;
    else if (std::all_of(out_.poles.begin(), out_.poles.end(), decays))
      out_.stability = Stability::asymptotically;
    else
      out_.stability = minimum && out_.equilibrium ? Stability::energy_minimum : Stability::spectrally;
  }

  StateQuestion& question_;
  Simulation::Impl& simulation_;
  runtime::ManifoldDerivatives& d_;
  double t_;
  const std::vector<double>& y_;
  Eigen::MatrixXd rates_;
  std::string fastest_;
  LinearModel out_;
};

Result<LinearModel> linearize(Simulation::Impl& from, const LinearizeOptions& options) {
  std::unique_ptr<Simulation::Impl> aside = from.copy();
  if (Result<void> begun = begin_block(*aside); !begun) return begun.error();
  if (options.equilibrium) {
    Result<EquilibriumReport> found = equilibrium(*aside, {});
    if (!found) return found.error();
    return std::move(found->found.front().model);
  }
  if (options.at && *options.at < aside->time)
    return Error{ErrorCode::invalid_argument, "the time lies before the beginning of the block"};
  if (options.at)
    if (Result<void> near = aside->check_reach(*options.at - aside->time); !near) return near.error();
  if (options.at)
    if (Result<void> moved = aside->move([&](Motion& motion) { return motion.run_until(*options.at); }); !moved)
      return moved.error();
  StateQuestion question(*aside);
  if (Result<void> begun = question.begin(); !begun) return begun.error();
  return linear_model(question, *aside, aside->time, std::vector(aside->state()));
}

}  // namespace

std::vector<double> row_major(const Eigen::MatrixXd& m) {
  std::vector<double> out(static_cast<std::size_t>(m.size()));
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(out.data(), m.rows(), m.cols()) =
      m;
  return out;
}

Result<LinearModel> linear_model(StateQuestion& question, Simulation::Impl& simulation, double t,
                                 const std::vector<double>& y, bool rests) {
  if (Result<void> known = question.evaluate(t, y); !known) return known.error();
  return Linearisation(question, simulation, t, y).run(rests);
}

Result<void> begin_block(Simulation::Impl& simulation) {
  const sema::Simulation block = simulation.chosen_block();
  if (Result<void> shaped = simulation.variant_for(block); !shaped) return shaped;
  simulation.begin_anew();
  InitialState initial = simulation.initial(simulation.time, block.assemble);
  if (!initial.consistent) {
    Error off{ErrorCode::inconsistent, initial.rendered, {}};
    if (off.message.ends_with('\n')) off.message.pop_back();
    if (initial.diagnostic) off.diagnostics.push_back(*initial.diagnostic);
    return off;
  }
  simulation.y = std::move(initial.state);
  simulation.fresh = false;
  return {};
}

}  // namespace mbc::api

namespace mbc {

Result<LinearModel> Simulation::linearize(const LinearizeOptions& options) {
  if (Result<void> free = impl_->check_free(); !free) return free.error();
  if (options.at && !std::isfinite(*options.at)) return Error{ErrorCode::not_finite, "the time is not finite"};
  return api::guarded([&] { return api::linearize(*impl_, options); });
}

}  // namespace mbc
