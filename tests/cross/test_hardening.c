// SPDX-License-Identifier: MIT
//
// The command and its library as they were linked: symbols are bound at the start, the command can
// be loaded anywhere and stands on the library alone, and libraries are not looked for in the
// folder of the caller; HDF5 is not that of parallel machines.

#include "test.h"

#include <elf.h>

typedef struct binary {
    unsigned char *bytes;
    size_t size;
    const Elf64_Dyn *dynamic;
    size_t count;      // of entries
    const char *names; // which entries point into
} binary;

static void open_binary(binary *b, const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    b->size = (size_t)ftell(file);
    b->bytes = malloc(b->size);
    rewind(file);
    CHECK(b->bytes != NULL && fread(b->bytes, 1, b->size, file) == b->size);
    fclose(file);

    const Elf64_Ehdr *head = (const Elf64_Ehdr *)b->bytes;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(b->bytes + head->e_shoff);
    CHECK(memcmp(b->bytes, ELFMAG, SELFMAG) == 0 && head->e_ident[EI_CLASS] == ELFCLASS64);
    for (int k = 0; k < head->e_shnum; k++)
        if (sections[k].sh_type == SHT_DYNAMIC) {
            b->dynamic = (const Elf64_Dyn *)(b->bytes + sections[k].sh_offset);
            b->count = sections[k].sh_size / sizeof *b->dynamic;
            b->names = (const char *)b->bytes + sections[sections[k].sh_link].sh_offset;
        }
    CHECK(b->count > 0);
}

static bool has_flag(const binary *b, Elf64_Sxword tag, Elf64_Xword flag)
{
    for (size_t k = 0; k < b->count; k++)
        if (b->dynamic[k].d_tag == tag && b->dynamic[k].d_un.d_val & flag)
            return true;
    return false;
}

static void symbols_are_bound_at_the_start_wherever_it_is_loaded(void)
{
    binary b = {0};
    open_binary(&b, TN_BINARY);
    CHECK(has_flag(&b, DT_FLAGS_1, DF_1_NOW));
    CHECK(has_flag(&b, DT_FLAGS_1, DF_1_PIE));
    free(b.bytes);
}

static bool is_safe(const char *path)
{
    return *path == '/' || strncmp(path, "$ORIGIN", 7) == 0;
}

// Every element of a search path is absolute, or where the file itself is: an empty one is the
// current folder.
static void check_search(const char *path)
{
    binary b = {0};
    open_binary(&b, path);
    for (size_t k = 0; k < b.count; k++) {
        if (b.dynamic[k].d_tag != DT_RUNPATH && b.dynamic[k].d_tag != DT_RPATH)
            continue;
        const char *at = b.names + b.dynamic[k].d_un.d_val;
        CHECK(is_safe(at));
        for (; (at = strchr(at, ':')); at++)
            CHECK(is_safe(at + 1));
    }
    free(b.bytes);
}

static void libraries_come_from_the_system_or_lie_beside(void)
{
    check_search(TN_BINARY);
    check_search(TN_LIBRARY);
}

// The system's own library is the only other one.
static void the_command_stands_on_the_library_alone(void)
{
    binary b = {0};
    bool found = false;
    open_binary(&b, TN_BINARY);
    for (size_t k = 0; k < b.count; k++) {
        if (b.dynamic[k].d_tag != DT_NEEDED)
            continue;
        const char *name = b.names + b.dynamic[k].d_un.d_val;
        const bool ours = strncmp(name, "libtenon.so", 11) == 0;
        found = found || ours;
        const bool system = strstr(name, "libc.") || strstr(name, "libm.") ||
                            strstr(name, "pthread") || strstr(name, "san.so") ||
                            strstr(name, "libgcc_s") || // of clang's sanitizers
                            strncmp(name, "ld-", 3) == 0;
        if (!ours && !system)
            printf("the command needs %s\n", name);
        CHECK(ours || system);
    }
    CHECK(found);
    free(b.bytes);
}

static void the_hdf5_of_parallel_machines_is_not_loaded(void)
{
    binary b = {0};
    open_binary(&b, TN_LIBRARY);
    for (size_t k = 0; k < b.count; k++)
        if (b.dynamic[k].d_tag == DT_NEEDED) {
            const char *name = b.names + b.dynamic[k].d_un.d_val;
            CHECK(!strstr(name, "hdf5") || !strstr(name, "mpi"));
        }
    free(b.bytes);
#if defined(TN_WITH_HDF5) && defined(TN_LAZY_LIBRARIES)
    CHECK(!strstr(TN_FILE_HDF5, "mpi"));
#endif
}

// All others are loaded with the first call of one of their functions (src/base/library.h): a
// function that is missing there brings its library back to the start of every program.
static void few_libraries_are_loaded_at_the_start(void)
{
#if defined(TN_LAZY_LIBRARIES) && (defined(__x86_64__) || defined(__aarch64__))
    static const char *const few[] = {"libyaml", "libm.", "libc.",   "libpthread",
                                      "libdl.",  "ld-",   "libgomp", "san.so"};
    binary b = {0};
    open_binary(&b, TN_LIBRARY);
    for (size_t k = 0; k < b.count; k++) {
        if (b.dynamic[k].d_tag != DT_NEEDED)
            continue;
        const char *name = b.names + b.dynamic[k].d_un.d_val;
        bool expected = false;
        for (int i = 0; i < TN_COUNT(few); i++)
            expected = expected || strstr(name, few[i]);
        if (!expected)
            printf("the library needs %s at its start\n", name);
        CHECK(expected);
    }
    free(b.bytes);
#endif
}

static const tn_test tests[] = {
    {"symbols are bound at the start, wherever it is loaded",
     symbols_are_bound_at_the_start_wherever_it_is_loaded},
    {"libraries come from the system or lie beside", libraries_come_from_the_system_or_lie_beside},
    {"the command stands on the library alone", the_command_stands_on_the_library_alone},
    {"the HDF5 of parallel machines is not loaded", the_hdf5_of_parallel_machines_is_not_loaded},
    {"few libraries are loaded at the start", few_libraries_are_loaded_at_the_start},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
