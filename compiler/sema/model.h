// The model: what the text means, as plain data over one expression graph. Everything mechanical is an expression of
// coordinates, speeds and t; nothing is differentiated or instantiated for a solver yet (that is lower/).
// Values are SI; vectors have `space` components in the axes of the inertial frame.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ad/motion.h"
#include "compiler/graph/graph.h"
#include "compiler/sema/units.h"
#include "compiler/sema/value.h"

namespace mbc::sema {

struct Param {  // data: settable at run time, never compiled in
  std::string name;
  Dimension dimension;
  NodeId value;  // an expression of earlier parameters
  Span span;
  std::string doc;
  bool overridden = false;  // by --set
};

struct Coordinate {
  std::string name;  // "p1.x"
  Dimension dimension;
  NodeId initial;  // an expression of parameters
  NodeId rate;     // q' as an expression of t, q, u
  Span span;
  bool of_particle = false;  // a Cartesian coordinate of a free particle, not one declared with `coord`
};

struct Speed {
  std::string name;          // "p1.vx"
  std::string acceleration;  // "p1.ax"
  Dimension dimension;
  NodeId initial;
  std::optional<std::uint32_t> coordinate;  // u = q' of this coordinate
  Span span;
};

struct Particle {
  std::string name;
  NodeId mass;                       // an expression of parameters
  std::vector<NodeId> position;      // `space` components
  std::vector<NodeId> velocity;      // the same, differentiated
  std::vector<NodeId> acceleration;  // holds accel leaves
  Span span, mass_span;
  std::string doc;
  std::optional<std::uint32_t> first_coordinate;  // of a free particle; a follower has none of its own
};

struct RecordedColumn {
  enum class Kind : std::uint8_t { coordinate, speed, acceleration, output } kind{};
  std::uint32_t index = 0;
};

// How the rotation of a free body in `space 3` is described: the coordinates and speeds behind its place. Nothing that
// is seen of the body depends on it.
enum class Representation : std::uint8_t {
  quaternion,        // q = (r, p), u = (r', omega in body axes)
  euler_parameters,  // q = (r, p), u = q' (seed 004: RPCF-EP); row p.p = 1
  natural,           // q = (r, a, b, c), u = q', the columns of the rotation (seed 004: NACF); six rows
};
const char* to_text(Representation r);
std::optional<Representation> representation_named(std::string_view word);

// A rigid body: origin and rotation, each an expression of coordinates (and t). In `space 3` the rotation matrix
// takes body components to space components (row-major), omega and alpha are in body axes and the inertia is about the
// mass centre in body axes, (Ixx, Iyy, Izz, Ixy, Ixz, Iyz). In `space 2` the rotation is 2 x 2, omega, alpha and
// inertia are single numbers. The mass centre is the origin unless `com` moves it.
struct Body {
  std::string name;
  NodeId mass;
  std::vector<NodeId> inertia;
  std::vector<NodeId> position, velocity, acceleration;  // of the origin
  std::vector<NodeId> com;                               // in body axes; empty: the origin
  std::vector<NodeId> centre, centre_velocity;           // of the mass centre
  std::vector<NodeId> rotation;
  std::vector<NodeId> omega, alpha;
  std::vector<NodeId> quaternion;  // of a free body in space 3
  Span span, mass_span, inertia_span, rotation_span;
  std::string doc;
  std::optional<std::uint32_t> first_coordinate, first_speed;  // of a free body
  Representation representation = Representation::quaternion;
  // of a free body in space 3 at the start: what `rotated`, `spinning` and `init` say (init sets a quaternion)
  std::vector<NodeId> start_rotation, start_quaternion, start_omega;
  bool quaternion_given = false;
  bool inertia_moved = false;  // by `about`
  // columns recorded of a free body, in order: of its coordinates, speeds, accelerations or outputs
  std::vector<RecordedColumn> columns;
};

struct Point {  // fixed in a body or in the ground
  std::string name;
  std::vector<NodeId> position, velocity, acceleration;
  Span span;
};

struct Torque {  // a free moment, in the axes omega is given in
  std::string name;
  std::vector<NodeId> value, omega;
  Span span;
};

struct GeneralisedLoad {  // `load f on phi: value`: adds to the equation of one speed
  std::string name;
  NodeId value;
  std::uint32_t speed = 0;
  Span span;
};

struct EnergyTerm {  // written by hand, differentiated: a potential V(t,q), a Rayleigh function R(t,q,u), a kinetic
                     // energy T(t,q,u)
  enum class Kind : std::uint8_t { potential, dissipation, kinetic } kind{};
  std::string name;
  NodeId value;
  Span span;
};

struct Force {  // applied at a point
  std::string name;
  std::vector<NodeId> value;     // components, may depend on t, q, u, params, inputs
  std::vector<NodeId> position;  // of the point of application
  std::vector<NodeId> velocity;
  Span span;
};

struct Equation {  // one scalar row: lhs - rhs
  static constexpr std::uint32_t kNoConstraint = 0xffffffffu;
  std::string name;  // "rod" or "pin.x"; "b.norm", "b.ab" of a body's representation
  std::uint32_t constraint = 0;
  NodeId residual;
  Level level = Level::position;
  Dimension dimension;
  Span span;
  std::optional<Representation> of_body{};  // a row of the representation of a body, not of the user's
  NodeId weight{};                          // of such a row: its share D in M + A^T D A
};

struct Constraint {
  std::string name;
  bool named = true;
  std::uint32_t first_row = 0, row_count = 0;
  Span span;
  std::string doc;
};

struct Output {
  std::string name;
  NodeId value;
  Dimension dimension;
  Span span;
  bool of_follower = false;  // a component of a following particle, recorded like those of a free one
};

struct Choice {  // rk4 | project(tol = 1e-12)
  std::string name;
  std::vector<std::pair<std::string, double>> arguments;  // a word given as argument has value 1 and its name
  Span span;
  bool written = false;  // else the default
};

struct Simulation {
  std::string name;
  double begin = 0, end = 0, step = 0;
  Choice integrator, formulation, stabilise, bodies;
  std::string save;
  bool assemble = false;
  Span span, time_span;
};

struct Model {
  std::uint32_t space = 3;
  bool has_units = false;  // a unit is written somewhere: dimensions are checked against mechanics
  // of free bodies that do not choose: structure, from a `simulate` block
  Representation bodies_default = Representation::quaternion;
  graph::Graph graph;
  std::vector<Param> params;
  std::vector<Coordinate> coordinates;
  std::vector<Speed> speeds;
  std::vector<Particle> particles;
  std::vector<NodeId> gravity;  // empty when none; constant in time and space
  std::vector<Body> bodies;
  std::vector<Point> points;
  std::vector<std::uint32_t> quaternions;  // first of the four coordinates of each
  std::vector<Force> forces;
  std::vector<Torque> torques;
  std::vector<GeneralisedLoad> loads;
  std::vector<EnergyTerm> energies;
  std::vector<Constraint> constraints;
  std::vector<Equation> equations;
  std::vector<Output> outputs;
  std::vector<Simulation> simulations;

  // The motion of the leaves for differentiation.
  [[nodiscard]] ad::Motion motion() const {
    return {[this](std::uint32_t i) { return coordinates[i].rate; }, {}};
  }
};

// Dimensions that a model without units does not have.
inline Dimension physical(const Model& model, const Dimension& d) { return model.has_units ? d : Dimension{}; }

std::string print(const Model& model);

}  // namespace mbc::sema
