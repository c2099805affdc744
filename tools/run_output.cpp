// SPDX-License-Identifier: Apache-2.0
#include "tools/run_output.h"

#include <unistd.h>

#include "api/output/preview.h"
#include "api/output/sidecar.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

const char* status_name(Status status) {
  switch (status) {
    case Status::complete:
      return "complete";
    case Status::interrupted:
      return "interrupted";
    case Status::output_failed:
      return "output failed";
    default:
      return "stopped";
  }
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

output::Sidecar::Settings settings_of(const RunResult& result, const SidecarFacts& facts) {
  output::Sidecar::Settings settings = {{"simulation", result.simulation},
                                        {"begin", result.begin},
                                        {"end", result.end},
                                        {"step", result.step},
                                        {"reached", result.reached},
                                        {"integrator", result.integrator},
                                        {"formulation", result.formulation},
                                        {"stabilise", result.stabilise},
                                        {"engine", result.engine},
                                        {"output_every", std::int64_t{facts.output_every}}};
  for (std::size_t i = 0; i < facts.set.size(); ++i)
    settings.emplace_back("set." + std::to_string(i + 1), facts.set[i]);
  return settings;
}

}  // namespace

RunOutput::RunOutput(std::string path) : path_(std::move(path)) {
  if (path_.empty()) {
    path_ = "-";
    preview_ = isatty(1) == 1;
  }
}

void RunOutput::columns(const Model& model) {
  model_ = model;
  column_count_ = model.column_count() + 1;
}

bool RunOutput::begin() {
  if (!sink_.open(path_)) return false;
  if (preview_) {
    writer_ = std::make_unique<output::TerminalPreview>(sink_, output::terminal_width(1));
  } else {
    writer_ = std::make_unique<output::CsvWriter>(sink_);
  }
  // The header leaves at once: a full disk shows before the first step.
  const auto name_of = [this](std::size_t k) { return k == 0 ? "time" : model_.column(k - 1)->name; };
  return writer_->header(column_count_, name_of) && sink_.flush();
}

bool RunOutput::row(const Row& row) {
  if (!writer_ && !keep_error(begin())) return false;
  if (!keep_error(writer_->row(row.time, row.values))) return false;
  ++rows_;
  return true;
}

bool RunOutput::finish() {
  if (writer_ && error_.empty()) static_cast<void>(keep_error(writer_->finish()));
  return error_.empty();
}

bool RunOutput::keep_error(bool ok) {
  if (!ok && error_.empty()) error_ = sink_.error().empty() ? "cannot write `" + path_ + "`" : sink_.error();
  return ok;
}

bool RunOutput::streams_to_terminal() const { return path_ == "-" && !preview_ && isatty(1) == 1; }

bool write_run_sidecar(const RunOutput& output, const Simulation& simulation, const RunResult& result,
                       const SidecarFacts& facts, std::string& written, std::string& error) {
  const std::optional<std::string> path = output.is_file() ? output::sidecar_path(output.path()) : std::nullopt;
  if (!path) return true;
  const Model& model = simulation.model();
  output::Sidecar sidecar;
  sidecar.data_file = base_name(output.path());
  sidecar.mbc_version = version();
  sidecar.model_file = facts.model_file;
  sidecar.source_hash = output::content_hash(model.source_text());
  sidecar.status = status_name(result.status);
  sidecar.rows = static_cast<std::int64_t>(output.rows());
  sidecar.columns.push_back({"time", model.time_unit(), ""});
  sidecar.more_columns = model.column_count();
  sidecar.column_behind = [&model](std::size_t k) -> output::Sidecar::Column {
    const Quantity c = model.column(k).value();
    return {c.name, c.unit, c.description};
  };
  const std::vector<Quantity> parameters = model.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Quantity& p = parameters[i];
    sidecar.parameters.push_back({p.name, simulation.parameter(i).value(), p.unit, p.description});
  }
  sidecar.settings = settings_of(result, facts);
  written = *path;
  return output::write_sidecar(*path, sidecar, error);
}

}  // namespace mbc::tools
