% SPDX-License-Identifier: Apache-2.0
% From GNU Octave: a model is compiled, looked at, run, and integrated by a method of Octave's.
% octave-cli --path PREFIX/lib/octave/mbc host.m ../spherical_pendulum.mbd
file = argv(){end};
s = mbc_load(file);
y = mbc_state(s);
names = mbc_names(s, "coordinates");
a = mbc_accelerations(s, 0, y);
printf("%s'' = %.4f\n", names{3}, a(3));

r = mbc_run(s);
z = r.values(:, strcmp(r.names, "bob.z"));
printf("bob.z = %.8f at t = %.0f\n", z(end), r.values(end, 1));

mbc_set(s, "g", 1.62);  % on the Moon; nothing is compiled again
mbc_reset(s);
r = mbc_run(s);
printf("on the Moon: %.4f\n", r.values(end, strcmp(r.names, "bob.z")));

mbc_set(s, "g", 9.81);
options = odeset("RelTol", 1e-10, "AbsTol", 1e-12);
[t, y] = ode45(@(t, y) mbc_rhs(s, t, y), [0 5], y, options);
printf("by ode45: %.6f\n", y(end, 3));
