% SPDX-License-Identifier: Apache-2.0
% mbc_reset(s): back to the beginning of the block
function mbc_reset(simulation)
  __mbc__("reset", simulation);
end
