# SPDX-License-Identifier: MIT
"""Output files of commands are either complete or unchanged, whatever happens."""
import os
import resource
import signal
import time

import pytest

from clilib import SPEMU, make_recording, run, spemu, start


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """Return two recordings, each of its own program. Exporting their rows takes some time."""
    folder = tmp_path_factory.mktemp("recordings")
    for name in "ab":
        make_recording(f"create {folder}/{name} 100\ncomm 1 1 1 {name} exec\nkind 1 class=0 sub=0 pc=0x1000+100*4 ev=2 tid=1 total=5+3\n"
                       "draw 100000 1 100 10\naux 1 1 1000101 0 0\nfinish\n")
    return f"{folder}/a", f"{folder}/b"


def test_whole_files(tmp_path, recordings):
    """An output file gets its name when it is complete: an interrupted or impossible write leaves the old file."""
    a, b = recordings
    work = f"{tmp_path}/work"
    os.mkdir(work)
    out = os.path.join(work, "out")
    for kind in ("csv", "sqlite", "parquet", "perfetto"):
        with open(out, "w", encoding="ascii") as f:
            f.write("old\n")
        os.chmod(out, 0o640)
        result = spemu("export", "--format", kind, "-o", out, a, limits=((resource.RLIMIT_FSIZE, 100000),))
        assert result.returncode == 125 and len(result.stderr.splitlines()) == 1 and "cannot write" in result.stderr, \
            f"{kind}: a file that becomes too large is reported\n{result}"
        with open(out, encoding="ascii") as f:
            assert (f.read(), os.listdir(work)) == ("old\n", ["out"]), \
                f"{kind}: the old file stays, and no other file appears"
        assert spemu("export", "--format", kind, "-o", out, a).returncode == 0, \
            f"{kind}: the same command then succeeds"
        assert (os.stat(out).st_mode & 0o777, os.listdir(work), os.path.getsize(out) > 100000) == (0o640, ["out"], True), \
            f"{kind}: the new file has the mode of the old one"
        result = spemu("export", "--format", kind, "-o", b, a)
        assert result.returncode == 125 and "is a recording, and would be overwritten" in result.stderr, \
            f"{kind}: a recording is not overwritten\n{result.stderr}"
        result = spemu("export", "--format", kind, "-o", a, a)
        assert result.returncode == 125 and "is a recording, and would be overwritten" in result.stderr, \
            f"{kind}: the recording that is read is not overwritten\n{result.stderr}"
    assert spemu("export", "--format", "csv", "-o", out, a).returncode == 0, "csv is written completely"
    with open(out, encoding="ascii") as f:
        whole = f.read()
    for number in signal.SIGINT, signal.SIGTERM:
        process = start(SPEMU, "export", "--format", "csv", "-o", out, b)
        while not [name for name in os.listdir(work) if name != "out"] and process.poll() is None:
            time.sleep(0.002)
        process.send_signal(number)
        process.communicate()
        with open(out, encoding="ascii") as f:
            assert (process.returncode, os.listdir(work), f.read() == whole) == (-number, ["out"], True), \
                f"{number.name}: the old file stays"
    both = [start(SPEMU, "export", "--format", "csv", "-o", out, data) for data in (a, b, a, b)]
    for process in both:
        process.communicate()
    alone = [spemu("export", "--format", "csv", data).stdout for data in (a, b)]
    with open(out, encoding="ascii") as f:
        assert f.read() in alone and [p.returncode for p in both] == [0] * 4 and os.listdir(work) == ["out"], \
            f"of four commands at once, one writes a complete file\n{os.listdir(work)}"
    os.symlink("out", os.path.join(work, "link"))
    assert ((spemu("export", "--format", "folded", "-o", os.path.join(work, "link"), a).returncode, os.path.islink(os.path.join(work, "link"))) ==
            (0, True)), "a symbolic link stays a link"
    assert os.path.getsize(out) < 10000, "the link leads to the new file"


def test_file_size_limit(tmp_path, recordings):
    """A file size limit on standard output is reported as well."""
    for words in (("export", "--format", "csv"), ("dump",)):
        result = run("sh", "-c", 'exec "$0" "$@" >out', SPEMU, *words, recordings[0], cwd=tmp_path, limits=((resource.RLIMIT_FSIZE, 100000),))
        assert result.returncode == 125 and "cannot write standard output: File too large; raise the file size limit" in result.stderr, \
            f"{words[0]}: the file size limit is reported\n{result}"
