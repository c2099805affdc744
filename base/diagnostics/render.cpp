// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics/render.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/diagnostics/display.h"
#include "base/numbers.h"

namespace mbc {

const char* to_text(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "";
}

namespace {

constexpr std::size_t kMaxMessage = 1000;
constexpr std::size_t kMaxLabel = 200;

// ---- colour ----

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  [[nodiscard]] std::string severity(Severity s, std::string_view text) const {
    return wrap(s == Severity::error ? "1;31" : s == Severity::warning ? "1;33" : "1;36", text);
  }
  [[nodiscard]] std::string bold(std::string_view text) const { return wrap("1", text); }
  [[nodiscard]] std::string frame(std::string_view text) const { return wrap("34", text); }

 private:
  [[nodiscard]] std::string wrap(std::string_view code, std::string_view text) const {
    if (!on_ || text.empty()) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
  }
  bool on_;
};

// ---- one underlined line ----

struct Mark {
  Span span;
  std::string text;
  bool primary = false;
  std::size_t from = 0;  // display columns
  std::size_t to = 0;
};

struct Line {
  std::uint32_t file;
  std::uint32_t number;
  std::vector<Mark> marks;
};

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += display_width(next_code_point(text, at));
  return width;
}

// A row of the drawing below a source line: texts at display columns with blanks between them.
class Row {
 public:
  void put(std::size_t column, std::string_view text) {
    if (column > width_) {
      text_.append(column - width_, ' ');
      width_ = column;
    }
    text_ += text;
    width_ += text_width(text);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t width_ = 0;
};

class Drawing {
 public:
  Drawing(const Line& line, const SourceSet& sources) : marks_(line.marks) {
    const SourceFile& source = sources[line.file];
    const std::string_view text = source.line(line.number);
    const auto start = static_cast<std::size_t>(text.data() - source.text().data());
    const auto main = std::find_if(marks_.begin(), marks_.end(), [](const Mark& m) { return m.primary; });
    const Span focus = (main == marks_.end() ? marks_.front() : *main).span;
    const DisplayLine shown(text, focus.begin - start);
    source_ = shown.text();
    for (Mark& m : marks_) {
      m.from = shown.column(m.span.begin - start);
      m.to = std::max(m.from + 1, shown.column(std::min<std::size_t>(m.span.end - start, text.size())));
    }
    std::stable_sort(marks_.begin(), marks_.end(), [](const Mark& a, const Mark& b) { return a.from < b.from; });
  }

  [[nodiscard]] const std::string& source() const { return source_; }

  // Returns the row of underlines with the text of the rightmost mark, then one row for each other text, from right to
  // left, with bars for the marks whose texts follow.
  [[nodiscard]] std::vector<std::string> rows() const {
    std::vector<std::string> out;
    std::size_t rest = marks_.size();
    Row first = underlines();
    if (!marks_.empty() && !marks_.back().text.empty() && !covers_others(marks_.back())) {
      first.put(0, " " + marks_.back().text);
      --rest;
    }
    out.push_back(first.text());
    for (std::size_t k = rest; k-- > 0;) {
      if (marks_[k].text.empty()) continue;
      Row row;
      std::size_t last = std::string::npos;
      for (std::size_t j = 0; j < k; ++j) {
        if (marks_[j].text.empty() || marks_[j].from == last || marks_[j].from == marks_[k].from) continue;
        row.put(last = marks_[j].from, "|");
      }
      row.put(marks_[k].from, marks_[k].text);
      out.push_back(row.text());
    }
    return out;
  }

 private:
  // A mark that extends under another one cannot have its text at the end of the row.
  [[nodiscard]] bool covers_others(const Mark& m) const {
    return std::any_of(marks_.begin(), marks_.end(), [&](const Mark& o) { return o.to > m.to; });
  }

  [[nodiscard]] Row underlines() const {
    std::size_t width = 0;
    for (const Mark& m : marks_) width = std::max(width, m.to);
    std::string signs(width, ' ');
    const auto draw = [&](const Mark& m, char sign) {
      for (std::size_t c = m.from; c < m.to; ++c) signs[c] = sign;
    };
    for (const Mark& m : marks_) {
      if (!m.primary) draw(m, '-');
    }
    for (const Mark& m : marks_) {
      if (m.primary) draw(m, '^');
    }
    Row row;
    row.put(0, signs);
    return row;
  }

  std::vector<Mark> marks_;
  std::string source_;
};

// ---- a whole diagnostic ----

class TextRenderer {
 public:
  TextRenderer(const Diagnostic& d, const SourceSet& sources, RenderOptions options)
      : d_(d), sources_(sources), paint_(options.colour) {}

  std::string run() {
    heading();
    collect();
    for (const Line& line : lines_) draw(line);
    if (d_.time) row("at t = " + text::short_number(*d_.time, 12), "");
    for (const std::string& n : d_.notes) row("note: ", n);
    if (!d_.help.empty()) row("help: ", d_.help);
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool showable(Span s) const { return s.known() && s.file < sources_.size(); }

  void heading() {
    const KindInfo& k = info(d_.kind);
    if (showable(d_.span)) out_ += paint_.bold(printable(sources_.where(d_.span)) + ":") + " ";
    out_ += paint_.severity(k.severity, std::string(to_text(k.severity)) + "[" + std::string(k.code) + "]:");
    out_ += " " + paint_.bold(printable(d_.message(), kMaxMessage)) + "\n";
  }

  void collect() {
    add(d_.span, "", true);
    for (const Label& l : d_.labels) add(l.span, printable(l.text, kMaxLabel), false);
    const auto before = [this](const Line& a, const Line& b) {
      const bool a_other = a.file != d_.span.file;
      const bool b_other = b.file != d_.span.file;
      return std::tuple(a_other, a.file, a.number) < std::tuple(b_other, b.file, b.number);
    };
    std::stable_sort(lines_.begin(), lines_.end(), before);
    std::uint32_t largest = 0;
    for (const Line& l : lines_) largest = std::max(largest, l.number);
    gutter_ = std::max<std::size_t>(std::to_string(largest).size(), 2);
  }

  void add(Span s, std::string text, bool primary) {
    if (!showable(s)) return;
    const std::uint32_t number = sources_[s.file].position(s.begin).line;
    auto it = std::find_if(lines_.begin(), lines_.end(),
                           [&](const Line& l) { return l.file == s.file && l.number == number; });
    if (it == lines_.end()) it = lines_.insert(lines_.end(), Line{s.file, number, {}});
    it->marks.push_back({s, std::move(text), primary});
  }

  void draw(const Line& line) {
    const Drawing drawing(line, sources_);
    if (line.file != d_.span.file) {
      out_ += paint_.frame(std::string(gutter_ + 2, ' ') + "--> ") + printable(sources_[line.file].name()) + "\n";
    }
    const std::string number = std::to_string(line.number);
    out_ += paint_.frame("  " + std::string(gutter_ - number.size(), ' ') + number + " | ");
    append_line(drawing.source());
    for (const std::string& r : drawing.rows()) {
      out_ += paint_.frame(margin() + "| ");
      append_line(r);
    }
  }

  void append_line(std::string_view text) {
    out_ += text;
    out_.erase(out_.find_last_not_of(' ') + 1);
    out_ += '\n';
  }

  [[nodiscard]] std::string margin() const { return std::string(gutter_ + 3, ' '); }

  void row(std::string_view what, std::string_view text) {
    out_ += paint_.frame(margin() + "= ") + paint_.bold(what) + printable(text, kMaxMessage) + "\n";
  }

  const Diagnostic& d_;
  const SourceSet& sources_;
  Paint paint_;
  std::vector<Line> lines_;
  std::size_t gutter_ = 2;
  std::string out_;
};

Place place_of(Span span, const SourceSet& sources) {
  if (!span.known() || span.file >= sources.size()) return {};
  const SourceFile& file = sources[span.file];
  const Position begin = file.position(span.begin), end = file.position(span.end);
  return {file.name(), begin.line, begin.column, end.line, end.column};
}

nlohmann::ordered_json to_json(const Place& place) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (place.line == 0) return out;
  out["file"] = place.file;
  out["line"] = place.line;
  out["column"] = place.column;
  out["end_line"] = place.end_line;
  out["end_column"] = place.end_column;
  return out;
}

}  // namespace

std::string render_text(const Diagnostic& d, const SourceSet& sources, RenderOptions options) {
  return TextRenderer(d, sources, options).run();
}

std::string render_text(const Sink& sink, const SourceSet& sources, RenderOptions options) {
  std::string out;
  for (const Diagnostic& d : sink.sorted()) out += render_text(d, sources, options);
  const std::string shown = std::to_string(sink.error_count()) + " errors shown, ";
  if (sink.suppressed() > 0)
    out += shown + std::to_string(sink.suppressed()) + " more\n";
  else if (sink.full())  // the elaboration stops there
    out += shown + "possibly more\n";
  return out;
}

DiagnosticInfo to_info(const Diagnostic& d, const SourceSet& sources) {
  const KindInfo& kind = info(d.kind);
  DiagnosticInfo out;
  out.severity = kind.severity;
  out.code = kind.code;
  out.kind = kind.name;
  out.message = d.message();
  out.place = place_of(d.span, sources);
  for (const Label& label : d.labels) out.labels.emplace_back(place_of(label.span, sources), label.text);
  out.notes = d.notes;
  out.help = d.help;
  out.time = d.time;
  return out;
}

std::string to_json(const DiagnosticInfo& d) {
  nlohmann::ordered_json out = to_json(d.place);
  out["severity"] = to_text(d.severity);
  out["code"] = d.code;
  out["kind"] = d.kind;
  out["message"] = d.message;
  out["labels"] = nlohmann::ordered_json::array();
  for (const auto& [place, text] : d.labels) {
    nlohmann::ordered_json label = to_json(place);
    label["text"] = text;
    out["labels"].push_back(std::move(label));
  }
  out["notes"] = d.notes;
  if (!d.help.empty()) out["help"] = d.help;
  if (d.time) out["time"] = *d.time;
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace mbc
