// SPDX-License-Identifier: MIT
//
// The summary of a run: the ledger as text for people, and as JSON with the
// final state for programs.

#include "base/alloc.h"
#include "io/journal.h"
#include "model/joint.h"
#include "run.h"

#include <math.h>
#include <string.h>

// Text --------------------------------------------------------------------------------------------

static void print_energy(const tn_ledger *l)
{
    printf("energy             %.6g J at the start, %.6g J at the end\n", l->energy_start,
           l->energy);
    printf("                   kinetic %.6g J, potential %.6g J\n", l->kinetic, l->potential);
    printf("                   dissipated %.6g J, supplied %.6g J\n", l->dissipated, l->supplied);
    printf("energy balance     %.3g J off at the end, at most %.3g J", l->balance, l->max_balance);
    if (l->energy_scale > 0.0)
        printf(" or %.2g of the energy exchanged", tn_ledger_relative_balance(l));
    printf("\nenergy band        %.3g to %.3g J, drift %.3g J/s\n", l->band[0], l->band[1],
           l->drift);
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

static void print_time(const cli_outcome *o, double t)
{
    const tn_ledger *l = &o->ledger;

    printf("time               %g to %g s", o->simulate->options.t_start, t);
    if (l->steps > 0 && l->step_max - l->step_min > 1e-6 * l->step_max)
        printf(", steps of %.3g to %.3g s", l->step_min, l->step_max);
    else if (l->steps > 0)
        printf(", step %.6g s", l->step_max);
    printf("\n");
}

static bool has_orders(const tn_ledger *l)
{
    for (int i = 0; i < CLI_COUNT(l->order_steps); i++)
        if (l->order_steps[i] > 0)
            return true;
    return false;
}

static void print_orders(const tn_ledger *l)
{
    const char *before = "orders             ";

    for (int i = 1; i < CLI_COUNT(l->order_steps); i++)
        if (l->order_steps[i] > 0) {
            printf("%s%d in %ld", before, i, l->order_steps[i]);
            before = ", ";
        }
    if (has_orders(l))
        printf(" steps\n");
}

// Near-singular positions: from this margin on it is worth a line, and time to find the rows.
static const double MARGIN_TOLD = 0.05;

static bool find_singular(const cli_outcome *o, tn_rank_margin *m)
{
    return o->ledger.rank_margin < MARGIN_TOLD && tn_sim_rank_least(o->sim, m) == TN_OK;
}

static void print_singular(const cli_outcome *o)
{
    enum { ROWS_SHOWN = 2 };
    tn_rank_margin m;

    if (!find_singular(o, &m))
        return;
    printf("singular position  near at t = %.6g s: %.2g of the distance elsewhere", m.t,
           o->ledger.rank_margin);
    for (int k = 0; k < m.nrow && k < ROWS_SHOWN; k++)
        printf("%s%s",
               k ? ", " : ";\n                   rows that depend on others there: ", m.row[k]);
    printf("%s\n", m.nrow > ROWS_SHOWN ? " …" : "");
}

static void put_singular(tn_json *json, const cli_outcome *o)
{
    tn_rank_margin m;

    if (!find_singular(o, &m)) {
        tn_json_null(json, "singular");
        return;
    }
    tn_json_begin_object(json, "singular");
    tn_json_number(json, "time", m.t);
    tn_json_number(json, "margin", o->ledger.rank_margin);
    tn_json_number(json, "ratio", m.ratio);
    tn_json_begin_array(json, "rows");
    for (int k = 0; k < m.nrow; k++)
        tn_json_string(json, NULL, m.row[k]);
    tn_json_end_array(json);
    tn_json_end_object(json);
}

enum { EVENTS_SHOWN = 12 };

static void print_events(const cli_outcome *o)
{
    const tn_event_hit *hit = NULL;
    const int n = tn_sim_event_hits(o->sim, &hit);

    for (int i = 0; i < n && i < EVENTS_SHOWN; i++)
        printf("%-18s '%s' at t = %.10g s, %s\n", i ? "" : "events",
               tn_event_name(o->model, hit[i].event), hit[i].t,
               hit[i].rising ? "rising" : "falling");
    if (o->ledger.events > EVENTS_SHOWN)
        printf("%-18s and %ld more, see summary.json\n", "", o->ledger.events - EVENTS_SHOWN);
}

static void put_events(tn_json *json, const cli_outcome *o)
{
    const tn_event_hit *hit = NULL;
    const int n = tn_sim_event_hits(o->sim, &hit);

    tn_json_begin_array(json, "events");
    for (int i = 0; i < n; i++) {
        tn_json_begin_object(json, NULL);
        tn_json_string(json, "name", tn_event_name(o->model, hit[i].event));
        tn_json_number(json, "time", hit[i].t);
        tn_json_string(json, "direction", hit[i].rising ? "rising" : "falling");
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

void cli_notes_put(tn_json *json, const tn_model *model, const tn_sim *sim)
{
    tn_json_begin_array(json, "notes");
    for (int i = 0; i < tn_model_note_count(model); i++)
        tn_json_string(json, NULL, tn_model_note(model, i));
    for (int i = 0; i < tn_sim_note_count(sim); i++)
        tn_json_string(json, NULL, tn_sim_note(sim, i));
    tn_json_end_array(json);
}

// Once, behind the ledger: each is a sentence on what to look at.
void cli_notes_tell(const tn_model *model, const tn_sim *sim)
{
    for (int i = 0; i < tn_model_note_count(model); i++)
        cli_message("note: %s", tn_model_note(model, i));
    for (int i = 0; i < tn_sim_note_count(sim); i++)
        cli_message("note: %s", tn_sim_note(sim, i));
}

void cli_doubts_tell(const tn_verdict *verdict)
{
    for (int i = 0; i < verdict->count; i++)
        if (verdict->judged[i].doubtful)
            cli_message("doubtful: %s", verdict->judged[i].text);
}

static void print_doubts(const tn_verdict *verdict)
{
    const char *before = "doubtful           ";

    for (int i = 0; i < verdict->count; i++) {
        const tn_judged *j = &verdict->judged[i];
        if (!j->doubtful)
            continue;
        printf("%s%s %.3g at t = %.6g s, bound %.2g", before, j->quantity, j->value, j->t,
               j->bound);
        printf("%s%s\n", *j->where ? ": " : "", j->where);
        before = "                   ";
    }
}

// Only what is there is named.
static void print_files(const cli_outcome *o)
{
    static const char *const names[] = {"result.h5", TN_JOURNAL_FILE, "result.csv", "summary.json"};
    const char *before = ": ";

    printf("results            %s", o->directory);
    for (int i = 0; i < CLI_COUNT(names) && !o->kept; i++)
        if (cli_results_have(o->directory, names[i])) {
            printf("%s%s", before, names[i]);
            before = ", ";
        }
    printf("%s\n", *before == ':' ? ": nothing could be written" : "");
}

void cli_summary_print(const cli_outcome *o)
{
    const tn_ledger *l = &o->ledger;
    const double t = tn_sim_time(o->sim), span = t - o->simulate->options.t_start;
    const double per_step = l->steps > 0 ? (double)l->newton / (double)l->steps : 0.0;

    printf("%s: %s\n\n", o->model_path, o->status);
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
    if (l->has_energy)
        print_energy(l);
    if (l->has_momentum)
        print_momenta(l);
    print_events(o);
    print_doubts(&o->verdict);
    printf("wall time          %.3g s", l->wall);
    if (span > 0.0)
        printf(", %.3g s per simulated second", l->wall / span);
    printf("\n");
    print_files(o);
}

// JSON --------------------------------------------------------------------------------------------

static void put_vector(tn_json *json, const char *key, tn_vec3 v)
{
    tn_json_numbers(json, key, 3, (double[]){v.x, v.y, v.z});
}

static void put_body(tn_json *json, const cli_outcome *o, tn_body body)
{
    const tn_quat e = tn_sim_body_rotation(o->sim, body);

    tn_json_begin_object(json, tn_body_name(o->model, body));
    put_vector(json, "position", tn_sim_body_frame(o->sim, body).p);
    tn_json_numbers(json, "quaternion", 4, (double[]){e.w, e.x, e.y, e.z});
    put_vector(json, "velocity", tn_sim_body_velocity(o->sim, body));
    put_vector(json, "angular_velocity", tn_sim_body_rate(o->sim, body));
    put_vector(json, "acceleration", tn_sim_body_acceleration(o->sim, body));
    put_vector(json, "angular_acceleration", tn_sim_body_rate_dot(o->sim, body));
    tn_json_end_object(json);
}

static void put_joint(tn_json *json, const cli_outcome *o, tn_joint joint)
{
    double q[TN_JOINT_MAX_COORDS], rate[TN_JOINT_MAX_COORDS], lambda[TN_JOINT_MAX_ROWS];
    bool unique[TN_JOINT_MAX_ROWS];
    const int ncoord = tn_sim_joint_coordinates(o->sim, joint, q, rate);
    const tn_wrench reaction = tn_sim_joint_reaction(o->sim, joint);
    const int nrow = tn_sim_joint_multipliers(o->sim, joint, lambda, unique);

    tn_json_begin_object(json, tn_joint_name(o->model, joint));
    tn_json_string(json, "kind", tn_joint_kind_name(o->model, joint));
    tn_json_numbers(json, "coordinates", ncoord, q);
    tn_json_numbers(json, "rates", ncoord, rate);
    put_vector(json, "force", reaction.f);
    put_vector(json, "torque", reaction.m);
    tn_json_numbers(json, "lambda", nrow, lambda);
    tn_json_begin_array(json, "unique");
    for (int i = 0; i < nrow; i++)
        tn_json_boolean(json, NULL, unique[i]);
    tn_json_end_array(json);
    tn_json_end_object(json);
}

static void put_final(tn_json *json, const cli_outcome *o)
{
    tn_json_begin_object(json, "final");
    tn_json_number(json, "time", tn_sim_time(o->sim));
    tn_json_begin_object(json, "bodies");
    for (int i = 1; i < tn_model_body_count(o->model); i++)
        put_body(json, o, (tn_body){i});
    tn_json_end_object(json);
    tn_json_begin_object(json, "joints");
    for (int i = 0; i < tn_model_joint_count(o->model); i++)
        put_joint(json, o, (tn_joint){i});
    tn_json_end_object(json);
    tn_json_end_object(json);
}

static void put_counts(tn_json *json, const tn_ledger *l)
{
    tn_json_integer(json, "steps", l->steps);
    tn_json_integer(json, "rejected", l->rejected);
    tn_json_integer(json, "newton", l->newton);
    tn_json_integer(json, "factorizations", l->factorizations);
    tn_json_integer(json, "evaluations", l->evaluations);
    tn_json_integer(json, "tangents", l->tangents);
    tn_json_integer(json, "projections", l->projections);
    if (has_orders(l)) {
        tn_json_begin_array(json, "orders"); // steps with order one, two, …
        for (int i = 1; i < CLI_COUNT(l->order_steps); i++)
            tn_json_integer(json, NULL, l->order_steps[i]);
        tn_json_end_array(json);
    }
    tn_json_begin_object(json, "residuals");
    tn_json_number(json, "g", l->max_g);
    tn_json_number(json, "Bv", l->max_gdot);
    tn_json_end_object(json);
}

static void put_energy(tn_json *json, const tn_ledger *l)
{
    if (!l->has_energy) {
        tn_json_null(json, "energy");
        return;
    }
    tn_json_begin_object(json, "energy");
    tn_json_number(json, "initial", l->energy_start);
    tn_json_number(json, "final", l->energy);
    tn_json_number(json, "kinetic", l->kinetic);
    tn_json_number(json, "potential", l->potential);
    tn_json_number(json, "dissipated", l->dissipated);
    tn_json_number(json, "supplied", l->supplied);
    tn_json_number(json, "balance", l->balance);
    tn_json_number(json, "max_balance", l->max_balance);
    tn_json_number(json, "noise", l->energy_noise);
    tn_json_number(json, "relative", tn_ledger_relative_balance(l));
    tn_json_numbers(json, "band", 2, l->band);
    tn_json_number(json, "drift", l->drift);
    tn_json_end_object(json);
}

static void put_momentum(tn_json *json, const tn_ledger *l)
{
    if (!l->has_momentum) {
        tn_json_null(json, "momentum");
        return;
    }
    tn_json_begin_object(json, "momentum");
    tn_json_numbers(json, "linear_initial", 3, l->momentum_start);
    tn_json_numbers(json, "linear_final", 3, l->momentum);
    tn_json_numbers(json, "angular_initial", 3, l->spin_start);
    tn_json_numbers(json, "angular_final", 3, l->spin);
    tn_json_numbers(json, "linear_change", 3, l->momentum_change);
    tn_json_numbers(json, "angular_change", 3, l->spin_change);
    tn_json_end_object(json);
}

static void put_required(tn_json *json, const cli_require *require)
{
    tn_json_begin_array(json, "required");
    for (int i = 0; i < require->count; i++) {
        const cli_bound *b = &require->bound[i];
        tn_json_begin_object(json, NULL);
        tn_json_string(json, "quantity", cli_bound_name(b));
        tn_json_number(json, "limit", b->limit);
        tn_json_number(json, "found", b->found);
        tn_json_boolean(json, "met", b->met);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

static void put_judged(tn_json *json, const tn_judged *j, bool with_text)
{
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "quantity", j->quantity);
    tn_json_number(json, "value", j->value);
    tn_json_number(json, "bound", j->bound);
    tn_json_number(json, "time", j->t);
    tn_json_string(json, "where", *j->where ? j->where : NULL);
    if (with_text)
        tn_json_string(json, "text", j->text);
    tn_json_end_object(json);
}

static void put_verdict(tn_json *json, const tn_verdict *verdict)
{
    tn_json_begin_object(json, "size");
    tn_json_number(json, "length", verdict->length);
    tn_json_number(json, "speed", verdict->speed);
    tn_json_end_object(json);
    tn_json_begin_array(json, "judged");
    for (int i = 0; i < verdict->count; i++)
        put_judged(json, &verdict->judged[i], false);
    tn_json_end_array(json);
    tn_json_begin_array(json, "doubts");
    for (int i = 0; i < verdict->count; i++)
        if (verdict->judged[i].doubtful)
            put_judged(json, &verdict->judged[i], true);
    tn_json_end_array(json);
}

static void put_command(tn_json *json)
{
    char *line = cli_command_line();

    tn_json_string(json, "command", line);
    tn_free(line);
}

tn_status cli_summary_json(const cli_outcome *o, tn_json **out)
{
    const tn_sim_options *options = &o->simulate->options;
    tn_json *json = NULL;

    *out = NULL;
    CLI_TRY(tn_json_create(&json));
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "status", o->status);
    tn_json_string(json, "reason", *o->reason ? o->reason : NULL);
    tn_json_string(json, "tenon", tn_version());
    put_command(json);
    tn_json_string(json, "model", o->model_path);
    tn_json_string(json, "results", o->directory);
    tn_json_string(json, "method", tn_sim_method(o->sim));
    tn_json_string(json, "why", tn_sim_why(o->sim));
    tn_json_string(json, "rotation", tn_sim_rotation(o->sim));
    tn_json_string(json, "solver", tn_sim_solver(o->sim));
    tn_json_integer(json, "freedoms", tn_sim_freedoms(o->sim));
    tn_json_integer(json, "redundant", tn_sim_redundant(o->sim));
    tn_json_number(json, "t_start", options->t_start);
    tn_json_number(json, "t_end", o->simulate->t_end);
    tn_json_number(json, "time", tn_sim_time(o->sim));
    tn_json_number(json, "step", o->ledger.step_max);
    tn_json_number(json, "step_min", o->ledger.step_min);
    put_counts(json, &o->ledger);
    put_singular(json, o);
    put_events(json, o);
    cli_notes_put(json, o->model, o->sim);
    put_energy(json, &o->ledger);
    put_momentum(json, &o->ledger);
    put_required(json, o->require);
    put_verdict(json, &o->verdict);
    tn_json_number(json, "wall_time", o->ledger.wall);
    put_final(json, o);
    if (o->seal && o->seal->sums)
        tn_seal_json(o->seal, json);
    tn_summary_sign(json);
    tn_json_end_object(json);

    const tn_status s = tn_json_finish(json);
    if (s == TN_OK)
        *out = json;
    else
        tn_json_destroy(json);
    return s;
}
