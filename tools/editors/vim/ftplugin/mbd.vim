" SPDX-License-Identifier: Apache-2.0
" Editing of .mbd models: comments, indentation, `:make` for diagnostics, and the language server where Neovim can start it.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:///,:// commentstring=//\ %s
setlocal expandtab shiftwidth=2 softtabstop=2
setlocal cindent cinoptions=+0,(0 cinkeys-=0# cinwords=
setlocal makeprg=mbc\ check\ --colour=never\ %:S
" model.mbd:2:9: error[E0201]: unknown name `b`
setlocal errorformat=%f:%l:%c:\ %trror[%.%#]:\ %m,%f:%l:%c:\ %tarning[%.%#]:\ %m,%f:%l:%c:\ %tote[%.%#]:\ %m,%-G%.%#
setlocal formatprg=mbc\ fmt\ -

let b:undo_ftplugin = 'setlocal comments< commentstring< expandtab< shiftwidth< softtabstop< cindent< cinoptions< cinkeys<'
      \ . ' cinwords< makeprg< errorformat< formatprg<'

" Neovim has a client of its own; for Vim see docs/editors.md of mbc.
if has('nvim-0.8') && executable('mbc') && !get(g:, 'mbd_no_lsp', 0)
  lua vim.lsp.start({ name = 'mbc', cmd = { 'mbc', 'lsp' }, root_dir = vim.fn.expand('%:p:h') })
endif
