% SPDX-License-Identifier: Apache-2.0
% v = mbc_get(s, "g"): a parameter or an input
function v = mbc_get(simulation, name)
  v = __mbc__("get", simulation, name);
end
