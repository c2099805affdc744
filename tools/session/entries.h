// SPDX-License-Identifier: Apache-2.0
// Executes an entry of a session: statements, expressions, `run`, `plot`, commands with a colon. It serves a terminal,
// a pipe and a notebook: nothing is printed here except the progress of a run.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/options.h"
#include "tools/picture/plot.h"
#include "tools/session/session.h"

namespace mbc::tools {

inline constexpr std::size_t kPictureWidth = 800, kPictureHeight = 450;  // size of an SVG in pixels

struct Outcome {
  Answer answer;
  bool quit = false;
  std::vector<Plot> plots{};                    // plots to draw
  std::string page{};                           // page of `view`: a file to open
  std::optional<EquationsRequest> equations{};  // what the answer shows, for a notebook that typesets
};

class Entries {
 public:
  Entries(const Options& options, Session& session) : options_(options), session_(session) {}

  // `line` is the number of the first line of `entry` for diagnostics.
  Outcome obey(const std::string& entry, std::uint32_t line);
  // Sets the file that was loaded or saved: `:save` may replace it.
  void own(const std::string& file) { own_file_ = file; }

 private:
  Outcome command(const std::string& word, const std::string& rest);
  Answer simulate(const RunRequest& wanted);
  Outcome plot(const std::string& rest);
  Outcome view();
  Answer save(const std::string& path, bool overwrite);
  Answer help_on(const std::string& name);
  Answer show(const std::string& what);
  Answer explain(const std::string& row);
  Outcome equations(const std::string& of);
  Answer doctor();
  Answer compare();

  const Options& options_;
  Session& session_;
  std::string own_file_;
};

// Returns whether a text has only `///` lines, which wait for their statement.
[[nodiscard]] bool only_doc_comments(const std::string& text);

}  // namespace mbc::tools
