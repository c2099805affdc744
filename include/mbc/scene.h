// SPDX-License-Identifier: Apache-2.0
// What a picture of a model shows: its particles and bodies with their shapes, the points on them, and what connects
// these; and where everything is at a state. A picture is made of this and of nothing else: names of columns say
// nothing.
//
//   mbc::SceneView view = mbc::SceneView::of(simulation).value();
//   std::vector<double> poses(view.pose_size());
//   simulation.run({}, [&](const mbc::Row& row) { view.poses(row.time, row.state, poses); return true; });
//
// Places are in space axes, always three components (in `space 2` z is 0, in `space 1` y and z are); lengths are SI.
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

// About its middle (a cone: about its mass centre), in the axes of the body turned by `axes`.
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
  std::array<double, 4> axes{1, 0, 0, 0};  // quaternion: components of the shape to those of the body
  std::array<double, 3> centre{};          // its middle in body axes: of a `shape` where that stands, else of mass
  // The sizes are those of the first `shape` on it, else those that the function of the library gives this inertia
  // from, `function`. Else it is the body of
  // uniform density that has the inertia: an ellipsoid, in `space 2` a disc.
  bool known = false;
  std::string function;
};

// What has a place of its own in every frame.
struct ScenePart {
  enum class Kind : std::uint8_t { particle, body, place } kind{};  // place: a point or frame that moves by itself
  std::string name;
  std::string description;
  double mass = 0;
  SceneShape shape;
};

// A point fixed in a part, or in the ground.
struct SceneEnd {
  static constexpr std::uint32_t kGround = 0xffffffffu;
  std::uint32_t part = kGround;
  std::array<double, 3> offset{};  // in the axes of the part
};

struct ScenePoint {  // that the model names or a joint uses
  std::string name;  // "" where it has none
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

// A vector at a place, in every frame another one; in space axes.
struct SceneArrow {
  enum class Kind : std::uint8_t {
    force,    // a `force` statement
    reaction  // what a constraint does to a particle or body with coordinates of its own
  } kind{};
  std::string name;
  SceneEnd at;
};

struct Scene {
  unsigned space = 3;
  bool has_units = false;
  std::array<double, 3> up{0, 0, 1};  // against gravity; without it z in space, y in the plane
  bool has_gravity = false;
  std::vector<ScenePart> parts;
  std::vector<ScenePoint> points;
  std::vector<SceneLink> links;
  std::vector<SceneArrow> arrows;  // 400 at most
  std::vector<Quantity> curves;    // energies, the largest residual: what curves() gives
};

class SceneView {
 public:
  static constexpr std::size_t kPoseSize = 7;  // x, y, z, then the quaternion w, x, y, z of body axes to space axes

  // With the parameters and inputs that the simulation has now. A model of more columns has no picture: too_large.
  static constexpr std::size_t kMostColumns = 60000;
  [[nodiscard]] static Result<SceneView> of(Simulation& simulation);
  SceneView(SceneView&&) noexcept;
  SceneView& operator=(SceneView&&) noexcept;
  ~SceneView();

  [[nodiscard]] const Scene& scene() const;
  [[nodiscard]] std::size_t pose_size() const;  // kPoseSize times the number of parts
  // From now on the inputs and what only events change are these: Row::inputs, or the inputs and the values of
  // Simulation::held_names() alone.
  void set_inputs(std::span<const double> inputs);
  // Where the parts are at a time and state y; `out` has pose_size() entries. False where y or `out` is too short.
  [[nodiscard]] bool poses(double time, std::span<const double> y, std::span<double> out);
  // Scene::arrows, three components each, at a time and state with the multipliers that Row::multipliers has; without
  // these reactions are nan.
  [[nodiscard]] bool arrows(double time, std::span<const double> y, std::span<const double> multipliers,
                            std::span<double> out);
  // Rank of the rows of constraints at a time and state, and their smallest singular value that counts, rows scaled to
  // norm 1: as Simulation::doctor() has them. Nothing without rows, with more than kMostRows, and where one of them is
  // not finite. Costs far more than all else here.
  static constexpr std::size_t kMostRows = 100;
  struct Rank {
    int rank = 0;
    double smallest = 0;
  };
  [[nodiscard]] std::optional<Rank> rank(double time, std::span<const double> y);
  // Scene::curves at a time and state.
  [[nodiscard]] bool curves(double time, std::span<const double> y, std::span<double> out);

 private:
  struct Impl;
  explicit SceneView(std::unique_ptr<Impl> impl);
  void settle(Simulation& simulation);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mbc
