# SPDX-License-Identifier: MIT
# The module that extension.py builds from the headers of Tenon.
from typing import Any

ffi: Any
lib: Any
