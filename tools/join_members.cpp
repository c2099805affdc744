// SPDX-License-Identifier: Apache-2.0
#include "tools/join_members.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/output/result_file.h"
#include "base/read_file.h"
#include "base/text.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/run_output.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of a description

using Json = nlohmann::ordered_json;  // descriptions keep their order

const Json& member_of(const Json& object, const char* name) {
  static const Json none;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() ? *found : none;
}

std::string text_in(const Json& object, const char* name) {
  const Json& found = member_of(object, name);
  return found.is_string() ? found.get<std::string>() : "";
}

// Returns whether a setting of a part may differ from that of another part.
bool is_of_part(const std::string& setting) {
  return setting == "first" || setting == "last" || setting == "failed" || setting == "engine";
}

// A part: its rows, one at a time, and its description.
class Part {
 public:
  explicit Part(std::string path) : path_(std::move(path)) {}

  [[nodiscard]] bool open() {
    std::string text, error;
    if (!read_file(path_ + ".json", text, error, kMostBytes))
      return fail("has no description `" + path_ + ".json` that could be read (" + error + "): run its members again");
    description_ = Json::parse(text, nullptr, false);
    if (!member_of(member_of(description_, "settings"), "members").is_number_unsigned() ||
        text_in(member_of(description_, "model"), "hash").empty())
      return fail("is described by `" + path_ + ".json`, which is not of a sweep");
    rows_.open(path_, std::ios::binary);
    if (!next_line() || !line_.starts_with("member,")) return fail("cannot be read, or is no result of a sweep");
    header_ = line_;
    return next();
  }

  // Goes on to the next row. A row that is cut off, as a full disk leaves it, counts as none. Returns false, with
  // error(), where a row is none of a sweep; at the end number() is 0.
  [[nodiscard]] bool next() {
    const std::uint64_t before = number_;
    number_ = 0;
    if (!next_line()) return true;
    const char* begin = line_.data();
    const auto [stop, problem] = std::from_chars(begin, begin + line_.size(), number_);
    if (problem != std::errc{} || *stop != ',' || number_ <= before)
      return fail("has a row that does not follow member " + std::to_string(before));
    return true;
  }

  [[nodiscard]] bool failed() const { return !line_.ends_with(",complete,\r\n"); }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const std::string& row() const { return line_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& header() const { return header_; }
  [[nodiscard]] const Json& description() const { return description_; }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  bool fail(const std::string& why) {
    error_ = "`" + path_ + "` " + why;
    return false;
  }

  bool next_line() {
    if (!std::getline(rows_, line_) || rows_.eof()) return false;
    line_ += '\n';
    return true;
  }

  std::string path_, line_, header_, error_;
  std::ifstream rows_;
  Json description_;
  std::uint64_t number_ = 0;
};

// Returns what two parts differ in that those of one sweep have in common; "" if nothing.
std::string difference(const Part& a, const Part& b) {
  if (a.header() != b.header()) return "other columns";
  constexpr std::pair<const char*, const char*> kCommon[] = {{"model", "another text or name of the model"},
                                                             {"program", "another version of mbc"},
                                                             {"columns", "other units of columns"},
                                                             {"parameters", "other parameters"}};
  for (const auto& [key, what] : kCommon)
    if (member_of(a.description(), key) != member_of(b.description(), key)) return what;
  const Json &first = member_of(a.description(), "settings"), &second = member_of(b.description(), "settings");
  for (const auto* pair : {&first, &second})
    for (const auto& [key, value] : pair->items())
      if (!is_of_part(key) && member_of(first, key.c_str()) != member_of(second, key.c_str()))
        return "another `" + printable(key) + "`";
  return "";
}

class Joiner {
 public:
  explicit Joiner(const Options& options) : options_(options), report_(options) {}

  int run() {
    if (const int problem = check_place_of_rows(options_, options_.output); problem != kOk) return problem;
    for (const std::string& path : options_.join) {
      parts_.push_back(std::make_unique<Part>(path));
      if (!parts_.back()->open()) return report_.usage(parts_.back()->error(), "");
      const std::string other = difference(*parts_.front(), *parts_.back());
      if (!other.empty())
        return report_.usage(
            "`" + path + "` is of another sweep than `" + parts_.front()->path() + "`: it has " + other,
            "parts of one sweep differ in --members alone");
    }
    if (const int problem = check_not_read(options_, options_.join, places()); problem != kOk) return problem;
    if (!file_.open(options_.output.empty() ? "-" : options_.output) || !file_.begin() ||
        !file_.sink().append(parts_.front()->header()))
      return output_failed();
    if (const int problem = rows(); problem != kOk) return problem;
    return finish();
  }

 private:
  [[nodiscard]] std::vector<std::string> places() const {
    std::vector<std::string> out = output::names_beside(options_.output);
    out.push_back(options_.output);
    return out;
  }

  [[nodiscard]] int output_failed() const {
    return report_.failure("output_failed", !file_.error().empty() ? file_.error() : file_.sink().error());
  }

  // Writes the rows in the order of their numbers. A member that two parts have must have one row.
  int rows() {
    for (;;) {
      Part* first = nullptr;
      for (const auto& part : parts_)
        if (part->number() > 0 && (!first || part->number() < first->number())) first = part.get();
      if (!first) return kOk;
      const std::uint64_t number = first->number();
      const std::string row = first->row();
      failed_ += first->failed() ? 1 : 0;
      for (const auto& part : parts_) {
        if (part->number() != number) continue;
        if (part->row() != row)
          return report_.usage("member " + std::to_string(number) + " differs between `" + first->path() + "` and `" +
                                   part->path() + "`",
                               "one of them is not of this model, or is damaged");
        if (!part->next()) return report_.usage(part->error(), "");
      }
      note_gap(number);
      if (!file_.sink().append(row)) return output_failed();
      ++written_;
      last_ = number;
    }
  }

  // Notes the numbers between the last member and this one.
  void note_gap(std::uint64_t number) {
    if (number <= last_ + 1) return;
    const std::string from = std::to_string(last_ + 1), to = std::to_string(number - 1);
    missing_ += (missing_.empty() ? "" : ", ") + (from == to ? from : from + ".." + to);
  }

  int finish() {
    output::Sidecar s = description();
    const Json& settings = member_of(parts_.front()->description(), "settings");
    note_gap(member_of(settings, "members").get<std::uint64_t>() + 1);
    s.status = missing_.empty() ? "complete" : "stopped";
    if (!file_.finish(missing_.empty(), &s)) return output_failed();
    if (!options_.quiet && !options_.json)
      print_error("joined " + counted(parts_.size(), "part") + ": " + counted(written_, "member") + ", " +
                  (failed_ == 0 ? "none" : std::to_string(failed_)) + " failed\n" +
                  wrote_text(file_, options_.output, counted(written_, "row")));
    if (missing_.empty()) return failed_ < written_ ? kOk : kStopped;
    report_.failure("members_missing",
                    "members are missing: " + missing_ + "; run them with --members, and join again");
    return kStopped;
  }

  // Returns the description of the whole sweep: that of its first part, but for what counts members.
  [[nodiscard]] output::Sidecar description() const {
    const Json& part = parts_.front()->description();
    output::Sidecar s;
    s.mbc_version = text_in(member_of(part, "program"), "version");
    s.model_file = text_in(member_of(part, "model"), "file");
    s.source_hash = text_in(member_of(part, "model"), "hash");
    s.rows = static_cast<std::int64_t>(written_);
    const auto texts = [](const Json& j) {
      return Quantity{text_in(j, "name"), text_in(j, "unit"), text_in(j, "description")};
    };
    for (const Json& c : member_of(part, "columns")) s.columns.push_back(texts(c));
    for (const Json& p : member_of(part, "parameters")) {
      const Quantity q = texts(p);
      const Json& value = member_of(p, "value");
      s.parameters.push_back({q.name, value.is_number() ? value.get<double>() : NAN, q.unit, q.description});
    }
    for (const auto& [key, value] : member_of(part, "settings").items()) {
      if (key == "first" || key == "last") continue;
      if (key == "failed")
        s.settings.emplace_back(key, static_cast<std::int64_t>(failed_));
      else if (value.is_string())
        s.settings.emplace_back(key, value.get<std::string>());
      else if (value.is_boolean())
        s.settings.emplace_back(key, value.get<bool>());
      else if (value.is_number_integer())
        s.settings.emplace_back(key, value.get<std::int64_t>());
      else if (value.is_number())
        s.settings.emplace_back(key, value.get<double>());
    }
    return s;
  }

  const Options& options_;
  Report report_;
  std::vector<std::unique_ptr<Part>> parts_;
  output::ResultFile file_;
  std::uint64_t written_ = 0, failed_ = 0, last_ = 0;
  std::string missing_;
};

}  // namespace

int join_members(const Options& options) { return Joiner(options).run(); }

}  // namespace mbc::tools
