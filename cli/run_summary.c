// SPDX-License-Identifier: MIT
//
// A run up to its summary: the ledger as text for people, or summary.json for programs, and what
// went wrong.

#include "run.h"

#include <math.h>
#include <string.h>

static void print_energy(const tn_ledger *l)
{
    printf("energy             %.6g J at the start, %.6g J at the end\n", l->energy_start,
           l->energy);
    printf("                   kinetic %.6g J, potential %.6g J\n", l->kinetic, l->potential);
    printf("                   dissipated %.6g J, ", l->dissipated);
    if (l->impacts != 0.0)
        printf("of it %.6g J by impacts, ", l->impacts);
    printf("supplied %.6g J\n", l->supplied);
    printf("energy balance     %.3g J off at the end, at most %.3g J", l->balance, l->max_balance);
    if (l->energy_scale > l->energy_noise)
        printf(" or %.2g of the energy exchanged", tn_ledger_relative_balance(l));
    printf("\nenergy band        %.3g to %.3g J, drift %.3g J/s\n", l->band[0], l->band[1],
           l->drift);
}

enum { WORKS_SHOWN = 5 };

static double size_of_work(const tn_sim *sim, int element, tn_work *out)
{
    tn_sim_work(sim, element, out);
    return fmax(fabs(out->dissipated), fabs(out->supplied));
}

// The largest work that is below another one; elements with equal works follow in their order.
static int next_work(const tn_sim *sim, int last, double below)
{
    int next = -1;
    double most = 0.0;
    for (int i = 0; i < tn_sim_work_count(sim); i++) {
        tn_work w;
        const double size = size_of_work(sim, i, &w);
        const bool left = size < below || (size == below && i > last);
        if (left && size > most) {
            most = size;
            next = i;
        }
    }
    return next;
}

// Words on where a list that is shown in part stands in full.
static const char *whole_list(const tn_run_facts *o)
{
    return o->directory ? "see summary.json" : "which --json shows";
}

static void print_works(const tn_run_facts *o)
{
    const tn_sim *sim = o->sim;
    double below = INFINITY;
    for (int k = 0, i = -1; (i = next_work(sim, i, below)) >= 0; k++) {
        tn_work w;
        below = size_of_work(sim, i, &w);
        if (k == WORKS_SHOWN) {
            printf("%-18s and others, %s\n", "", whole_list(o));
            return;
        }
        printf("%-18s %s%s%s%s", k ? "" : "works", w.kind, *w.name ? " '" : "", w.name,
               *w.name ? "'" : "");
        if (w.dissipated != 0.0)
            printf(": dissipated %.6g J", w.dissipated);
        if (w.supplied != 0.0)
            printf("%s supplied %.6g J", w.dissipated != 0.0 ? "," : ":", w.supplied);
        printf("\n");
    }
}

// Mechanisms on the ground change most of them; what no outer force changes is a matter of method.
static void print_momenta(const tn_ledger *l)
{
    const double *p = l->momentum_change, *s = l->spin_change;
    printf(
        "momenta            change by up to (%.3g, %.3g, %.3g) kg m/s, angular (%.3g, %.3g, %.3g) "
        "kg m^2/s\n",
        p[0], p[1], p[2], s[0], s[1], s[2]);
}

static void print_time(const tn_run_facts *o, double t)
{
    const tn_ledger *l = &o->ledger;
    printf("time               %g to %g s", o->simulate->options.t_start, t);
    if (l->steps > 0 && l->step_max - l->step_min > 1e-6 * l->step_max)
        printf(", steps of %.3g to %.3g s", l->step_min, l->step_max);
    else if (l->steps > 0)
        printf(", step %.6g s", l->step_max);
    printf("\n");
}

// Parts of the largest values that the motion has.
static void print_error(const tn_run_error *e)
{
    const tn_distance *d = &e->distance;
    if (!e->asked)
        return;
    if (!e->known) {
        printf("error              not known: %s\n", e->reason);
        return;
    }
    printf("error              about %.2g of %.3g m or in rad, speeds %.2g of %.3g m/s or %.3g "
           "rad/s,\n",
           d->q, e->position, d->v, e->velocity, e->rate);
    if (!isnan(d->lambda))
        printf("                   multipliers %.2g of %.3g,\n", d->lambda, e->lambda);
    printf("                   by a run with %s %.3g\n", e->check.fixed ? "steps of" : "rtol",
           e->check.value);
}

static void print_orders(const tn_ledger *l)
{
    const char *const first = "orders             ", *before = first;
    for (int i = 1; i < CLI_COUNT(l->order_steps); i++)
        if (l->order_steps[i] > 0) {
            printf("%s%d in %ld", before, i, l->order_steps[i]);
            before = ", ";
        }
    if (before != first)
        printf(" steps\n");
}

static void print_singular(const tn_run_facts *o)
{
    enum { ROWS_SHOWN = 2 };
    const tn_rank_margin *m = &o->near;
    if (!o->singular)
        return;
    printf("singular position  near at t = %.6g s: %.2g of the distance elsewhere", m->t,
           o->ledger.rank_margin);
    for (int k = 0; k < m->nrow && k < ROWS_SHOWN; k++)
        printf("%s%s",
               k ? ", " : ";\n                   rows that depend on others there: ", m->row[k]);
    printf("%s\n", m->nrow > ROWS_SHOWN ? " …" : "");
}

enum { EVENTS_SHOWN = 12 };

static void print_events(const tn_run_facts *o)
{
    const tn_event_hit *hit = NULL;
    const int n = tn_sim_event_hits(o->sim, &hit);
    for (int i = 0; i < n && i < EVENTS_SHOWN; i++)
        printf("%-18s '%s' at t = %.10g s, %s\n", i ? "" : "events",
               tn_model_event_name(o->model, hit[i].event), hit[i].t,
               hit[i].rising ? "rising" : "falling");
    if (o->ledger.events > EVENTS_SHOWN)
        printf("%-18s and %ld more, %s\n", "", o->ledger.events - EVENTS_SHOWN, whole_list(o));
}

// Once, behind the ledger: each is a sentence on what to look at.
void cli_notes_tell(const tn_model *model, const tn_sim *sim)
{
    for (int i = 0; i < tn_model_note_count(model); i++)
        cli_message("note: %s", tn_model_note(model, i));
    for (int i = 0; i < tn_sim_note_count(sim); i++)
        cli_message("note: %s", tn_sim_note(sim, i));
}

static void print_summary(const tn_run_facts *o)
{
    const tn_ledger *l = &o->ledger;
    const double t = tn_sim_time(o->sim), span = t - o->simulate->options.t_start;
    const double per_step = l->steps > 0 ? (double)l->newton / (double)l->steps : 0.0;
    const bool early = o->reached && *o->reason;
    printf("%s: %s%s%s\n\n", o->model_path, strcmp(o->status, "ended") ? o->status : "",
           early && strcmp(o->status, "ended") ? ", " : "", early ? o->reason : "");
    printf("method             %s: %s\n", tn_sim_method(o->sim), tn_sim_why(o->sim));
    print_time(o, t);
    printf("steps              %ld, %ld rejected\n", l->steps, l->rejected);
    print_orders(l);
    if (l->newton > 0)
        printf("Newton iterations  %ld, %.1f per step\n", l->newton, per_step);
    printf("evaluations        %ld, tangents %ld\n", l->evaluations, l->tangents);
    printf("factorisations     %ld, by %s\n", l->factorizations, tn_sim_solver(o->sim));
    printf("constraints        max |g| %.3g, max |Bv| %.3g\n", l->max_g, l->max_gdot);
    print_singular(o);
    if (l->projections > 0)
        printf("projections        %ld of q and v onto the constraints\n", l->projections);
    if (l->has_energy) {
        print_energy(l);
        print_works(o);
    }
    if (l->has_momentum)
        print_momenta(l);
    print_error(&o->error);
    print_events(o);
    cli_print_doubts(&o->verdict, 19);
    printf("wall time          %.3g s", l->wall);
    if (span > 0.0)
        printf(", %.3g s per simulated second", l->wall / span);
    printf("\n");
    if (o->directory)
        printf("results            %s: %s\n", o->directory,
               *o->files ? o->files : "nothing could be written");
    else
        printf("results            none were asked for\n");
}

// The end -----------------------------------------------------------------------------------------

static void tell_kept(const char *model_path, const char *out)
{
    char *directory = tn_run_saved(model_path, out);
    if (directory)
        cli_message("note: %s still holds the results of an earlier run", directory);
    tn_text_free(directory);
}

void cli_tell_kept(const char *model_path, const tn_run_options *wanted)
{
    if (wanted->replace)
        tell_kept(model_path, wanted->out);
}

// Prints where the rows of a run are that has not ended as it should.
static void tell_where(const tn_run_facts *o)
{
    if (o->kept && !o->reached)
        tell_kept(o->model_path, o->directory);
    if (o->kept || o->reached || !o->directory)
        return;
    if (!o->rows)
        cli_message("no rows could be saved in %s", o->directory);
    else if (o->lost)
        cli_message("what could be saved is in %s", o->directory);
    else
        cli_message("the results up to t = %g s are in %s", tn_sim_time(o->sim), o->directory);
    if (o->next_command)
        cli_message("%s: %s", o->next, o->next_command);
}

// Progress ----------------------------------------------------------------------------------------

void cli_run_step(void *running)
{
    cli_running *r = running;
    const tn_run_facts *o = tn_run_about(r->run);
    const double from = o->simulate->options.t_start, to = o->simulate->t_end;
    const double t = tn_sim_time(o->sim), part = to > from ? (t - from) / (to - from) : 1.0;
    cli_progress_show(&r->progress, part, "%3.0f %%  t = %.4g of %.4g s", 100.0 * part, t, to);
}

int cli_run_go(cli_running *running)
{
    const tn_run_facts *o = tn_run_about(running->run);
    running->progress = cli_progress_begin(!running->quiet);
    tn_status s = tn_run_simulate(running->run);
    cli_progress_end(&running->progress);
    s = tn_run_conclude(running->run, s);
    if (s != TN_OK)
        return cli_finish(s);
    if (cli_json())
        fputs(o->summary, stdout);
    else if (!running->quiet)
        print_summary(o);
    cli_notes_tell(o->model, o->sim);
    if (o->reached)
        cli_tell_doubts(&o->verdict);
    if (*o->reason)
        cli_message("%s", o->reason);
    tell_where(o);
    for (int i = 0; i < o->nbound; i++)
        if (!o->bounds[i].met && !strcmp(o->bounds[i].quantity, "error") && !o->error.known)
            cli_message("required error < %g, and it is not known: %s", o->bounds[i].limit,
                        o->error.reason);
        else if (!o->bounds[i].met)
            cli_message("required %s < %g, found %.3g", o->bounds[i].quantity, o->bounds[i].limit,
                        o->bounds[i].found);
    // Order of exit codes: no end, then a bound that was requested, then one of the verdict.
    const int code = cli_end(CLI_DONE);
    if (!o->reached)
        return CLI_NUMERICS;
    if (o->nunmet > 0)
        return CLI_REQUIRE;
    return strcmp(o->status, "doubtful") == 0 ? CLI_DOUBTFUL : code;
}
