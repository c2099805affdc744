% SPDX-License-Identifier: Apache-2.0
% s = mbc_load(file), mbc_load(file, block), mbc_load(file, block, "g = 5", ...): a simulation of a model, with settings
function simulation = mbc_load(file, varargin)
  simulation = __mbc__("load", file, varargin{:});
end
