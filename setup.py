# SPDX-License-Identifier: MIT
"""pip install --no-build-isolation . : the Python package as a wheel with libtenon inside.

The library is that of build/, or of the folder that TENON_BUILD names, brought up to date; where
there is none it is built in build/pip, without the page of reports, which npm would have to fetch.
All that is made comes into build/.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "python"))

import extension  # noqa: E402  # pylint: disable=wrong-import-position

MADE = Path("build/pip")


def version() -> str:
    """The version that include/tenon/base.h states."""
    text = (ROOT / "include/tenon/base.h").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define TN_VERSION_\w+ (\d+)", text, re.MULTILINE))


def build_folder() -> Path:
    """Where libtenon is built."""
    if "TENON_BUILD" in os.environ:
        return Path(os.environ["TENON_BUILD"]).resolve()
    usual = ROOT / "build"
    return usual if (usual / "CMakeCache.txt").exists() else ROOT / MADE / "library"


class BuildWithLibrary(build_ext):
    """Builds libtenon, the module that calls it, and puts one beside the other."""

    def run(self) -> None:
        folder = build_folder()
        if not (folder / "CMakeCache.txt").exists():
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), "-DTENON_WEB=OFF",
                            "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
                            "-DTENON_PYTHON=OFF"], check=True)
        subprocess.run(["cmake", "--build", str(folder), "--target", "tenon", "-j",
                        str(os.cpu_count() or 1)], check=True)
        super().run()
        # The name by which the module asks for it: libtenon.so.0.1.
        name = "libtenon.so." + ".".join(version().split(".")[:2])
        package = Path("python") if self.inplace else Path(self.build_lib)
        shutil.copyfile(folder / name, package / "tenon" / name)


(ROOT / MADE).mkdir(parents=True, exist_ok=True)
os.chdir(ROOT)
setup(
    name="tenon",
    version=version(),
    description="Constrained mechanical systems, simulated",
    license="MIT",
    python_requires=">=3.9",
    install_requires=["cffi", "numpy"],
    package_dir={"": "python"},
    packages=["tenon"],
    package_data={"tenon": ["py.typed", "*.pyi"]},
    ext_modules=[extension.builder(ROOT / "include", build_folder(), "$ORIGIN").distutils_extension(
        str(MADE))],
    cmdclass={"build_ext": BuildWithLibrary},
    zip_safe=False,
    options={"build": {"build_base": str(MADE)}, "egg_info": {"egg_base": str(MADE)},
             "bdist_wheel": {"bdist_dir": str(MADE / "wheel")}},
)
