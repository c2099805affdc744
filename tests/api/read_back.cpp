// SPDX-License-Identifier: Apache-2.0
#include "tests/api/read_back.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>

namespace mbc::test {

namespace {

// "M[1,2]" as an identifier of `--mbd`.
std::string identifier(const std::string& name) {
  std::string out;
  std::size_t primes = 0;
  const auto underline = [&] {
    if (!out.empty() && out.back() != '_') out += '_';
  };
  for (std::size_t k = 0; k <= name.size(); ++k) {
    if (k < name.size() && name[k] == '\'') {
      ++primes;
      continue;
    }
    if (primes > 0) underline(), out += std::string(primes, 'd') + "ot";
    primes = 0;
    if (k == name.size()) break;
    if (std::isalnum(static_cast<unsigned char>(name[k])) != 0)
      out += name[k];
    else
      underline();
  }
  while (out.ends_with('_')) out.pop_back();
  return out;
}

// An expression with names of a model, such as p[2].x and th', in identifiers.
std::string in_identifiers(const std::string& expression) {
  std::string out, name;
  int depth = 0;
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (const char c : expression + " ") {
    const bool more = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '\'' || c == '[' ||
                      c == ']' || (depth > 0 && c == ',');
    if (is_letter(c) || (!name.empty() && more)) {
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      name += c;
      continue;
    }
    out += name.empty() ? "" : identifier(name);
    name.clear();
    out += c;
  }
  return out;
}

}  // namespace

ReadBack::ReadBack(const Model& model, const std::vector<std::pair<std::string, std::string>>& more) : model_(model) {
  text = written(model, EquationsRequest::Form::mbd);
  for (const auto& [name, expression] : more) text += "output " + name + " = " + in_identifiers(expression) + "\n";
  const Model made = Model::from_string(text, "equations.mbd", {{}, true, 2});
  REQUIRE_MESSAGE(made.ok(), text << made.render_diagnostics());
  read_.emplace(Simulation::create(made).value());
}

void ReadBack::set(double time, const std::vector<double>& y) {
  const std::vector<double> clock = read_->state();
  REQUIRE(read_->set_state(time, clock).ok());
  const std::vector<Quantity> inputs = read_->model().inputs();
  std::size_t k = 0;
  for (const std::vector<Quantity>& list : {model_.coordinates(), model_.speeds(), model_.states()})
    for (const Quantity& q : list) {
      const double value = y.at(k++);
      for (const std::string& name : {identifier(q.name), identifier(q.name) + "_"})  // `del` is a word of Python
        if (std::ranges::count(inputs, name, &Quantity::name) > 0) REQUIRE(read_->set_input(name, value).ok());
    }
}

bool ReadBack::has(const std::string& label) const {
  return std::ranges::count(read_->model().outputs(), identifier(label), &Quantity::name) > 0;
}

double ReadBack::value(const std::string& label) {
  return has(label) ? read_->value(identifier(label)).value().at(0) : 0;
}

}  // namespace mbc::test
