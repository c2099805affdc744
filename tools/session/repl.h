// SPDX-License-Identifier: Apache-2.0
// `mbc` without arguments: statements, expressions and `:commands`, one after the other, until the input ends.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/options.h"
#include "tools/session/entries.h"
#include "tools/session/line_reader.h"
#include "tools/session/session.h"
#include "tools/streams.h"

namespace mbc::tools {

class Repl {
 public:
  explicit Repl(const Options& options);
  int run();

 private:
  // Reads one entry: lines until the statement is complete.
  LineReader::Result read_entry(std::string& entry);
  void remember(std::string entry);
  bool obey(const std::string& entry);  // returns whether to continue
  bool load();
  int evaluate_all();  // `-e`
  void draw(const std::vector<Plot>& plots);
  void answer(const Answer& answer);
  void say(const std::string& text);
  [[nodiscard]] Shows shows() const { return options_.colour ? Shows::colours : Shows::text; }
  bool obey_as_json(const std::string& entry);  // `-e` with --json: one object in each line
  [[nodiscard]] int code() const;

  const Options& options_;
  bool terminal_;
  Session session_;
  Entries entries_;
  std::unique_ptr<LineReader> reader_;
  std::string pending_;           // `///` lines that wait for their statement
  std::string begun_;             // the lines of the entry before the present one
  std::uint32_t line_ = 0;        // lines read
  std::uint32_t entry_line_ = 1;  // first line of the current entry
  std::string said_, messages_;   // output of the current entry, with --json
  bool failed_ = false;           // an entry had an error
  bool output_lost_ = false;      // stdout cannot be written any more
};

}  // namespace mbc::tools
