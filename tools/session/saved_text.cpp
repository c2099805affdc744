// SPDX-License-Identifier: Apache-2.0
// A session as an equivalent file: the changes of `:set` are written into its statements.
#include <algorithm>
#include <optional>

#include "base/text.h"
#include "tools/session/session.h"

namespace mbc::tools {
namespace {

std::string key_of(const std::string& entry) { return trimmed(entry.substr(0, entry.find('='))); }
std::string value_of(const std::string& entry) {
  const std::size_t equals = entry.find('=');
  return equals == std::string::npos ? "" : trimmed(entry.substr(equals + 1));
}

struct TextPart {
  std::size_t begin = 0, end = 0;
};

// Returns the pieces of a text between signs outside of all brackets.
std::vector<TextPart> pieces(const std::string& text, std::size_t begin, std::size_t end, const std::string& signs) {
  std::vector<TextPart> out{{begin, end}};
  int depth = 0;
  for (std::size_t k = begin; k < end; ++k) {
    if (text.compare(k, 2, "//") == 0) k = std::min(text.find('\n', k), end);
    if (k >= end) break;
    depth += text[k] == '(' || text[k] == '[' || text[k] == '{' ? 1 : 0;
    depth -= text[k] == ')' || text[k] == ']' || text[k] == '}' ? 1 : 0;
    if (depth != 0 || signs.find(text[k]) == std::string::npos) continue;
    out.back().end = k;
    out.push_back({k + 1, end});
  }
  return out;
}

// Returns the place of the value of `key = value` among pieces.
std::optional<TextPart> value_among(const std::string& text, const std::vector<TextPart>& list,
                                    const std::string& key) {
  for (const TextPart& p : list) {
    const std::size_t equals = text.find('=', p.begin);
    if (equals >= p.end || trimmed(text.substr(p.begin, equals - p.begin)) != key) continue;
    std::size_t begin = text.find_first_not_of(" \t\n", equals + 1);
    begin = std::min(begin, p.end);
    const std::size_t last = text.find_last_not_of(" \t\n", p.end - 1);
    return TextPart{begin, std::max(begin, last + 1)};
  }
  return std::nullopt;
}

// Sets the value after the first equals sign outside of brackets: `param k: int = 2`, `input u [N] = 0`.
bool set_value(std::string& statement, const std::string& item, const std::string& value) {
  const std::size_t at = statement.rfind(item);
  if (at == std::string::npos) return false;
  const std::vector<TextPart> sides = pieces(statement, at, at + item.size(), "=");
  if (sides.size() != 2) return false;
  const std::size_t begin = statement.find_first_not_of(' ', sides[1].begin);
  statement.replace(begin, sides[1].end - begin, value);
  return true;
}

// Sets a named argument or adds it: `Arm arm(ground, length = L)`.
bool set_argument(std::string& statement, const std::string& name, const std::string& value) {
  const std::size_t open = statement.find('('), close = statement.rfind(')');
  if (open == std::string::npos || close == std::string::npos) return false;
  if (const auto old = value_among(statement, pieces(statement, open + 1, close, ","), name)) {
    statement.replace(old->begin, old->end - old->begin, value);
    return true;
  }
  const bool first = trimmed(statement.substr(open + 1, close - open - 1)).empty();
  statement.insert(close, (first ? "" : ", ") + name + " = " + value);
  return true;
}

// Sets the part of `a .. b step h` that `time.end` or a similar key names.
bool set_time(std::string& text, TextPart where, const std::string& part, const std::string& value) {
  const std::size_t dots = text.find("..", where.begin), step = text.find(" step ", where.begin);
  if (dots == std::string::npos || dots >= where.end) return false;
  const bool has_step = step < where.end;
  TextPart of{where.begin, dots};
  if (part == "end") of = {dots + 2, has_step ? step : where.end};
  if (part == "step" && !has_step) return text.insert(where.end, " step " + value), true;
  if (part == "step") of = {step + 6, where.end};
  text.replace(of.begin, of.end - of.begin,
               part == "begin"             ? value + " "
               : part == "end" && has_step ? " " + value
                                           : (part == "end" ? " " : "") + value);
  return true;
}

// Sets a setting of a `simulate` block.
bool set_setting(std::string& block, const std::string& key, const std::string& value) {
  const std::size_t open = block.find('{'), close = block.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return false;
  const std::vector<TextPart> entries = pieces(block, open + 1, close, ";\n");
  if (key.starts_with("time.")) {
    const auto time = value_among(block, entries, "time");
    return time && set_time(block, *time, key.substr(5), value);
  }
  if (const auto old = value_among(block, entries, key)) {
    block.replace(old->begin, old->end - old->begin, value);
    return true;
  }
  const std::size_t last = block.find_last_not_of(" \t\n", close - 1);
  const std::string before = block[last] == '{' || block[last] == ';' ? " " : "; ";
  block.insert(last + 1, before + key + " = " + value + (last + 1 == close ? " " : ""));
  return true;
}

bool is_setting(const std::string& key) {
  const std::string first = key.substr(0, key.find('.'));
  if (first == "input") return true;
  const std::vector<SettingInfo>& all = vocabulary().settings;
  return std::any_of(all.begin(), all.end(), [&](const SettingInfo& s) { return s.key == first; });
}

// Returns false if the statement it belongs to is not found.
bool write_into(Statements& statements, const std::string& entry) {
  const std::string key = key_of(entry), value = value_of(entry);
  const std::size_t dot = key.find('.');
  if (const std::size_t k = statements.find(key); k < statements.size()) {
    Statement made = statements[k];
    for (EntryItem& item : made.items) {
      if (item.key != key) continue;
      // An item of a list is written without its word.
      const std::string written = made.items.size() == 1 && made.text.ends_with(item.text)
                                      ? item.text
                                      : trimmed(item.text.substr(made.word.size()));
      if (!set_value(made.text, written, value) || !set_value(item.text, item.text, value)) return false;
    }
    statements.replace(k, std::move(made));
    return true;
  }
  const std::string head = key.substr(0, dot), rest = dot == std::string::npos ? "" : key.substr(dot + 1);
  if (const std::size_t k = statements.find(head); k < statements.size() && statements[k].word == "instance") {
    Statement made = statements[k];
    if (rest.empty() || !set_argument(made.text, rest, value)) return false;
    made.items.front().text = in_one_line(made.text);
    statements.replace(k, std::move(made));
    return true;
  }
  bool found = false;
  for (std::size_t k = 0; k < statements.size(); ++k) {
    if (statements[k].word != "simulate") continue;
    const bool all = is_setting(key), mine = statements[k].items.front().name == head && is_setting(rest);
    if (!all && !mine) continue;
    Statement made = statements[k];
    if (!set_setting(made.text, mine && !all ? rest : key, value)) return false;
    statements.replace(k, std::move(made));
    found = true;
  }
  return found;
}

}  // namespace

std::string Session::file_text(std::vector<std::string>& left) const {
  Statements written = statements_;
  left.clear();
  for (const std::string& entry : set_) {
    Statements with = written;
    // The change is kept if the text alone gives the same model as the text with `:set`.
    if (write_into(with, entry) && compile(kModelHeader + with.text(), set_).ok() == model_.ok())
      written = std::move(with);
    else
      left.push_back(entry);
  }
  const Model alone = compile(kModelHeader + written.text(), left);
  const Result<ModelInfo> a = alone.info(false), b = model_.info(false);
  // A set argument is a parameter, a written one is not.
  const auto agrees = [&](const ParameterInfo& p) {
    return std::all_of(a->parameters.begin(), a->parameters.end(), [&](const ParameterInfo& other) {
      return other.quantity.name != p.quantity.name || other.value == p.value;
    });
  };
  const bool same = a.ok() == b.ok() && (!a.ok() || std::all_of(b->parameters.begin(), b->parameters.end(), agrees));
  if (!same) {
    written = statements_;
    left = set_;
  }
  std::string text = kModelHeader;
  for (const std::string& entry : left) text += "// :set " + entry + "\n";
  return text + written.text();
}

}  // namespace mbc::tools
