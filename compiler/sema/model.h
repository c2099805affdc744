// SPDX-License-Identifier: Apache-2.0
// The model: the meaning of the text, as plain data over one expression graph. Everything mechanical is an expression
// of coordinates, speeds and t; differentiation and instances for a solver follow in lower/. Values are SI; vectors
// have `space` components in the axes of the inertial frame.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/name.h"
#include "base/settings.h"
#include "compiler/ad/motion.h"
#include "compiler/sema/blocks.h"
#include "compiler/sema/components.h"
#include "compiler/sema/event.h"
#include "compiler/sema/names.h"
#include "compiler/sema/units.h"
#include "compiler/sema/value.h"
#include "compiler/sema/visibility.h"
#include "kernel/problem/check.h"
#include "kernel/problem/problem.h"

namespace mbc::sema {

inline constexpr const char* kAxes = "xyz";  // how components of vectors are named

struct Param {  // data: settable at run time, never compiled in
  std::string name;
  Dimension dimension;
  NodeId value;  // an expression of earlier parameters
  Span span;
  std::string doc;
  bool overridden = false;     // by --set
  bool argument = false;       // of an instance, kept as data because something sets or varies it
  bool any_dimension = false;  // a 0 written without a unit: a value that replaces it may have any dimension
};

// The origin of an initial value. Written and soft: a wish of `init`. Soft and not written: a declared place that
// follows values that `init` gives to others.
struct Start {
  bool written = false;   // in `init`; of a speed also by the declaration, else it is zero by default
  bool soft = false;      // `psi ~ 80 [deg]`: the assembly may move it
  bool declared = false;  // written, by `moving` or `spinning` and not in `init`
};

struct Coordinate {
  Name name;  // "p1.x"
  Dimension dimension;
  NodeId initial;  // an expression of parameters
  NodeId rate;     // q' as an expression of t, q, u
  Span span;
  bool of_particle = false;  // a Cartesian coordinate of a free particle, not one declared with `coord`
  Start start{};
  // A coordinate of a joint in a tree, which turns or slides by it. The output of its name is recorded in its place.
  enum class OfJoint : std::uint8_t { none, turns, slides } of_joint{};
};

struct Speed {
  Name name;          // "p1.vx"
  Name acceleration;  // "p1.ax"
  Dimension dimension;
  NodeId initial;
  std::optional<std::uint32_t> coordinate;  // u = q' of this coordinate
  Span span;
  Start start{};
};

// `init { tip.x ~ 0.3 }`: a target of the assembly that is no coordinate or speed itself. A hard target is one more row
// of the assembly, a soft one is one more term of the sum that it minimises.
struct InitialTarget {
  std::string name;
  NodeId target, value;  // value: an expression of parameters
  Level level = Level::position;
  Dimension dimension;
  Start start{};
  Span span;
  NodeId weight{};  // of a wish: the mass or inertia that moves; not valid: what the mass matrix says
};

struct State {  // a first-order state s with s' given as an expression
  std::string name;
  Dimension dimension;
  NodeId initial;    // an expression of parameters
  NodeId rate_leaf;  // s' as a leaf: the value of a prime while the rate is not known yet
  NodeId rate;       // an expression of t, q, u, s, parameters and inputs
  Span span, rate_span;
  std::string doc;
};

struct Input {  // a value set from outside, constant within a step
  std::string name;
  Dimension dimension;
  NodeId value;  // unless set: an expression of parameters
  Span span;
  std::string doc;
  std::optional<std::pair<double, Dimension>> unit = {};  // written after the name: pure numbers are taken in it
};

struct Particle {
  Name name;
  NodeId mass;              // an expression of parameters
  Components position;      // `space` of them
  Components velocity;      // the same, differentiated
  Components acceleration;  // holds accel leaves
  Span span, mass_span;
  SharedText doc;
  std::optional<std::uint32_t> first_coordinate;  // of a free particle; a prescribed body has none of its own
};

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
  std::vector<NodeId> negated_rotation;  // entries of -R as written (b - a for a - b), where R' = R skew(omega)
  std::vector<NodeId> omega, alpha;
  std::vector<NodeId> quaternion;  // of a free body in space 3
  Span span, mass_span, inertia_span, rotation_span;
  std::string doc;
  std::optional<std::uint32_t> first_coordinate, first_speed;  // of a free body
  Representation representation = Representation::quaternion;
  // of a free body in space 3 at the start, from `rotated`, `spinning` and `init` (init sets a quaternion)
  std::vector<NodeId> start_rotation, start_quaternion, start_omega;
  bool quaternion_given = false;
  bool start_moves = false;    // `moving` or `spinning` is written
  bool inertia_moved = false;  // by `about`
  // columns recorded of a free body, in order: of its coordinates, speeds, accelerations or outputs
  std::vector<problem::Recorded> columns;
};

// A body of a tree: its motion seen from the body that carries it, as expressions of coordinates and speeds.
struct Link {
  std::uint32_t body = 0;
  std::optional<std::uint32_t> carrier;  // a body whose link is listed before; else the ground
  std::vector<NodeId> point;             // of the joint, in the axes of the body, where it may slide
  std::vector<NodeId> r, R;              // of that point and of the axes of the body, in the axes of the carrier
  std::vector<NodeId> omega;             // of R, in the axes of the body
  // The body turns by speeds of its own: omega is its angular velocity, whatever the carrier does.
  bool turns_alone = false;
};

// A joint with coordinates of its own under `bodies = tree`.
struct JointOfTree {
  std::string joint, body, carrier;  // the joint carries the body, from another one or from the ground
  std::string why_rows;              // the reason for which the joint stays rows and carries nothing; else ""
};

struct Point {  // fixed in a body or in the ground
  std::string name;
  std::vector<NodeId> position, velocity, acceleration;
  Span span;
  std::optional<std::uint32_t> body;  // fixed in it
};

// `loop.reaction(j.angle)`: the generalised force of a constraint on the coordinate of a joint. It is known when the
// tree is decided; until then a leaf stands for it.
struct JointReaction {
  std::uint32_t constraint = 0;
  LeafKind part = LeafKind::multiplier;  // or ideal
  NodeId measure;                        // of the coordinate
  Span span;
};

// Axes with an origin, fixed in a body, in the ground, or following expressions: as the rotation and omega of a body.
struct Frame {
  std::string name;
  std::vector<NodeId> position, velocity, acceleration;
  std::vector<NodeId> rotation, omega, alpha;  // omega and alpha in the frame's own axes
  Span span;
  std::optional<std::uint32_t> body;  // fixed in it
  bool ground = false;                // fixed in the ground
  bool named = false;                 // declared with `frame`, not an argument or `.at(...)`
};

struct PlacedShape {  // `shape hull on b: box(..)`, in its own axes: those of the frame
  std::string name, kind;
  std::uint32_t frame = 0;                // of Model::frames
  std::optional<std::uint32_t> particle;  // that it is fixed to
  std::vector<NodeId> size;  // box: x, y, z; sphere: radius; capsule, cylinder: radius, length; plane: normal
  Span span;
};

struct Torque {  // a free moment, in the axes of omega; of a friction: its force, against the slip
  std::string name;
  std::vector<NodeId> value, omega;
  Span span;
  bool nonideal = false;  // the prescribed part of a constraint (`nonideal { ... }`): may depend on `.ideal`
  bool friction = false;
};

struct ConstantRotation {  // a matrix that must be a rotation for all values of its parameters, coordinates and time
  std::vector<NodeId> matrix;
  std::string what;
  Span span;
};

struct Requirement {  // that a component states with `require`: a condition of parameters that has to hold
  NodeId condition;
  std::string text;  // with the path of the instance
  Span span;         // of the instance
};

struct GeneralisedLoad {  // `load f on phi: value`: paired with the rate of a coordinate, of the model or of a joint
  std::string name;
  NodeId value, rate;
  Span span;
  bool nonideal = false;  // as of a torque
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
  bool nonideal = false;  // as of a torque
};

struct QuasiVelocity {  // `speed u1 = phi' - x'/R`: linear in the speeds, Y u + Z
  std::string name;
  NodeId value;
  Dimension dimension;
  Span span;
  std::string doc;
};

struct Equation {  // one scalar row: lhs - rhs
  static constexpr std::uint32_t kNoConstraint = 0xffffffffu;
  Name name;  // "rod" or "pin.x"; "b.norm", "b.ab" of a body's representation
  std::uint32_t constraint = 0;
  NodeId residual;
  Level level = Level::position;
  Dimension dimension;
  Span span;
  std::optional<Representation> of_body{};  // a row of the representation of a body, not of the user's
  NodeId weight{};                          // of such a row: its weight D in M + A^T D A
};

struct Entity {  // a particle or body
  Shape shape{};
  std::uint32_t index = 0;
};

struct Constraint {
  Name name;
  bool named = true;
  std::uint32_t first_row = 0, row_count = 0;
  Span span;
  SharedText doc;
  std::optional<Entity> first_entity;  // the first one in the text: the one that `.reaction` acts on
};

// The multipliers of a constraint of which a tree has replaced rows.
struct TreeMultipliers {
  std::vector<NodeId> values;
  Dimension dimension;
};

struct Output {
  Name name;
  NodeId value;
  Dimension dimension;
  Span span;
  bool of_follower = false;  // a component of a following particle, recorded like those of a free one
  SharedText unit{};         // in which it is written; "": SI
  bool of_instance = false;  // declared by a component
};

// A row of a carrying joint holds where the bodies are drawn if its residual is below this part of its terms.
inline constexpr double kDrawnApart = 1e-6;

// The residual, or its rate, of a row that a carrying joint replaces, where the bodies are drawn.
struct DrawnRow {
  Name name;
  Span span;
  NodeId residual;  // of parameters
};

// An angle of atan2 in the name of a joint's coordinate, which counts turns (sema/joint_angles.h).
struct JointAngle {
  problem::JointAngle angle;
  NodeId counted, measured;  // with turns; from -pi to pi
};

// Leaves from this number on stand for coordinates and speeds of Model::placed.
inline constexpr std::uint32_t kPlaced = 0x40000000u;

struct Model {
  std::uint32_t space = 3;
  bool has_units = false;  // a unit is written somewhere: dimensions are checked against mechanics
  // the default of free bodies that choose none: structure, from a `simulate` block
  Representation bodies_default = Representation::quaternion;
  bool bodies_alike = false;  // it replaces the choice of every body
  graph::Graph graph;
  std::vector<Param> params;
  std::vector<Name> arguments;         // of instances, by path, and other numbers that shape the model
  std::vector<std::string> shaped_by;  // params whose values the elaboration needed: arguments that are no data
  std::vector<Coordinate> coordinates;
  std::vector<Speed> speeds;
  // Coordinates and speeds that stand for the motion of bodies and joints under `bodies = tree`, until it is decided
  // which of them the coordinates of the model are (sema/tree/tree.h).
  std::vector<Coordinate> placed;
  std::vector<Speed> placed_speeds;
  std::vector<Link> links;           // of all bodies under `bodies = tree`, if the time moves none of them
  std::vector<JointOfTree> tree;     // what was decided, in the order of the text
  std::vector<DrawnRow> drawn_rows;  // those that parameters move
  std::set<std::pair<std::uint32_t, std::uint32_t>> joint_coordinates;  // file and place of the names declared
  std::vector<JointAngle> joint_angles;
  std::map<std::uint32_t, NodeId> measures;  // what the names of joints' coordinates are without turns, by their nodes
  std::map<std::uint32_t, TreeMultipliers> tree_multipliers;  // by constraint, where they are known
  std::vector<JointReaction> joint_reactions;                 // leaf kPlaced + k of the multipliers
  std::vector<State> states;
  std::vector<Input> inputs;
  InputSignals signals;  // of the inputs, in this model
  std::vector<problem::InputSignal> input_signals;
  bool reads_files = false;  // tables
  // Sources of tables with the name by which the command line asks a loader for each; "" if the command line does not.
  std::set<std::pair<std::uint32_t, std::string>> asked_files;
  std::vector<Held> held;     // input leaf held_at + k
  std::uint32_t held_at = 0;  // the number of inputs
  std::vector<Event> events;
  std::vector<NodeId> event_values;                      // computed behind the outputs
  std::map<std::uint32_t, std::uint32_t> held_at_begin;  // by node e: the discrete state of `initial(e)`
  std::vector<Event> kinks;                              // of discontinuities
  std::vector<problem::ContinuityCheck> followed;        // prescribed bodies whose places have kinks
  std::vector<problem::ContinuityCheck> momenta;         // of kinetic energies that have kinks
  Span unlocated_kink;  // the first piecewise function that changes inside steps and is in neither list
  std::vector<problem::SwitchedRow> switched_rows;
  std::vector<Unilateral> unilaterals;
  std::vector<Friction> frictions;
  std::vector<ReactionDependentForce> reaction_dependent;
  std::vector<Particle> particles;
  std::vector<NodeId> gravity;  // empty when none; constant in time and space
  std::vector<Body> bodies;
  std::vector<Point> points;
  std::vector<Frame> frames;
  std::vector<PlacedShape> shapes;
  std::vector<std::uint32_t> quaternions;  // first of the four coordinates of each
  std::vector<Requirement> requirements;
  Visibility visibility;
  std::vector<ConstantRotation> constant_rotations;  // those that hold parameters
  std::vector<ConstantRotation> moving_rotations;    // those that hold coordinates or the time
  std::vector<Force> forces;
  std::vector<Torque> torques;
  std::vector<GeneralisedLoad> loads;
  std::vector<EnergyTerm> energies;
  std::vector<QuasiVelocity> quasi_velocities;
  std::vector<Constraint> constraints;
  std::vector<Equation> equations;
  std::vector<Output> outputs;
  std::vector<InitialTarget> initial_targets;
  std::vector<problem::Instance> instances;  // outer instances come first
  // The unit of an initial value as written in `init`, if it is a single one, by the leaf of the value; for reports.
  std::map<std::pair<LeafKind, std::uint32_t>, std::string> start_units;
  std::vector<Simulation> simulations;
  std::vector<Test> tests;
  std::vector<Sweep> sweeps;
  std::optional<std::uint32_t> asked_sweep;  // the one that Structure::sweep asks for
  std::vector<NodeId> probes;                // values for tests: computed behind the outputs, in runs of tests only
  std::vector<RunValue> run_values;          // input leaf first_run_value() + k

  // Returns the index of an input, or their number if there is none of that name.
  [[nodiscard]] std::uint32_t input_named(std::string_view name) const {
    for (std::uint32_t k = 0; k < inputs.size(); ++k)
      if (inputs[k].name == name) return k;
    return static_cast<std::uint32_t>(inputs.size());
  }
  // Values that tests and sweeps observe are computed behind the outputs and the values of events.
  [[nodiscard]] std::uint32_t first_probe() const {
    return static_cast<std::uint32_t>(outputs.size() + event_values.size());
  }
  // The input leaves of run values follow those of the model's own inputs.
  [[nodiscard]] std::uint32_t first_run_value() const { return held_at + static_cast<std::uint32_t>(held.size()); }
  // Returns the leaf of a discrete variable.
  [[nodiscard]] NodeId discrete(std::uint32_t k) { return graph.leaf(LeafKind::input, held_at + k); }
  // Adds a number that only events change, 0 at first; returns its index.
  std::uint32_t add_held(problem::DiscreteVariable::Use use, const Name& variable, const Dimension& dimension,
                         Span span) {
    held.push_back({{use, variable, span}, dimension, graph.zero(), ""});
    return static_cast<std::uint32_t>(held.size() - 1);
  }
  // Adds a number that events watch or assign; returns its index in `event_values`.
  std::uint32_t add_value(NodeId node) {
    event_values.push_back(node);
    return static_cast<std::uint32_t>(event_values.size() - 1);
  }
  // The numbers of the leaves that the next coordinate and speed have; `stands`: for the motion of a body of a tree.
  [[nodiscard]] std::uint32_t next_coordinate(bool stands = false) const {
    return stands ? kPlaced + static_cast<std::uint32_t>(placed.size())
                  : static_cast<std::uint32_t>(coordinates.size());
  }
  [[nodiscard]] std::uint32_t next_speed(bool stands = false) const {
    return stands ? kPlaced + static_cast<std::uint32_t>(placed_speeds.size())
                  : static_cast<std::uint32_t>(speeds.size());
  }
  // Adds a coordinate with a speed that is its rate; returns the number of the speed.
  std::uint32_t add_coordinate(Coordinate q, Speed u, bool stands = false) {
    const std::uint32_t speed = next_speed(stands);
    q.rate = graph.leaf(LeafKind::speed, speed);
    u.coordinate = next_coordinate(stands);
    (stands ? placed : coordinates).push_back(std::move(q));
    (stands ? placed_speeds : speeds).push_back(std::move(u));
    return speed;
  }
  // Returns the coordinate or speed of a leaf.
  [[nodiscard]] Coordinate& coordinate(std::uint32_t leaf) {
    return leaf < kPlaced ? coordinates[leaf] : placed[leaf - kPlaced];
  }
  [[nodiscard]] const Coordinate& coordinate(std::uint32_t leaf) const {
    return leaf < kPlaced ? coordinates[leaf] : placed[leaf - kPlaced];
  }
  [[nodiscard]] Speed& speed(std::uint32_t leaf) {
    return leaf < kPlaced ? speeds[leaf] : placed_speeds[leaf - kPlaced];
  }
  [[nodiscard]] const Speed& speed(std::uint32_t leaf) const {
    return leaf < kPlaced ? speeds[leaf] : placed_speeds[leaf - kPlaced];
  }
  // Returns whether a load belongs to a `nonideal` block.
  [[nodiscard]] bool any_nonideal() const {
    const auto any = [](const auto& list) {
      return std::any_of(list.begin(), list.end(), [](const auto& load) { return load.nonideal; });
    };
    return any(forces) || any(torques) || any(loads);
  }
  // Returns the index in `held` if the node is a discrete variable.
  [[nodiscard]] std::optional<std::uint32_t> discrete_index(const Node& n) const {
    const bool is_one = n.op == Op::leaf && n.leaf == LeafKind::input && n.a >= held_at;
    return is_one && n.a < first_run_value() ? std::optional(n.a - held_at) : std::nullopt;
  }
  [[nodiscard]] bool is_discrete(const Node& n, problem::DiscreteVariable::Use use) const {
    const std::optional<std::uint32_t> k = discrete_index(n);
    return k && held[*k].variable.use == use;
  }
  // Returns the name of an input leaf that is no run value.
  [[nodiscard]] std::string input_name(std::uint32_t leaf) const {
    return leaf < held_at ? inputs[leaf].name : held[leaf - held_at].variable.name.text();
  }

  // Returns whether a value is a coordinate of a joint, by the place of its name's declaration.
  [[nodiscard]] bool is_joint_coordinate(Span declared) const {
    return joint_coordinates.contains({declared.file, declared.begin});
  }

  // Returns the motion of the leaves for differentiation.
  [[nodiscard]] ad::Motion motion() const {
    return {[this](std::uint32_t i) { return coordinate(i).rate; },
            [this](std::uint32_t k) { return states[k].rate_leaf; }};
  }
};

// Removes the dimension in a model without units.
inline Dimension physical(const Model& model, const Dimension& d) { return model.has_units ? d : Dimension{}; }

// Returns the residual as it is written: that of an inequality is the gap, before its row is switched.
inline NodeId written_residual(const Model& model, std::uint32_t row) {
  for (const Unilateral& u : model.unilaterals)
    if (model.constraints[u.constraint].first_row == row) return u.residual;
  return model.equations[row].residual;
}

// Returns the dimension of the multiplier of a row. Q = A^T lambda: A is e per coordinate, per speed or per
// acceleration, depending on the level of the row.
inline Dimension multiplier_dimension(const Model& model, const Equation& e) {
  const Dimension time = time_dimension(), unit = energy_dimension() / e.dimension;
  return physical(model, e.level == Level::velocity       ? unit / time
                         : e.level == Level::acceleration ? unit / (time * time)
                                                          : unit);
}

std::string print(const Model& model);
// Returns the name of a leaf of the model's graph: "theta", "omega'", "lambda(rod)".
std::string leaf_name(const Model& model, LeafKind kind, std::uint32_t index);

}  // namespace mbc::sema
