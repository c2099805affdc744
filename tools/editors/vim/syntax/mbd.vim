" SPDX-License-Identifier: Apache-2.0
" Colours of .mbd models. The lists of words are compared with the compiler's by a test (tests/tools/editors).
if exists('b:current_syntax')
  finish
endif

syntax case match
syntax iskeyword @,48-57,_,128-255

syntax keyword mbdReserved mbd param let def if then else for in and or not

" Keywords in their place only: elsewhere, and behind a dot, they are names.
syntax match mbdModifier /\v%(%([0-9A-Za-z_)\]'"}]|^)\s+)@<=%(<%(then|else|if|and|or|not|require)\s+)@<!<%(at|moving|rotated|spinning|follows|on|from|rate|nonideal|restitution|static|where)>\ze%(\s*[=.'~),:\]<>])@!/
syntax match mbdModifier /\v%(%([0-9A-Za-z_)\]'"}]|^)\s+)@<=%(<%(then|else|if|and|or|not|require)\s+)@<!<%(over|step|count|within|always|rising|falling|crossing)>\ze%(\s*[=.'~),:\]<>])@!/
syntax match mbdValue /\v\.@<!<%(t|pi|ex|ey|ez|ground|energy|momentum|residuals)>/
syntax match mbdFunction /\v\.@<!<%(sin|cos|tan|asin|acos|atan|exp|ln|log|sinh|cosh|tanh|asinh|acosh|atanh|floor|atan2)>\ze\s*\(/
syntax match mbdFunction /\v\.@<!<%(sqrt|abs|sign|min|max|dot|cross|norm|unit|dist|perp1|perp2|sum|table|diag)>\ze\s*\(/
syntax match mbdFunction /\v\.@<!<%(rotx|roty|rotz|rot|transpose|min_over|max_over|initial|final)>\ze\s*\(/

" Words that are keywords at the beginning of a statement only.
syntax match mbdStatement /\v%(%(^|[;{}])\s*)@<=<%(space|gravity|particle|body|point|frame|coord|speed|state|input)>\ze%(\s*[=.'~])@!/
syntax match mbdStatement /\v%(%(^|[;{}])\s*)@<=<%(force|torque|load|friction|potential|dissipation|kinetic|constraint)>\ze%(\s*[=.'~])@!/
syntax match mbdStatement /\v%(%(^|[;{}])\s*)@<=<%(output|init|simulate|test|sweep|when|every|use|joint|model|shape|coordinates|require|show|hide)>\ze%(\s*[=.'~])@!/
syntax match mbdStatement /\v%(%(^|[;{}])\s*)@<=<%(at|every)>\ze%(\s*[=.'~])@!/
syntax match mbdEntry /\v%(%(^|[;{])\s*)@<=<%(check|record|plot)>\ze%(\s*[=.'~])@!/
syntax match mbdAction /\v%(%(^|[;{])\s*)@<=<%(enable|disable|stop|impulse)>\ze%(\s*[=.'~])@!/
syntax match mbdSetting /\v%(%(^|[;{])\s*)@<=<%(time|integrator|formulation|bodies|stabilise|at_singular|kinks|rows|impact|contact|reactions|save|assemble)>\ze\s*%(\=[^=]|[;}]|\/\/|$)/
syntax match mbdInput /\v%(%(^|[;{])\s*)@<=<input>\ze\./
syntax match mbdType /\v%(:\s)@<=<%(number|real|int|vector|matrix|point|frame|particle|body|entity|text)>\ze\s*%([,)]|\=[^=])/

syntax match mbdNumber /\v%([0-9A-Za-z_]|[^.]\.)@<!%(\d+%(\.\d+)?|\.\d+)%([eE][+-]?\d+)?/
syntax match mbdUnit /\v%([0-9)]\s?|<in\s)@<=\[[^\[\]]*\]/
syntax match mbdUnit /\v%([0-9A-Za-z_]\s)@<=\[[^\[\]]*\]\ze\s*\=\=@!/
" What stands behind a dot is a member, whatever it is called.
syntax match mbdMember /\v\.@<!\.\zs[A-Za-z_][A-Za-z0-9_]*/
syntax match mbdOperator /[-+*\/^=<>!~']/
syntax region mbdString start=/"/ end=/"/ end=/$/ oneline
syntax match mbdComment /\/\/.*$/ contains=@Spell
syntax match mbdDocumentation /\/\/\/\%([^\/].*\)\?$/ contains=@Spell

syntax region mbdBlock start=/{/ end=/}/ transparent fold

highlight default link mbdReserved Keyword
highlight default link mbdStatement Statement
highlight default link mbdEntry Statement
highlight default link mbdAction Statement
highlight default link mbdModifier Keyword
highlight default link mbdSetting Identifier
highlight default link mbdInput Identifier
highlight default link mbdType Type
highlight default link mbdValue Constant
highlight default link mbdFunction Function
highlight default link mbdNumber Number
highlight default link mbdUnit Type
highlight default link mbdMember Identifier
highlight default link mbdOperator Operator
highlight default link mbdString String
highlight default link mbdComment Comment
highlight default link mbdDocumentation SpecialComment

let b:current_syntax = 'mbd'
