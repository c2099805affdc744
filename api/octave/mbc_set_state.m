% SPDX-License-Identifier: Apache-2.0
% mbc_set_state(s, t, y)
function mbc_set_state(simulation, t, y)
  __mbc__("set_state", simulation, t, y);
end
