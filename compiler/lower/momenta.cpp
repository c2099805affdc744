// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/momenta.h"

#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "compiler/lower/momentum_numbers.h"
#include "compiler/lower/momentum_terms.h"
#include "compiler/lower/normal_form.h"
#include "compiler/lower/null_directions.h"

namespace mbc::lower {

namespace {

using SourceKind = MomentumSource::Kind;

constexpr std::size_t kMostColumns = 600;  // for directions that combine several speeds
constexpr std::size_t kMostNames = 4;      // terms of a direction that its name lists

class Finding {
 public:
  Finding(const sema::Model& model, const std::vector<double>& params)
      : model_(model), terms_(momentum_terms(model)), forms_(terms_.graph), numbers_(model, terms_, params) {}

  Momenta run() {
    if (!terms_.complete) return {{}, {}, true};
    const std::vector<SparseForm> conditions = conditions_on_directions();
    const auto count = static_cast<std::uint32_t>(terms_.speeds.size());
    std::vector<bool> held(count, false);
    for (const SparseForm& f : conditions)
      for (const auto& [column, value] : f) held[column] = true;
    std::vector<SparseForm> directions;
    for (std::uint32_t c = 0; c < count; ++c)
      if (!held[c]) directions.push_back({{c, 1.0}});
    if (count <= kMostColumns)
      for (SparseForm& direction : null_directions(count, conditions)) directions.push_back(std::move(direction));
    out_.limited = count > kMostColumns || forms_.shortened();
    const std::vector<bool> confirmed = numbers_.confirmed(directions);
    for (std::size_t k = 0; k < directions.size(); ++k)
      if (confirmed[k]) accept(directions[k]);
    reject();
    return std::move(out_);
  }

 private:
  // Each monomial of the rate of the momenta, and of every row, is a linear form of c that has to vanish.
  std::vector<SparseForm> conditions_on_directions() {
    std::vector<SparseForm> result;
    std::vector<Polynomial> total(terms_.speeds.size());
    energy_.resize(terms_.speeds.size());
    for (const MomentumSource& s : terms_.sources) {
      if (s.kind != SourceKind::row) continue;
      std::map<std::uint32_t, Polynomial> row;
      for (const MomentumTerm& t : s.terms) row[t.column] = forms_.of(t.value);
      collect(row, result);
    }
    const std::vector<std::set<std::uint32_t>> silent = numbers_.silent_columns();
    for (const bool kinetic : {false, true})  // the kinetic energy has the longest forms: last, if the work runs out
      for (std::size_t k = 0; k < terms_.sources.size(); ++k) {
        const MomentumSource& s = terms_.sources[k];
        if (s.kind == SourceKind::row || (s.kind == SourceKind::kinetic) != kinetic) continue;
        for (const MomentumTerm& t : s.terms) {
          if (silent[k].count(t.column) > 0) continue;
          const Polynomial& p = forms_.of(t.value);
          total[t.column] = NormalForms::add(total[t.column], p);
          if (s.kind != SourceKind::load) energy_[t.column] = NormalForms::add(energy_[t.column], p);
        }
      }
    std::map<std::uint32_t, Polynomial> rates;
    for (std::uint32_t c = 0; c < total.size(); ++c)
      if (!total[c].empty()) rates[c] = std::move(total[c]);
    collect(rates, result);
    return result;
  }

  static void collect(const std::map<std::uint32_t, Polynomial>& by_column, std::vector<SparseForm>& result) {
    std::map<std::uint32_t, SparseForm> by_monomial;
    for (const auto& [column, polynomial] : by_column)
      for (const PolynomialTerm& t : polynomial) by_monomial[t.monomial][column] = t.coefficient;
    for (auto& [monomial, form] : by_monomial) result.push_back(std::move(form));
  }

  void accept(const SparseForm& direction) {
    MomentumDirection made;
    for (const auto& [column, value] : direction) {
      made.speeds.emplace_back(terms_.speeds[column], value);
      has_part_.insert(column);
    }
    const std::uint32_t first = made.speeds.front().first;
    made.single = made.speeds.size() == 1;
    if (made.single) made.coordinate = coordinate_of(first);
    made.name = name_of(made.speeds);
    made.dimension = sema::energy_dimension() / model_.speeds[first].dimension;
    out_.found.push_back(std::move(made));
  }

  [[nodiscard]] std::uint32_t coordinate_of(std::uint32_t speed) const { return *model_.speeds[speed].coordinate; }

  // The axis and the entity of a coordinate that is a place of a particle or body.
  struct Place {
    std::size_t axis = 0;
    std::string entity;
  };
  [[nodiscard]] std::map<std::uint32_t, Place> places() const {
    std::map<std::uint32_t, Place> result;
    const auto put = [&](const auto& entity) {
      if (!entity.first_coordinate) return;
      for (std::uint32_t k = 0; k < model_.space; ++k) result[*entity.first_coordinate + k] = {k, entity.name};
    };
    for (const sema::Particle& p : model_.particles) put(p);
    for (const sema::Body& b : model_.bodies) put(b);
    return result;
  }

  [[nodiscard]] std::string name_of(const std::vector<std::pair<std::uint32_t, double>>& speeds) {
    if (speeds.size() == 1) return model_.coordinates[coordinate_of(speeds[0].first)].name;
    if (places_.empty()) places_ = places();
    std::vector<std::string> entities;
    std::size_t axis = 0;
    for (const auto& [speed, value] : speeds) {
      const auto at = places_.find(coordinate_of(speed));
      if (value != 1 || at == places_.end() || (!entities.empty() && at->second.axis != axis)) return sum_name(speeds);
      axis = at->second.axis;
      entities.push_back(at->second.entity);
    }
    return std::string("translation ") + "xyz"[axis] + " of " + listed(entities, ", ");
  }

  // Returns the name of a direction, such as "x1 + 2*x2".
  [[nodiscard]] std::string sum_name(const std::vector<std::pair<std::uint32_t, double>>& speeds) const {
    std::vector<std::string> parts;
    for (const auto& [speed, value] : speeds) {
      std::string part = value < 0 ? "-" : "";
      if (std::fabs(value) != 1) part += shown(std::fabs(value)) + "*";
      parts.push_back(part + model_.coordinates[coordinate_of(speed)].name);
    }
    std::string text = listed(parts, " + ");
    for (std::size_t at = 0; (at = text.find("+ -", at)) != std::string::npos;) text.replace(at, 3, "- ");
    return text;
  }

  static std::string shown(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
  }

  static std::string listed(const std::vector<std::string>& parts, const char* between) {
    std::string text;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (k + 1 == kMostNames && parts.size() > kMostNames)
        return text + between + "... (" + std::to_string(parts.size()) + " in all)";
      text += (k > 0 ? between : "") + parts[k];
    }
    return text;
  }

  // Lists coordinates that are absent from both energies but whose momentum is not conserved.
  void reject() {
    std::vector<std::string> reason(terms_.speeds.size());
    for (const bool rows : {true, false})
      for (const MomentumSource& s : terms_.sources) {
        if ((s.kind == SourceKind::row) != rows || (!rows && s.kind != SourceKind::load)) continue;
        for (const MomentumTerm& t : s.terms) {
          if (!energy_[t.column].empty() || !reason[t.column].empty()) continue;
          if (!forms_.of(t.value).empty()) reason[t.column] = because(s);
        }
      }
    for (std::uint32_t c = 0; c < reason.size(); ++c) {
      if (has_part_.count(c) > 0 || !energy_[c].empty() || reason[c].empty()) continue;
      const sema::Coordinate& q = model_.coordinates[coordinate_of(terms_.speeds[c])];
      out_.rejected.push_back({q.name, reason[c], q.span});
    }
  }

  // Returns the reason. Statements without a name are called "force in line 7".
  static std::string because(const MomentumSource& s) {
    const bool unnamed = s.name.find(" in line ") != std::string::npos;
    if (s.kind == SourceKind::row)
      return "its column in " + (unnamed ? "the " + s.name : "row " + quoted(s.name)) + " is not zero";
    return "the " + (unnamed ? s.name : s.what + " " + quoted(s.name)) + " does work on it";
  }

  const sema::Model& model_;
  MomentumTerms terms_;
  NormalForms forms_;
  MomentumNumbers numbers_;
  std::vector<Polynomial> energy_;  // by column: dL/dq
  std::set<std::uint32_t> has_part_;
  std::map<std::uint32_t, Place> places_;
  Momenta out_;
};

}  // namespace

Momenta find_momenta(const sema::Model& model, const std::vector<double>& params) {
  return Finding(model, params).run();
}

}  // namespace mbc::lower
