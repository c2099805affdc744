% SPDX-License-Identifier: Apache-2.0
% mbc_set(s, "g", 1.62): a parameter or an input; nothing is compiled
function mbc_set(simulation, name, value)
  __mbc__("set", simulation, name, value);
end
