# SPDX-License-Identifier: MIT
"""Helpers of the tests of spemu vm: run the stand-in for QEMU (fake_qemu.py), and read its
outputs."""
import json
import os

import fdt
from clilib import spemu, write

HERE = os.path.dirname(os.path.abspath(__file__))
READY = {"type": "ready", "vcpus": 2, "spe": "v1p2"}
SUMMARY = {"type": "summary", "vcpu": 0, "samples": 70, "recorded": 50, "filtered": 11,
           "collisions": 7, "lost": 2, "interrupts": 3}
DIAGNOSTIC = {"type": "diagnostic", "vcpu": 1, "pc": "0x1234", "name": "interval-below-minimum",
              "rule": "RABCDE", "cause": "Software did it.", "remedy": "It should not.",
              "values": {"PMSIRR_EL1.INTERVAL": "0x7"}}
GIC = 0x8002


def tree(gic="arm,gic-v3", cells=3, spe=None):
    children = {"intc@8000000": ({"compatible": gic.encode() + b"\0", "phandle": fdt.cells(GIC),
                                  "#interrupt-cells": fdt.cells(cells)}, {}),
                "memory@40000000": ({"reg": fdt.cells(0, 0x40000000, 0, 0x10000000)}, {})}
    if spe:
        children["old-name"] = (spe, {})
    return fdt.write(({"compatible": b"linux,dummy-virt\0", "interrupt-parent": fdt.cells(GIC)},
                      children))


class Machine:
    """A folder with all inputs and outputs of the stand-in."""

    def __init__(self, folder):
        self.folder = folder
        self.plugin = write(folder, "a,b.so", b"")
        self.qemu = os.path.join(HERE, "fake_qemu.py")
        self.tree = write(folder, "generated", tree())
        self.environment = {"FAKE_OUT": folder, "FAKE_TREE": self.tree,
                            "SPEMU_VM_PLUGIN": self.plugin, "TMPDIR": f"{folder}/tmp,1",
                            "FAKE_EVENTS": write(folder, "events", "")}
        os.mkdir(f"{folder}/tmp,1")

    def env(self, **more):
        return dict(self.environment, **more)

    def tells(self, *events):
        write(self.folder, "events", "".join(
            (e if isinstance(e, str) else json.dumps(e, separators=(",", ":"))) + "\n"
            for e in events))

    def vm(self, *options, arguments=("-nographic",), events=(READY, SUMMARY), **more):
        self.tells(*events)
        return spemu("vm", "--qemu", self.qemu, *options, "--", *arguments, env=self.env(**more))

    def given(self):
        with open(f"{self.folder}/arguments") as file:
            return json.load(file)

    def config(self):
        with open(f"{self.folder}/config") as file:
            return [line.rstrip("\n").partition(" ")[::2] for line in file]

    def node(self):
        with open(f"{self.folder}/tree", "rb") as file:
            return fdt.read(file.read())
