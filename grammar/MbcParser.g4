// SPDX-License-Identifier: Apache-2.0
// The sentences of .mbd text: one rule per syntax-tree node (compiler/ast/ast.h), with its name and an example above it.
// Nearly LL(1): statements arrive between START and END with their keywords resolved (see MbcLexer.g4), so each begins
// with its own token, and expressions are one rule per level of binding.
parser grammar MbcParser;
options { tokenVocab = MbcLexer; }

file : header? statement* EOF ;

// mbd 1
header : START MBD NUMBER END ;

statement
  : START
    ( BROKEN | param | let | def | space | gravity | entity | coord | coordinates | speed | state_var | input | load
    | constraint | output | init | simulate | test | sweep | when | use | component | instance | shape | requirement
    | visibility | for_block | if_block | expr_stmt )
    END
  ;

// { statement ... }
block : LBRACE statement* RBRACE ;

// ---- declarations ----------------------------------------------------------------------------------------------------

// p    p[i in 1..n]    link[1]    link[i, j]
declared : NAME (LBRACK declared_index (COMMA declared_index)* RBRACK)? ;
declared_index : binder | expression ;

// i in 1..n
binder : NAME IN range ;

// param m = 1 [kg], n: int = 3
param : PARAM param_item (COMMA param_item)* ;
param_item : declared (COLON NAME)? EQUALS expression ;

// let T0 = 2*pi*sqrt(R/g)
let : LET let_item (COMMA let_item)* ;
let_item : declared EQUALS expression ;

// def f(x, k = 2) = k*x^3
def : DEF declared parameters EQUALS expression ;

// (a: frame, axis: vector = ez, k = 2)
parameters : LPAREN (parameter (COMMA parameter)*)? RPAREN ;
parameter : NAME (COLON NAME)? (EQUALS expression)? ;

// space 2
space : SPACE expression ;

// gravity (0, 0, -9.81) [m/s^2]
gravity : GRAVITY expression ;

// particle bead(m) at (0.3, 0, 0) [m] moving (0, 1, 0) [m/s]
// body arm(mass = m, inertia = diag(A, B, C)) at (0, 0, 1) [m] rotated roty(30 [deg]) spinning (0, 0, 2) [rad/s]
// body arm(mass = m) follows frame(...)
// point tip on link at (2, 0, 0) [m]                             frame f on link rotated rotz(phi)
entity : (PARTICLE | BODY | POINT | FRAME) declared arguments? modifier* ;
modifier : (AT | MOVING | ROTATED | SPINNING | FOLLOWS | ON | FROM | RATE) expression ;

// coord x = 0 [m], phi = 30 [deg] rate 2 [rad/s]
coord : COORD coord_item (COMMA coord_item)* ;
coord_item : declared (EQUALS expression)? modifier* ;

// coordinates angle = angle_about(axis, a, b): b = a.at((0, 0, 0), rot(axis, angle))    coordinates x, y: b = a.at(x, y)
coordinates : COORDINATES (coordinates_item (COMMA coordinates_item)*)? COLON expression EQUALS expression ;
coordinates_item : NAME (EQUALS expression)? ;

// speed u1 = phi' - x'/R
speed : SPEED speed_item (COMMA speed_item)* ;
speed_item : declared EQUALS expression ;

// state i = 0 [rad*s] where i' = ref - phi    state u = 0 [N], v = 1    state phase in (flight, stance) = flight
state_var : STATE state_item (COMMA state_item)* ;
state_item : declared (IN labels)? EQUALS expression (WHERE postfix EQUALS expression)? ;
// (flight, stance)
labels : LPAREN NAME (COMMA NAME)* RPAREN ;

// input u [N*m] = 0
input : INPUT input_item (COMMA input_item)* ;
input_item : declared unit? (EQUALS expression)? ;

// force drag on bead: -0.1*bead.vel    torque motor on arm from ground: (0, 0, 1)*u    load motor on phi: u - c*phi'
// potential spring: 0.5*k*x^2
// friction rub on (p.vx, p.vy): 0.3*deck.lambda static 0.4*deck.lambda    friction grip on s: 0.5*deck.lambda restitution 0.6
load : (FORCE | TORQUE | LOAD | FRICTION | POTENTIAL | DISSIPATION | KINETIC) declared? modifier* COLON expression
       (STATIC expression)? (RESTITUTION expression)? ;

// constraint rod: dist(bead, cart) == l
// constraint wire: P.y == a*P.x^2 nonideal { force on P: -mu*norm(wire.ideal)*unit(P.vel) }
// constraint deck: p.z >= 0 restitution 0.8
constraint : CONSTRAINT declared? COLON expression (RESTITUTION expression)? (NONIDEAL block)? ;

// output E = energy.total, tip.pos, swing = hinge.angle in [deg]
output : OUTPUT output_item (COMMA output_item)* ;
output_item : (declared EQUALS)? expression (IN unit)? ;

// ---- initial state, runs, tests --------------------------------------------------------------------------------------

// init { phi = 30 [deg]; psi ~ 80 [deg]; disable foot }
init : INIT LBRACE init_entry* RBRACE ;
init_entry : START (BROKEN | DISABLE postfix (COMMA postfix)* | postfix (EQUALS | TILDE) expression) END ;

// simulate demo { time = 0 [s] .. 10 [s] step 1 [ms]; integrator = rk4; assemble; plot E; plot p.z in [cm] over p.x }
simulate : SIMULATE NAME? LBRACE setting* RBRACE ;
setting : START (BROKEN | plot | setting_key (EQUALS range_or_value)?) END ;
plot : PLOT shown (COMMA shown)* (OVER shown)? ;
// hinge.angle in [deg]
shown : expression (IN unit)? ;
setting_key : NAME key_index? (DOT NAME key_index?)* PRIME* ;
key_index : LBRACK MINUS? NUMBER (COMMA MINUS? NUMBER)* RBRACK ;

// test "closed" over demo { check abs(E - initial(E)) < 1e-8 [J] always }
test : TEST STRING OVER NAME LBRACE check* RBRACE ;
// check bead.z == -0.43 [m] within 1e-6 [m] at 2 [s]
check : START (BROKEN | CHECK expression check_clause*) END ;
check_clause : ALWAYS | (WITHIN | AT) expression ;

// sweep tune over demo { k = 100 [N/m] .. 1000 [N/m] count 50; a = 0 .. 90 step 10 in [deg]; record max_over(bead.z), final(E) }
// sweep parts over demo { m ~ normal(2, 0.1) [kg]; members = 1000; points = sobol; seed = 7 }
sweep : SWEEP NAME OVER NAME LBRACE sweep_entry* RBRACE ;
sweep_entry : START (BROKEN | RECORD shown (COMMA shown)* | setting_key (EQUALS | TILDE) range_or_value (IN unit)?) END ;

// when land: tip.z falling { phase = phase.stance }    at cut: 1 [s] { disable rope }    every 10 [ms] from 2 [ms] { u = v }
when
  : (WHEN event_name? expression (RISING | FALLING | CROSSING)? | AT_EVENT event_name? expression
    | EVERY event_name? expression (FROM expression)?) LBRACE assign* RBRACE
  ;
// land:    hit[i in 1..n]:
event_name : declared COLON ;
// u = kp*(ref - x)    disable rope, foot    impulse on p: (0, 0, 2) [N*s]    stop "fell"
assign
  : START
    ( BROKEN | (ENABLE | DISABLE) postfix (COMMA postfix)* | STOP STRING | IMPULSE ON postfix COLON expression
    | postfix EQUALS expression )
    END
  ;

// ---- reuse and structure ---------------------------------------------------------------------------------------------

// use joints, forces, "my_parts.mbd"
use : USE use_item (COMMA use_item)* ;
use_item : NAME | STRING ;

// joint Revolute(a: frame, b: frame, axis: vector = ez) { ... }    model Chain(n: int = 10) { ... }
component : (JOINT | MODEL) NAME parameters block ;

// Chain c(n = 50)
instance : TYPE_NAME declared arguments? ;

// shape hull on b at (0, 0, 0.1) [m] rotated rotz(30 [deg]): box(0.4 [m], 0.2 [m], 0.1 [m])
shape : SHAPE declared modifier* COLON expression ;

// require length > 0: "`length` is positive"
requirement : REQUIRE expression COLON STRING ;

// hide rod, car.frame    show car.frame.hull
visibility : (SHOW | HIDE) postfix (COMMA postfix)* ;

// for i in 2..n { constraint link[i]: dist(p[i-1], p[i]) == L/n }
for_block : FOR binder block ;

// if n > 1 { ... } else if n > 0 { ... } else { ... }
if_block : IF_BLOCK expression block (ELSE (block | if_block))? ;

// 2*x + 1    hinge.angle in [deg]    (only in the REPL)
expr_stmt : shown ;

// ---- expressions, loosest binding first ------------------------------------------------------------------------------

expression : if_expr | logic_or ;

// if x > 0 then x else -x
if_expr : IF expression THEN expression ELSE expression ;

// a or b or c
logic_or : logic_and (OR logic_and)* ;
// a and b and c
logic_and : logic_not (AND logic_not)* ;
// not a
logic_not : NOT logic_not | compare ;

// a < b    (a chain a < b < c is read here and refused with a message of its own)
compare : sum ((LT | LE | GT | GE | EQ | NE) sum)* ;

// a + b - c
sum : product ((PLUS | MINUS) product)* ;
// a*b/c
product : unary ((STAR | SLASH) unary)* ;
// -a^2 is -(a^2)
unary : (PLUS | MINUS) unary | power ;
// a^b^c is a^(b^c)
power : postfix (CARET unary)? ;

// bead.pos.x    p[i].vel    x''    f(2, k = 3)    9.81 [m/s^2]    sum(m*i for i in 1..n)
postfix : primary (member | index | arguments | PRIME | unit)* ;
member : DOT NAME ;
index : LBRACK expression (COMMA expression)* RBRACK ;
arguments : LPAREN (argument (FOR binder | (COMMA argument)*))? RPAREN ;
argument : (NAME EQUALS)? expression ;

// 2    "table.csv"    x    (a + b)    (0, 0, 1)
primary : NUMBER | STRING | NAME | tuple ;
tuple : LPAREN expression (COMMA expression)* RPAREN ;

// 1..n    0 .. 10 step 0.1    100 .. 1000 count 50
range : expression DOTDOT expression ((STEP | COUNT) expression)? ;
// the same, or a single value
range_or_value : expression (DOTDOT expression ((STEP | COUNT) expression)?)? ;

// [kg*m^2/s]    [1/s]    [m^(1/2)]    [J/(kg*K)]
unit : UNIT_OPEN unit_product RBRACK ;
unit_product : (NUMBER | unit_factor) ((STAR | SLASH) unit_factor)* ;
unit_factor : (NAME | LPAREN unit_product RPAREN) (CARET exponent)? ;
exponent : MINUS? NUMBER | LPAREN MINUS? NUMBER (SLASH NUMBER)? RPAREN ;
