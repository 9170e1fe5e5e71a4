#define _GNU_SOURCE
#include "ptyd/core/program.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ptyd/core/text.h"

#define DELETED " (deleted)"

char *program_path(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, fd < 0 ? "/proc/self/exe" : "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0)
        return text_copy("");
    path[n] = '\0';
    char *end = path + n - (sizeof DELETED - 1);
    if (end > path && !strcmp(end, DELETED))
        *end = '\0';
    return text_copy(path);
}

/* Notes are padded to four bytes. */
static size_t padded(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

static bool read_notes(const char *at, const char *end, char *build, size_t room)
{
    ElfW(Nhdr) note;
    while ((size_t)(end - at) >= sizeof note) {
        memcpy(&note, at, sizeof note);
        const char *name = at + sizeof note;
        const unsigned char *id = (const unsigned char *)name + padded(note.n_namesz);
        at = (const char *)id + padded(note.n_descsz);
        if (at > end)
            return false;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || memcmp(name, "GNU", 4))
            continue;
        for (size_t i = 0; i < note.n_descsz && 2 * i + 2 < room; i++)
            snprintf(build + 2 * i, 3, "%02x", id[i]);
        return true;
    }
    return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const char *at = (const char *)(info->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_NOTE && read_notes(at, at + part->p_memsz, user, 65))
            break;
    }
    return 1; /* the program itself comes first; the libraries are not asked */
}

const char *program_build(void)
{
    static char build[65];
    if (!*build)
        dl_iterate_phdr(look, build);
    return build;
}
