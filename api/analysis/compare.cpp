// SPDX-License-Identifier: Apache-2.0
// compare(): every formulation with every representation of bodies on one model, each measured against the first.
#include <algorithm>
#include <cmath>
#include <map>

#include "api/analysis/method_run.h"
#include "base/copy_members.h"
#include "base/numbers.h"
#include "base/settings.h"
#include "base/stop_flag.h"
#include "base/text.h"
#include "runtime/equations/representation_state.h"

namespace mbc {

namespace {

constexpr int kMostRuns = 4;
constexpr std::size_t kMomentumStates = 1000;  // states of a run at which momenta are evaluated
constexpr double kRoundOff = 1e-10;  // velocities below this fraction of the largest one of any unit are round-off
// Shares of the work on one method, for the progress: states, the run that is compared, those that are timed.
constexpr double kStatesPart = 0.3, kRunPart = 0.6;

// Returns the value that a `set` gives to `formulation` or `bodies` of the block.
std::optional<std::string> fixed(const std::vector<std::string>& set, const std::string& key,
                                 const std::string& block) {
  std::optional<std::string> value;
  for (const std::string& text : set) {
    const std::size_t equals = text.find('=');
    const std::string path = trimmed(text.substr(0, equals));
    if (equals != std::string::npos && (path == key || path == block + "." + key))
      value = trimmed(text.substr(equals + 1));
  }
  return value;
}

constexpr const char *kTree = "tree", *kAuto = "auto";  // of bodies

// Returns whether a text contains a word, as "quaternion and natural" contains "natural".
bool has_word(const std::string& text, const std::string& word) {
  return (" " + text + " ").find(" " + word + " ") != std::string::npos;
}

std::string one_line(const DiagnosticInfo& d) {
  return (d.code.empty() ? "" : d.code + ": ") + d.message.substr(0, d.message.find('\n'));
}

// The recorded values of the reference, and the sizes of its columns.
struct Reference {
  const ComparedColumns* columns = nullptr;
  problem::Problem info;
  bool of_tree = false;
  std::vector<std::vector<double>> states;  // y
  std::vector<std::vector<double>> looked;  // recorded values at these states
  std::vector<double> times, rows;          // of its run; the rows are stored one after the other
  std::vector<double> sizes;                // size of each column
};

// Values of another run in the order of the reference's columns, quaternions with the reference's sign.
class Aligned {
 public:
  Aligned(const ComparedColumns& reference, const ComparedColumns& other)
      : reference_(reference), places_(reference.places_in(other)), values_(places_.size()) {}

  const std::vector<double>& operator()(const double* wanted, std::span<const double> given) {
    for (std::size_t k = 0; k < places_.size(); ++k)
      values_[k] = places_[k] == ComparedColumns::kMissing ? wanted[k] : given[places_[k]];
    for (std::size_t first : reference_.quaternions) {
      double product = 0;
      for (std::size_t k = first; k < first + 4; ++k) product += wanted[k] * values_[k];
      for (std::size_t k = first; k < first + 4 && product < 0; ++k) values_[k] = -values_[k];
    }
    return values_;
  }

 private:
  const ComparedColumns& reference_;
  std::vector<std::size_t> places_;
  std::vector<double> values_;
};

// Keeps the larger of two differences; nan counts as the largest.
void widen(std::optional<Difference>& found, double absolute, double size, const ComparedColumns::Column& column,
           double t) {
  const double relative = std::isnan(absolute) ? HUGE_VAL : size > 0 ? absolute / size : absolute;
  if (!found) found.emplace();
  if (relative > found->relative || found->name.empty())
    *found = {relative, std::isnan(absolute) ? HUGE_VAL : absolute, column.name, column.unit, t};
}

class Comparer {
 public:
  using Make = std::function<Model(const CompileOptions&)>;

  Comparer(const CompareOptions& options, Make make, const std::string& file)
      : options_(options), make_(std::move(make)) {
    out_.file = file;
    out_.samples_wanted = std::max(0, options.samples);
    out_.ran = options.run;
  }

  Comparison run() {
    if (!prepare()) return std::move(out_);
    const double count = static_cast<double>(formulations_.size() * bodies_.size());
    for (const std::string& bodies : bodies_)
      for (const std::string& formulation : formulations_) {
        ComparedMethod& m = out_.methods.emplace_back();
        m.formulation = formulation;
        m.bodies = bodies;
        part_ = static_cast<double>(out_.methods.size() - 1) / count;
        share_ = 1 / count;
        if (stopped())
          m.status = Status::interrupted;
        else
          look_at(m);
        if (m.status == Status::interrupted) out_.status = Status::interrupted;
      }
    if (!compiled_ && !base_ok_) {
      out_.status = Status::model_error;
      out_.methods.clear();
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool stopped() const { return is_set(options_.stop); }
  void progress(const ComparedMethod& m, double part) const {
    if (!options_.progress) return;
    options_.progress(part_ + share_ * part, m.formulation + (m.bodies.empty() ? "" : ", " + m.bodies));
  }

  bool refuse(const std::string& text) {
    out_.status = Status::model_error;
    out_.rendered += text;
    return false;
  }

  // Compiles the model without changes for the data that all methods share, and lists the requested methods.
  bool prepare() {
    CompileOptions plain = options_.compile;
    plain.interpret = true;
    const Model base = make_(plain);
    base_ok_ = base.ok();
    out_.files = model_files(base);
    out_.diagnostics = base.diagnostics();
    out_.rendered = base.render_diagnostics();
    std::vector<std::pair<std::string, std::string>> choices;
    if (base_ok_ && !take_block(base, choices)) return false;
    return choose("formulation", "formulations", options_.formulations, choices, formulations_) &&
           choose("bodies", "bodies", options_.bodies, choices, bodies_);
  }

  bool take_block(const Model& base, std::vector<std::pair<std::string, std::string>>& choices) {
    const std::optional<TimeSpan> span = base.time_span(options_.simulation);
    if (!span) {
      RunOptions options;
      options.simulation = options_.simulation;
      const RunResult why = Simulation::create(base).value().run(options);
      if (why.diagnostic) out_.diagnostics.push_back(*why.diagnostic);
      return refuse(why.rendered);
    }
    out_.time = *span;
    out_.time_unit = base.time_unit();
    const std::vector<std::string> names = base.simulations();
    out_.simulation = options_.simulation.empty() ? names.front() : options_.simulation;
    ModelInfo info = base.info().value();
    momenta_ = std::move(info.momenta);
    for (const SimulationInfo& s : info.simulations)
      if (s.name == out_.simulation) choices = s.choices;
    return true;
  }

  // Fills one of the two lists; an entry "" leaves the block's choice unchanged.
  bool choose(const std::string& key, const std::string& option, const std::vector<std::string>& wanted,
              const std::vector<std::pair<std::string, std::string>>& choices, std::vector<std::string>& list) {
    const std::optional<std::string> value = fixed(options_.compile.set, key, out_.simulation);
    if (value && !wanted.empty())
      return refuse("`" + key + "` is fixed by a setting (" + *value + ") and listed in `" + option +
                    "`: leave out one of them\n");
    list = wanted;
    // A state of a tree is one of free bodies too, so that it is the reference.
    std::stable_partition(list.begin(), list.end(), [](const std::string& method) { return method == kTree; });
    if (!list.empty()) return true;
    if (value || key == "bodies") {
      list = {value.value_or("")};
      return true;
    }
    for (const settings::ChoiceInfo& choice : settings::choices(settings::Key::formulation)) {
      const std::string name = choice.name;
      if (name != choice.same_as) continue;
      list.push_back(name);
      for (const auto& [setting, text] : choices)  // with the arguments of the block
        if (setting == key && text.starts_with(name + "(")) list.back() = text;
    }
    return true;
  }

  // Returns the settings of the block for one method; the user's settings are in it already.
  [[nodiscard]] CompileOptions settings(const ComparedMethod& m) const {
    CompileOptions compile = options_.compile;
    compile.native_at_once = true;  // right-hand sides are timed
    const auto add = [&](const char* key, const std::string& value) {
      if (value.empty() || fixed(compile.set, key, out_.simulation)) return;
      compile.set.push_back((out_.simulation.empty() ? "" : out_.simulation + ".") + key + " = " + value);
    };
    add("formulation", m.formulation);
    add("bodies", m.bodies);
    return compile;
  }

  void look_at(ComparedMethod& m) {
    progress(m, 0);
    const Model made = make_(settings(m));
    if (!made.ok()) {
      take_error(m, made.diagnostics());
      return;
    }
    compiled_ = true;
    Result<Simulation> simulation = Simulation::create(made, options_.simulation);
    if (!simulation && simulation.error().code == ErrorCode::no_native_code && !options_.compile.native_at_once) {
      CompileOptions interpreted = settings(m);  // native code was not demanded
      interpreted.native_at_once = false;
      simulation = Simulation::create(make_(interpreted), options_.simulation);
    }
    if (!simulation) {
      take_error(m, simulation.error().diagnostics);
      if (m.reason.empty()) m.reason = simulation.error().message;
      return;
    }
    MethodRun method(*std::move(simulation), options_.simulation, options_.stop);
    if (!begin(m, method)) return;
    compare_states(m, method);
    if (options_.run && !stopped()) compare_runs(m, method);
    if (stopped()) {
      m.status = Status::interrupted;
      return;
    }
    m.rhs_seconds = method.rhs_seconds();
  }

  static void take_error(ComparedMethod& m, const std::vector<DiagnosticInfo>& diagnostics) {
    for (const DiagnosticInfo& d : diagnostics)
      if (d.severity == Severity::error && !m.diagnostic) m.diagnostic = d;
    if (m.diagnostic) m.reason = one_line(*m.diagnostic);
  }

  static void take_result(ComparedMethod& m, const RunResult& result) {
    m.status = result.status;
    m.diagnostic = result.diagnostic;
    if (result.diagnostic)
      m.reason = one_line(*result.diagnostic);
    else if (result.status == Status::model_error)
      m.reason = result.rendered.substr(0, result.rendered.find('\n'));
  }

  // Returns a random state of the reference as one of the method. Poses and velocities of the bodies of a tree are
  // columns; the method may have no coordinates of joints.
  std::vector<double> state_of(const MethodRun& method, std::size_t k) {
    const std::vector<double>& y = reference_.states[k];
    if (is_reference() || !reference_.of_tree || method.bodies() == kTree)
      return is_reference() ? y : runtime::in_representation(reference_.info, y, method.info());
    if (!free_) {
      CompileOptions compile = options_.compile;
      compile.interpret = true;
      compile.set.push_back((out_.simulation.empty() ? "" : out_.simulation + ".") +
                            std::string("bodies = quaternion"));
      std::vector<double> values;
      free_.emplace(Simulation::create(make_(compile), options_.simulation).value(), options_.simulation,
                    options_.stop);
      free_->look({}, values);
    }
    return runtime::in_representation(free_->info(), free_->state_shown(columns_, reference_.looked[k]), method.info());
  }

  // Evaluates the initial state, which shows whether the method can be applied.
  bool begin(ComparedMethod& m, MethodRun& method) {
    std::vector<double> values;
    const RunResult result = method.look({}, values);
    MBC_COPY_MEMBERS(m, result, engine, equations, unknowns, states);
    take_result(m, result);
    if (values.empty()) {
      return false;
    }
    if (method.bodies().empty() && !m.bodies.empty() && m.bodies != bodies_.front()) {
      m.status = Status::model_error;
      m.reason = "the model has no free bodies to represent";
      return false;
    }
    if (m.bodies != bodies_.front() && m.bodies != kAuto && !method.bodies().empty() &&
        !has_word(method.bodies(), m.bodies)) {
      m.status = Status::model_error;
      m.reason = "all bodies have `coordinates` of their own: none is left to represent";
      return false;
    }
    m.bodies = method.bodies();
    m.applied = true;
    m.status = Status::complete;
    m.reason.clear();
    if (!out_.reference) become_reference(method);
    return true;
  }

  void become_reference(MethodRun& method) {
    out_.reference = out_.methods.size() - 1;
    columns_ = method.columns();
    reference_.columns = &columns_;
    reference_.info = method.info();
    reference_.of_tree = method.bodies() == kTree;
    reference_.states = method.random_states(out_.samples_wanted, options_.seed, out_.nearest_singular);
  }

  [[nodiscard]] bool is_reference() const { return out_.reference == out_.methods.size() - 1; }

  // ---- accelerations

  void compare_states(ComparedMethod& m, MethodRun& method) {
    Aligned aligned(columns_, method.columns());
    std::vector<std::vector<double>> kept, looked;
    std::vector<double> values;
    for (std::size_t k = 0; k < reference_.states.size() && !stopped(); ++k) {
      progress(m, kStatesPart * static_cast<double>(k) / static_cast<double>(reference_.states.size()));
      const std::vector<double>& y = reference_.states[k];
      const RunResult result = method.look(state_of(method, k), values);
      if (is_reference()) {
        if (values.empty()) continue;  // no accelerations to compare with
        kept.push_back(y);
        looked.push_back(values);
      } else if (values.empty()) {
        if (m.states_failed++ == 0 && result.diagnostic)
          m.reason = "at a random state: " + one_line(*result.diagnostic);
      } else {
        ++m.states_compared;
        compare_accelerations(m, reference_.looked[k], aligned(reference_.looked[k].data(), values));
      }
    }
    if (!is_reference()) return;
    reference_.states = std::move(kept);
    reference_.looked = std::move(looked);
    out_.samples = m.states_compared = static_cast<int>(reference_.states.size());
  }

  void compare_accelerations(ComparedMethod& m, const std::vector<double>& wanted, const std::vector<double>& found) {
    // In driven mechanisms some states have accelerations that are round-off of cancelling terms. Therefore an
    // acceleration that changes the speeds by less than their size along the whole run counts as one that changes them
    // by their size.
    const double length = out_.time.end - out_.time.begin;
    double size = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (columns_.all[k].use == ComparedColumns::Use::acceleration) size = std::max(size, std::fabs(wanted[k]));
      if (columns_.all[k].use == ComparedColumns::Use::speed) size = std::max(size, std::fabs(wanted[k]) / length);
    }
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (columns_.all[k].use == ComparedColumns::Use::acceleration)
        widen(m.acceleration, std::fabs(found[k] - wanted[k]), size, columns_.all[k], out_.time.begin);
  }

  // ---- trajectories

  void compare_runs(ComparedMethod& m, MethodRun& method) {
    Aligned aligned(columns_, method.columns());
    const std::size_t width = columns_.all.size();
    std::size_t row = 0, seen = 0;
    std::vector<MethodRun::State> states;  // for the momenta
    const auto steps = static_cast<std::size_t>((out_.time.end - out_.time.begin) / out_.time.step);
    const std::size_t every = std::max<std::size_t>(1, steps / kMomentumStates);
    const auto observe = [&](const Row& r) {
      if (!momenta_.empty() && seen++ % every == 0)
        states.emplace_back(r.time, std::vector(r.state.begin(), r.state.end()));
      if (is_reference()) {
        reference_.times.push_back(r.time);
        reference_.rows.insert(reference_.rows.end(), r.values.begin(), r.values.end());
        return true;
      }
      if (row >= reference_.times.size()) return true;  // the reference stopped earlier
      const double* wanted = reference_.rows.data() + width * row;
      const std::vector<double>& found = aligned(wanted, r.values);
      for (std::size_t k = 0; k < width; ++k)
        if (moves(columns_.all[k]))
          widen(m.trajectory, std::fabs(found[k] - wanted[k]), reference_.sizes[k], columns_.all[k], r.time);
      ++row;
      return true;
    };
    const double begin = out_.time.begin, length = out_.time.end - out_.time.begin;
    double kinetic = 0;
    const RunResult result = method.run(
        observe, [&](double t) { progress(m, kStatesPart + (kRunPart - kStatesPart) * (t - begin) / length); },
        kinetic);
    take_result(m, result);
    if (!m.reason.empty()) m.reason = "the run ended at t = " + text::short_number(result.reached, 6) + ": " + m.reason;
    if (m.states_failed > 0 && m.reason.empty()) m.reason = "no accelerations at some of the random states";
    out_.integrator = result.integrator;
    out_.stabilise = result.stabilise;
    if (is_reference()) measure_columns();
    take_errors(m, result, kinetic);
    m.momentum_error = method.momentum_error(momenta_, states);
    if (result.status == Status::complete) time_runs(m, method, result.wall_seconds);
  }

  static bool moves(const ComparedColumns::Column& c) {
    return c.use == ComparedColumns::Use::place || c.use == ComparedColumns::Use::speed ||
           c.use == ComparedColumns::Use::state;
  }

  // Columns of the same use and unit have the size of the largest value among them. If that is round-off, they have the
  // size of all columns of the use.
  void measure_columns() {
    std::map<std::pair<ComparedColumns::Use, std::string>, double> sizes;
    const std::size_t width = columns_.all.size();
    const auto size = [&](std::size_t k) -> double& { return sizes[{columns_.all[k].use, columns_.all[k].unit}]; };
    for (std::size_t at = 0; at < reference_.rows.size(); ++at)
      size(at % width) = std::max(size(at % width), std::fabs(reference_.rows[at]));
    std::map<ComparedColumns::Use, double> largest;
    for (std::size_t k = 0; k < width; ++k) {
      double& most = largest[columns_.all[k].use];
      most = std::max(most, size(k));
    }
    for (std::size_t k = 0; k < width; ++k)
      reference_.sizes.push_back(size(k) > kRoundOff * largest[columns_.all[k].use] ? size(k)
                                                                                    : largest[columns_.all[k].use]);
  }

  static void take_errors(ComparedMethod& m, const RunResult& result, double kinetic) {
    if (result.rows == 0) return;
    const double size = std::max(std::fabs(result.energy_begin), kinetic);
    m.energy_error = size > 0 ? result.balance_error / size : result.balance_error;
    bool rows[3] = {false, false, false};
    for (const ConstraintReport& c : result.constraints) {
      rows[0] |= c.position.has_value();
      rows[1] |= c.velocity.has_value();
      rows[2] |= c.acceleration.has_value();
    }
    if (rows[0]) m.position_error = result.violation.position;
    if (rows[1]) m.velocity_error = result.violation.velocity;
    if (rows[2]) m.acceleration_error = result.violation.acceleration;
  }

  void time_runs(ComparedMethod& m, MethodRun& method, double first) {
    double spent = first, best = first, kinetic = 0;
    for (int k = 1; k < kMostRuns && spent < options_.seconds_to_time && !stopped(); ++k) {
      progress(m, kRunPart + (1 - kRunPart) * k / kMostRuns);
      const RunResult result = method.run({}, {}, kinetic);
      if (result.status != Status::complete) break;
      spent += result.wall_seconds;
      best = std::min(best, result.wall_seconds);
    }
    m.run_seconds = best;
  }

  const CompareOptions& options_;
  Make make_;
  std::vector<std::string> formulations_, bodies_;
  Comparison out_;
  ComparedColumns columns_;  // columns of the reference
  Reference reference_;
  std::optional<MethodRun> free_;  // with free bodies, beside a tree as the reference
  std::vector<ConservedMomentum> momenta_;
  bool base_ok_ = false, compiled_ = false;
  double part_ = 0, share_ = 1;
};

}  // namespace

std::size_t Comparison::applied() const {
  return static_cast<std::size_t>(
      std::count_if(methods.begin(), methods.end(), [](const ComparedMethod& m) { return m.applied; }));
}

bool Comparison::agree(double tolerance) const {
  for (std::size_t k = 0; k < methods.size(); ++k) {
    const ComparedMethod& m = methods[k];
    if (!m.applied) continue;
    if (m.states_failed > 0 || (ran && m.status != Status::complete)) return false;
    if (k == reference) continue;
    for (const std::optional<Difference>* d : {&m.acceleration, &m.trajectory})
      if (*d && !((*d)->relative <= tolerance)) return false;
  }
  return true;
}

Comparison compare(const std::string& path, const CompareOptions& options) {
  return Comparer(
             options, [&](const CompileOptions& compile) { return Model::from_file(path, compile); }, path)
      .run();
}

Comparison compare_text(const std::string& text, const std::string& name, const CompareOptions& options) {
  return Comparer(
             options, [&](const CompileOptions& compile) { return Model::from_string(text, name, compile); }, name)
      .run();
}

}  // namespace mbc
