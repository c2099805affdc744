// SPDX-License-Identifier: Apache-2.0
#include "tools/run_output.h"

#include <unistd.h>

#include <cerrno>

#include "base/copy_members.h"
#include "base/glob.h"
#include "base/numbers.h"
#include "base/row_format.h"
#include "base/text.h"
#include "tools/interrupt.h"
#include "tools/link/beside.h"
#include "tools/streams.h"
#include "tools/terminal/preview.h"

namespace mbc::tools {
namespace {

// Returns the status of a run in a description.
const char* status_name(Status status) {
  if (status == Status::complete) return "complete";
  if (status == Status::interrupted) return "interrupted";
  return status == Status::output_failed ? "output failed" : "stopped";
}

output::Sidecar::Settings settings_of(const RunResult& result, const SidecarFacts& facts) {
  output::Sidecar::Settings settings = {{"simulation", result.simulation},
                                        {"begin", result.begin},
                                        {"end", result.end},
                                        {"step", result.step},
                                        {"reached", result.reached},
                                        {"integrator", result.integrator},
                                        {"formulation", result.formulation},
                                        {"stabilise", result.stabilise},
                                        {"at_singular", std::string(to_text(result.methods.at_singular))},
                                        {"engine", result.engine},
                                        {"output_every", std::int64_t{facts.output_every}}};
  // Listed rows have their own times, which they begin with, so there is no step.
  if (!result.row_times.empty()) std::erase_if(settings, [](const auto& entry) { return entry.first == "step"; });
  for (std::size_t i = 0; i < facts.set.size(); ++i)
    settings.emplace_back("set." + std::to_string(i + 1), facts.set[i]);
  return settings;
}

}  // namespace

std::vector<output::Sidecar::Parameter> parameters_of(const Simulation& simulation) {
  std::vector<output::Sidecar::Parameter> out;
  for (const Quantity& p : simulation.model().parameters())
    out.push_back({p.name, simulation.parameter(out.size()).value(), p.unit, p.description});
  return out;
}

std::string lasting_summary(const RunResult& result) {
  std::string text = summary_text(result);
  const std::string took = " in " + text::waited(result.wall_seconds);
  if (const std::size_t at = text.find(took); at != std::string::npos) text.erase(at, took.size());
  return text;
}

RunOutput::RunOutput(std::string path) : path_(std::move(path)) {
  file_.sink().stop_waiting_at(interrupt_flag());
  if (path_ == "/dev/stdout") path_ = "-";
  if (path_.empty()) {
    path_ = "-";
    preview_ = isatty(1) == 1;
  }
}

void RunOutput::columns(const Model& model) {
  model_ = model;
  column_count_ = model.column_count() + 1;
}

std::string RunOutput::choose(const std::vector<std::string>& patterns) {
  if (patterns.empty()) return "";
  std::vector<std::string> names;
  for (std::size_t k = 0; k + 1 < column_count_; ++k) names.push_back(model_.column(k)->name);
  std::vector<bool> wanted(names.size());
  for (const std::string& p : patterns) {
    bool any = false;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (text::matches(p, names[k])) any = wanted[k] = true;
    if (any) continue;
    const std::string near = nearest(p, names);
    return "--variables " + p + " matches no column" + (near.empty() ? "" : "; did you mean `" + near + "`?");
  }
  chosen_ = true;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (wanted[k]) chosen_columns_.push_back(k);
  column_count_ = chosen_columns_.size() + 1;
  chosen_values_.resize(chosen_columns_.size());
  return "";
}

output::Sidecar::Column RunOutput::column(std::size_t k) const {
  if (k == 0) return {"time", model_.time_unit(), ""};
  return model_.column(chosen_ ? chosen_columns_[k - 1] : k - 1).value();
}

bool RunOutput::is_hdf5() const { return names_hdf5(path_); }

bool RunOutput::begin_hdf5() {
  std::string error;
  const output::Hdf5Library* library = output::load_hdf5(library_beside(output::kHdf5File), error);
  if (library == nullptr) {
    file_.sink().refuse(error);
    return false;
  }
  if (!file_.admit_readers()) return false;
  writer_ = library->writer(file_.sink(), {std::move(attributes_), [this](std::size_t k) { return column(k); }});
  return true;
}

bool RunOutput::begin() {
  if (!file_.begin()) return false;
  if (is_hdf5()) {
    if (!begin_hdf5()) return false;
  } else if (preview_) {
    auto preview = std::make_unique<TerminalPreview>(file_.sink(), terminal_width(1));
    preview->prefer(outputs());
    writer_ = std::move(preview);
  } else {
    writer_ = std::make_unique<output::CsvWriter>(file_.sink());
  }
  // The header is written at once, so that a full disk is found before the first step.
  const auto name_of = [this](std::size_t k) { return column(k).name; };
  return writer_->header(column_count_, name_of) && file_.sink().flush();
}

bool RunOutput::resume(const output::Mark& mark) {
  if (!keep_error(file_.resume(mark))) return false;
  writer_ = std::make_unique<output::CsvWriter>(file_.sink());
  rows_ = mark.records - 1;  // after the header
  return true;
}

// Returns the outputs, which the user has declared: on a terminal they come before the coordinates of the parts.
std::vector<std::size_t> RunOutput::outputs() const {
  std::vector<std::size_t> columns;
  for (std::size_t k = 1; k < column_count_; ++k)
    if (column(k).description == "output") columns.push_back(k);
  return columns;
}

bool RunOutput::row(const Row& row) {
  if (!writer_ && !keep_error(begin())) return false;
  for (std::size_t k = 0; k < chosen_values_.size(); ++k) chosen_values_[k] = row.values[chosen_columns_[k]];
  if (!keep_error(writer_->row(row.time, chosen_ ? std::span<const double>(chosen_values_) : row.values))) return false;
  ++rows_;
  return true;
}

bool RunOutput::finish(bool complete, output::Sidecar* description) {
  if (!file_.begun()) file_.release();
  if (!file_.begun()) return error_.empty();
  if (writer_ && error_.empty()) static_cast<void>(keep_error(writer_->finish()));
  if (!file_.finish(complete && error_.empty(), description)) error_ = file_.error();
  return error_.empty();
}

bool RunOutput::keep_error(bool ok) {
  if (ok || !error_.empty()) return ok;
  error_ = !file_.error().empty() ? file_.error() : file_.sink().error();
  if (error_.empty()) error_ = "cannot write `" + path_ + "`";
  return ok;
}

bool RunOutput::reader_left() const { return path_ == "-" && file_.sink().error_number() == EPIPE; }

std::string RunOutput::summary() const {
  return wrote_text(file_, path_, counted(rows_, "row") + ", " + counted(column_count_, "column"));
}

std::string wrote_text(const output::ResultFile& file, const std::string& path, const std::string& what) {
  if (file.rows_at().empty()) return "";
  std::string text = "wrote " + file.rows_at() + " (" + what + ")";
  if (!file.described_at().empty()) text += " and " + file.described_at();
  if (file.rows_at() != output::follow_links(path)) text += "; " + path + " is left as it was";
  return text + "\n";
}

bool RunOutput::streams_to_terminal() const { return path_ == "-" && !preview_ && isatty(1) == 1; }

void HeldChanges::row(const Row& row) {
  if (too_many_ || row.inputs.size() <= inputs_) return;
  const std::span<const double> now = row.inputs.subspan(inputs_);
  const bool first = last_.empty();
  for (std::size_t k = 0; k < now.size(); ++k)
    if (first || now[k] != last_[k]) held_.changes.push_back({row.time, k, now[k]});
  last_.assign(now.begin(), now.end());
  held_.count = now.size();
  if (held_.changes.size() <= kMostChanges + now.size()) return;
  too_many_ = true;
  held_ = {};
}

std::vector<std::pair<std::string, output::Hdf5Facts::Value>> run_attributes(const Simulation& simulation,
                                                                             const std::string& block,
                                                                             const SidecarFacts& facts) {
  const Model& model = simulation.model();
  std::vector<std::string> names, units;
  std::vector<double> values;
  for (const output::Sidecar::Parameter& p : parameters_of(simulation)) {
    values.push_back(p.value);
    names.push_back(p.name);
    units.push_back(p.unit);
  }
  const std::vector<std::string> blocks = model.simulations();
  const TimeSpan span = model.time_span(block).value_or(TimeSpan{});
  return {{"mbc_version", version()},
          {"model_file", facts.model_file},
          {"model_hash", output::content_hash(model.source_text())},
          {"model", model.source_text()},
          {"simulation", block.empty() && blocks.size() == 1 ? blocks.front() : block},
          {"begin", span.begin},
          {"end", span.end},
          {"step", span.step},
          {"output_every", double{1} * facts.output_every},
          {"set", facts.set},
          {"parameters", names},
          {"parameter_values", values},
          {"parameter_units", units}};
}

output::Sidecar run_sidecar(const RunOutput& output, const Simulation& simulation, const RunResult& result,
                            const SidecarFacts& facts) {
  const Model& model = simulation.model();
  output::Sidecar sidecar;
  sidecar.mbc_version = version();
  MBC_COPY_MEMBERS(sidecar, facts, model_file, events, held, events_left_out);
  sidecar.source_hash = output::content_hash(model.source_text());
  sidecar.status = status_name(result.status);
  sidecar.rows = static_cast<std::int64_t>(output.rows());
  sidecar.more_columns = output.column_count();
  sidecar.column_behind = [&output](std::size_t k) { return output.column(k); };
  sidecar.parameters = parameters_of(simulation);
  sidecar.settings = settings_of(result, facts);
  sidecar.texts = model_texts(model);
  sidecar.plots = model_plots(model, result.simulation);
  sidecar.summary = lasting_summary(result);
  for (const DiagnosticInfo& d : result.warnings) sidecar.diagnostics.push_back(to_json(d));
  if (result.diagnostic) sidecar.diagnostics.push_back(to_json(*result.diagnostic));
  return sidecar;
}

}  // namespace mbc::tools
