/* SPDX-License-Identifier: MIT */
/* Choose the kernel, its modules and symbols, and the shared folders of the host. */
#define _GNU_SOURCE
#include "../base/content.h"
#include "../base/find.h"
#include "vm.h"
#include "vm_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BOOT "/arch/arm64/boot"
#define ELF_MACHINE 18 /* offset of e_machine in an ELF file; its value must be EM_AARCH64 */
#define EM_AARCH64 183

const char *const vm_module_names[] = {"arm_spe_pmu",    "virtio_pci", "virtio_mmio",
                                       "virtio_console", "9p",         "9pnet_virtio",
                                       "overlay",        NULL};

/* Return the path of a file that scripts/fetch guest made, or NULL. */
static char *find_packaged(const char *name)
{
	const char *given = getenv("SPEMU_VM_GUEST");

	if (!given || !*given)
		return find_made("guest", name);
	return path_or_null(xasprintf("%s/%s", given, name));
}

static char *need_packaged(const char *name)
{
	char *path = find_packaged(name);

	if (!path)
		die(EXIT_OWN,
		    "no guest was found; 'scripts/fetch guest %s' of spemu's sources makes one "
		    "there, or in another DIR, to be named with SPEMU_VM_GUEST=DIR",
		    made_folder("guest"));
	return path;
}

static void check_protocol(void)
{
	char *path = need_packaged("initrd"), *text;
	size_t size = 0;

	free(path);
	path = find_packaged("protocol");
	text = path ? read_named(path, &size, 80) : NULL;
	if (!text || strcmp(text, VM_PROTOCOL "\n"))
		die(EXIT_OWN,
		    "the guest was made by a different version of spemu; make it again with "
		    "'make demo-vm' in the sources or 'scripts/fetch guest DIR'");
	free(text);
	free(path);
}

/* Check that the kernel is an Image, compressed or not, which QEMU can start with a device tree. */
static void check_kernel(const char *path)
{
	size_t size;
	char *data = read_named(path, &size, 64);

	if (!data)
		die(EXIT_OWN, "cannot read the kernel '%s': %s; correct --kernel", path,
		    strerror(errno));
	if (size < 64 || (memcmp(data + 56, "ARM\x64", 4) && memcmp(data, "\x1f\x8b", 2) &&
	                  memcmp(data, "MZ\0\0zimg", 8)))
		die(EXIT_OWN,
		    "'%s' is not an image of an arm64 kernel; use arch/arm64/boot/Image of its "
		    "build "
		    "tree, or a vmlinuz",
		    path);
	free(data);
}

/* Return the folder with the modules of DIR/boot/vmlinuz-VERSION, or of a vmlinuz next to its
 * modules. Return NULL if there is none. */
static char *installed_modules(const char *folder, const char *name)
{
	static const char *const libraries[] = {"../lib", "../usr/lib"};
	char *path = NULL;

	if (!strcmp(name, "vmlinuz"))
		return xstrdup(folder);
	for (size_t i = 0; !path && i < 2 && !strncmp(name, "vmlinuz-", 8); i++)
		path = path_or_null(xasprintf("%s/%s/modules/%s", folder, libraries[i], name + 8));
	return path;
}

/* Find the modules in a folder. Installed modules can do without a list. A build tree without a
 * list does not have modules. */
static void find_modules(struct vm_guest *guest, const char *folder, bool installed)
{
	char *there = path_or_null(xasprintf("%s/modules.order", folder));

	if (!there && installed)
		there = path_or_null(xasprintf("%s/kernel", folder));
	if (there)
		guest->modules = vm_modules(folder, vm_module_names);
	free(there);
}

/* Find modules and symbols of the user's kernel, in its build tree or in an installation. */
static void find_own(struct vm_guest *guest, const char *path, const char *modules)
{
	char *kernel = realpath(path, NULL), *slash, *folder;

	if (!kernel)
		die(EXIT_OWN, "cannot read the kernel '%s': %s; correct --kernel", path,
		    strerror(errno));
	check_kernel(kernel);
	guest->kernel = xstrdup(kernel);
	slash = strrchr(kernel, '/');
	*slash = 0;
	if (slash - kernel > (ptrdiff_t)strlen(BOOT) && !strcmp(slash - strlen(BOOT), BOOT)) {
		slash[-(ptrdiff_t)strlen(BOOT)] = 0;
		guest->symbols = path_or_null(xasprintf("%s/vmlinux", kernel));
		if (!modules)
			find_modules(guest, kernel, false);
	} else if (!modules && (folder = installed_modules(kernel, slash + 1))) {
		find_modules(guest, folder, true);
		free(folder);
	}
	if (modules)
		guest->modules = vm_modules(modules, vm_module_names);
	free(kernel);
}

/* Refuse a shared folder that would hide the guest's own files. */
static void check_share(const char *path, const char *option)
{
	static const char *const own[] = {"/",        "/bin",      "/dev",   "/etc",   "/lib",
	                                  "/proc",    "/sbin",     "/sys",   "/usr",   "/usr/bin",
	                                  "/usr/lib", "/usr/sbin", "/lower", "/upper", "/newroot"};

	for (unsigned i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(path, own[i]))
			die(EXIT_USAGE,
			    "%s '%s' would hide the guest's own folder; use a folder below it",
			    option, path);
	for (const char *p = path; *p; p++)
		if ((unsigned char)*p < ' ')
			die(EXIT_USAGE, "the path of %s has control characters; use another folder",
			    option);
	if (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5))
		die(EXIT_OWN, "%s '%s' is not a folder of files; use another", option, path);
}

static char *folder_path(const char *name, const char *option)
{
	char *path = realpath(name, NULL);
	struct stat st;

	if (!path || stat(path, &st))
		die(EXIT_OWN, "cannot use %s '%s': %s; correct it", option, name, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		die(EXIT_OWN, "%s '%s' is not a folder; name the one that has it", option, name);
	return path;
}

static bool is_within(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return !strncmp(path, folder, n) && (!path[n] || path[n] == '/');
}

static int shorter(const void *a, const void *b)
{
	return compare_numbers(strlen(*(char *const *)a), strlen(*(char *const *)b));
}

/* Find the shared folders. The working directory is shared unless a shared folder contains it. */
static void find_shares(struct vm_guest *guest, const struct vm_options *opt)
{
	char *cwd = folder_path(".", "the working directory");
	size_t count = 0;
	bool covered = false;

	guest->shares = xcalloc(opt->share_count + 2, sizeof(*guest->shares));
	for (size_t i = 0; i < opt->share_count; i++) {
		const char *option = opt->read_only[i] ? "--rodir" : "--rwdir";
		char *path = folder_path(opt->shares[i], option);

		check_share(path, option);
		for (size_t j = 0; j < count; j++)
			if (!strcmp(guest->shares[j] + 3, path))
				die(EXIT_USAGE, "'%s' is shared twice; leave one out", path);
		covered |= is_within(cwd, path);
		guest->shares[count++] = xasprintf("%s %s", opt->read_only[i] ? "ro" : "rw", path);
		free(path);
	}
	if (!covered) {
		check_share(cwd, "the working directory");
		guest->shares[count++] = xasprintf("rw %s", cwd);
	}
	qsort(guest->shares, count, sizeof(*guest->shares), shorter);
	guest->directory = cwd;
}

/* Check that the root has a shell for arm64. Links are resolved within the root. */
static void check_root(const char *root)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;
	unsigned char header[20] = {0};

	fd = (int)syscall(SYS_openat2, folder, "/bin/sh", &how, sizeof(how));
	if (fd < 0 && errno == ENOSYS) {
		close(folder);
		return;
	}
	if (fd < 0 || read(fd, header, sizeof(header)) != sizeof(header) ||
	    header[ELF_MACHINE] != EM_AARCH64 || header[ELF_MACHINE + 1])
		die(EXIT_OWN,
		    "--root '%s' has no /bin/sh for arm64; 'debootstrap --arch arm64 bookworm DIR' "
		    "makes such a folder",
		    root);
	close(fd);
	close(folder);
}

void vm_guest_find(struct vm_guest *guest, const struct vm_options *opt)
{
	const char *kernel = opt->value[VM_KERNEL].text, *root = opt->value[VM_ROOT].text;

	*guest = (struct vm_guest){0};
	check_protocol();
	guest->initrd = need_packaged("initrd");
	if (kernel) {
		find_own(guest, kernel, opt->value[VM_MODULES].text);
	} else {
		guest->kernel = need_packaged("vmlinuz");
		guest->symbols = find_packaged("symbols");
	}
	if (root) {
		guest->root = folder_path(root, "--root");
		check_root(guest->root);
	}
	find_shares(guest, opt);
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void vm_guest_free(struct vm_guest *guest)
{
	free(guest->kernel);
	free(guest->initrd);
	free(guest->symbols);
	free_list(guest->modules);
	free_list(guest->shares);
	free(guest->directory);
	free(guest->root);
}
