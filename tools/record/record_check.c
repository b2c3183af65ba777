/* SPDX-License-Identifier: MIT */
/*
 * Checks before a recording starts. Each error is one line with cause and remedy: QEMU's own
 * messages for the same mistakes are hard to understand.
 */
#define _GNU_SOURCE
#include "../base/find.h"
#include "executable.h"
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define QEMU "qemu-aarch64"
/* a symbol that QEMU defines if it supports plugins */
#define PLUGIN_FUNCTION "qemu_plugin_register_vcpu_tb_exec_cb"

/* free bytes on the disk; with less, no recording is started */
#define DISK_MIN (UINT64_C(1) << 20)

/* Report that the file is not an ELF file. The interpreter of a script is not an AArch64 program,
 * because record_program() replaces other scripts. */
static _Noreturn void not_elf(const char *program)
{
	char head[EXECUTABLE_LINE + 1], *interpreter, *argument;

	if (executable_kind(program, head) != EXECUTABLE_SCRIPT)
		die(EXIT_CANNOT_RUN, "'%s' is not an ELF file; give an AArch64 Linux program",
		    program);
	if (!executable_line(head, &interpreter, &argument))
		die(EXIT_CANNOT_RUN, "script '%s' names no interpreter; correct its first line",
		    program);
	die(EXIT_CANNOT_RUN,
	    "'%s' is a script whose interpreter '%s' is not an AArch64 program; name a sysroot "
	    "that has the interpreter with -L",
	    program, interpreter);
}

static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case EM_X86_64:
		return "x86-64";
	case EM_386:
		return "x86";
	case EM_ARM:
		return "32-bit Arm";
	case EM_RISCV:
		return "RISC-V";
	case EM_PPC64:
		return "PowerPC";
	case EM_S390:
		return "S/390";
	default:
		return "another machine";
	}
}

static bool exists_under(const char *root, const char *dir, const char *name)
{
	char *path = xasprintf("%s%s%s%s", root, dir, *dir ? "/" : "", name);
	bool found = !access(path, F_OK);

	free(path);
	return found;
}

static bool library_found(const char *sysroot, const char *name)
{
	static const char *const dirs[] = {"/lib",
	                                   "/lib64",
	                                   "/usr/lib",
	                                   "/usr/lib64",
	                                   "/usr/local/lib",
	                                   "/lib/aarch64-linux-gnu",
	                                   "/usr/lib/aarch64-linux-gnu"};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		if (sysroot && exists_under(sysroot, dirs[i], name))
			return true;
		if (exists_under("", dirs[i], name))
			return true;
	}
	return false;
}

/*
 * Die if the loader cannot find a library. Only the default search path is checked: run paths,
 * LD_LIBRARY_PATH and a loader cache are left to the loader.
 */
static void check_libraries(Elf *elf, const char *program, const char *sysroot)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Dyn dyn;
	Elf_Data *data;
	const char *missing = NULL;

	if (getenv("LD_LIBRARY_PATH") || (sysroot && exists_under(sysroot, "", "/etc/ld.so.cache")))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNAMIC || !sh.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		for (size_t i = 0; data && i < sh.sh_size / sh.sh_entsize; i++) {
			const char *name;

			if (!gelf_getdyn(data, (int)i, &dyn) || dyn.d_tag == DT_NULL)
				break;
			if (dyn.d_tag == DT_RUNPATH || dyn.d_tag == DT_RPATH)
				return;
			name = dyn.d_tag == DT_NEEDED
			               ? elf_strptr(elf, sh.sh_link, (size_t)dyn.d_un.d_val)
			               : NULL;
			if (name && !strchr(name, '/') && !library_found(sysroot, name) && !missing)
				missing = name;
		}
	}
	if (missing)
		die(EXIT_CANNOT_RUN,
		    "library '%s' of '%s' is not in %s; install its arm64 build there, or name "
		    "another sysroot with -L",
		    missing, program, sysroot ? sysroot : "the library directories");
}

static void check_interpreter(Elf *elf, const char *program, const struct record_options *opt,
                              bool *dynamic)
{
	size_t n = 0, size;
	const char *image = elf_rawfile(elf, &size);

	*dynamic = false;
	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;
		const char *loader;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_INTERP)
			continue;
		if (!image || ph.p_filesz == 0 || ph.p_offset >= size ||
		    ph.p_filesz > size - ph.p_offset || image[ph.p_offset + ph.p_filesz - 1])
			die(EXIT_CANNOT_RUN,
			    "'%s' is damaged: its interpreter has no name; build it "
			    "again",
			    program);
		*dynamic = true;
		loader = image + ph.p_offset;
		if ((opt->sysroot && exists_under(opt->sysroot, "", loader)) ||
		    exists_under("", "", loader))
			continue;
		if (opt->sysroot)
			die(EXIT_CANNOT_RUN,
			    "loader '%s' of '%s' is not in the sysroot %s; name another with -L, "
			    "or "
			    "install libc6-arm64-cross",
			    loader, program, opt->sysroot);
		die(EXIT_CANNOT_RUN,
		    "loader '%s' of '%s' was not found; install libc6-arm64-cross, or name a "
		    "sysroot with -L",
		    loader, program);
	}
}

void check_elf(const char *program, const struct record_options *opt, bool *dynamic)
{
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	GElf_Ehdr ehdr;
	Elf *elf;

	if (fd < 0)
		die(EXIT_CANNOT_RUN, "cannot read '%s': %s; make it readable", program,
		    strerror(errno));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr))
		not_elf(program);
	if (ehdr.e_machine != EM_AARCH64 || ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		die(EXIT_CANNOT_RUN,
		    "'%s' is for %s, not for AArch64; build it with aarch64-linux-gnu-gcc, or "
		    "name a sysroot that has it with -L",
		    program,
		    ehdr.e_machine == EM_AARCH64 ? "AArch64 ILP32" : machine_name(ehdr.e_machine));
	if (ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		die(EXIT_CANNOT_RUN,
		    "'%s' is big-endian, which is not supported; build it "
		    "little-endian",
		    program);
	if (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN)
		die(EXIT_CANNOT_RUN, "'%s' is an ELF file but not a program; link it first",
		    program);
	check_interpreter(elf, program, opt, dynamic);
	if (*dynamic)
		check_libraries(elf, program, opt->sysroot);
	elf_end(elf);
	close(fd);
}

/* Return 1 if the ELF file at `path` defines `symbol` for its plugins, 0 if not, or -1 if it is not
 * an ELF file. */
static int defines_symbol(const char *path, const char *symbol)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), result = 0;
	Elf *elf;
	Elf_Scn *scn = NULL;

	if (fd < 0)
		return -1;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		result = -1;
	while (!result && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_DYNSYM || !sh.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		for (size_t i = 0; data && !result && i < sh.sh_size / sh.sh_entsize; i++) {
			GElf_Sym sym;
			const char *name;

			if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
				continue;
			name = elf_strptr(elf, sh.sh_link, sym.st_name);
			result = name && !strcmp(name, symbol);
		}
	}
	elf_end(elf);
	close(fd);
	return result;
}

/* Return the QEMU that scripts/fetch qemu-user made, in the build tree or next to an installed
 * plugin; NULL if there is none. */
static char *qemu_beside(void)
{
	char *path = find_beside("../qemu-user/bin/" QEMU);

	return path ? path : find_beside(SPEMU_PLUGIN_RELATIVE "/qemu-user/bin/" QEMU);
}

char *check_qemu(const struct record_options *opt)
{
	const char *given = opt->qemu ? opt->qemu : getenv("SPEMU_QEMU");
	const char *name = given && *given ? given : QEMU;
	char *path = find_program(name), *beside = NULL;

	if (!(given && *given) && (!path || defines_symbol(path, PLUGIN_FUNCTION) == 0))
		beside = qemu_beside();
	if (beside) {
		free(path);
		return beside;
	}
	if (!path)
		die(EXIT_OWN,
		    "QEMU '%s' was not found; 'scripts/fetch qemu-user DIR' makes one: name its "
		    "DIR/bin/" QEMU " with --qemu",
		    name);
	if (defines_symbol(path, PLUGIN_FUNCTION) == 0)
		die(EXIT_OWN,
		    "%s (version %s) was built without plugins; 'scripts/fetch qemu-user DIR' "
		    "makes one "
		    "with them: name its DIR/bin/" QEMU " with --qemu",
		    path, qemu_version(path));
	return path;
}

void check_output(const char *path)
{
	char *copy = xstrdup(path), *dir = dirname(copy);
	struct statvfs vfs;
	struct stat st;

	if (!*path)
		die(EXIT_USAGE, "the output's name is empty; name a file with -o");
	if (!stat(path, &st) && S_ISDIR(st.st_mode))
		die(EXIT_OWN, "output '%s' is a directory; name a file in it with -o", path);
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		die(EXIT_OWN, "output '%s' is not a regular file; name another with -o", path);
	if (!lstat(path, &st) && S_ISLNK(st.st_mode) &&
	    (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6)))
		die(EXIT_OWN,
		    "output '%s' is an open file of this process; name the file itself with -o, or "
		    "give -o - for standard output",
		    path);
	if (stat(dir, &st))
		die(EXIT_OWN,
		    "cannot write to '%s': %s; create the directory '%s' or name another "
		    "file with -o",
		    path, strerror(errno), dir);
	if (!S_ISDIR(st.st_mode))
		die(EXIT_OWN,
		    "cannot write to '%s': '%s' is not a directory; name another file "
		    "with -o",
		    path, dir);
	if (access(dir, W_OK) || (!access(path, F_OK) && access(path, W_OK)))
		die(EXIT_OWN, "cannot write to '%s': %s; name another file with -o", path,
		    strerror(errno));
	if (!statvfs(dir, &vfs) && (uint64_t)vfs.f_bavail * vfs.f_frsize < DISK_MIN)
		die(EXIT_OWN,
		    "less than 1 MB is free for '%s'; free some or name a file elsewhere "
		    "with -o",
		    path);
	free(copy);
}

bool physical_addresses_readable(void)
{
	volatile char here = 0;
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	off_t offset = (off_t)((uintptr_t)&here / (uintptr_t)sysconf(_SC_PAGESIZE) * sizeof(entry));
	ssize_t got;

	if (fd < 0)
		return false;
	got = pread(fd, &entry, sizeof(entry), offset);
	close(fd);
	/* Without the capability, the kernel shows frame number 0. */
	return got == sizeof(entry) && (entry & ((UINT64_C(1) << 55) - 1));
}
