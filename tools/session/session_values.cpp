// SPDX-License-Identifier: Apache-2.0
// Values in a session: at the present state, of the last answer (`ans`), along the kept motion (`val(e, t)`).

#include "base/text.h"
#include "tools/session/session.h"
#include "tools/session/values.h"
#include "tools/words.h"

namespace mbc::tools {
namespace {

bool declared(const Statements& statements, const std::string& name) {
  return statements.find(name) < statements.size();
}

// Returns the index after the bracket that closes the one at `open`; npos if there is none.
std::size_t behind_bracket(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t k = open; k < text.size(); ++k) {
    depth += text[k] == '(' || text[k] == '[' || text[k] == '{' ? 1 : 0;
    depth -= text[k] == ')' || text[k] == ']' || text[k] == '}' ? 1 : 0;
    if (depth == 0) return k + 1;
  }
  return std::string::npos;
}

// Returns the index after a comment or a quoted text that begins here; otherwise the same index.
std::size_t behind_quiet(const std::string& text, std::size_t k) {
  if (text.compare(k, 2, "//") == 0) return std::min(text.find('\n', k), text.size());
  if (text[k] != '"') return k;
  const std::size_t end = text.find('"', k + 1);
  return end == std::string::npos ? text.size() : end + 1;
}

}  // namespace

Result<Evaluated> Session::value(const std::string& expression) {
  const Result<std::string> plain = written_out(expression);
  if (!plain) return plain.error();
  return simulation_ ? simulation_->evaluate(*plain, time_, state_) : mbc::evaluate(model_, *plain);
}

Result<std::string> Session::written_out(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size();) {
    if (const std::size_t end = behind_quiet(text, k); end != k) {
      out += text.substr(k, end - k);
      k = end;
      continue;
    }
    std::size_t end = k;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end == k) {
      out += text[k++];
      continue;
    }
    const std::string word = text.substr(k, end - k);
    const bool member = k > 0 && text[k - 1] == '.';
    if (word == "ans" && !member && !declared(statements_, word)) {
      if (!last_) return Error{ErrorCode::invalid_argument, "`ans` is the last answer, and there is none yet"};
      out += literal(*last_);
    } else if (word == "val" && !member && end < text.size() && text[end] == '(' && !declared(statements_, word)) {
      const std::size_t close = behind_bracket(text, end);
      if (close == std::string::npos) return text;  // the parser reports the error
      const Result<std::string> found = kept_value(text.substr(end + 1, close - end - 2));
      if (!found) return found.error();
      out += *found;
      end = close;
    } else {
      out += word;
    }
    k = end;
  }
  return out;
}

// Returns the value of `val(e, t)`.
Result<std::string> Session::kept_value(const std::string& arguments) {
  const std::vector<std::string> pieces = pieces_between_commas(arguments);
  if (pieces.size() < 2)
    return Error{ErrorCode::invalid_argument, "`val` wants an expression and a time: `val(p.z, 1.2)`"};
  const Result<Evaluated> time = value(pieces.back());
  if (!time) return time.error();
  if (time->values.size() != 1) return Error{ErrorCode::invalid_argument, "the time of `val` is one number"};
  const Result<std::string> plain =
      written_out(trimmed(arguments.substr(0, arguments.size() - pieces.back().size() - 1)));
  if (!plain) return plain.error();
  const Result<Evaluated> found = trajectory_.value(*plain, time->values[0]);
  if (!found) return found.error();
  return literal(*found);
}

}  // namespace mbc::tools
