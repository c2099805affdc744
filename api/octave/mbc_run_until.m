% SPDX-License-Identifier: Apache-2.0
% mbc_run_until(s, t)
function mbc_run_until(simulation, t)
  __mbc__("run_until", simulation, t);
end
