# SPDX-License-Identifier: MIT
"""The package itself: declarations, types, wheels, and what an import tells that fails."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tenon
from conftest import SOURCE
from tenon._native import ffi, lib, missing

SANITIZED = "LD_PRELOAD" in os.environ


def import_tenon(**environment):
    """Imports the package in a process of its own; what it says on stderr."""
    return subprocess.run([sys.executable, "-c", "import tenon"], capture_output=True, text=True,
                          env={**os.environ, **environment})


def test_all_public_functions_are_declared():
    headers = "".join(path.read_text() for path in (SOURCE / "include/tenon").glob("*.h"))
    names = set(re.findall(r"^TN_API\b[^;(]*?\b(tn_\w+)\(", headers, re.MULTILINE))
    assert len(names) > 300
    assert not {name for name in names if not hasattr(lib, name)}
    assert ffi.sizeof("tn_sim_options") > 0


def test_a_missing_library_is_told_with_its_package(tmp_path):
    if SANITIZED:
        pytest.skip("the sanitizer is loaded first")
    (tmp_path / "libyaml-0.so.2").touch()
    told = import_tenon(LD_LIBRARY_PATH=str(tmp_path))
    assert told.returncode != 0
    assert "tenon needs its library: libyaml-0.so.2" in told.stderr or "libyaml" in told.stderr
    assert "On Debian: apt-get install libyaml-0-2" in told.stderr


def test_another_library_is_refused(tmp_path):
    assert str(missing(ImportError("x.so: undefined symbol: tn_new"), "it")).startswith(
        "tenon: its module is newer than ")
    if SANITIZED:
        pytest.skip("the sanitizer is loaded first")
    (tmp_path / "other.c").write_text("const char *tn_interface(void) { return \"other\"; }")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "other.so", tmp_path / "other.c"],
                   check=True)
    told = import_tenon(LD_PRELOAD=str(tmp_path / "other.so"))
    assert told.returncode != 0 and "libtenon.so" in told.stderr
    assert "is another version than the one that the module was built on" in told.stderr


def test_a_missing_module_is_told_with_its_package(tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError(\"No module named 'numpy'\")")
    told = import_tenon(PYTHONPATH=f"{tmp_path}:{os.environ['PYTHONPATH']}")
    assert "On Debian: apt-get install python3-numpy" in told.stderr
    for text, package in (("libklu.so.1: cannot open", "libklu1"),
                          ("No module named '_cffi_backend'", "python3-cffi-backend")):
        assert str(missing(ImportError(text), "it")).endswith(f"apt-get install {package}")


def test_importing_loads_neither_pandas_nor_matplotlib():
    code = "import sys, tenon; print({'pandas', 'matplotlib'} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"


def test_everything_public_has_a_text():
    for name in tenon.__all__:
        thing = getattr(tenon, name)
        assert thing.__doc__, name
        if isinstance(thing, type):
            assert thing.__module__ == "tenon"
            for member, value in vars(thing).items():
                if not member.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{member}"


def test_types(tmp_path):
    mypy = shutil.which("mypy")
    if not mypy or SANITIZED:
        pytest.skip("mypy is not here")
    cache = Path(os.environ.get("TENON_BUILD", tmp_path)) / "python/mypy"
    told = subprocess.run([mypy, "--config-file", SOURCE / "pyproject.toml", "--cache-dir", cache,
                           SOURCE / "python/tenon", SOURCE / "python/extension.py"],
                          capture_output=True, text=True)
    assert told.returncode == 0, told.stdout


def test_lines_are_not_too_long():
    for path in (SOURCE / "python").rglob("*.py"):
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            assert len(line) <= 100, f"{path}:{i + 1}"
