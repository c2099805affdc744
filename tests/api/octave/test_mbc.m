% SPDX-License-Identifier: Apache-2.0
% Compares the results of mbc_*.m with closed forms and with each other, and tests that invalid calls are refused with
% the messages of the library.
1;
function refused(call, words)
  try
    call();
  catch failure
    assert(! isempty(strfind(failure.message, words)), failure.message);
    return;
  end
  error("not refused: %s", words);
end

examples = argv(){end};
file = [tempname() ".mbd"];
out = fopen(file, "w");
fputs(out, ["mbd 1\nparam g = 10\ninput push = 0\nparticle p(2) at (1, 0, 8)\ngravity (0, 0, -g)\n" ...
            "force wind on p: (push, 0, 0)\noutput height = p.z\n" ...
            "simulate slow { time = 0 .. 1 step 0.125; integrator = rk4 }\n" ...
            "simulate fast { time = 0 .. 2 step 0.5; integrator = rk4 }\n"]);
fclose(out);

s = mbc_load(file, "slow");
assert(mbc_names(s, "parameters"), {"g"});
assert(mbc_names(s, "coordinates"), {"p.x", "p.y", "p.z"});
assert(mbc_names(s, "simulations"), {"slow", "fast"});
assert(mbc_state(s)(1:6), [1 0 8 0 0 0]');
assert(mbc_accelerations(s, 0, mbc_state(s)), [0 0 -10]');
assert(mbc_value(s, "p.pos"), [1 0 8]');
assert(mbc_value(s, "2*height"), 16);
r = mbc_run(s);  % a fall: parabolas are exact
assert(size(r.values), [9, numel(r.names)]);
assert(numel(r.units), numel(r.names));
t = r.values(:, 1);
assert(r.values(:, strcmp(r.names, "height")), 8 - 5*t.^2, 1e-13);
assert(! isempty(strfind(r.summary, "complete: slow")));

mbc_reset(s);
mbc_set(s, "g", 4);
mbc_set(s, "push", 6);
assert([mbc_get(s, "g"), mbc_get(s, "push")], [4 6]);
mbc_step(s, 0.5);
assert(mbc_time(s), 0.5);
assert(mbc_value(s, "p.x"), 1 + 3*0.5^2/2, 1e-13);
mbc_run_until(s, 1);
assert(mbc_value(s, "p.z"), 6, 1e-13);
y = mbc_state(s);
mbc_set_state(s, 3, y + 1);
assert(mbc_state(s), y + 1);
assert(mbc_time(s), 3);

fast = mbc_load(file, "fast", "g = 2");
other = fast;  % the same simulation
mbc_step(other, 0.5);
assert(mbc_time(fast), 0.5);
clear other
assert(mbc_run(fast).values(end, 1), 2);

refused(@() mbc_load("missing.mbd"), "cannot read `missing.mbd`");
refused(@() mbc_load(file, "middle"), "middle");
refused(@() mbc_load(file, "", "h = 2"), "h");
refused(@() mbc_run(3), "what mbc_load gave");
refused(@() mbc_set(s, "h", 1), "there is no parameter `h`");
refused(@() mbc_rhs(s, 0, [1 2]), "the state of the model has");
refused(@() mbc_value(s, "p.w"), "p");
refused(@() mbc_names(s, "things"), "there is no such list");

% This model has redundant rows.
bar = mbc_load([examples "/double_four_bar.mbd"]);
y = mbc_state(bar);
assert(all(isfinite(mbc_rhs(bar, 0, y))));
assert(numel(mbc_rhs(bar, 0, y)), numel(y));
delete(file);
disp("passed");
