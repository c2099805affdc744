% SPDX-License-Identifier: Apache-2.0
% dy = mbc_rhs(s, t, y): y', as ode45(@(t, y) mbc_rhs(s, t, y), ...) wants it
function dy = mbc_rhs(simulation, t, y)
  dy = __mbc__("rhs", simulation, t, y);
end
