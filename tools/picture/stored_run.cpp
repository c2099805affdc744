// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/stored_run.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/read_file.h"
#include "tools/picture/stored_json.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kMostOfDescription = std::size_t{1} << 30;

}  // namespace

struct StoredRun::Description {
  StoredJson json;
  std::map<std::string, std::string> library, files;
  std::string name, text;  // name and text of the model

  bool read(const std::string& path) {
    std::string bytes, error;
    if (!read_file(path, bytes, error, kMostOfDescription)) return false;
    json = StoredJson::parse(bytes, nullptr, false);
    if (text_in(json, "format") != "mbc-csv-sidecar") return false;
    const StoredJson& texts = member_of(json, "texts");
    for (std::size_t k = 0; texts.is_array() && k < texts.size(); ++k) {
      const std::string kind = text_in(texts[k], "kind");
      if (kind == "model") std::tie(name, text) = std::pair(text_in(texts[k], "name"), text_in(texts[k], "text"));
      if (kind == "library") library[text_in(texts[k], "name")] = text_in(texts[k], "text");
      if (kind == "file") files[text_in(texts[k], "name")] = text_in(texts[k], "text");
    }
    return true;
  }

  [[nodiscard]] std::string setting(const std::string& name_of) const {
    return text_in(member_of(json, "settings"), name_of.c_str());
  }
};

StoredRun::~StoredRun() {
  std::error_code none;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, none);
}

bool StoredRun::open(const std::string& path) {
  if (!table_.open(path)) return false;
  facts_.file = path;
  facts_.abscissa = table_.columns()[0].name;
  facts_.time_unit = table_.columns()[0].unit;
  Description description;
  if (!description.read(path + ".json")) {
    no_picture_ = "curves only: there is no description `" + path + ".json` that says which model this is a motion of";
    return true;
  }
  describe(description);
  compile(description);
  return true;
}

void StoredRun::describe(const Description& d) {
  facts_.simulation = d.setting("simulation");
  facts_.source = d.text;
  facts_.summary = text_in(d.json, "summary");
  facts_.plots = table_.plots();
  const StoredJson &parameters = member_of(d.json, "parameters"), &events = member_of(d.json, "events"),
                   &diagnostics = member_of(d.json, "diagnostics");
  for (std::size_t k = 0; parameters.is_array() && k < parameters.size(); ++k)
    facts_.parameters.push_back({text_in(parameters[k], "name"), number_in(parameters[k], "value"),
                                 text_in(parameters[k], "unit"), text_in(parameters[k], "description")});
  for (std::size_t k = 0; events.is_array() && k < events.size(); ++k)
    if (const double time = number_in(events[k], "time"); std::isfinite(time))
      events_.push_back({time, text_in(events[k], "name")});
  for (std::size_t k = 0; diagnostics.is_array() && k < diagnostics.size(); ++k)
    if (!text_in(diagnostics[k], "message").empty() && !text_in(diagnostics[k], "severity").empty())
      facts_.diagnostics.push_back(diagnostics[k].dump(-1, ' ', false, StoredJson::error_handler_t::replace));
}

void StoredRun::compile(const Description& d) {
  if (!d.setting("sweep").empty() || member_of(d.json, "settings").contains("members")) {
    no_picture_ =
        "curves only: these are the members of a sweep, and each is a motion of its own; `mbc sweep --report` makes a "
        "page with them";
    return;
  }
  if (d.text.empty()) {
    no_picture_ = "curves only: the description holds no model, since mbc " +
                  text_in(member_of(d.json, "program"), "version") + " wrote none; run the model again";
    return;
  }
  CompileOptions options;
  options.interpret = true;
  for (int k = 1; !d.setting("set." + std::to_string(k)).empty(); ++k)
    options.set.push_back(d.setting("set." + std::to_string(k)));
  options.loader = [&d](const std::string& file) -> std::optional<std::string> {
    const auto found = d.files.find(file);
    return found != d.files.end() ? std::optional(found->second) : std::nullopt;
  };
  Model model = Model::from_string(d.text, d.name, options);
  const auto other = [&d](const ModelText& t) {
    const auto stored = t.kind == ModelText::Kind::library ? d.library.find(t.name) : d.library.end();
    return stored != d.library.end() && stored->second != t.text;
  };
  const std::vector<ModelText> texts = model_texts(model);
  if ((!model.ok() && !d.library.empty()) || std::any_of(texts.begin(), texts.end(), other)) {
    options.stdlib = library_folder(d);
    model = Model::from_string(d.text, d.name, options);
  }
  if (model.ok()) return simulate(d, model);
  const std::vector<DiagnosticInfo> said = model.diagnostics();
  no_picture_ = "curves only: the model of this result is none to mbc " + std::string(version()) +
                (said.empty() ? "" : ": " + said.front().message);
}

// Makes a folder with the modules as they were at the run, since the library may have changed.
std::string StoredRun::library_folder(const Description& d) {
  std::error_code none;
  std::string name = (std::filesystem::temp_directory_path(none) / "mbc-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return "";
  folder_ = name;
  for (const auto& [module, text] : d.library) {
    const bool plain = !module.empty() && module.find_first_of("/.") == std::string::npos;
    if (plain) std::ofstream(folder_ + "/" + module + ".mbd", std::ios::binary) << text;
  }
  return folder_;
}

void StoredRun::simulate(const Description& d, const Model& model) {
  Result<Simulation> made = Simulation::create(model, d.setting("simulation"));
  if (!made) {
    no_picture_ = "curves only: " + made.error().message;
    return;
  }
  simulation_.emplace(*std::move(made));
  for (const output::Sidecar::Parameter& p : facts_.parameters)
    if (const Result<double> now = simulation_->parameter(p.name);
        now && std::isfinite(p.value) && now.value() != p.value)
      static_cast<void>(simulation_->set_parameter(p.name, p.value));
  facts_.title = simulation_->model().info(false).value_or(ModelInfo{}).description;
  find_held(d);
  find_state(simulation_->model());
}

void StoredRun::find_state(const Model& model) {
  std::map<std::string, int> columns;
  for (std::size_t k = 1; k < table_.columns().size(); ++k) columns[table_.columns()[k].name] = static_cast<int>(k);
  const auto find = [&](const std::vector<Quantity>& quantities) {
    std::size_t missing = 0;
    for (const Quantity& q : quantities) {
      const auto found = columns.find(q.name);
      column_of_.push_back(found != columns.end() ? found->second : -1);
      missing += found == columns.end() ? 1 : 0;
    }
    return missing;
  };
  const std::vector<Quantity> coordinates = model.coordinates();
  const std::size_t missing = find(coordinates);
  static_cast<void>(find(model.speeds()));
  static_cast<void>(find(model.states()));
  if (missing == 0) return find_inputs(model);
  const auto first = std::find(column_of_.begin(), column_of_.end(), -1) - column_of_.begin();
  no_picture_ = "curves only: these rows are without states: there is no column `" +
                coordinates[static_cast<std::size_t>(first)].name + "`" +
                (missing > 1 ? ", and of " + std::to_string(missing - 1) + " other coordinates none either" : "");
  simulation_.reset();
}

// Finds the columns of the inputs and of the discrete state, on which positions of points may depend.
void StoredRun::find_inputs(const Model& model) {
  const std::vector<TableFile::Column>& columns = table_.columns();
  const auto add = [&](const std::string& name, double value) {
    const auto same = [&](const TableFile::Column& c) { return c.name == name; };
    const auto found = std::find_if(columns.begin() + 1, columns.end(), same);
    input_of_.push_back(found != columns.end() ? static_cast<int>(found - columns.begin()) : -1);
    inputs_.push_back(value);
  };
  for (const Quantity& q : model.inputs()) add(q.name, simulation_->input(q.name).value_or(0.0));
  for (const std::string& name : simulation_->held_names()) add(name, simulation_->held(name).value_or(0.0));
}

// The order of these numbers is valid for one version of the program only.
void StoredRun::find_held(const Description& d) {
  const StoredJson &held = member_of(d.json, "held"), &changes = member_of(held, "changes");
  const double count = number_in(held, "count");
  if (!(count > 0 && count < 1e6) || text_in(member_of(d.json, "program"), "version") != version()) return;
  held_count_ = static_cast<std::size_t>(count);
  for (std::size_t k = 0; changes.is_array() && k < changes.size(); ++k) {
    const StoredJson& c = changes[k];
    if (!c.is_array() || c.size() != 3 || !c[0].is_number() || !c[1].is_number_unsigned() || !c[2].is_number())
      continue;
    if (const auto index = c[1].get<std::size_t>(); index < held_count_)
      held_changes_.emplace_back(c[0].get<double>(), index, c[2].get<double>());
  }
}

std::vector<double> StoredRun::state_of(std::span<const double> row) const {
  std::vector<double> y(simulation_->model().state_size(), 0.0);
  for (std::size_t k = 0; k < column_of_.size() && k < y.size(); ++k)
    y[k] = column_of_[k] < 0 ? std::numeric_limits<double>::quiet_NaN() : row[static_cast<std::size_t>(column_of_[k])];
  return y;
}

void StoredRun::play(Recording& recording) {
  std::vector<Quantity> columns;
  std::vector<std::size_t> all = {0};
  for (std::size_t k = 1; k < table_.columns().size(); ++k) {
    const TableFile::Column& c = table_.columns()[k];
    columns.push_back({c.name, c.unit, c.output ? "output" : ""});
    all.push_back(k);
  }
  recording.prefer(facts_.plots);
  recording.begin(columns, simulation_ ? &*simulation_ : nullptr, no_picture_);
  for (const Recording::Event& e : events_) recording.event(e.time, e.name);
  std::vector<double> held(held_count_, 0.0);
  std::size_t changed = 0;
  const std::size_t own = simulation_ ? simulation_->model().inputs().size() : 0;
  table_.rows(all, [&](std::span<const double> row) {
    if (!std::isfinite(row[0])) return true;
    const std::vector<double> y = simulation_ ? state_of(row) : std::vector<double>{};
    std::vector<double> inputs = inputs_;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (input_of_[k] >= 0) inputs[k] = row[static_cast<std::size_t>(input_of_[k])];
    if (held_count_ > 0 && inputs.size() >= own) {
      for (; changed < held_changes_.size() && std::get<0>(held_changes_[changed]) <= row[0]; ++changed)
        held[std::get<1>(held_changes_[changed])] = std::get<2>(held_changes_[changed]);
      inputs.resize(own);
      inputs.insert(inputs.end(), held.begin(), held.end());
    }
    recording.row({row[0], row.subspan(1), y, {}, inputs});
    return true;
  });
  recording.finish();
}

}  // namespace mbc::tools
