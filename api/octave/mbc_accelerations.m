% SPDX-License-Identifier: Apache-2.0
% a = mbc_accelerations(s, t, y): u'
function a = mbc_accelerations(simulation, t, y)
  a = __mbc__("accelerations", simulation, t, y);
end
