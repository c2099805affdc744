% SPDX-License-Identifier: Apache-2.0
% mbc_names(s, "coordinates"): also "parameters", "inputs", "speeds", "outputs", "columns", ...
function list = mbc_names(simulation, of)
  list = __mbc__("names", simulation, of);
end
