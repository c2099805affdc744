// SPDX-License-Identifier: Apache-2.0
#include "tools/constructs.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/joined.h"
#include "base/table.h"
#include "mbc/mbc.h"
#include "tools/words.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kMostExamples = 4;

bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_character(text[at - 1])) && (end == text.size() || !is_word_character(text[end])))
      return true;
  }
  return false;
}

// Returns the examples of the grammar, in lines `// one example    another one`.
std::vector<std::string> all_examples() {
  constexpr std::string_view kApart = "    ";
  std::vector<std::string> out;
  std::istringstream lines(grammar_text());
  bool head = true;  // head of the file
  for (std::string line; std::getline(lines, line);) {
    head = head && !line.empty();
    if (head || !line.starts_with("// ") || line.starts_with("// ----")) continue;
    line.erase(0, 3);
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(kApart), line.size());
      out.push_back(line.substr(0, end));
      line.erase(0, std::min(line.find_first_not_of(' ', end), line.size()));
    }
  }
  return out;
}

// Returns the examples that begin with the word, or else those that contain it.
std::vector<std::string> examples_of(const std::string& word) {
  std::vector<std::string> begun, inside;
  for (const std::string& example : all_examples()) {
    if (example.starts_with(word) && has_word(example.substr(0, word.size() + 1), word)) begun.push_back(example);
    if (has_word(example, word)) inside.push_back(example);
  }
  std::vector<std::string> out = begun.empty() ? inside : begun;
  out.resize(std::min(out.size(), kMostExamples));
  return out;
}

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string members_text(const std::string& word) {
  text::Table table({{""}, {""}});
  const std::vector<MemberInfo> members = members_of(word, 3);
  for (const MemberInfo& m : members) table.row({"." + m.name, m.meaning});
  return members.empty() ? "" : "\nIts members:\n\n" + table.text();
}

constexpr const char* kMore = "\nAll of it, with samples that run: docs/language.md\n";

// One line for each choice of a setting.
constexpr std::pair<std::string_view, std::string_view> kChoices[] = {
    {"rk4", "classical Runge-Kutta, order 4, fixed step"},
    {"ab4", "Adams-Bashforth, order 4, fixed step, one evaluation a step"},
    {"dopri5", "Dormand-Prince 5(4), chooses its steps"},
    {"dop853", "Dormand-Prince 8(5,3), chooses its steps"},
    {"taylor", "Taylor series of the motion, chooses its steps"},
    {"bdf", "implicit, order 1 to 5, for stiff problems, chooses its steps"},
    {"gauss4", "implicit, order 4, fixed step, for long runs that keep their energy"},
    {"gauss6", "the same of order 6"},
    {"auto", "dop853, and bdf where the motion is stiff: the default"},
    {"udwadia_kalaba", "accelerations by the generalised inverse: the default"},
    {"augmented", "accelerations and multipliers in one system"},
    {"lagrange", "the multipliers first"},
    {"maggi", "speeds that the constraints leave, and the rows"},
    {"projection", "independent speeds"},
    {"kane", "independent speeds"},
    {"gibbs_appell", "independent speeds"},
    {"volterra", "independent speeds"},
    {"boltzmann_hamel", "independent speeds; rows that are linear in the velocities"},
    {"efficient_volterra", "independent speeds that keep the conserved momenta"},
    {"routh", "without the ignorable coordinates; models without constraints"},
    {"project", "back onto the constraints after each step: the default"},
    {"partition", "independent coordinates; the others follow from the constraints"},
    {"baumgarte", "a violation decays"},
    {"none", "constraints drift"},
    {"quaternion", "a unit quaternion and angular velocities: the default"},
    {"euler_parameters", "four Euler parameters and their rates"},
    {"natural", "the columns of the rotation matrix and their rates"},
    {"tree", "the coordinates of joints in place of their rows; quaternions for other bodies"},
    {"bodies.auto", "tree where joints carry bodies and it costs less, else quaternion"},
    {"continue", "the motion goes on where there is one way to go: the default"},
    {"stop", "the run ends before"},
    {"locate", "steps end where a piecewise function changes its branch"},
    {"ignore", "steps go across such changes"},
    {"steps", "a row for each step of the time: the default"},
    {"events", "and one before and one behind each instant of events"},
    {"newton", "parts of the speeds are given back: the default"},
    {"poisson", "parts of the impulses are given back"},
    {"moreau", "as newton; slips come back too"},
    {"smallest", "the smallest of many reactions are taken: the default"},
    {"unique", "the run ends where the motion depends on how reactions are shared"},
    {"event", "steps end where sides meet, part, stick and slip: the default"},
    {"timestep", "steps of one size go through all contacts, by Moreau and Jean: for many of them"},
};

// A word that several settings have stands behind the name of one of them.
std::string meaning_of(const SettingInfo& setting, const SettingInfo::Choice& choice) {
  for (const std::string& wanted : {setting.key + "." + choice.name, choice.name})
    for (const auto& [name, meaning] : kChoices)
      if (name == wanted) return std::string(meaning);
  return "";
}

std::string choice_text(const SettingInfo& setting, const SettingInfo::Choice& choice) {
  return setting.key + " = " + call_text(choice.name, choice.arguments);
}

std::string setting_text(const SettingInfo& setting) {
  text::Table table({{""}, {""}});
  for (const SettingInfo::Choice& choice : setting.choices)
    table.row({choice_text(setting, choice), meaning_of(setting, choice)});
  return "`" + setting.key + "`: a setting of `simulate`\n" + (setting.choices.empty() ? "" : "\n" + table.text());
}

// Returns the construct of a word that is only the choice of a setting: `bdf`.
std::optional<Construct> choice_of_setting(const std::string& word) {
  std::optional<Construct> out;
  for (const SettingInfo& s : vocabulary().settings)
    for (const SettingInfo::Choice& c : s.choices) {
      if (c.name != word) continue;
      const std::string meaning = meaning_of(s, c), example = choice_text(s, c);
      if (!out) out = Construct{"choice", {}, ""};
      out->examples.push_back(example);
      out->text += (out->text.empty() ? "`" : "\n`") + word + "`: a choice of the setting `" + s.key + "`" +
                   (meaning.empty() ? "" : ": " + meaning) + "\n\n  " + example + "\n";
    }
  if (out) out->text += kMore;
  return out;
}

std::string examples_text(const std::vector<std::string>& examples) {
  std::string out;
  for (const std::string& example : examples) out += "  " + example + "\n";
  return out.empty() ? "" : "\n" + out;
}

std::optional<Construct> statement(const std::string& word) {
  for (const StatementInfo& s : vocabulary().statements) {
    if (s.word != word) continue;
    Construct made{"statement", examples_of(word), {}};
    made.text = "`" + word + "`: a statement\n" + examples_text(made.examples);
    if (!s.modifiers.empty())
      made.text += "\nIt takes " + joined_by(s.modifiers, [](const std::string& m) { return "`" + m + "`"; }) + ".\n";
    made.text += members_text(word) + kMore;
    return made;
  }
  return {};
}

}  // namespace

std::optional<Construct> construct(const std::string& word) {
  const Vocabulary& known = vocabulary();
  if (std::optional<Construct> found = statement(word)) return found;
  for (const auto& [words, kind] : {std::pair{&known.entries, "entry"}, std::pair{&known.actions, "action"},
                                    std::pair{&known.modifiers, "modifier"}}) {
    if (!holds(*words, word)) continue;
    Construct made{kind, examples_of(word), {}};
    made.text = "`" + word + "`: " +
                (kind == std::string("modifier") ? "a word within statements\n"
                 : kind == std::string("entry")  ? "an entry of a block\n"
                                                 : "an action of an event\n");
    made.text += examples_text(made.examples) + kMore;
    return made;
  }
  for (const auto& [list, kind] : {std::pair{&known.functions, "function"}, std::pair{&known.values, "value"}})
    for (const BuiltinInfo& b : *list)
      if (b.name == word)
        return Construct{kind,
                         {},
                         "`" + call_text(b.name, b.arguments) +
                             "`: " + (b.meaning.empty() ? std::string("a ") + kind + " that is built in" : b.meaning) +
                             "\n" + members_text(word)};
  for (const SettingInfo& s : known.settings)
    if (s.key == word) return Construct{"setting", {}, setting_text(s) + kMore};
  return choice_of_setting(word);
}

std::vector<std::string> construct_words() {
  const Vocabulary& known = vocabulary();
  std::vector<std::string> out = known.entries;
  for (const auto* more : {&known.actions, &known.modifiers}) out.insert(out.end(), more->begin(), more->end());
  for (const StatementInfo& s : known.statements) out.push_back(s.word);
  for (const auto* more : {&known.functions, &known.values})
    for (const BuiltinInfo& b : *more) out.push_back(b.name);
  for (const SettingInfo& s : known.settings) out.push_back(s.key);
  return out;
}

}  // namespace mbc::tools
