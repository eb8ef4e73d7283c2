# SPDX-License-Identifier: MIT
"""The C library as the rest of the package uses it: errors, texts, arrays and objects that guard
themselves against being used twice at a time."""

from __future__ import annotations

import os
import re
import threading
import traceback
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

# Debian packages of Python modules.
_MODULES = {"_cffi_backend": "python3-cffi-backend", "numpy": "python3-numpy",
            "pandas": "python3-pandas", "matplotlib": "python3-matplotlib"}


def _package(told: str) -> str:
    """The Debian package of what an import has missed: shared libraries have that of their name
    and version, libklu.so.1 that of libklu1 and libyaml-0.so.2 that of libyaml-0-2."""
    library = re.search(r"(lib[\w+-]+)\.so\.(\d+)", told)
    if library and not library[1] == "libtenon":
        return library[1] + ("-" if library[1][-1].isdigit() else "") + library[2]
    return next((package for module, package in _MODULES.items() if module in told), "")


_AGAIN = "build both again, by make python or pip install"


def _library() -> str:
    """Where libtenon was loaded from."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            return next((line.split()[-1] for line in maps if "/libtenon.so" in line), "libtenon")
    except OSError:
        return "libtenon"


def missing(error: ImportError, what: str) -> ImportError:
    """The error of an import that failed, with the Debian package that has what is missing."""
    if "undefined symbol: tn_" in str(error):
        return ImportError(f"tenon: its module is newer than {_library()} and asks for functions "
                           f"that this does not have; {_AGAIN} ({error})", name=error.name,
                           path=error.path)
    package = _package(str(error))
    hint = f". On Debian: apt-get install {package}" if package else ""
    return ImportError(f"tenon needs {what}: {error}{hint}", name=error.name, path=error.path)


try:
    import numpy as np
except ImportError as error:
    raise missing(error, "NumPy") from error
try:
    from ._tenon import ffi, lib
except ImportError as error:
    raise missing(error, "its library") from error
# Structs of another version have other members: nothing may be called before this is known.
if ffi.string(lib.tn_interface()) != ffi.string(lib.tenon_built_on()):
    raise ImportError(f"tenon: {_library()} is another version than the one that the module was "
                      f"built on; {_AGAIN}")

Array = np.ndarray[Any, Any]
NULL = ffi.NULL


@ffi.def_extern(error=-1)
def tenon_fork() -> int:
    """Copies of the process call functions of Python: os.fork hands them its locks, which another
    thread may hold. Python 3.12 warns of threads, for whose locks C has its own care."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return os.fork()
    except OSError as error:
        ffi.errno = error.errno or 0
        return -1


lib.tn_set_fork(lib.tenon_fork)

_STATUS_NAMES: Dict[int, str] = dict(ffi.typeof("tn_status").elements)


class TenonError(Exception):
    """What Tenon refuses or fails at, in the sentence of the C library.

    `status` is its tn_status, `name` the name of that: -6 and "TN_ERR_USAGE".
    """

    def __init__(self, sentence: str, status: int = lib.TN_ERR_USAGE) -> None:
        super().__init__(sentence)
        self.status = int(status)
        self.name = _STATUS_NAMES.get(self.status, str(self.status))

    def __reduce__(self) -> Tuple[Any, ...]:
        return TenonError, (str(self), self.status)


def text(pointer: Any) -> str:
    """A text of C; "" for NULL. Bytes that are no UTF-8 are replaced."""
    return str(ffi.string(pointer).decode("utf-8", "replace")) if pointer else ""


def encoded(value: Any, what: str) -> bytes:
    """A text for C, which ends at the first zero."""
    if isinstance(value, bytes):
        data = value
    elif isinstance(value, str):
        data = value.encode("utf-8", "surrogateescape")
    else:
        raise TenonError(f"{what} must be a text, not {type(value).__name__}")
    if b"\0" in data:
        raise TenonError(f"{what} must not hold a zero byte: {value!r}")
    return data


def fail(status: int) -> None:
    """Raises the last error of the library."""
    raise TenonError(text(lib.tn_last_error()) or text(lib.tn_status_text(status)), status)


def check(status: int) -> None:
    """Raises where a function of the library has failed, or a Python function that it called."""
    if _failed:
        raise_failed()
    if status != 0:
        fail(status)


def unknown(what: str, name: Any, known: Sequence[str]) -> TenonError:
    """The error of a name that does not exist, with the nearest one."""
    keep = [ffi.new("char[]", encoded(n, what)) for n in known]
    status = lib.tn_fail_unknown(encoded(what, what), encoded(name, f"the name of a {what}"),
                                 len(keep), ffi.new("const char *[]", keep + [NULL]))
    return TenonError(text(lib.tn_last_error()), status)


# Exceptions of Python functions that C has called ------------------------------------------------

# What was raised, with the thread it was raised in, until the call of C has returned.
_failed: List[Tuple[int, BaseException]] = []


def note_failed(_type: Any, error: BaseException, _trace: Any) -> None:
    """Keeps an exception of a callback for the call that the callback was made in."""
    _failed.append((threading.get_ident(), error))


def has_failed() -> bool:
    """Whether a callback of this thread has raised and its call has not returned yet."""
    if not _failed:
        return False
    me = threading.get_ident()
    return any(thread == me for thread, _ in _failed)


def take_failed() -> str:
    """What callbacks of this process have raised first, in a line, and forgets it."""
    if not _failed:
        return ""
    error = _failed[0][1]
    _failed.clear()
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


def raise_failed() -> None:
    """Raises what a callback of this thread has raised first, if there is any."""
    me = threading.get_ident()
    mine = [error for thread, error in _failed if thread == me]
    if mine:
        _failed[:] = [entry for entry in _failed if entry[0] != me]
        raise mine[0]


# Objects -----------------------------------------------------------------------------------------


class Guarded:
    """An object of the library that one call at a time may use.

    While it computes, functions of Python that it calls (own forces, observers) and other threads
    get a TenonError where they call it again, rather than a wrong answer or a crash.
    """

    _what = "object"
    _c: Any
    _busy: bool  # C computes
    _running: bool  # a run goes on, also while it has called its observer
    _thread: int  # that runs it

    def _own(self, pointer: Any, destroy: Callable[[Any], None]) -> None:
        self._c = ffi.gc(pointer, destroy)
        self._busy = self._running = False

    def _refuse(self) -> None:
        raise TenonError(f"this {self._what} is computing: neither functions that it calls nor "
                         "other threads may use it now")

    def _call(self, function: Any, *arguments: Any) -> Any:
        """Calls a function of the library with this object in front."""
        if self._busy or self._running and self._thread != threading.get_ident():
            self._refuse()
        self._busy = True
        try:
            value = function(self._c, *arguments)
        finally:
            self._busy = False
        if _failed:
            raise_failed()
        return value

    def _do(self, function: Any, *arguments: Any) -> None:
        """The same for a function that returns a status."""
        status = self._call(function, *arguments)
        if status != 0:
            fail(status)


# Arrays ------------------------------------------------------------------------------------------


class _Memory:
    """Numbers of an object of the library, which stays alive as long as arrays that show them."""

    def __init__(self, pointer: Any, shape: Tuple[int, ...], strides: Optional[Tuple[int, ...]],
                 owner: Any) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3, "typestr": np.dtype(float).str, "shape": shape, "strides": strides,
            "data": (int(ffi.cast("uintptr_t", pointer)), True)}


def view(pointer: Any, shape: Tuple[int, ...], owner: Any, by_columns: bool = False) -> Array:
    """A read-only array of numbers that belong to `owner`, which it keeps alive."""
    if not pointer or 0 in shape:
        empty = np.zeros(shape)
        empty.flags.writeable = False
        return empty
    strides = None
    if by_columns:
        strides = (8, 8 * shape[0])
    return np.asarray(_Memory(pointer, shape, strides, owner))


def output(out: Optional[Array], shape: Tuple[int, ...], what: str) -> Tuple[Array, Array]:
    """The array that a function returns, and one in the order of C to fill: matrices of the
    library go column by column. They are one memory where `out` allows it."""
    if out is None:
        out = np.empty(shape, order="F")
    elif not isinstance(out, np.ndarray) or out.dtype != np.float64 or out.shape != shape:
        got = (f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray)
               else type(out).__name__)
        raise TenonError(f"out of {what} must be an array of float64 of shape {shape}, not {got}")
    elif not out.flags.writeable:
        raise TenonError(f"out of {what} must be an array that may be written")
    flat = out.T
    return out, flat if flat.flags.c_contiguous else np.empty(flat.shape)


def finish(out: Array, filled: Array) -> Array:
    """Copies what was filled into the array that is returned, unless they are one."""
    if filled.base is not out and filled is not out:
        out[...] = filled.T
    return out


def pointer_to(array: Array) -> Any:
    """A pointer to the numbers of an array in the order of C; the array must outlive it."""
    return ffi.from_buffer("double[]", array)


def numbers(values: Any, n: int, what: str) -> Array:
    """n numbers as an array for C."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TenonError(f"{what} must be {n} numbers, not {values!r}") from None
    if array.shape != (n,):
        raise TenonError(f"{what} must have the shape ({n},), not {array.shape}")
    return array


def number(value: Any, what: str) -> float:
    """One number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TenonError(f"{what} must be a number, not {value!r}") from None


def vec3(v: Any) -> Array:
    """A tn_vec3 as an array."""
    return np.array((v.x, v.y, v.z))


def mat3(m: Any) -> Array:
    """A tn_mat3 as an array."""
    return np.array([[m.m[i][j] for j in range(3)] for i in range(3)])


def members(struct: Any) -> Dict[str, Any]:
    """The members of a struct as Python values, arrays of numbers as tuples."""
    found: Dict[str, Any] = {}
    for name, field in ffi.typeof(struct).fields:
        value = getattr(struct, name)
        if field.type.kind == "array":
            value = text(value) if field.type.item.cname == "char" else tuple(value)
        elif field.type.kind == "pointer":
            value = text(value) if field.type.cname == "char *" else value
        found[name] = value
    return found
