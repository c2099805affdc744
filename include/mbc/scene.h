// SPDX-License-Identifier: Apache-2.0
// The contents of a picture of a model: its particles and bodies with their shapes, the points on them, and the links
// between these, without those that `hide` leaves out; and their positions at a state. Pictures are made of this data
// only; names of columns have no meaning for them.
//
//   mbc::SceneView view = mbc::SceneView::of(simulation).value();
//   std::vector<double> poses(view.pose_size());
//   simulation.run({}, [&](const mbc::Row& row) { view.poses(row.time, row.state, poses); return true; });
//
// Positions are in space axes and always have three components (in `space 2` z is 0, in `space 1` y and z are 0);
// lengths are SI.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mbc/export.h"
#include "mbc/quantities.h"
#include "mbc/result.h"
#include "mbc/simulation.h"

namespace MBC_API mbc {

// A shape is described relative to its middle (a cone: relative to its mass centre), in the axes of the body turned by
// `axes`.
struct SceneShape {
  enum class Kind : std::uint8_t {
    none,       // a place without extension
    box,        // size: edges x, y, z
    cylinder,   // size: radius, length along z; a disc has the length 0, a thin rod the radius 0
    ellipsoid,  // size: half axes
    torus,      // size: radius to the middle of the tube, radius of the tube; a thin ring has the tube 0
    cone,       // size: radius, height along z; the mass centre is a quarter of it above the base
    capsule     // size: radius, length along z between the centres of the half balls at its ends
  };
  Kind kind = Kind::none;
  std::array<double, 3> size{};
  std::array<double, 4> axes{1, 0, 0, 0};  // quaternion from components of the shape to those of the body
  std::array<double, 3> centre{};          // its middle in body axes: the centre of a `shape`, else the mass centre
  // If `known`, the sizes are those of the first `shape` on the body, or those from which the library function
  // `function` computes this inertia. Otherwise the shape is the body of uniform density that has the inertia: an
  // ellipsoid, in `space 2` a disc.
  bool known = false;
  std::string function;
};

// A part with its own position in every frame of the picture.
struct ScenePart {
  enum class Kind : std::uint8_t { particle, body, place } kind{};  // place: a point or frame with its own motion
  std::string name;
  std::string description;
  double mass = 0;
  SceneShape shape;
  bool shown = true;  // otherwise `hide` makes a particle or body a place without a name
};

// A point fixed in a part, or in the ground.
struct SceneEnd {
  static constexpr std::uint32_t kGround = 0xffffffffu;
  std::uint32_t part = kGround;
  std::array<double, 3> offset{};  // in the axes of the part
};

struct ScenePoint {  // a point that the model names or a joint uses
  std::string name;  // "" if it has none
  SceneEnd at;
};

struct SceneLink {
  enum class Kind : std::uint8_t {
    rod,     // a constraint that holds a distance
    joint,   // a constraint that holds two points together; both ends are the same place
    spring,  // a potential of a distance
    force    // a force between two points: dampers, cables
  } kind{};
  std::string name;
  SceneEnd a, b;
};

// A vector at a point, different in every frame of the picture; in space axes.
struct SceneArrow {
  enum class Kind : std::uint8_t {
    force,    // a `force` statement
    reaction  // the force of a constraint on a particle or body with its own coordinates
  } kind{};
  std::string name;
  SceneEnd at;
};

struct Scene {
  unsigned space = 3;
  bool has_units = false;
  std::array<double, 3> up{0, 0, 1};  // opposite to gravity; without gravity z in space, y in the plane
  bool has_gravity = false;
  std::vector<ScenePart> parts;
  std::vector<ScenePoint> points;
  std::vector<SceneLink> links;
  std::vector<SceneArrow> arrows;  // 400 at most
  std::vector<Quantity> curves;    // names of the values of curves(): energies, the largest residual
};

class SceneView {
 public:
  static constexpr std::size_t kPoseSize = 7;  // x, y, z, then the quaternion w, x, y, z of body axes to space axes

  // Creates a view with the present parameters and inputs of the simulation. A model with more columns has no picture:
  // too_large.
  static constexpr std::size_t kMostColumns = 60000;
  [[nodiscard]] static Result<SceneView> of(Simulation& simulation);
  SceneView(SceneView&&) noexcept;
  SceneView& operator=(SceneView&&) noexcept;
  ~SceneView();

  [[nodiscard]] const Scene& scene() const;
  [[nodiscard]] std::size_t pose_size() const;  // kPoseSize times the number of parts
  // Sets the inputs and discrete states for all later calls: Row::inputs, or the inputs followed by only the values of
  // Simulation::held_names().
  void set_inputs(std::span<const double> inputs);
  // Computes the poses of the parts at a time and state y; `out` has pose_size() entries. Returns false if y or `out`
  // is too short.
  [[nodiscard]] bool poses(double time, std::span<const double> y, std::span<double> out);
  // Computes Scene::arrows, three components each, at a time and state with the multipliers of Row::multipliers;
  // without these, reactions are nan.
  [[nodiscard]] bool arrows(double time, std::span<const double> y, std::span<const double> multipliers,
                            std::span<double> out);
  // Returns the rank of the constraint rows at a time and state, and their smallest singular value that counts, rows
  // scaled to norm 1, as in Simulation::doctor(). The result is nothing without rows, with more than kMostRows rows, or
  // if a row is not finite. This costs far more than the other functions.
  static constexpr std::size_t kMostRows = 100;
  struct Rank {
    int rank = 0;
    double smallest = 0;
  };
  [[nodiscard]] std::optional<Rank> rank(double time, std::span<const double> y);
  // Computes Scene::curves at a time and state.
  [[nodiscard]] bool curves(double time, std::span<const double> y, std::span<double> out);

 private:
  struct Impl;
  explicit SceneView(std::unique_ptr<Impl> impl);
  void settle(Simulation& simulation);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mbc
