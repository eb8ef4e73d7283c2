# SPDX-License-Identifier: MIT
"""Builds the module tenon._tenon, by which Python calls libtenon.

The declarations are those of include/tenon: the C preprocessor reads the headers, and what cffi
does not take (attributes, inline functions, constants of structs) is left out. cffi writes C code
that is compiled against the headers themselves (its "API mode"), so that a declaration that were
read wrongly would not compile.

    python3 extension.py --include ../include --library ../build --rpath '$ORIGIN/../..' \\
        --out ../build/python
"""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Optional, Sequence

import cffi

HERE = Path(__file__).resolve().parent

# Headers of the system that those of Tenon include: nothing of them is declared here.
SYSTEM_HEADERS = ("stddef.h", "stdbool.h", "stdint.h", "math.h", "string.h")

# What C calls in Python, and loops that are not worth a call of C for each number.
CALLBACKS = """
extern "Python" tn_status tenon_observe(void *user, tn_sim *sim);
extern "Python" int tenon_fork(void);
extern "Python" void tenon_tell(void *user, const char *sentence);
extern "Python" void tenon_stepped(void *user);
extern "Python" void tenon_swept(void *user, int64_t cases, int64_t of_all);
extern "Python" const char *tenon_raised(void *user);
extern "Python" void tenon_force_eval(const tn_force_at *at, tn_own_load *out);
extern "Python" void tenon_force_law(const tn_force_at *at, tn_own_law *out);
extern "Python" double tenon_function_value(const tn_function_at *at);
void tenon_channels(tn_sim *sim, int n, const int *channels, double *out);
void tenon_state(tn_sim *sim, double *out);
typedef struct tenon_seldom {
    void *user;
    long steps;
} tenon_seldom;
tn_status tenon_observe_seldom(void *user, tn_sim *sim);
const char *tenon_built_on(void);
"""

SOURCE = """
#include <stdint.h>
#include <string.h>
#include <tenon/tenon.h>

static void tenon_channels(tn_sim *sim, int n, const int *channels, double *out)
{
    for (int i = 0; i < n; i++)
        out[i] = tn_sim_channel(sim, channels[i]);
}

// Positions, then velocities.
static void tenon_state(tn_sim *sim, double *out)
{
    const int nq = tn_sim_nq(sim), nv = tn_sim_nv(sim);
    memcpy(out, tn_sim_q(sim), (size_t)nq * sizeof *out);
    memcpy(out + nq, tn_sim_v(sim), (size_t)nv * sizeof *out);
}

static tn_status tenon_observe(void *user, tn_sim *sim);

// Python looks for Ctrl-C only while it runs: a run without an observer calls it now and then.
typedef struct tenon_seldom {
    void *user;
    long steps;
} tenon_seldom;

static tn_status tenon_observe_seldom(void *user, tn_sim *sim)
{
    tenon_seldom *seldom = user;
    return ++seldom->steps % 256 == 0 ? tenon_observe(seldom->user, sim) : TN_OK;
}

// The mark of the headers that this module was built on.
static const char *tenon_built_on(void)
{
    return "@MARK@";
}
"""


def mark(include: Path) -> str:
    """The mark of the headers, as cmake/TenonInterface.cmake makes it for the library."""
    each = [f"{path.name}:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"
            for path in sorted((include / "tenon").iterdir())]
    return hashlib.sha256("".join(each).encode()).hexdigest()[:16]


def preprocess(include: Path, compiler: str) -> str:
    """The headers as one text, with names of kinds filled in and without those of the system."""
    with tempfile.TemporaryDirectory() as empty:
        for name in SYSTEM_HEADERS:
            (Path(empty) / name).touch()
        command = [compiler, "-E", "-P", "-nostdinc", "-I", empty, "-I", str(include), "-"]
        made = subprocess.run(command, input="#include <tenon/tenon.h>\n", text=True,
                              capture_output=True)
    if made.returncode != 0:
        sys.exit(f"The headers in {include} cannot be read: {made.stderr}")
    return made.stdout


def without_bodies(text: str) -> str:
    """Leaves out what is `static`: inline functions and constants, up to the brace that ends it."""
    kept, at = [], 0
    for found in re.finditer(r"\bstatic\b", text):
        if found.start() < at:
            continue
        kept.append(text[at : found.start()])
        brace = text.index("{", found.start())
        depth, at = 1, brace + 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        if text[found.start() : brace].rstrip().endswith("="):
            at = text.index(";", at) + 1
    kept.append(text[at:])
    return "".join(kept)


def declarations(include: Path, compiler: str = "cc") -> str:
    """All types and functions of the public headers, as cffi reads them."""
    text = without_bodies(preprocess(include, compiler))
    # cffi cannot write a pointer to constant rows: the struct is declared without this member.
    text, found = re.subn(r"const double \(\*u\)\[3\];([^{}]*)\}", r"\1 ...; }", text)
    assert found == 1, "tn_force_at has changed"
    return re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)


def builder(include: Path, library: Path, rpath: str, compiler: str = "cc") -> cffi.FFI:
    """A cffi builder of tenon._tenon that links with libtenon in the folder `library`."""
    ffi = cffi.FFI()
    ffi.cdef(declarations(include, compiler))
    ffi.cdef(CALLBACKS)
    ffi.set_source("tenon._tenon", SOURCE.replace("@MARK@", mark(include)),
                   include_dirs=[str(include)], libraries=["tenon"],
                   library_dirs=[str(library)], extra_link_args=[f"-Wl,-rpath,{rpath}"],
                   extra_compile_args=["-std=c17", "-O1", "-D_XOPEN_SOURCE=700"])
    return ffi


def folder(name: str) -> Path:
    """An absolute path: cffi compiles in another folder."""
    return Path(name).resolve()


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Builds the package in a folder: the Python files and the module."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--include", type=folder, required=True, help="folder of tenon/tenon.h")
    parser.add_argument("--library", type=folder, required=True, help="folder of libtenon.so")
    parser.add_argument("--rpath", required=True, help="where the module finds it")
    parser.add_argument("--out", type=folder, required=True, help="folder that gets tenon/")
    parser.add_argument("--cc", default="cc", help="compiler that reads the headers")
    parser.add_argument("--files-only", action="store_true", help="only copy the Python files")
    given = parser.parse_args(arguments)
    package = given.out / "tenon"
    package.mkdir(parents=True, exist_ok=True)
    for source in sorted((HERE / "tenon").iterdir()):
        if source.suffix in (".py", ".pyi", ".typed"):
            shutil.copyfile(source, package / source.name)
    if not given.files_only:
        ffi = builder(given.include, given.library, given.rpath, given.cc)
        ffi.compile(tmpdir=str(given.out), verbose=False)


if __name__ == "__main__":
    main()
