# SPDX-License-Identifier: MIT
"""What build_native.py makes: cffi knows no types before it runs."""
from typing import Any

ffi: Any
