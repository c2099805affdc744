// SPDX-License-Identifier: Apache-2.0
// The texts of `mbc --help` and `mbc COMMAND --help` below the options.
#pragma once

namespace mbc::tools {

inline constexpr const char* kDescription = "mbc: compiles and runs models of constrained mechanics (.mbd)";

inline constexpr const char* kMainFooter =
    R"(Without a command, mbc reads statements and expressions from the keyboard or a pipe.

Examples:
  mbc new pendulum                                       a model to begin with
  mbc run pendulum.mbd -o pendulum.csv
  mbc view pendulum.mbd                                  run it and see it in the browser
  mbc check pendulum.mbd
  printf 'param g = 9.81\n2*g\n' | mbc

libmbc-jit.so, which makes native code, is looked for beside mbc, in ../lib from there, and in $MBC_LIBRARY_PATH.

Exit status: 0 all went well, 1 the model has errors or a test failed, 2 wrong command line, or native code was demanded
(--native, --both, compile) and cannot be had, 3 inconsistent initial state,
4 the integration stopped, 5 a limit (--max-steps, --max-time, --max-output) ended the run, 70 internal error, 74 output could not be written, 130 interrupted.)";

inline constexpr const char* kRunFooter =
    R"(The rows go to FILE.csv or FILE.h5 of -o, else to the file `save` of the simulate block names (relative to the model),
else to standard output; a terminal gets the first and last rows only. FILE.csv.json beside it holds units and settings.
They are written as FILE.csv.partial and take their names when the run is complete, so a result that is there is never half
replaced. Rows of a run that ends early take them too, marked so in FILE.csv.json, where no whole result would be lost.
A file that is there and is no result of mbc stays, unless --force is given; what the run reads stays in any case.
FILE.h5 is HDF5: the dataset `rows` with names and units of its columns as attributes; it can be read while it is written.
Ctrl-C ends the run after its step and keeps what was written; a second one ends mbc at once.
--checkpoint saves the run every minute (or --every) and where it ends early; `mbc resume` goes on from there with the same bits.
A run begins by the interpreter; a long one changes over to native code, compiled beside it, with the same results bit for bit.
Compiled code is kept in $MBC_CACHE (off: nowhere), else in $XDG_CACHE_HOME/mbc or ~/.cache/mbc, at most 256 MB.

Examples:
  mbc run pendulum.mbd                                   run its `simulate` block
  mbc run pendulum.mbd swing -o swing.csv                run `simulate swing`, rows to swing.csv
  mbc run pendulum.mbd --set "R = 0.4 [m]" --set time.end=20
  mbc run pendulum.mbd --checkpoint swing.check --every 5min
  mbc run pendulum.mbd --report swing.html               a page with the motion, curves and summary
  generate_model | mbc run - | plot_rows                 model from a pipe, rows to a pipe)";

inline constexpr const char* kResumeFooter =
    R"(Goes on with a run that `mbc run --checkpoint FILE` has left: interrupted, ended by a limit, or killed. Model, modules and settings
have to be those of the run. Rows that were written behind the checkpoint are written again; rows and summary are those of a run that
was not left, bit for bit, or within the tolerance where the method for stiff problems was at work. FILE is replaced by later
checkpoints and removed when the run is complete. Exit status 2: FILE is no checkpoint, is damaged, or of something else.

Examples:
  mbc resume swing.check
  mbc resume swing.check --max-time 8h)";

inline constexpr const char* kViewFooter =
    R"(Runs a simulation as `mbc run` does and writes one HTML file with the motion as an animation, curves of all columns, the
summary, parameters and the text of the model; no CSV file is written. The page needs no network and no other file. Without -o it
goes to a new file of the folder for temporary files. Its path is printed, and where there is a display it is opened (xdg-open).
A run that stops early is shown up to where it came.

Examples:
  mbc view pendulum.mbd
  mbc view pendulum.mbd swing -o swing.html --set "R = 0.4 [m]")";

inline constexpr const char* kPlotFooter =
    R"(Curves of columns of a CSV or HDF5 file that `mbc run -o` wrote, over the time or over another column. A name with dots and a star stands for
all columns that begin so (`p.*`); without names what the model asks for with `plot`, or else the outputs, or the first columns. Units
are those of RESULT.csv.json. Without -o the picture goes to the terminal, in braille characters; -o writes SVG, PNG or PDF,
LaTeX for the package pgfplots, or a script for gnuplot.

Examples:
  mbc plot swing.csv bob.z
  mbc plot a.csv bob.z --with b.csv --label mine --label theirs --title "" -o both.pdf
  mbc plot errors.csv error --log y --points -o errors.tex
  mbc plot swing.csv "E, T" --width 100
  mbc plot swing.csv "bob.x, bob.z; bob.vx, bob.vz" --across 2 -o panels.svg
  mbc plot lengths.csv E --against phi0 --by L --bars range -o sweep.svg
  mbc plot driven.csv "th'" --against th --at-event strobe -o section.svg
  mbc plot swing.csv "hinge.angle in [deg]" -o angle.png
  mbc plot swing.csv bob.vz --against bob.z -o phase.svg
  mbc plot swing.csv --stroboscopic --poses 8 --plane xz -o poses.pdf
  mbc plot swing.csv --animation -o swing.mp4)";

inline constexpr const char* kCheckFooter = R"(Examples:
  mbc check pendulum.mbd
  mbc check pendulum.mbd --diagnostics=json              one JSON object a line on stderr, for editors
  mbc check pendulum.mbd --json                          one JSON object on stdout: ok, sizes, diagnostics)";

inline constexpr const char* kCompileFooter =
    R"(Stages: ast, model, system, kernel, jacobian (partial derivatives, for `bdf`), llvm-ir, bitcode, asm, obj, archive, so, header, exe,
fmu. An object file holds PREFIX_rhs and its kin and needs libmbc_support.a only; an archive holds that as well, and a shared object
needs nothing but the C library; the header has their signatures, sizes, names and values. The ending of OUT picks the stage when
--emit is not given: .o .a .so .h .ll .bc .s, and .fmu: the model for importers of FMI, for Model Exchange, and for Co-Simulation by
the `simulate` block NAME. `--emit exe` writes a program that does what `mbc run` does with the model, without LLVM and with nothing
installed.

Examples:
  mbc compile pendulum.mbd --emit=kernel                 what is computed in every step
  mbc compile pendulum.mbd --emit=system -o system.txt
  mbc compile pendulum.mbd -o pendulum.o --prefix=swing  functions swing_rhs, ...
  mbc compile pendulum.mbd -o pendulum.h --prefix=swing  and what a program in C needs to call them
  mbc compile pendulum.mbd -o pendulum.o --cpu=native    with the fused multiply-adds of this machine
  mbc compile pendulum.mbd --emit exe -o pendulum        then: ./pendulum --set "R = 0.4 [m]" -o swing.csv
  mbc compile pendulum.mbd swing -o pendulum.fmu         by FMI 3; --fmi 2 for importers of FMI 2)";

inline constexpr const char* kDoctorFooter =
    R"(Degrees of freedom, redundant and contradicting rows by name, coordinates that nothing determines, the rank at the initial
state, at random states on the constraints and along the motion of a `simulate` block, and what that motion conserves.
Exit status 0: the model can run; 3: the initial state is off or rows contradict each other; 4: the motion is not determined, or stops.

Examples:
  mbc doctor four_bar.mbd
  mbc doctor four_bar.mbd swing --samples 100 --json)";

inline constexpr const char* kLinearizeFooter =
    R"(The linear model x' = A x + B u, y = C x + D u of the differences to a state: x are independent coordinates, independent speeds
and states, u the inputs, y the outputs. Rows that repeat others and rows of velocities are taken along. Poles with error bounds,
frequencies, dampings and the coordinates that move; poles that symmetries make zero are found by ranks and counted.
Derivatives are exact. Exit status 1: there are none at this state; 3: the initial state is off; 4: the run does not reach T.

Examples:
  mbc linearize pendulum.mbd
  mbc linearize arm.mbd hold --at 2 --json
  mbc linearize double_pendulum.mbd --equilibrium
  mbc linearize car.mbd --csv > matrices.csv)";

inline constexpr const char* kEquilibriumFooter =
    R"(Searches positions where all speeds and accelerations are zero, along the constraints, from the initial state; prints
coordinates, multipliers, poles and a verdict. `stable` is said with its reason only: all poles decay, or the energy of a
conservative model has a strict minimum; where linear terms do not decide, the verdict says so.
Exit status 1: none is found, or there is no linear model; 3: the initial state is off.

Examples:
  mbc equilibrium double_pendulum.mbd
  mbc equilibrium double_pendulum.mbd --starts 40
  mbc equilibrium suspension.mbd --set "load = 200 [kg]" --json)";

inline constexpr const char* kCompareFooter =
    R"(Every formulation (a list of them with --formulations), with the bodies as the block has them or each representation of --bodies:
the number of equations, unknowns and states; differences of the accelerations at random consistent states and of the recorded rows
from the first method that can be applied; errors of energy and constraints; the time of a right-hand side and of a run. A method that
cannot be applied stays in the table with the reason. `--set NAME.formulation=kane` fixes the formulation of the block NAME.
Exit status 1: fewer than two of several methods could be applied, or they differ by more than --tolerance.
Two results, CSV or HDF5, are compared column by column at the times that both have; --tolerance is of a column's largest value.

Examples:
  mbc compare pendulum.mbd
  mbc compare triple_pendulum.mbd --formulations udwadia_kalaba,augmented --bodies natural,euler_parameters
  mbc compare four_bar.mbd --no-run --samples 1000 --tolerance 1e-9
  mbc compare pendulum.mbd swing --csv methods.csv
  mbc compare pendulum.mbd --json
  mbc compare today.csv yesterday.csv --tolerance 1e-9)";

inline constexpr const char* kSweepFooter =
    R"TEXT(Runs a simulation once for each combination of values: those of the `sweep` block NAME (the only one without NAME), and of --vary,
which replaces the values of a name or adds one; the last name changes fastest. Names with `~` are drawn from a distribution, all of them
`members` times. Without a `sweep` block NAME is a `simulate` block.
The model is compiled once; threads share the code, and the rows do not depend on their number. With `rk4` members are stepped eight at
a time where that can be had; each has the bits of a run by itself. One row a member, in order: its number,
the values, what is recorded (--record and the block's `record`; without any, the final values of the outputs, or else of all columns),
status and reason. A member that fails is a row with its reason and ends nothing. Ctrl-C keeps the rows that are complete.
--members 100..199 runs these members alone, and --join makes one result of such parts, the one that a single command would have written.
The file is replaced as by `mbc run`. Exit status 0: at least one member succeeded; 4: none did, or --join finds that members are missing.

Examples:
  mbc sweep tuned.mbd                                    its `sweep` block, rows to standard output
  mbc sweep tuned.mbd tune -o tune.csv --jobs 4
  mbc sweep pendulum.mbd --vary "R = 0.1 [m] .. 0.5 [m] count 9" --record "max_over(bob.z)"
  mbc sweep tuned.mbd -o tune.csv --report tune.html     a page with a map; a click opens the motion of a member
  mbc sweep car.mbd demo --vary "m ~ normal(900, 50) [kg]" --vary "members = 200"
  mbc sweep car.mbd demo --vary "k = 1 .. 2 step 0.1" --vary "c = (5, 10, 20)" --json
  mbc sweep tuned.mbd -o 2.csv --members 101..200        a part, on another machine
  mbc sweep --join 1.csv 2.csv 3.csv -o tune.csv)TEXT";

inline constexpr const char* kInfoFooter = R"(Examples:
  mbc info pendulum.mbd
  mbc info pendulum.mbd --set "R = 0.4 [m]" --json)";

inline constexpr const char* kImportFooter =
    R"(Reads URDF, the robot files of ROS, SDF 1.5 to 1.9, the files of Gazebo, and MJCF, the model files of MuJoCo, and writes a model
that can be read and changed: links are bodies, joints those of the library; limits, springs, damping, friction, rows and tendons in the
joints; actuators as inputs, sensors as outputs, sites as frames, simple shapes as shapes. What has no counterpart is named on stderr, with
its line. Links of URDF without mass are frames.
MJCF begins at its first keyframe or at the one of --keyframe; files that it includes lie in its folder. Models that SDF includes lie in
the folder of the file or in those of --models; nothing is fetched.

Examples:
  mbc import ur5.urdf -o ur5.mbd
  mbc import dog.urdf --base free -o dog.mbd
  xacro arm.urdf.xacro | mbc import - -o arm.mbd
  mbc import world.sdf --models ~/models -o world.mbd
  mbc import humanoid.xml --keyframe squat -o humanoid.mbd)";

inline constexpr const char* kEquationsFooter =
    R"(Coordinates and speeds, kinematics, energies, M u' = f + C + A^T lambda with every entry of M, f by its parts (gravity, inertia,
each load), constraints as written with their A and b, conserved momenta, and u' where there are few speeds and no rows, in the
formulation and representation of the first `simulate` block. Events, contacts and friction are named and not part of them.
Source code is a function rhs(t, y, p) of the state y = [q; u; s] that runs alone; p are the parameters, then inputs and
discrete states. Contacts, friction, forces that depend on reactions and tables have none: `mbc compile` gives code for those.

Examples:
  mbc equations pendulum.mbd
  mbc equations cart.mbd --of "M[1,2]" --of drive        single entries, parts
  mbc equations cart.mbd --with "m = 2 [kg]"             with a number in place of the parameter
  mbc equations cart.mbd --latex -o cart.tex
  mbc equations cart.mbd --python -o cart.py)";

inline constexpr const char* kExplainFooter = R"(Examples:
  mbc explain E0302
  mbc explain four_bar_pose.mbd pin.x                    a constraint row, derived as on paper
  mbc explain --list)";

inline constexpr const char* kExamplesFooter = R"(Examples:
  mbc examples                                           what there is
  mbc examples double_four_bar                           its text
  mbc examples double_four_bar -o mine.mbd               a copy; a file that is there already stays)";

inline constexpr const char* kDocFooter = R"(Examples:
  mbc doc                                                all modules of the library and what is in them
  mbc doc joints
  mbc doc Revolute
  mbc doc E0302                                          as `mbc explain`)";

inline constexpr const char* kReplFooter =
    R"(Type statements and expressions as in files, `run 5` to simulate, `:help` for the commands.
From a pipe the same, without prompts; the exit status is 1 when a statement had an error.
What is typed is kept for later sessions in $MBC_HISTORY (off: nowhere), else $XDG_STATE_HOME/mbc or ~/.local/state/mbc.

Examples:
  mbc
  mbc repl pendulum.mbd
  mbc repl pendulum.mbd -e 'run 2' -e bob.z
  mbc -e '2*pi*sqrt(0.3/9.81)'
  printf 'particle p(1) at (0, 0, 1)\ngravity (0, 0, -9.81)\nrun 1\np.z\n' | mbc)";

inline constexpr const char* kTestFooter =
    R"(Runs every `test` block of the models and prints a line for each; below a test that failed, both sides of its checks and
the time (with --diagnostics=json on stderr, as JSON). Exit status 1 when one failed.

Examples:
  mbc test pendulum.mbd
  mbc test --both examples/*.mbd                         by the interpreter and by native code, which must agree
  mbc test pendulum.mbd --set l=0.5 --json               one JSON object a test on stdout)";

inline constexpr const char* kFmtFooter =
    R"(Blanks, indentation and empty lines as in the examples; words, comments and meaning stay. A file is written only when it
changes, and not at all when it has syntax errors. - is standard input, written to standard output.

Examples:
  mbc fmt pendulum.mbd examples/*.mbd
  mbc fmt --check *.mbd                                  name the files that would change; exit status 1 when there are any
  mbc fmt - < model.mbd)";

inline constexpr const char* kLspFooter =
    R"(Speaks the Language Server Protocol (JSON-RPC) on standard input and output; editors start it. docs/editors.md says how to set them up.
What a text uses from files is looked for in its folder, as by `mbc check`. For "go to definition" the modules of the library that is
built in are written to $MBC_CACHE (off: nowhere), else $XDG_CACHE_HOME/mbc or ~/.cache/mbc.
Exit status 0 after `shutdown` and `exit`, else 1.

Examples:
  mbc lsp
  mbc lsp --stdlib my/stdlib)";

inline constexpr const char* kJupyterFooter =
    R"(The kernel is written to DIR/share/jupyter/kernels/mbc of --prefix DIR, else into $JUPYTER_DATA_DIR, $XDG_DATA_HOME/jupyter
or ~/.local/share/jupyter. It needs a Python with ipykernel (Debian: python3-ipykernel), which --python names.

Examples:
  mbc jupyter install
  mbc jupyter install --prefix /usr/local --python /usr/bin/python3)";

}  // namespace mbc::tools
