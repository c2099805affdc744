// SPDX-License-Identifier: Apache-2.0
// Examines the rows at many states and the motion, and summarises them.

#include "runtime/constraints/doctor.h"

#include <algorithm>
#include <cmath>

#include "api/model/guard.h"
#include "api/model/info.h"
#include "api/simulation/simulation_impl.h"
#include "base/copy_members.h"
#include "base/diagnostics/render.h"
#include "base/time_steps.h"
#include "runtime/constraints/doctor.h"
#include "runtime/singular/certification.h"
#include "runtime/singular/singular_search.h"

namespace mbc::api {

namespace {

constexpr double kRankTolerance = 1e-10;
constexpr std::uint64_t kPieces = 16;  // examined states along the motion
constexpr double kConserved = 1e-7;    // changes below this fraction of the size of a quantity are ignored
constexpr double kNothing = 1e-12;     // momenta below this fraction of the largest one are zero

class Examination {
 public:
  // assemble: the setting of the block.
  Examination(Simulation::Impl& simulation, const DoctorOptions& options, double begin, bool assemble)
      : simulation_(simulation),
        info_(simulation.facts().info),
        equations_(simulation.ready()),
        options_(options),
        begin_(begin),
        assemble_(assemble),
        doctor_(equations_, info_, kRankTolerance) {}

  DoctorReport run() {
    count();
    start();
    if (d_.without_inertia.empty() && d_.consistent) conflicts();
    if (d_.consistent) random_states();
    if (d_.sound() && options_.motion && !simulation_.facts().simulations.empty()) motion();
    if (d_.consistent && d_.conflicting.empty()) singular_positions();
    conclude();
    return std::move(d_);
  }

 private:
  void count() {
    d_.coordinates = info_.coordinates.size();
    d_.speeds = info_.speeds.size();
    for (const problem::Row& row : info_.rows) {
      (row.level == problem::Level::position   ? d_.position_rows
       : row.level == problem::Level::velocity ? d_.velocity_rows
                                               : d_.acceleration_rows) += 1;
      d_.rows.push_back({row.name, level_of(row.level), true, false, false, {}, 1, true, 0});
    }
  }

  [[nodiscard]] std::string speed_name(std::uint32_t j) const {
    const std::uint32_t q = info_.coordinate_of_speed[j];
    return q == problem::Problem::kNoCoordinate ? info_.speeds[j].name : info_.coordinates[q].name;
  }

  void start() {
    state_ = simulation_.written_state();
    for (std::uint32_t j : doctor_.without_inertia(begin_, state_)) d_.without_inertia.push_back(speed_name(j));
    for (std::uint32_t j : doctor_.undetermined(begin_, state_)) d_.undetermined.push_back(speed_name(j));
    if (d_.without_inertia.empty()) {
      InitialState initial = simulation_.initial(begin_, assemble_);
      MBC_COPY_MEMBERS(d_, initial, consistent, diagnostic, rendered, moved);
      state_ = initial.state;
      if (!d_.consistent) name_conflict(doctor_.conflicting(begin_, state_));
    }
    switched_off();
    const runtime::RankReport report = doctor_.rows_at(begin_, state_);
    d_.rank = report.rank;
    d_.position_rank = doctor_.rows_at_level(begin_, state_, problem::Level::position).rank;
    for (std::size_t k = 0; k < report.rows.size(); ++k)
      if (!d_.rows[k].off) describe(d_.rows[k], report.rows[k]);
    note(report, RankSample::Kind::initial, begin_);
    if (d_.without_inertia.empty()) touching();
  }

  // Examines the inequalities without a gap: what their rows are among the equations. Ranks are those of equations.
  void touching() {
    const std::vector<std::uint32_t> touch = doctor_.touching(begin_, state_);
    if (touch.empty()) return;
    const problem::DiscreteState discrete = equations_.discrete_state(info_.events);
    const auto turn = [&](bool on) {
      for (const std::uint32_t k : touch) discrete.set_active(info_.events.unilaterals[k], on);
    };
    turn(true);
    const runtime::RankReport report = doctor_.rows_at(begin_, state_);
    turn(false);
    for (const std::uint32_t k : touch) {
      DoctorRow& row = d_.rows[info_.events.unilaterals[k].row];
      row.off = false;
      row.touching = true;
      describe(row, report.rows[info_.events.unilaterals[k].row]);
    }
    for (std::size_t k = 0; k < report.rows.size(); ++k)
      if (!d_.rows[k].off) d_.rows[k].multiplier_unique = report.rows[k].multiplier_unique;
  }

  void describe(DoctorRow& row, const runtime::RowReport& found) {
    row.independent = found.state == runtime::RowState::independent;
    row.distance = found.distance;
    row.multiplier_unique = found.multiplier_unique;
    for (const runtime::Dependency& term : found.combination)
      row.depends_on.push_back(info_.rows[static_cast<std::size_t>(term.row)].name);
  }

  // Marks switched-off rows: their zeros are neither redundant nor vanishing.
  void switched_off() {
    const problem::DiscreteState discrete = equations_.discrete_state(info_.events);
    for (const problem::SwitchedRow& s : info_.events.switched_rows)
      if (!discrete.is_on(s.held)) d_.rows[s.row].off = true;
  }

  void name_conflict(const std::vector<int>& rows) {
    for (int k : rows) d_.conflicting.push_back(info_.rows[static_cast<std::size_t>(k)].name);
  }

  // Finds rows that agree at the initial state and require different accelerations.
  void conflicts() {
    if (info_.rows.empty()) return;
    equations_.solve_by(runtime::SolveMode::fast);
    runtime::ConstraintProjector projector(equations_, info_);
    projector.measure(begin_, state_.data());
    runtime::Certification certification(equations_, info_, projector, kRankTolerance);
    const runtime::Verdict verdict = certification.begin(begin_, state_.data());
    if (verdict.conflict) name_conflict(verdict.conflicting);
  }

  void note(const runtime::RankReport& report, RankSample::Kind kind, double t) {
    if (report.non_finite.found) {
      ++d_.failed_samples;
      return;
    }
    d_.samples.push_back({kind, t, report.rank, report.smallest_kept});
    for (std::size_t k = 0; k < report.rows.size(); ++k)
      if (!d_.rows[k].off && !d_.rows[k].touching && report.rows[k].state != runtime::RowState::independent)
        ++d_.rows[k].times_dependent;
  }

  void random_states() {
    std::vector<double> y;
    for (int k = 0; k < options_.samples; ++k)
      if (doctor_.sample(begin_, state_, options_.seed, static_cast<std::uint64_t>(k), y)) {
        note(doctor_.rows_at(begin_, y), RankSample::Kind::random, begin_);
        starts_.push_back(y);
      } else
        ++d_.failed_samples;
  }

  // Runs the block, or its first steps, and examines kPieces states.
  void motion() {
    const std::string name =
        options_.simulation.empty() ? simulation_.facts().simulations.front().name : options_.simulation;
    const std::optional<TimeSpan> block = simulation_.model.time_span(name);
    if (!block) return;
    const double all = std::ceil((block->end - block->begin) / block->step - TimeSteps::kWhole);
    const auto steps = static_cast<std::uint64_t>(std::clamp(all, 1.0, static_cast<double>(options_.max_steps)));
    RunOptions run;
    run.simulation = name;
    run.span = {block->begin, std::min(block->end, block->begin + static_cast<double>(steps) * block->step)};
    run.state = state_;
    run.output_every = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, steps / kPieces));
    std::vector<std::pair<double, std::vector<double>>> states;
    // A copy makes the run, since it may need another variant than the one examined here.
    const RunResult made = simulation_.copy()->run(run, [&](const Row& row) {
      states.emplace_back(row.time, std::vector<double>(row.state.begin(), row.state.end()));
      return true;
    });
    d_.motion = TimeSpan{block->begin, made.reached, block->step};
    MBC_COPY_MEMBERS(d_, made, rank_changes, work_of_loads, work_of_constraints, balance_error);
    if (made.status != Status::complete) {
      d_.consistent = d_.consistent && made.status != Status::inconsistent;
      d_.diagnostic = made.diagnostic;
      d_.rendered += made.rendered;
    }
    for (std::size_t k = 0; k < states.size(); ++k) {
      const auto& [t, y] = states[k];
      if (k > 0) note(doctor_.rows_at(t, y), RankSample::Kind::motion, t);
      starts_.push_back(y);
      if (k % (kPieces / 4) == 0 || k + 1 == states.size()) watch(t, y);
    }
    judge("energy", energies_, kinetic_);
    judge("linear momentum", linear_, {});
    judge("angular momentum", angular_, {});
  }

  // Searches from the initial state, the random ones and those of the motion, all at the begin time.
  void singular_positions() {
    runtime::ConstraintProjector projector(equations_, info_);
    projector.measure(begin_, state_.data());
    runtime::SingularSearch search(equations_, info_, projector, begin_, state_);
    if (!search.possible()) return;
    starts_.insert(starts_.begin(), state_);
    std::vector<runtime::SingularSearch::Found> found;
    NearestSingular nearest;
    for (std::vector<double>& y : starts_) {
      if (search.spent()) break;
      if (!projector.project(begin_, y.data(), 1e-12, true).converged) continue;
      ++nearest.starts;
      for (runtime::SingularSearch::Found& f : search.from(y)) found.push_back(std::move(f));
    }
    nearest.cut = search.spent();
    const runtime::SingularSearch::Found* best = runtime::SingularSearch::best(found);
    if (!best) return;
    nearest.smallest = best->smallest;
    nearest.row = info_.rows[best->row].name;
    for (std::size_t i = 0; i < info_.coordinates.size(); ++i)
      nearest.places.push_back({info_.coordinates[i].name, info_.coordinates.unit(i).text(), state_[i], best->y[i]});
    d_.nearest = std::move(nearest);
  }

  using Series = std::vector<std::vector<double>>;

  // Evaluates the conserved quantities. Models without some of them (an angular momentum on a line) skip these.
  void watch(double t, const std::vector<double>& y) {
    // The conserved quantity is u T_u - T + V; `energy.total` has T as it is written.
    std::vector<double> dy(y.size());
    equations_.outputs(t, y.data(), dy.data());
    energies_.push_back({equations_.kinetic() + equations_.potential()});
    kinetic_.push_back({equations_.kinetic()});
    const std::pair<const char*, Series*> watched[] = {{"momentum.linear", &linear_}, {"momentum.angular", &angular_}};
    for (const auto& [expression, series] : watched) {
      if (Result<Evaluated> value = simulation_.value(expression, t, y)) series->push_back(std::move(value->values));
    }
  }

  static double largest(const Series& series) {
    double most = 0;
    for (const std::vector<double>& value : series)
      for (double x : value) most = std::max(most, std::fabs(x));
    return most;
  }

  // A change is relative to the size of the quantity. Energies have no natural zero, so their scale is the kinetic
  // energy.
  void judge(const std::string& name, const Series& series, const Series& scale) {
    const double size = std::max(largest(series), largest(scale));
    if (series.empty() || size == 0) return;
    for (std::size_t k = 0; k < series.front().size(); ++k) {
      double change = 0, most = 0;
      for (const std::vector<double>& value : series) {
        change = std::max(change, std::fabs(value[k] - series.front()[k]));
        most = std::max(most, std::fabs(value[k]));
      }
      if (scale.empty() && most <= kNothing * size) continue;
      const std::string axis = series.front().size() == 1 ? "" : std::string(" ") + "xyz"[k];
      d_.conserved.push_back({name + axis, series.front()[k], change, change <= kConserved * size});
    }
  }

  void conclude() {
    for (const RankSample& sample : d_.samples) d_.usual_rank = std::max(d_.usual_rank, sample.rank);
    d_.freedoms = static_cast<int>(d_.speeds) - d_.usual_rank;
    for (const DoctorRow& row : d_.rows)
      if (row.times_dependent > 0 && row.times_dependent < static_cast<int>(d_.samples.size()))
        d_.changing.push_back(row.name);
  }

  Simulation::Impl& simulation_;
  const problem::Problem& info_;
  runtime::Equations& equations_;
  const DoctorOptions& options_;
  double begin_;
  bool assemble_;
  runtime::Doctor doctor_;
  std::vector<double> state_;
  std::vector<std::vector<double>> starts_;  // initial states of the search
  DoctorReport d_;
  Series energies_, kinetic_, linear_, angular_;
};

DoctorReport nothing_to_look_at(const Error& error) {
  DoctorReport none;
  none.consistent = false;
  if (!error.diagnostics.empty()) none.diagnostic = error.diagnostics.front();
  none.rendered = error.message + "\n";
  return none;
}

DoctorReport too_large(const Simulation::Impl& simulation) {
  const std::vector<problem::Row>& rows = simulation.facts().info.rows;
  Diagnostic d;
  d.kind = Kind::too_many_rows;
  d.args = {std::to_string(rows.size()), "the doctor factorises them as a full matrix, of at most " +
                                             std::to_string(kernel::kMaxDenseRows) +
                                             " rows; `mbc run` says which rows depend on others"};
  if (!rows.empty()) d.span = rows.back().span;
  DoctorReport none;
  none.consistent = false;
  none.diagnostic = to_info(d, simulation.sources());
  none.rendered = render_text(d, simulation.sources(), {simulation.variant().how().colour});
  return none;
}

// Leaves `simulation` in any state, since it belongs to the doctor.
DoctorReport doctor(Simulation& simulation, const DoctorOptions& options) {
  Simulation::Impl& impl = simulation.impl();
  // The motion uses the block's own equations, so they are taken before any other evaluation.
  double begin = 0;
  bool assemble = false;
  for (const sema::Simulation& block : impl.facts().simulations) {
    if (!options.simulation.empty() && block.name != options.simulation) continue;
    const sema::Simulation chosen = block;
    begin = chosen.begin;
    assemble = chosen.assemble;
    if (Result<void> shaped = impl.variant_for(chosen); !shaped) return nothing_to_look_at(shaped.error());
    break;
  }
  if (impl.ready().beyond_dense()) return too_large(impl);
  return Examination(impl, options, begin, assemble).run();
}

}  // namespace

}  // namespace mbc::api

namespace mbc {

Result<DoctorReport> Simulation::doctor(const DoctorOptions& options) {
  if (options.samples < 0) return Error{ErrorCode::invalid_argument, "a number of states is not below 0"};
  if (options.max_steps == 0)
    return Error{ErrorCode::invalid_argument, "a motion has at least one step: max_steps is 0"};
  if (!options.simulation.empty() && !impl_->model.time_span(options.simulation))
    return Error{ErrorCode::no_such_name, "there is no `simulate` block `" + printable(options.simulation) + "`"};
  return api::guarded([&]() -> Result<DoctorReport> {
    Simulation aside(impl_->copy());
    return api::doctor(aside, options);
  });
}

}  // namespace mbc
