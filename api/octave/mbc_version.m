% SPDX-License-Identifier: Apache-2.0
% mbc_version(): of the library
function v = mbc_version()
  v = __mbc__("version");
end
