#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the seeds of fuzz_types: make_types_corpus.py DIRECTORY

A seed consists of two zero bytes and a small AArch64 program. Bytes of its debugging information are damaged. The
script requires aarch64-linux-gnu-gcc and python3-pyelftools, and the seeds depend on the compiler. It does not write
the inputs that a fuzzer found.
"""
import io
import pathlib
import random
import subprocess
import sys

from elftools.elf.elffile import ELFFile

SOURCE = r"""
struct leaf { unsigned a : 3, b : 7; union { int number; float real; }; };
struct node { struct node *next; struct leaf leaf[3]; long values[]; };
typedef struct { short x, y; } point;
struct node *list, first;
_Thread_local long seen;
point points[20][3];
__attribute__((noinline)) void *take(unsigned long size);
void *take(unsigned long size)
{
	static char pool[4096];
	static unsigned long used;

	return pool + (used += size);
}
static inline int sum(const struct node *n, int i)
{
	return n->leaf[i].number + n->leaf[i].b;
}
long walk(struct node *n, int i)
{
	long result = 0;
	struct node *fresh = take(sizeof(*fresh));

	fresh->next = n;
	for (; n; n = n->next, seen++)
		result += sum(n, i % 3) + n->values[i] + points[i][1].y;
	list = fresh;
	return result;
}
int _start(void)
{
	return (int)walk(&first, 1);
}
"""
FLAGS = {"v4": ("-gdwarf-4",), "v5": ("-gdwarf-5",), "plain-O0": ("-gdwarf-5", "-O0")}
DAMAGED = 4  # seeds for each program


def program(folder, flags):
    path = pathlib.Path(folder).resolve() / ".seed"
    subprocess.run(["aarch64-linux-gnu-gcc", "-O2", *flags, "-xc", "-", "-nostdlib", "-static", "-Wl,--build-id=none",
                    "-Wl,-z,max-page-size=4096", "-o", path], input=SOURCE, text=True, check=True, cwd="/")
    data = path.read_bytes()
    path.unlink()
    return data


def damaged(data, seed):
    draw, image = random.Random(seed), bytearray(data)
    sections = [s for s in ELFFile(io.BytesIO(data)).iter_sections() if s.name.startswith(".debug_") and
                s["sh_size"] and not s.name.startswith(".debug_str")]
    for _ in range(1 + 4 * seed):
        section = draw.choice(sections)
        image[section["sh_offset"] + draw.randrange(section["sh_size"])] = draw.choice((0, 1, 0x7f, 0x80, 0xff,
                                                                                        draw.randrange(256)))
    return bytes(image)


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, flags in FLAGS.items():
        data = program(folder, flags)
        (folder / name).write_bytes(b"\0\0" + data)
        for seed in range(DAMAGED):
            (folder / f"{name}-damaged-{seed}").write_bytes(b"\0\0" + damaged(data, seed))


if __name__ == "__main__":
    main()
