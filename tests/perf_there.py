# SPDX-License-Identifier: MIT
"""Find a perf to compare with."""
import shutil
import subprocess


def perf_works(perf="perf"):
    """One that is installed may still be for another kernel (Ubuntu's wrapper) and then does nothing."""
    return bool(shutil.which(perf)) and subprocess.run([perf, "version"], stdin=subprocess.DEVNULL, capture_output=True,
                                                       check=False).returncode == 0
