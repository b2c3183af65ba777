# SPDX-License-Identifier: MIT
"""A pytest plugin that prints TAP for `meson test`."""
import os
import sys


class Tap:
    """Print a line for each test. pytest's report of a failure goes to standard error, which Meson
    shows."""

    def __init__(self):
        self.count, self.skipped = 0, ""
        self.out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # pytest's own report

    def pytest_collectreport(self, report):
        if report.skipped:
            self.skipped = report.longrepr[2].removeprefix("Skipped: ")
        elif report.failed:
            self.pytest_runtest_logreport(report)

    def pytest_runtest_logreport(self, report):
        if report.when in ("setup", "teardown") and report.passed:
            return
        self.count += 1
        path, _, function = report.nodeid.partition("::")
        name = f"{os.path.basename(path)}::{function}".replace("#", " ")
        if report.skipped:
            self.out.write(f"ok {self.count} - {name} # SKIP {report.longrepr[2].removeprefix('Skipped: ')}\n")
        else:
            self.out.write(f"{'ok' if report.passed else 'not ok'} {self.count} - {name}\n")
        self.out.flush()
        if report.failed:
            print(report.nodeid, *report.longreprtext.splitlines()[-150:], *(text[-4000:] for _, text in report.sections), sep="\n",
                  file=sys.stderr)

    def pytest_internalerror(self, excrepr):
        print(excrepr, file=sys.stderr)

    def pytest_sessionfinish(self, session):
        if not self.count and self.skipped:
            self.out.write(f"1..0 # SKIP {self.skipped}\n")
            session.exitstatus = 0
        else:
            self.out.write(f"1..{self.count}\n")
        self.out.flush()
