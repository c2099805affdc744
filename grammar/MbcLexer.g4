// SPDX-License-Identifier: Apache-2.0
// The words of .mbd text. One example beside each form; see README.md for how a change travels through the compiler.
//
// The lexer knows only the reserved words. Every other keyword (`particle`, `at`, `step`, ...) is read as a NAME; the
// statement splitter (compiler/parse/split_statements.cpp) turns it into its keyword where it stands in the place of one,
// so that it stays usable as a name everywhere else. The same step drops the line ends that do not end a statement and
// puts START and END round each statement.
lexer grammar MbcLexer;

tokens {
  // put in by the splitter: the bounds of a statement, and a statement whose mistake has been reported already
  START, END, BROKEN,
  // `[` of a unit, the type name of an instance, the `if` of a block
  UNIT_OPEN, TYPE_NAME, IF_BLOCK,
  // words that begin a statement
  SPACE, GRAVITY, PARTICLE, BODY, POINT, FRAME, COORD, SPEED, STATE, INPUT, FORCE, TORQUE, LOAD, FRICTION, POTENTIAL,
  DISSIPATION, KINETIC, CONSTRAINT, OUTPUT, INIT, SIMULATE, TEST, SWEEP, WHEN, AT_EVENT, EVERY, USE, JOINT, MODEL, SHAPE, COORDINATES,
  REQUIRE, SHOW, HIDE, CHECK, RECORD, PLOT,
  // words that begin an action of an event
  ENABLE, DISABLE, STOP, IMPULSE,
  // words that modify one
  AT, MOVING, ROTATED, SPINNING, FOLLOWS, ON, FROM, RATE, NONIDEAL, RESTITUTION, STATIC, WHERE, OVER, STEP, COUNT, WITHIN, ALWAYS,
  RISING, FALLING, CROSSING
}

// Reserved words: these never name anything.
MBD  : 'mbd' ;
PARAM: 'param' ;
LET  : 'let' ;
DEF  : 'def' ;
IF   : 'if' ;
THEN : 'then' ;
ELSE : 'else' ;
FOR  : 'for' ;
IN   : 'in' ;
AND  : 'and' ;
OR   : 'or' ;
NOT  : 'not' ;

// Characters beyond ASCII are checked to be letters after the lexer (compiler/parse/letters.cpp).
NAME : LETTER (LETTER | DIGIT)* ;                                         // bead  T0  φ  mass_2

// 2  2.5  .5  1e-3 ; `1.` is no number: in `1..n` the dots are a range
NUMBER : (DIGITS ('.' DIGITS)? | '.' DIGITS) ([eE] [+-]? DIGITS)? ;

STRING       : '"' ~["\r\n]* '"' ;                                        // "demo.csv"
OPEN_STRING  : '"' ~["\r\n]* ;                                            // "demo.csv      (never closed: reported)

LPAREN : '(' ;
RPAREN : ')' ;
LBRACK : '[' ;
RBRACK : ']' ;
LBRACE : '{' ;
RBRACE : '}' ;
COMMA  : ',' ;
COLON  : ':' ;
SEMI   : ';' ;
DOTDOT : '..' ;
DOT    : '.' ;
EQUALS : '=' ;
EQ     : '==' ;
NE     : '!=' ;
LE     : '<=' ;
GE     : '>=' ;
LT     : '<' ;
GT     : '>' ;
PLUS   : '+' ;
MINUS  : '-' ;
STAR   : '*' ;
SLASH  : '/' ;
CARET  : '^' ;
TILDE  : '~' ;
PRIME  : '\'' ;

// Operators of other languages, read whole so that the answer can name ours.
FOREIGN : '&&' | '||' | '**' | '!' | '%' | '&' | '|' | '+=' | '-=' | '*=' | '/=' | ':=' | '->' | '=>' | '<>' | '===' ;

DOC           : '///' ~[\r\n]* ;                                          // /// A bead on a hoop.
COMMENT       : '//' ~[\r\n]* -> skip ;                                   // // a comment
BLOCK_COMMENT : '/*' .*? ('*/' | EOF) ;                                   // /* reported: not of this language */
NEWLINE       : '\r'? '\n' | '\r' ;
BLANK         : [ \t\u000C]+ -> skip ;
ERR           : . ;                                                       // any other character: reported by name

fragment LETTER : [a-zA-Z_\u0080-\u{10FFFF}] ;
fragment DIGIT  : [0-9] ;
fragment DIGITS : DIGIT+ ;
