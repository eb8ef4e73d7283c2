// SPDX-License-Identifier: MIT
//
// tenon doctor: what this Tenon has and finds on the machine, what is missing and what it is for.

#include "cli.h"
#include "tenon/doctor.h"

#include <string.h>

static const char *const states[TN_EQUIPMENT_STATE_COUNT] = {"there", "missing", "left out"};

static void print_part(const tn_equipment *p, const char *before)
{
    if (strcmp(before, p->kind) != 0)
        printf("%s%s\n", *before ? "\n" : "", p->kind);
    printf("  %-18s %-8s %s\n", p->name,
           p->state == TN_EQUIPMENT_MISSING && p->needed ? "MISSING" : states[p->state], p->found);
    if (p->state == TN_EQUIPMENT_THERE)
        return;
    printf("  %-18s          for: %s", "", p->purpose);
    // Prints what to do about a missing part.
    if (p->state == TN_EQUIPMENT_LEFT_OUT)
        printf("; build again with %s%s", *p->package ? p->package : "it",
               *p->package ? " installed" : "");
    else if (*p->package)
        printf("; on Debian: apt-get install %s", p->package);
    printf("\n");
}

static void put_part(tn_json *json, const tn_equipment *p)
{
    tn_json_object(json, NULL, "kind %s name %s state %s needed %i found %s purpose %s package %s",
                   p->kind, p->name, states[p->state], p->needed, p->found, p->purpose,
                   *p->package ? p->package : NULL);
}

static tn_status examine(cli_args *args)
{
    tn_json *json = NULL;
    tn_equipment p;
    const char *before = "";
    int missing = 0, needed = 0;
    CLI_TRY(cli_parse(args, NULL));
    if (cli_json()) {
        json = cli_json_begin();
        tn_json_put(json, "{ version %s parts [", tn_version());
    } else {
        printf("Tenon %s\n\n", tn_version());
    }
    for (int i = 0; tn_doctor_check(i, &p); i++) {
        missing += p.state != TN_EQUIPMENT_THERE;
        needed += p.state == TN_EQUIPMENT_MISSING && p.needed;
        if (json)
            put_part(json, &p);
        else
            print_part(&p, before);
        before = p.kind;
    }
    args->code = needed > 0 ? CLI_REQUIRE : CLI_DONE;
    if (!json) {
        printf("\n");
        if (needed > 0)
            printf("%d librar%s that commands need %s missing.\n", needed,
                   needed == 1 ? "y" : "ies", needed == 1 ? "is" : "are");
        else if (missing > 0)
            printf("Models can be simulated; what is missing is for other things.\n");
        else
            printf("Nothing is missing.\n");
        return TN_OK;
    }
    tn_json_put(json, "] missing %d status %s }", missing, needed > 0 ? "failed" : "done");
    return cli_print_json(json);
}

const cli_command cmd_doctor = {
    .name = "doctor",
    .summary = "what is installed, what is missing and what it is for",
    .usage = "doctor [--json]",
    .text = "Loads every library that Tenon was built with, and looks for programs in PATH and for "
            "Python packages. The exit code is 0 where all libraries that commands of this build "
            "need can be loaded, else 4; programs and packages that are missing do not count.",
    .run = examine,
};
