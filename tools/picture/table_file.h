// SPDX-License-Identifier: Apache-2.0
// A CSV or HDF5 file of results as `mbc run` and `mbc sweep` write them, with the units of the JSON file beside it.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/output/hdf5_library.h"
#include "mbc/info.h"

namespace mbc::tools {

class TableFile {
 public:
  struct Column {
    std::string name, unit;
    bool output = false;
  };
  struct Event {
    double time = 0;
    std::string name;
  };

  // Opens a file; "-" is standard input, which has no units. Returns false, with error(), if it cannot be read or is
  // not a table of numbers.
  [[nodiscard]] bool open(const std::string& path);
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  // Returns one vector for each of these columns, with its values row by row; a field that is not a number (the status
  // of a member of a sweep) is nan.
  [[nodiscard]] std::vector<std::vector<double>> read(const std::vector<std::size_t>& wanted) const;
  // Passes the rows one at a time until `row` returns false.
  void rows(const std::vector<std::size_t>& wanted, const std::function<bool(std::span<const double>)>& row) const;
  // Returns the `plot` entries of the run from its description.
  [[nodiscard]] const std::vector<PlotInfo>& plots() const { return plots_; }
  // Returns the events that fired, from the description, which holds those of the beginning of a long run.
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  // Returns whether the description holds all of them.
  [[nodiscard]] bool lists_all_events() const { return lists_all_events_; }
  // Returns "stopped" or "interrupted" for an incomplete run; "" if it was complete or the status is not known.
  [[nodiscard]] const std::string& ended() const { return ended_; }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  [[nodiscard]] bool fail(const std::string& why);
  void describe(const std::string& path);
  [[nodiscard]] bool open_hdf5(const std::string& path);
  [[nodiscard]] std::size_t rows_about() const;
  void hdf5_rows(const std::vector<std::size_t>& wanted, const std::function<bool(std::span<const double>)>& row) const;

  std::unique_ptr<output::Hdf5Table> hdf5_;  // set instead of the text for HDF5
  std::string text_, ended_, error_;
  std::size_t rows_at_ = 0;
  std::vector<Column> columns_;
  std::vector<PlotInfo> plots_;
  std::vector<Event> events_;
  bool lists_all_events_ = true;
};

}  // namespace mbc::tools
