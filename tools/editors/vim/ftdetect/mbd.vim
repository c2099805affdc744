" SPDX-License-Identifier: Apache-2.0
" Models of mbc.
autocmd BufRead,BufNewFile *.mbd setfiletype mbd
