% SPDX-License-Identifier: Apache-2.0
% y = mbc_state(s): the state at hand, [q; u; states; integrals of work]
function y = mbc_state(simulation)
  y = __mbc__("state", simulation);
end
