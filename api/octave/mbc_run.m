% SPDX-License-Identifier: Apache-2.0
% r = mbc_run(s): a whole run of the block; r.names, r.units, r.values (a column each, the time first), r.summary
function result = mbc_run(simulation)
  result = __mbc__("run", simulation);
end
