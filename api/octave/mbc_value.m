% SPDX-License-Identifier: Apache-2.0
% v = mbc_value(s, "bob.z^2"): an expression of the language at the state at hand
function v = mbc_value(simulation, expression)
  v = __mbc__("value", simulation, expression);
end
