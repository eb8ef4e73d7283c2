// SPDX-License-Identifier: MIT
//
// tenon import: a robot in URDF or MJCF becomes a model file, with a report of what was assumed.

#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct import_options {
    const char *out, *base, *limits, *repair, *keep, *packages, *close, *without;
    bool replace;
} import_options;

#define OPTION(...) CLI_OPTION(import_options, __VA_ARGS__)

static const tn_param options[] = {
    OPTION("out", out, TEXT, "FILE.yaml",
           "the model file; -o for short. The standard output when left out"),
    OPTION("base", base, TEXT, "WHAT", "'fixed' holds the root by the ground, 'free' lets it fly"),
    OPTION("limits", limits, TEXT, "WHAT",
           "'stop' makes elastic stops of limits, 'event' only tells of them, 'none' leaves them "
           "out"),
    OPTION("repair", repair, TEXT, "inertia",
           "where no body can have an inertia take the nearest that one can have"),
    OPTION("keep", keep, TEXT, "WHAT",
           "'fixed' keeps fixed joints as joints, for their reactions; 'inertia' what no body can "
           "have"),
    OPTION("close", close, TEXT, "FILE.yaml",
           "a model file that the new one includes: joints between links, which close loops"),
    OPTION("package", packages, TEXT, "NAME=FOLDER,...",
           "where packages are that names of meshes begin with"),
    OPTION("without", without, TEXT, "WHAT,...",
           "of MJCF: leave out what has a part in the motion and is not read: actuator, tendon, …"),
    OPTION("force", replace, BOOL, "", "replace the file that is there"),
};

static const char *const words[] = {"assumed", "changed", "left out"};

static tn_status put_import(const tn_import *robot, const char *path, const char *out)
{
    const tn_import_facts f = tn_import_facts_of(robot);
    tn_json *json = cli_json_begin();
    tn_json_put(json, "{ status %s robot %s file %s format %s name %s", "done", path, out, f.format,
                f.name);
    tn_json_put(json, "links %d joints %d bodies %d massless %d mass %g notes [", f.links, f.joints,
                f.bodies, f.massless, f.mass);
    for (int i = 0; i < tn_import_note_count(robot); i++) {
        const tn_import_note note = tn_import_note_at(robot, i);
        tn_json_put(json, "{ kind %s line %d text %s }", words[note.kind], note.line, note.text);
    }
    tn_json_put(json, "] }");
    return cli_print_json(json);
}

static void print_import(const tn_import *robot, const char *path, const char *out)
{
    const tn_import_facts f = tn_import_facts_of(robot);
    FILE *to = out ? stdout : stderr; // the model itself is on the standard output
    fprintf(to, "%s: %d links and %d joints make %d bodies, %d of them massless\n", path, f.links,
            f.joints, f.bodies, f.massless);
    fprintf(to, "mass       %.9g kg\n", f.mass);
    for (int i = 0; i < tn_import_note_count(robot); i++) {
        const tn_import_note note = tn_import_note_at(robot, i);
        char shown[2048];
        tn_printable(note.text, shown, sizeof shown);
        fprintf(to, "%-10s line %d: %s\n", words[note.kind], note.line, shown);
    }
    if (out)
        printf("\nWrote %s.\n", out);
}

static tn_status read_options(const import_options *wanted, const char *folder,
                              tn_import_options *out)
{
    const char *keep = wanted->keep ? wanted->keep : "";
    const bool repair = wanted->repair != NULL, keep_inertia = strcmp(keep, "inertia") == 0;
    *out = tn_default_import();
    out->keep_fixed = strcmp(keep, "fixed") == 0;
    if (repair && strcmp(wanted->repair, "inertia") != 0)
        return tn_fail(TN_ERR_USAGE, "--repair knows 'inertia', not '%s'", wanted->repair);
    if (*keep && !out->keep_fixed && !keep_inertia)
        return tn_fail(TN_ERR_USAGE, "--keep knows 'fixed' and 'inertia', not '%s'", keep);
    if (repair && keep_inertia)
        return tn_fail(TN_ERR_USAGE, "--repair and --keep inertia exclude each other");
    out->inertia = repair ? "repair" : keep_inertia ? "keep" : out->inertia;
    out->close = wanted->close;
    out->without = wanted->without;
    out->base = wanted->base ? wanted->base : out->base;
    out->limits = wanted->limits ? wanted->limits : out->limits;
    out->packages = wanted->packages;
    out->folder = folder;
    return TN_OK;
}

static tn_status write_import(const tn_import *robot, const char *path, const char *out)
{
    const char *text = tn_import_text(robot);
    if (!out)
        fputs(text, stdout);
    else
        CLI_TRY(cli_write_text(out, text));
    if (cli_json())
        return put_import(robot, path, out);
    print_import(robot, path, out);
    return TN_OK;
}

static tn_status import(cli_args *args)
{
    import_options own = {0}, *wanted = &own;
    CLI_TRY(cli_parse(args, wanted));
    const char *path = args->word[0], *out = cli_is_stdout(wanted->out) ? NULL : wanted->out;
    tn_import *robot = NULL;
    tn_import_options how;
    if (!out && cli_json())
        return tn_fail(TN_ERR_USAGE, "--json tells what was written: name a file with --out");
    CLI_TRY(cli_check_place(out, wanted->replace));
    char *folder = out ? cli_folder_of(out) : NULL;
    if (out && !folder)
        return tn_fail(TN_ERR_MEMORY, "out of memory");
    tn_status s = read_options(wanted, folder, &how);
    CLI_THEN(s, tn_import_create(path, &how, &robot));
    CLI_THEN(s, write_import(robot, path, out));
    tn_import_destroy(robot);
    free(folder);
    return s;
}

const cli_command cmd_import = {
    .name = "import",
    .summary = "make a model file of a robot in URDF or MJCF",
    .usage =
        "import ROBOT [-o FILE.yaml] [--base fixed|free] [--limits stop|event|none]\n"
        "                    [--repair inertia] [--keep fixed|inertia]\n"
        "                    [--package NAME=FOLDER,...] [--close FILE.yaml] [--without WHAT,...]",
    .text = "Writes the robot as a model file, and tells all that was assumed, changed and left\n"
            "out. Other commands take ROBOT as it is, with the choices that stand first.",
    .word = "a robot",
    .least = 1,
    .most = 1,
    CLI_OPTIONS(options),
    .run = import,
};
