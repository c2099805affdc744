;;; mbd-mode.el --- Models of mbc  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: Apache-2.0
;; Version: 0.1
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages

;;; Commentary:

;; A mode for .mbd models: colours, comments, indentation by braces, `compile' with `mbc check', and eglot with `mbc lsp'.
;; The lists of words are compared with the compiler's by a test of mbc (tests/tools/editors).

;;; Code:

(require 'compile)

(defgroup mbd nil "Models of constrained mechanics." :group 'languages)

(defcustom mbd-program "mbc" "The program `mbc'." :type 'string :group 'mbd)

(defcustom mbd-indent 2 "Columns of a block." :type 'integer :safe #'integerp :group 'mbd)

(defconst mbd-reserved-words
  '("mbd" "param" "let" "def" "if" "then" "else" "for" "in" "and" "or" "not"))

(defconst mbd-statement-words
  '("space" "gravity" "particle" "body" "point" "frame" "coord" "speed" "state" "input" "force" "torque" "load"
    "friction" "potential" "dissipation" "kinetic" "constraint" "output" "init" "simulate" "test" "sweep" "when" "at" "every" "use"
    "joint" "model" "shape" "coordinates" "require" "show" "hide"))

(defconst mbd-entry-words '("check" "record" "plot"))

(defconst mbd-action-words '("enable" "disable" "stop" "impulse"))

(defconst mbd-modifier-words
  '("at" "moving" "rotated" "spinning" "follows" "on" "from" "rate" "nonideal" "restitution" "static" "where" "over" "step" "count"
    "within" "always" "rising" "falling" "crossing"))

(defconst mbd-setting-words
  '("time" "integrator" "formulation" "bodies" "stabilise" "at_singular" "kinks" "rows" "impact" "contact" "reactions" "save" "assemble"))

(defconst mbd-value-words '("t" "pi" "ex" "ey" "ez" "ground" "energy" "momentum" "residuals"))

(defconst mbd-type-words
  '("number" "real" "int" "vector" "matrix" "point" "frame" "particle" "body" "entity" "text"))

(defconst mbd-function-words
  '("sin" "cos" "tan" "asin" "acos" "atan" "exp" "ln" "log" "sinh" "cosh" "tanh" "asinh" "acosh" "atanh" "floor" "atan2"
    "sqrt" "abs" "sign" "min" "max" "dot" "cross" "norm" "unit" "dist" "perp1" "perp2" "sum" "table" "diag" "rotx" "roty"
    "rotz" "rot" "transpose" "min_over" "max_over" "initial" "final"))

;; Most words are keywords, settings or functions in their place only: what stands before and behind them on the line
;; says so, as in the patterns for Vim.

(defconst mbd--statement-begins "\\(?:^\\|[;{}]\\)[ \t]*")
(defconst mbd--entry-begins "\\(?:^\\|[;{]\\)[ \t]*")
(defconst mbd--no-member "\\(?:^\\|[^.]\\)")

(defun mbd--stands-p (before after &optional refused-before refused-after)
  "Whether BEFORE and AFTER stand around the last match.
REFUSED-BEFORE and REFUSED-AFTER may not."
  (save-match-data
    (let ((begin (match-beginning 0)) (end (match-end 0)))
      (save-excursion
        (goto-char begin)
        (and (looking-back before (line-beginning-position))
             (not (and refused-before (looking-back refused-before (line-beginning-position))))
             (goto-char end)
             (looking-at-p after)
             (not (and refused-after (looking-at-p refused-after))))))))

(defun mbd--search (pattern limit &rest around)
  "Search for PATTERN up to LIMIT where AROUND, as for `mbd--stands-p', holds."
  (let (found)
    (while (and (not found) (re-search-forward pattern limit t))
      (setq found (apply #'mbd--stands-p around)))
    found))

(defun mbd--matcher (words before after &optional refused-before refused-after)
  "A function for font-lock that finds WORDS between BEFORE and AFTER.
REFUSED-BEFORE and REFUSED-AFTER may not stand around them."
  (let ((pattern (regexp-opt words 'symbols)))
    (lambda (limit) (mbd--search pattern limit before after refused-before refused-after))))

(defun mbd--unit (limit)
  "Find a unit up to LIMIT.
It is in brackets behind a number, or behind a blank where no equation follows."
  (let (found)
    (while (and (not found) (re-search-forward "\\[[^][\n]*\\]" limit t))
      (setq found (or (mbd--stands-p "\\(?:[0-9)][ \t]?\\|\\_<in[ \t]\\)" "")
                      (mbd--stands-p "[[:alnum:]_][ \t]" "" nil "[ \t]*=="))))
    found))

(defun mbd--member (limit)
  "Find what stands behind a single dot, up to LIMIT."
  (mbd--search "[[:alpha:]_][[:alnum:]_]*" limit "\\(?:^\\|[^.]\\)\\." ""))

(defconst mbd-font-lock-keywords
  (let ((no-assignment "[ \t]*[=.'~]"))
    `((mbd--unit . font-lock-type-face)
      (,(regexp-opt mbd-reserved-words 'symbols) . font-lock-keyword-face)
      (mbd--member . font-lock-variable-name-face)
      (,(mbd--matcher mbd-type-words ":[ \t]" "[ \t]*\\(?:[,)]\\|=[^=]\\)") . font-lock-type-face)
      (,(mbd--matcher '("input") mbd--entry-begins "\\.") . font-lock-builtin-face)
      (,(mbd--matcher mbd-setting-words mbd--entry-begins "[ \t]*\\(?:=[^=]\\|[;}]\\|//\\|$\\)") . font-lock-builtin-face)
      (,(mbd--matcher (append mbd-statement-words mbd-action-words) mbd--statement-begins "" nil no-assignment)
       . font-lock-keyword-face)
      (,(mbd--matcher mbd-entry-words mbd--entry-begins "" nil no-assignment) . font-lock-keyword-face)
      (,(mbd--matcher mbd-function-words mbd--no-member "[ \t]*(") . font-lock-function-name-face)
      (,(mbd--matcher mbd-value-words mbd--no-member "") . font-lock-constant-face)
      (,(mbd--matcher mbd-modifier-words "\\(?:^\\|[])'\"}[:alnum:]_]\\)[ \t]+" ""
                      "\\_<\\(?:then\\|else\\|if\\|and\\|or\\|not\\|require\\)[ \t]+" "[ \t]*[]=.'~),:<>]")
       . font-lock-keyword-face)))
  "Colours of `mbd-mode'.")

(defun mbd--comment-or-string (state)
  "The face of what `syntax-ppss' says by STATE.
Comments with three strokes are documentation."
  (cond ((nth 3 state) font-lock-string-face)
        ((save-excursion (goto-char (nth 8 state)) (looking-at-p "///\\(?:[^/]\\|$\\)")) font-lock-doc-face)
        (t font-lock-comment-face)))

(defvar mbd-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (dolist (sign '(?\' ?+ ?- ?* ?^ ?= ?< ?> ?! ?~ ?.))  ; symbols of Lisp otherwise
      (modify-syntax-entry sign "." table))
    (modify-syntax-entry ?_ "_" table)
    table)
  "Syntax table of `mbd-mode'.")

(defun mbd-indent-line ()
  "Indent by the braces around the line."
  (interactive)
  (let* ((state (save-excursion (syntax-ppss (line-beginning-position))))
         (closes (save-excursion (back-to-indentation) (looking-at-p "[]})]")))
         (column (* mbd-indent (max 0 (- (nth 0 state) (if closes 1 0)))))
         (from-end (- (point-max) (point))))
    (indent-line-to column)
    (when (> (- (point-max) from-end) (point))
      (goto-char (- (point-max) from-end)))))

;; model.mbd:2:9: error[E0201]: unknown name `b`
(add-to-list 'compilation-error-regexp-alist-alist
             '(mbc "^\\([^:\n]+\\):\\([0-9]+\\):\\([0-9]+\\): \\(?:error\\|\\(warning\\)\\|\\(note\\)\\)\\[" 1 2 3 (4 . 5)))
(add-to-list 'compilation-error-regexp-alist 'mbc)

;;;###autoload
(define-derived-mode mbd-mode prog-mode "mbd"
  "A mode for models of mbc."
  (setq-local comment-start "// ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "//+[ \t]*")
  (setq-local indent-tabs-mode nil)
  (setq-local indent-line-function #'mbd-indent-line)
  (setq-local font-lock-defaults
              '(mbd-font-lock-keywords nil nil nil (font-lock-syntactic-face-function . mbd--comment-or-string)))
  (when buffer-file-name
    (setq-local compile-command
                (concat mbd-program " check " (shell-quote-argument (file-name-nondirectory buffer-file-name))))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.mbd\\'" . mbd-mode))

(with-eval-after-load 'eglot
  (when (boundp 'eglot-server-programs)
    (add-to-list 'eglot-server-programs `(mbd-mode . (,mbd-program "lsp")))))

(provide 'mbd-mode)

;;; mbd-mode.el ends here
