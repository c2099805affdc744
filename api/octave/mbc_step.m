% SPDX-License-Identifier: Apache-2.0
% mbc_step(s, h): one step of size h
function mbc_step(simulation, h)
  __mbc__("step", simulation, h);
end
