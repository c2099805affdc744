// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/error_sizes.h"

#include <array>
#include <limits>
#include <map>
#include <string>

#include "base/epsilon.h"

namespace mbc::runtime {

namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

// Returns the name that the elements of an array share: "H[]" of H[3].
std::string array_of(const std::string& name) {
  std::string out;
  bool inside = false;
  for (const char c : name) {
    if (c == ']') inside = false;
    if (!inside) out += c;
    if (c == '[') inside = true;
  }
  return out;
}

}  // namespace

ErrorSizes::ErrorSizes(const problem::Problem& info, const kernel::SystemLayout& layout, double span) : span_(span) {
  using Size = problem::Problem::Size;
  box_of_.reserve(layout.n_y());
  std::array<std::uint32_t, 3> axis{kNone, kNone, kNone};
  std::uint32_t one = kNone, speed = kNone, turning = kNone;
  const auto shared = [&](std::uint32_t& box, Kind kind, std::uint32_t of = 0) {
    if (box == kNone) box = add(kind, of);
    return box;
  };
  for (std::uint32_t k = 0; k < layout.n_coordinates; ++k) {
    const Size size = info.sizes[k];
    if (size <= Size::z)
      box_of_.push_back(shared(axis[static_cast<std::size_t>(size)], Kind::place));
    else if (size == Size::one)
      box_of_.push_back(shared(one, Kind::one));
    else
      box_of_.push_back(add(size == Size::length ? Kind::length : Kind::own));
  }
  first_speed_ = box_of_.size();
  for (std::uint32_t k = 0; k < layout.n_speeds; ++k) {
    const std::uint32_t q = info.coordinate_of_speed[k];
    const Size size = q == problem::Problem::kNoCoordinate ? Size::one : info.sizes[q];
    if (size == Size::one)
      box_of_.push_back(shared(turning, Kind::turning));
    else if (size == Size::own)
      box_of_.push_back(add(Kind::own_rate, box_of_[q]));
    else
      box_of_.push_back(shared(speed, Kind::speed, box_of_[q]));
  }
  std::map<std::string, std::uint32_t> first_of_array;
  for (std::uint32_t k = layout.states_at(); k < layout.work_at(); ++k) {
    const std::uint32_t box = add(Kind::state);
    boxes_[box].of = first_of_array.try_emplace(array_of(info.states[k - layout.states_at()].name), box).first->second;
    box_of_.push_back(box);
  }
  const std::uint32_t work = add(Kind::work);
  while (box_of_.size() < layout.n_y()) box_of_.push_back(work);
  sizes_.resize(boxes_.size());
}

std::uint32_t ErrorSizes::add(Kind kind, std::uint32_t of) {
  boxes_.push_back({kind, of});
  return static_cast<std::uint32_t>(boxes_.size() - 1);
}

// Sets the sizes of the model. The speeds of the rotation of a body follow those of its place.
void ErrorSizes::know(const ModelSize& model) {
  const std::vector<double>& root_inertia = model.root_inertia;
  double of_place = 0, places = 0, turns = 0;
  for (std::size_t j = 0; j < root_inertia.size(); ++j) {
    const Kind kind = boxes_[box_of_[first_speed_ + j]].kind;
    if (kind == Kind::speed) of_place = root_inertia[j];
    if (kind == Kind::turning && of_place > 0) radius_ = std::max(radius_, root_inertia[j] / of_place);
    double& largest = kind == Kind::turning ? turns : places;
    if (kind == Kind::speed || kind == Kind::turning) largest = std::max(largest, root_inertia[j]);
  }
  if (radius_ == 0 && places > 0) radius_ = turns / places;  // of coordinates whose angles come first
  for (std::size_t i = first_speed_; i < box_of_.size(); ++i) {
    Box& box = boxes_[box_of_[i]];
    const double drift = span_ * kEpsilon * model.rate_terms[i];
    box.drift = std::max(box.drift, drift);
    if (box.kind == Kind::own_rate) boxes_[box.of].drift = std::max(boxes_[box.of].drift, span_ * drift);
  }
  measure();
}

// The largest is kept of states and of coordinates of no kind, as their sizes by terms are.
void ErrorSizes::forget_rounding() {
  for (Box& box : boxes_)
    if (box.kind != Kind::state && box.kind != Kind::own && box.kind != Kind::own_rate) box.by_rounding = {};
}

void ErrorSizes::look_at_terms(const ModelSize& model, const std::vector<double>& terms, const ByTerms& by) {
  forget_rounding();
  for (std::size_t k = 0; by.of_span && k < boxes_.size(); ++k) boxes_[k].by_rounding = {};
  raise_by_rounding(model, terms, by);
  for (std::size_t k = 0; by.anew && k < boxes_.size(); ++k) boxes_[k].by_terms = {};
  for (std::size_t i = first_speed_; by.h > 0 && i < box_of_.size(); ++i) {
    Box& box = boxes_[box_of_[i]];
    const bool of_state = box.kind == Kind::state, of_coordinate = box.kind == Kind::own_rate;
    if (of_state || of_coordinate) box.by_terms.raise(by.h * terms[i], by.rtol * span_ * terms[i]);
    if (of_coordinate) boxes_[box.of].by_terms.raise(by.h * by.h * terms[i], by.rtol * span_ * span_ * terms[i]);
  }
  measure();
}

// Motion by rounding in the time span counts as none. Terms that were smaller at the start count as then: beside
// poles, and where they are bounds, they can be far too large. Of states and coordinates of no kind what one step
// rounds is no error, however far they have moved.
void ErrorSizes::raise_by_rounding(const ModelSize& model, const std::vector<double>& terms, const ByTerms& by) {
  const double step = kOfRoundedStep * span_, of_step = std::min(1.0, kRoundingsOfTerms * kEpsilon / by.rtol) * by.h;
  for (std::size_t i = first_speed_; i < box_of_.size(); ++i) {
    Box& box = boxes_[box_of_[i]];
    const std::size_t j = i - first_speed_;
    const bool own = box.kind == Kind::own_rate, by_step = !by.of_span && (own || box.kind == Kind::state);
    const double least = std::min(terms[i], model.rate_terms[i]), off = kEpsilon * least, rate = off / by.rtol;
    const double way = step * step * rate, drift = span_ * span_ * off;
    constexpr double ever = std::numeric_limits<double>::max();
    box.by_rounding.raise(by_step ? of_step * terms[i] : step * rate, by_step ? ever : span_ * off);
    if (j >= model.root_inertia.size()) continue;
    if (own || box.kind == Kind::speed)
      boxes_[box.of].by_rounding.raise(by_step ? of_step * by.h * terms[i] : way, by_step ? ever : drift);
    const double force = model.root_inertia[j] * model.root_inertia[j];
    boxes_[box_of_.back()].by_rounding.raise(force * least * way, force * least * drift);
  }
}

std::vector<double> ErrorSizes::reach(const std::vector<double>& y, double rtol) const {
  const double part = std::clamp(kRoundingsOfTerms * kEpsilon / rtol, kOfReach, 1.0);
  std::vector<double> out(box_of_.size()), sizes(boxes_.size());
  measure(sizes, false);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::max(std::fabs(y[i]), part * sizes[box_of_[i]]);
  return out;
}

void ErrorSizes::begin(const std::vector<double>& rate) {
  bool known = std::any_of(rate.begin(), rate.end(), [](double r) { return r != 0; });
  for (std::size_t k = 0; k < boxes_.size(); ++k)
    known = known || (boxes_[k].kind != Kind::one && boxes_[k].kind != Kind::turning && sizes_[k] > kNothing);
  smallest_ = known ? kNothing : kFromNothing;
  measure();
}

void ErrorSizes::Box::extend(double x) {
  low = any ? std::min(low, x) : x;
  high = any ? std::max(high, x) : x;
  top = std::max(top, std::fabs(x));
  any = true;
}

void ErrorSizes::look_at_energy(double energy) {
  energy_ = std::max(energy_, std::fabs(energy));
  measure();
}

// Terms of coordinates whose kind is not known can be far too large, since they are bounds: products of turns of
// wheels. No size by them is above the largest that is known of such coordinates or of their rates.
void ErrorSizes::measure(std::vector<double>& sizes, bool with_terms) const {
  double length = smallest_, place = 0, own = 0, turned = 0, farthest = 0, fastest = 0;
  constexpr double most = std::numeric_limits<double>::infinity();
  const auto floor = [with_terms](const Box& b, double moved, double most_by_terms) {
    return with_terms ? std::min(std::max(b.by_rounding.of(moved), b.by_terms.of(moved)), most_by_terms) : 0;
  };
  for (const Box& b : boxes_) {
    if (b.kind == Kind::one) turned = std::max(turned, std::min(b.high - b.low, 1.0));
    if (b.kind == Kind::own) own = std::max(own, b.high - b.low);
    if (b.kind == Kind::own && b.high - b.low > b.drift) farthest = std::max(farthest, b.high - b.low);
    if (b.kind == Kind::own_rate && b.top > b.drift) fastest = std::max(fastest, b.top);
    if (b.kind == Kind::place || b.kind == Kind::length) {
      length = std::max({length, b.high - b.low, floor(b, b.high - b.low, most)});
      place = std::max(place, b.top);
    }
  }
  length = std::max({length, kOfPlace * place, radius_ * turned});
  for (std::size_t k = 0; k < boxes_.size(); ++k) {
    const Box& b = boxes_[k];
    const double moved = b.high - b.low;
    switch (b.kind) {
      case Kind::place:
      case Kind::length:
        sizes[k] = length;
        break;
      case Kind::own:
        sizes[k] = std::max({moved, kOfPlace * b.top, kOfOthers * own,
                             floor(b, moved, farthest > 0 ? std::min(farthest, most) : most), smallest_});
        break;
      case Kind::one:
        sizes[k] = 1;
        break;
      case Kind::own_rate:
        sizes[k] = std::max({b.top, sizes[b.of] / span_,  // its box comes before
                             floor(b, b.top, fastest > 0 ? std::min(fastest, most) : most)});
        break;
      case Kind::speed:
        sizes[k] = std::max({b.top, sizes[b.of] / span_, floor(b, b.top, most)});
        break;
      case Kind::turning:
        sizes[k] = std::max({b.top, 1 / span_, floor(b, b.top, most)});
        break;
      case Kind::state:
        sizes[k] = 0;  // see below
        break;
      case Kind::work:
        sizes[k] = std::max({b.top, energy_, floor(b, b.top, most), smallest_});
        break;
    }
  }
  // The first box of an array holds the largest value of the array until its own turn.
  for (const Box& b : boxes_)
    if (b.kind == Kind::state) sizes[b.of] = std::max(sizes[b.of], b.top);
  for (std::size_t k = boxes_.size(); k-- > 0;)
    if (const Box& b = boxes_[k]; b.kind == Kind::state)
      sizes[k] = std::max({b.top, kOfOthers * sizes[b.of], floor(b, b.top, most), smallest_});
}

std::vector<std::pair<std::string, double>> ErrorSizes::summary() const {
  constexpr std::array kNames{"lengths", "lengths",         "coordinates",          "angles",
                              "speeds",  "rates of angles", "rates of coordinates", "states",
                              "work"};
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t k = 0; k < boxes_.size(); ++k) {
    const std::string name = kNames[static_cast<std::size_t>(boxes_[k].kind)];
    const double size = sizes_[k] > kNothing ? sizes_[k] : 0;
    const auto found = std::find_if(out.begin(), out.end(), [&](const auto& entry) { return entry.first == name; });
    if (found == out.end())
      out.emplace_back(name, size);
    else
      found->second = std::max(found->second, size);
  }
  return out;
}

}  // namespace mbc::runtime
