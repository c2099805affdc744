// SPDX-License-Identifier: Apache-2.0
// `mbc` without arguments: statements, expressions and `:commands`, one after the other, until the input ends.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/line_reader.h"
#include "tools/options.h"
#include "tools/session.h"

namespace mbc::tools {

class Repl {
 public:
  explicit Repl(const Options& options);
  int run();

 private:
  enum class Next : std::uint8_t { go_on, quit };

  // One entry: lines until the statement is complete.
  LineReader::Result read_entry(std::string& entry);
  void remember(std::string entry);
  Next obey(const std::string& entry);
  Next command(const std::string& word, const std::string& rest);
  Next help_on(const std::string& name);
  void simulate(const std::string& duration, const std::string& step, bool assemble);
  bool simulate_if_run(const std::string& entry);
  void save(const std::string& path, bool overwrite);
  void show(const std::string& what);
  void answer(const Answer& answer);
  void say(const std::string& text);
  void complain(const std::string& text);
  [[nodiscard]] std::vector<std::string> complete(const std::string& prefix) const;

  const Options& options_;
  bool terminal_;
  Session session_;
  std::unique_ptr<LineReader> reader_;
  std::string pending_;           // `///` lines that wait for their statement
  std::uint32_t line_ = 0;        // lines read
  std::uint32_t entry_line_ = 1;  // where the entry at hand begins
  bool failed_ = false;           // an entry had an error
  bool output_lost_ = false;      // stdout cannot be written any more
  std::string own_file_;          // loaded or saved: `:save` may replace it
};

// What `:A` and its kin print; views.cpp.
[[nodiscard]] bool is_view(const std::string& word);
[[nodiscard]] std::string view_text(Session& session, const std::string& word);
// What `:help NAME` says of a name of the session, of the library or built in; "" where it is none of them.
[[nodiscard]] std::string help_text(const Session& session, const std::string& name);

}  // namespace mbc::tools
