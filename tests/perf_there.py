# SPDX-License-Identifier: MIT
"""Find a perf that works."""
import shutil
import subprocess


def perf_works(perf="perf"):
    """Return true if this perf works. An installed one may belong to another kernel and do nothing
    (Ubuntu's wrapper)."""
    return bool(shutil.which(perf)) and subprocess.run([perf, "version"], stdin=subprocess.DEVNULL, capture_output=True,
                                                       check=False).returncode == 0
