# SPDX-License-Identifier: MIT
"""Fixtures of all Python tests: a private environment, temporary folders that are removed, and TAP
for Meson."""
import os
import shutil
import signal
import sys
import tempfile

import pytest

from pytest_tap import Tap

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "cli"))  # for clilib
pytest.register_assert_rewrite("clilib", "exported", "fleet_answers", "named", "recorded_program", "tracelib", "vmlib")


def pytest_addoption(parser):
    parser.addoption("--tap", action="store_true", help="print TAP, as meson test reads it")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.pluginmanager.getplugin("capturemanager").suspend_global_capture(in_=True)
    import own_environment  # starts this Python again, once
    own_environment.leave_nothing()
    config.option.basetemp = tempfile.mkdtemp(prefix="spemu-test-")
    config.add_cleanup(lambda: shutil.rmtree(config.option.basetemp, ignore_errors=True))
    # Meson sends this signal to a test that takes too long. Fixtures still clean up.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if config.option.tap:
        config.option.verbose = 2  # show all differences between values
        config.pluginmanager.register(Tap())


@pytest.fixture(scope="session", autouse=True)
def nothing_left():
    """Check that no process of the tests is left at the end."""
    yield
    import own_environment
    left = own_environment.left_running()
    assert not left, "\n".join(left)


def pytest_make_parametrize_id(val, argname):
    """Keep values that are long or have several lines out of the names of tests."""
    return argname if isinstance(val, bytes) or isinstance(val, str) and (len(val) > 60 or "\n" in val) else None
