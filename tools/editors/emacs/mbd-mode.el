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
    "joint" "model"))

(defconst mbd-entry-words '("check" "record"))

(defconst mbd-action-words '("enable" "disable" "stop" "impulse"))

(defconst mbd-modifier-words
  '("at" "moving" "rotated" "spinning" "follows" "on" "from" "rate" "nonideal" "restitution" "static" "where" "over" "step" "count"
    "within" "always" "rising" "falling" "crossing"))

(defconst mbd-setting-words
  '("time" "integrator" "formulation" "bodies" "stabilise" "at_singular" "kinks" "rows" "save" "assemble"))

(defconst mbd-value-words '("t" "pi" "ex" "ey" "ez" "ground" "energy" "momentum" "residuals"))

(defconst mbd-type-words
  '("number" "real" "int" "vector" "matrix" "point" "frame" "particle" "body" "entity" "text"))

(defconst mbd-function-words
  '("sin" "cos" "tan" "asin" "acos" "atan" "exp" "ln" "log" "sinh" "cosh" "tanh" "asinh" "acosh" "atanh" "floor" "atan2"
    "sqrt" "abs" "sign" "min" "max" "dot" "cross" "norm" "unit" "dist" "perp1" "perp2" "sum" "table" "diag" "rotx" "roty"
    "rotz" "rot" "transpose" "min_over" "max_over" "initial" "final"))

(defun mbd--at-beginning (words)
  "A pattern for WORDS at the beginning of a statement."
  (concat "\\(?:^\\|[;{}]\\)[ \t]*" (regexp-opt words t) "\\_>\\(?:[ \t]*\\(?:[^=.'~ \t]\\|$\\)\\)"))

(defconst mbd-font-lock-keywords
  `(("\\.\\([[:alpha:]_][[:alnum:]_]*\\)" 1 font-lock-variable-name-face)
    ("\\(?:[0-9)] ?\\|\\_<in \\)\\[\\([^][\n]*\\)\\]" 1 font-lock-type-face)
    (,(regexp-opt mbd-reserved-words 'symbols) . font-lock-keyword-face)
    (,(mbd--at-beginning (append mbd-statement-words mbd-entry-words mbd-action-words)) 1 font-lock-keyword-face)
    (,(concat "\\(?:^\\|[;{]\\)[ \t]*" (regexp-opt mbd-setting-words t) "\\_>[ \t]*\\(?:=[^=]\\|[;}]\\|$\\)")
     1 font-lock-builtin-face)
    (,(concat ": " (regexp-opt mbd-type-words t) "\\_>[ \t]*\\(?:[,)]\\|=[^=]\\)") 1 font-lock-type-face)
    (,(concat "[])[:alnum:]_'\"}][ \t]+" (regexp-opt mbd-modifier-words t) "\\_>") 1 font-lock-keyword-face)
    (,(concat (regexp-opt mbd-function-words 'symbols) "[ \t]*(") 1 font-lock-function-name-face)
    (,(regexp-opt mbd-value-words 'symbols) . font-lock-constant-face))
  "Colours of `mbd-mode'.")

(defvar mbd-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\' "." table)
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
  (setq-local font-lock-defaults '(mbd-font-lock-keywords))
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
