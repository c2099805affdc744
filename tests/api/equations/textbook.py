#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares printed equations with those of textbooks and with SymPy's trigsimp.

textbook.py textbook.json --update    derives the equations with SymPy and stores what trigsimp makes of them
textbook.py textbook.json OURS.json   OURS: for each model the answer of `mbc equations --json`

The measures are count_ops and the length of str, both of the text as SymPy reads it, summed over M and f.
"""
import json
import random
import re
import sys

import sympy as sp

LOCALS = {name: sp.Symbol(name) for name in ("I", "E", "S", "N", "O", "Q", "beta", "gamma", "zeta", "lambda_")}


def read(text):
    """An expression of the language of models or of Python."""
    text = re.sub(r"([A-Za-z_]\w*)'", r"\1d", text)
    return sp.sympify(text.replace("^", "**"), locals=LOCALS)


def lagrange(q, T, V, Q=()):
    """M and f of M q'' = f, each entry as trigsimp writes it."""
    rates = [sp.Symbol(name + "d") for name in q]
    places = [sp.Symbol(name) for name in q]
    M = sp.hessian(T, rates)
    out = {}
    for i, rate in enumerate(rates):
        for j in range(i, len(q)):
            out[f"M[{i+1},{j+1}]"] = M[i, j]
        change = sum(sp.diff(T, rate, places[k]) * rates[k] for k in range(len(q))) + sp.diff(T, rate, sp.Symbol("t"))
        out[f"f[{i+1}]"] = sp.diff(T - V, places[i]) - change + (Q[i] if Q else 0)
    return out


def energies(q, points, masses, g=sp.Symbol("g")):
    """T and V of particles; the last component is up."""
    def rate(e):
        return sum(sp.diff(e, sp.Symbol(n)) * sp.Symbol(n + "d") for n in q) + sp.diff(e, sp.Symbol("t"))

    T = sum(m * sum(rate(c) ** 2 for c in p) for m, p in zip(masses, points)) / 2
    return T, sum(m * g * p[-1] for m, p in zip(masses, points))


def furuta():
    th, al, thd, ald = sp.symbols("th al thd ald")
    Lr, Lp, mr, mp, Br, Bp, tau, Jr3, Jp1, Jp2, Jp3, g = sp.symbols("Lr Lp mr mp Br Bp tau Jr3 Jp1 Jp2 Jp3 g")
    Rz = sp.Matrix([[sp.cos(th), -sp.sin(th), 0], [sp.sin(th), sp.cos(th), 0], [0, 0, 1]])
    Rx = sp.Matrix([[1, 0, 0], [0, sp.cos(al), -sp.sin(al)], [0, sp.sin(al), sp.cos(al)]])
    arm, rod = Rz * sp.Matrix([Lr / 2, 0, 0]), Rz * (sp.Matrix([Lr, 0, 0]) + Rx * sp.Matrix([0, 0, Lp / 2]))
    T, V = energies(["th", "al"], [list(arm), list(rod)], [mr, mp], g)
    w = Rx.T * sp.Matrix([0, 0, thd]) + sp.Matrix([ald, 0, 0])
    T += Jr3 * thd**2 / 2 + (Jp1 * w[0] ** 2 + Jp2 * w[1] ** 2 + Jp3 * w[2] ** 2) / 2
    return lagrange(["th", "al"], T, V, [tau - Br * thd, -Bp * ald])


def sleigh():
    m, I, a, th, v, w = sp.symbols("m I a th v w")
    B = sp.Matrix([[sp.cos(th), 0], [sp.sin(th), 0], [0, 1]])
    y = sp.Matrix([v, w])
    u = sp.symbols("xd yd thd")
    velocity = (u[0] - a * u[2] * sp.sin(th), u[1] + a * u[2] * sp.cos(th))
    T = (m * (velocity[0] ** 2 + velocity[1] ** 2) + I * u[2] ** 2) / 2
    M = sp.hessian(T, u)
    f = sp.Matrix([sp.diff(T, "th") if k == 2 else 0 for k in range(3)])
    f -= sp.Matrix([sp.diff(T, u[k], "th") * u[2] for k in range(3)])
    change = sp.diff(B, th) * w * y
    on_rows = dict(zip(u, B * y))
    My, fy = B.T * M * B, B.T * (f.subs(on_rows) - M * change)
    return {"My[1,1]": My[0, 0], "My[1,2]": My[0, 1], "My[2,2]": My[1, 1], "fy[1]": fy[0], "fy[2]": fy[1]}


def derived(name):
    s, c = sp.sin, sp.cos
    th, th1, th2, ph, phi, x, t = sp.symbols("th th1 th2 ph phi x t")
    m, l, g, r, w, m1, m2, l1, l2, mc, F, I1, I3 = sp.symbols("m l g r w m1 m2 l1 l2 mc F I1 I3")
    thd, phd, psd = sp.symbols("thd phd psd")
    of_points = {
        "simple pendulum": (["th"], [(l * s(th), -l * c(th))], [m]),
        "double pendulum": (["th1", "th2"], [(l1 * s(th1), -l1 * c(th1)),
                                             (l1 * s(th1) + l2 * s(th2), -l1 * c(th1) - l2 * c(th2))], [m1, m2]),
        "cart-pole": (["x", "th"], [(x, 0), (x - l * s(th), l * c(th))], [mc, m]),
        "bead on a hoop": (["phi"], [(r * s(phi) * c(w * t), r * s(phi) * s(w * t), -r * c(phi))], [m]),
        "spherical pendulum": (["th", "ph"], [(l * s(th) * c(ph), l * s(th) * s(ph), -l * c(th))], [m]),
    }
    if name in of_points:
        q, points, masses = of_points[name]
        return lagrange(q, *energies(q, points, masses), [F, 0] if name == "cart-pole" else [0] * len(q))
    if name == "spinning top":
        T = I1 / 2 * (thd**2 + (phd * s(th)) ** 2) + I3 / 2 * (psd + phd * c(th)) ** 2
        return lagrange(["th", "ph", "ps"], T, m * g * l * c(th))
    return {"Chaplygin sleigh": sleigh, "Furuta pendulum": furuta}[name]()


def update(path, models):
    for one in models:
        simplified = {key: sp.trigsimp(sp.expand(value)) for key, value in derived(one["name"]).items()}
        one["trigsimp"] = {key: str(value) for key, value in simplified.items() if value != 0}
        one["sympy"] = sp.__version__
    with open(path, "w") as f:
        f.write(json.dumps(models, indent=2) + "\n")


def size(texts):
    read_back = [read(t) for t in texts]
    return sum(int(sp.count_ops(e)) for e in read_back), sum(len(str(e)) for e in read_back)


def entries(answer):
    """M and f of an answer: label to text. Parts of f are its terms; abbreviations are entries as well."""
    out, parts = {}, {}
    projected = any(section["key"] == "projected" for section in answer["sections"])
    for section in answer["sections"]:
        if section["key"] == "names":
            out.update({e["label"]: e["right"] for e in section["equations"]})
        if section["key"] not in (("projected",) if projected else ("M", "f")):
            continue
        listed = {e["label"]: e.get("total", e["right"]) for e in section["equations"]}
        added = {e["label"] for e in section["equations"] if "total" in e}
        for label, text in listed.items():
            of = re.match(r"f\[.*,(\d+)\]$", label)
            if of and f"f[{of[1]}]" in added:
                continue
            if of and section["key"] == "f":
                parts.setdefault(f"f[{of[1]}]", []).append(text)
            elif not text.startswith("f["):
                out[label] = text
    for label, terms in parts.items():
        out[label] = " + ".join("(" + t + ")" for t in terms)
    return out


def opened(ours):
    """The entries without their abbreviations."""
    names = {read(key): read(text) for key, text in ours.items() if "[" not in key}
    out = {}
    for key, text in ours.items():
        e = read(text)
        while e.free_symbols & set(names):
            e = e.subs(names)
        if "[" in key:
            out[key] = str(e)
    return out


def same(a, b, where):
    """Compares two sets of equations at 20 random states; what is missing is zero."""
    dice = random.Random(5)
    pairs = {key: [read(e.get(key, "0")) for e in (a, b)] for key in sorted(set(a) | set(b))}
    names = sorted({s for pair in pairs.values() for e in pair for s in e.free_symbols}, key=str)
    values = {key: sp.lambdify(names, pair, "math") for key, pair in pairs.items()}
    for _ in range(20):
        at = [dice.uniform(0.3, 1.8) for _ in names]
        for key, value in values.items():
            x, y = value(*at)
            assert abs(x - y) <= 1e-12 * (1 + abs(x)), (where, key, x, y)


def compare(models, answers):
    failed = False
    for one in models:
        ours = entries(answers[one["name"]])
        same(opened(ours), one["textbook"], one["name"] + ": textbook")
        same(opened(ours), one["trigsimp"], one["name"] + ": trigsimp")
        own, book, trig = (size(e.values()) for e in (ours, one["textbook"], one["trigsimp"]))
        fits = all(own[k] <= trig[k] and own[k] <= 1.2 * book[k] for k in (0, 1))
        failed |= not fits
        print(f"{one['name']:20} operations {own[0]:4} textbook {book[0]:4} trigsimp {trig[0]:4};"
              f" length {own[1]:4} textbook {book[1]:4} trigsimp {trig[1]:4}{'' if fits else '   TOO LONG'}")
    return 1 if failed else 0


if __name__ == "__main__":
    with open(sys.argv[1]) as stored:
        known = json.load(stored)
    if sys.argv[2] == "--update":
        update(sys.argv[1], known)
    else:
        with open(sys.argv[2]) as given:
            sys.exit(compare(known, json.load(given)))
