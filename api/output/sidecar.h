// SPDX-License-Identifier: Apache-2.0
// The description of a CSV file. FILE.csv.json has units and descriptions of the columns, the model and its texts, the
// parameters and the settings of the run, its events and its summary, so that a result can be read, shown and
// reproduced a year later.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/output/partial_file.h"
#include "mbc/info.h"
#include "mbc/model.h"
#include "mbc/quantities.h"

namespace mbc::output {

struct Sidecar {
  using Column = Quantity;  // a unit "" means a pure number
  struct Parameter {
    std::string name;
    double value = 0;  // in `unit`
    std::string unit;
    std::string description;
  };
  struct Event {
    double time = 0;
    std::string name;
  };
  struct Held {  // the discrete state: which loads and rows act, states without a rate
    struct Change {
      double time = 0;
      std::size_t index = 0;  // counted after the inputs
      double value = 0;
    };
    std::size_t count = 0;  // 0: not recorded
    std::vector<Change> changes;
  };
  static constexpr std::size_t kMostEvents = 10'000;  // limit of a description, which has the first ones
  using Value = std::variant<std::string, double, std::int64_t, bool>;
  using Settings = std::vector<std::pair<std::string, Value>>;

  std::string data_file;  // name of the CSV beside it, without its folder
  std::string mbc_version;
  std::string model_file;
  std::string source_hash;  // content_hash of the model's text
  std::string status;       // "complete", "interrupted", "stopped", "output failed"
  std::int64_t rows = 0;
  std::vector<Column> columns;
  // Further columns after those, for results with very many columns.
  std::size_t more_columns = 0;
  std::function<Column(std::size_t)> column_behind;
  std::vector<Parameter> parameters;
  Settings settings;             // formulation, integrator, step, ... in this order
  std::vector<ModelText> texts;  // texts that the model was compiled from
  std::vector<PlotInfo> plots;   // plots of the model
  Held held;
  std::vector<Event> events;
  std::uint64_t events_left_out = 0;
  std::string summary;
  std::vector<std::string> diagnostics;  // diagnostics of the run, each a JSON object
};

// The contents of a description that concern its rows; nothing if there is no such file or it is not a description.
struct Described {
  std::string data_file;
  std::string status;
};
[[nodiscard]] std::optional<Described> read_description(const std::string& path);

// Returns indented JSON. JSON has no nan and inf: such values are the strings "nan", "inf" and "-inf".
[[nodiscard]] Produce json_of(const Sidecar& sidecar);
// Writes it in one step (write_file_atomically).
[[nodiscard]] bool write_sidecar(const std::string& path, const Sidecar& sidecar, std::string& error,
                                 const SystemCalls& calls = SystemCalls::real());

// Returns FNV-1a with 64 bits, "fnv1a64:cbf29ce484222325": it detects whether a text is the same one, but gives no
// protection against forgery.
[[nodiscard]] std::string content_hash(std::string_view text);

}  // namespace mbc::output
