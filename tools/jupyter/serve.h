// SPDX-License-Identifier: Apache-2.0
// A session for a notebook: requests and answers, one JSON object a line.
//
//   {"do": "execute", "code": "param k = 2\nk"}   {"ok", "out", "messages", "result", "pictures": [SVG], "page",
//   "markdown"}
//   {"do": "complete", "before": "p.v"}           {"typed": "p.v", "words": [...]}
//   {"do": "inspect", "name": "k"}                {"text"}
//   {"do": "is_complete", "code": "let a = (1,"}  {"complete": false}
//
// Any other request is answered by {"error"}.
#pragma once
#include <string>

#include "tools/options.h"
#include "tools/session/entries.h"

namespace mbc::tools {

class NotebookSession {
 public:
  explicit NotebookSession(const Options& options) : session_(false), entries_(options, session_) {}
  // Answers one line, given without its line end; a cell with a quit command sets `quit`.
  [[nodiscard]] std::string answer(const std::string& request);

 private:
  Session session_;
  Entries entries_;
};

}  // namespace mbc::tools
