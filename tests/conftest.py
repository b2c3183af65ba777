# SPDX-License-Identifier: MIT
"""Fixtures of every Python test: a private environment, temporary folders that are removed, and TAP for meson."""
import os
import shutil
import signal
import sys
import tempfile

import pytest

from pytest_tap import Tap

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "cli"))  # for clilib
pytest.register_assert_rewrite("clilib", "exported", "fleet_answers", "tracelib", "vmlib")


def pytest_addoption(parser):
    parser.addoption("--tap", action="store_true", help="print TAP, as meson test reads it")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.pluginmanager.getplugin("capturemanager").suspend_global_capture(in_=True)
    import own_environment  # starts this Python again, once
    own_environment.leave_nothing()
    config.option.basetemp = tempfile.mkdtemp(prefix="spemu-test-")
    config.add_cleanup(lambda: shutil.rmtree(config.option.basetemp, ignore_errors=True))
    # meson ends a test that takes too long by this signal; fixtures still clean up.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if config.option.tap:
        config.option.verbose = 2  # all of the values that differ
        config.pluginmanager.register(Tap())


@pytest.fixture(scope="session", autouse=True)
def nothing_left():
    """No process that the tests started still runs at the end."""
    yield
    import own_environment
    left = own_environment.left_running()
    assert not left, "\n".join(left)


def pytest_make_parametrize_id(val, argname):
    """A value that is long, or has several lines, is not in a test's name."""
    return argname if isinstance(val, bytes) or isinstance(val, str) and (len(val) > 60 or "\n" in val) else None
