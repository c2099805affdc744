% SPDX-License-Identifier: Apache-2.0
% t = mbc_time(s): the time at hand
function t = mbc_time(simulation)
  t = __mbc__("time", simulation);
end
