// SPDX-License-Identifier: Apache-2.0
// `mbc examples`, `mbc new` and `mbc doc`: the shipped models and documents, and a first model.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/row_format.h"
#include "base/table.h"
#include "base/text.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/constructs.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {

namespace {

namespace fs = std::filesystem;

using Json = nlohmann::ordered_json;

constexpr const char* kStart = R"mbd(mbd 1
/// NAME: say in a line what moves, and why it is of interest.

// Parameters have values that `mbc run NAME.mbd --set "L = 1 [m]"` changes. Units are checked once any is written.
param m = 1 [kg], L = 0.5 [m], phi0 = 60 [deg]
gravity (0, 0, -9.81) [m/s^2]

// A particle has a mass and a place; `moving (..)` gives it a velocity. `body` and `coord` are its sisters.
particle bob(m) at (L*sin(phi0), 0, -L*cos(phi0))

// Any equation in positions, velocities or accelerations that has to hold. Joints: `use joints`, `mbc doc Revolute`.
constraint rod: dist(ground, bob) == L

// Forces are expressions too.
// force drag on bob: -0.1 [N*s/m]*bob.vel

output E = energy.total, tension = -rod.lambda

// From when to when, and how far apart the rows of the result are; the method chooses its steps.
simulate swing { time = 0 [s] .. 5 [s] step 10 [ms] }

// What has to be so: `mbc test NAME.mbd`
test "energy stays" over swing {
  check abs(E - initial(E)) < 1e-6 [J] always
}
)mbd";

// Returns whether a file is data for models and not a model.
bool is_data(const Shipped& one) { return one.name.ends_with(".csv"); }

std::vector<std::string> names_of(const std::vector<Shipped>& all) {
  std::vector<std::string> out;
  for (const Shipped& one : all) out.push_back(one.name);
  return out;
}

const Shipped* find(const std::vector<Shipped>& all, const std::string& name) {
  for (const Shipped& one : all)
    if (one.name == name) return &one;
  return nullptr;
}

std::string with_name(std::string text, const std::string& name) {
  constexpr std::string_view kPlace = "NAME";
  for (std::size_t at = 0; (at = text.find(kPlace, at)) != std::string::npos; at += name.size())
    text.replace(at, kPlace.size(), name);
  return text;
}

// Returns two columns without a head.
std::string listed(const std::vector<std::pair<std::string, std::string>>& rows) {
  text::Table table({{""}, {""}});
  for (const auto& [name, what] : rows) table.row({name, what});
  return table.text();
}

// Writes a new file; an existing file stays.
int write_new(const Report& report, const std::string& path, std::string_view ending, const std::string& text,
              Json& written) {
  if (const std::string why = why_not_there(path, {"a model", {ending}}, true); !why.empty())
    return report.usage(why, "give another name");
  std::error_code problem;
  if (fs::exists(path, problem))
    return report.usage(quoted(path) + " is there already, and stays", "give another name");
  if (problem) return report.usage(quoted(path) + ": " + problem.message(), "give another name");
  std::string error;
  if (write_text(path, text, error)) {
    print_error("wrote " + path + "\n");
    written.push_back(path);
    return kOk;
  }
  report.failure("output", error);
  return kOutputFailed;
}

std::string without_ending(const std::string& name) {
  return name.ends_with(".mbd") ? name.substr(0, name.size() - 4) : name;
}

// Returns the first sentence of a description, in one line without the full stop.
std::string sentence_of(std::string description) {
  std::replace(description.begin(), description.end(), '\n', ' ');
  description.resize(std::min(description.find(". "), description.size()));
  while (!description.empty() && (description.back() == '.' || description.back() == ':' || description.back() == ' '))
    description.pop_back();
  return description;
}

// Returns the first sentence of the `///` lines at the head of a model.
std::string first_sentence(const std::string& model) {
  std::string all;
  std::istringstream lines(model);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("///"))
      all += line.substr(std::min<std::size_t>(4, line.size())) + "\n";
    else if (!line.starts_with("mbd "))
      break;
  return sentence_of(all);
}

// ---- parts of the library

struct Part {
  std::string module, name, summary, text;  // text: its description and its head, up to the body
};

// Returns the name that a line declares at its beginning, as in `joint Name(..)`, `model Name(..)`, `def name(..)` or
// `const name`; "" for any other line.
std::string declared(const std::string& line) {
  for (const std::string word : {"joint ", "model ", "def ", "const "}) {
    if (!line.starts_with(word)) continue;
    const std::size_t end = line.find_first_of("(=: {[", word.size());
    return line.substr(word.size(), end - word.size());
  }
  return "";
}

// Returns the text up to the bracket that closes the parameters of a model; otherwise the line.
std::string head_at(const std::string& text, std::size_t at) {
  const std::size_t line_end = std::min(text.find('\n', at), text.size());
  if (text.compare(at, 4, "def ") == 0 || text.compare(at, 6, "const ") == 0) return text.substr(at, line_end - at);
  int depth = 0;
  for (std::size_t k = at; k < text.size(); ++k) {
    if (text[k] == '(') ++depth;
    if (text[k] == ')' && --depth == 0) return text.substr(at, k + 1 - at);
    if (text[k] == '{' && depth == 0) return text.substr(at, k - at);
  }
  return text.substr(at, line_end - at);
}

std::vector<Part> parts_of(const LibraryModule& module) {
  std::vector<Part> out;
  std::string description;
  std::size_t at = 0;
  while (at < module.text.size()) {
    const std::size_t end = std::min(module.text.find('\n', at), module.text.size());
    const std::string line = module.text.substr(at, end - at);
    if (line.starts_with("///")) {
      description += line.substr(std::min<std::size_t>(4, line.size())) + "\n";
    } else {
      if (const std::string name = declared(line); !name.empty())
        out.push_back(
            {module.name, name, sentence_of(description), description + "\n" + head_at(module.text, at) + "\n"});
      description.clear();
    }
    at = end + 1;
  }
  return out;
}

std::string list_of(const LibraryModule& module) {
  std::string out = "use " + module.name + "\n";
  if (const std::string what = first_sentence(module.text); !what.empty()) out += "  " + what + "\n";
  out += "\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Part& part : parts_of(module)) rows.emplace_back(part.name, part.summary);
  return out + listed(rows);
}

Json json_of(const LibraryModule& module) {
  Json j = {{"module", module.name}, {"summary", first_sentence(module.text)}, {"parts", Json::array()}};
  for (const Part& part : parts_of(module)) j["parts"].push_back({{"name", part.name}, {"summary", part.summary}});
  return j;
}

int list_examples(const Options& options) {
  std::vector<std::pair<std::string, std::string>> rows;
  Json j = Json::array();
  for (const Shipped& one : examples()) {
    if (is_data(one)) continue;
    rows.emplace_back(one.name, first_sentence(one.text));
    j.push_back({{"name", one.name}, {"summary", rows.back().second}});
  }
  return options.print_json ? print_json(j) : print_output(listed(rows));
}

int list_library(const Options& options) {
  std::string all;
  Json j = Json::array();
  for (const LibraryModule& module : library_modules()) {
    all += (all.empty() ? "" : "\n") + list_of(module);
    j.push_back(json_of(module));
  }
  return options.print_json ? print_json(j) : print_output(all);
}

// Prints the written files for programs (--json).
int say_files(const Options& options, int status, const Json& written) {
  return status == kOk && options.print_json ? print_json({{"files", written}}) : status;
}

// ---- unknown names that occur in descriptions

constexpr std::size_t kMostFound = 6;

bool tells_of(const std::string& text, std::string word) {
  const auto small = [](std::string s) {
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return s;
  };
  word = small(word);
  return word.size() > 2 && small(text).find(word) != std::string::npos;
}

// Returns for `roll`: "`mbc examples` has rolling_coin, rolling_disc"; "" if the word occurs in no name and no first
// sentence.
std::string examples_about(const std::string& word) {
  std::string out;
  std::size_t found = 0;
  for (const Shipped& one : examples())
    if (!is_data(one) && (tells_of(one.name, word) || tells_of(first_sentence(one.text), word)) &&
        ++found <= kMostFound)
      out += (out.empty() ? "" : ", ") + one.name;
  return out.empty() ? "" : "`mbc examples` has " + out + (found > kMostFound ? ", ..." : "");
}

std::string parts_about(const std::string& word) {
  std::string out;
  std::size_t found = 0;
  for (const LibraryModule& module : library_modules())
    for (const Part& part : parts_of(module))
      if ((tells_of(part.name, word) || tells_of(part.summary, word)) && ++found <= kMostFound)
        out += (out.empty() ? "" : ", ") + part.name;
  return out.empty() ? "" : "`mbc doc` has " + out + (found > kMostFound ? ", ..." : "");
}

}  // namespace

int show_examples(const Options& options) {
  const Report report(options);
  const std::string name = without_ending(options.code);
  if (name.empty()) return list_examples(options);
  const Shipped* found = find(examples(), name);
  if (!found) {
    const std::string about = examples_about(name);
    return report.usage("examples: there is no example `" + name + "`",
                        did_you_mean(name, names_of(examples()), about.empty() ? "`mbc examples` lists them" : about));
  }
  if (options.output.empty())
    return options.print_json ? print_json({{"name", found->name}, {"text", found->text}}) : print_output(found->text);
  Json written = Json::array();
  int status = write_new(report, options.output, "mbd", found->text, written);
  const fs::path folder = fs::path(options.output).parent_path();
  for (const Shipped& one : examples())
    if (status == kOk && is_data(one) && found->text.find('"' + one.name + '"') != std::string::npos)
      status = write_new(report, (folder / one.name).string(), ending_of(one.name), one.text, written);
  return say_files(options, status, written);
}

int begin_model(const Options& options) {
  const Report report(options);
  const std::string path = without_ending(options.code) + ".mbd";
  const std::string name = fs::path(path).stem().string();
  if (name.empty())
    return report.usage("new: `" + options.code + "` is no name of a file", "for example `mbc new pendulum`");
  Json written = Json::array();
  const int status = write_new(report, path, "mbd", with_name(kStart, name), written);
  return say_files(options, status, written);
}

int document(const Options& options) {
  if (options.code.empty()) return list_library(options);
  std::vector<std::string> known;
  std::string found;
  Json parts = Json::array();
  for (const LibraryModule& module : library_modules()) {
    if (module.name == options.code)
      return options.print_json ? print_json(json_of(module)) : print_output(list_of(module));
    known.push_back(module.name);
    for (const Part& part : parts_of(module)) {
      known.push_back(part.name);
      if (part.name != options.code) continue;
      found += (found.empty() ? "" : "\n") + ("use " + part.module + "\n\n" + part.text);
      parts.push_back({{"module", part.module}, {"name", part.name}, {"summary", part.summary}, {"text", part.text}});
    }
  }
  if (!found.empty()) return options.print_json ? print_json(parts) : print_output(found);
  for (const CodeInfo& info : all_codes())
    if (info.code == options.code || info.name == options.code) return explain_code(options);
  if (const std::optional<Construct> word = construct(options.code))
    return options.print_json
               ? print_json(
                     {{"name", options.code}, {"kind", word->kind}, {"examples", word->examples}, {"text", word->text}})
               : print_output(word->text);
  for (std::string& word : construct_words()) known.push_back(std::move(word));
  std::string about = parts_about(options.code);
  if (const std::string models = examples_about(options.code); !models.empty())
    about += (about.empty() ? "" : "; ") + models;
  if (about.empty())
    about = did_you_mean(options.code, known,
                         "`mbc doc` lists the parts of the library; the language is in docs/language.md");
  return Report(options).usage("doc: nothing in the library or the language has the name `" + options.code + "`",
                               about);
}

}  // namespace mbc::tools
