// SPDX-License-Identifier: MIT
//
// The summary of a run as JSON, with the final state; docs/formats/json.md lists its keys.

#include "model/joint.h"
#include "result/checksums.h"
#include "run/run_parts.h"

static bool has_orders(const tn_ledger *l)
{
    for (int i = 0; i < TN_COUNT(l->order_steps); i++)
        if (l->order_steps[i] > 0)
            return true;
    return false;
}

static void put_singular(tn_json *json, const tn_run_facts *o)
{
    const tn_rank_margin *m = &o->near;
    if (!o->singular) {
        tn_json_null(json, "singular");
        return;
    }
    tn_json_put(json, "singular { time %g margin %g ratio %g rows [", m->t, o->ledger.rank_margin,
                m->ratio);
    for (int k = 0; k < m->nrow; k++)
        tn_json_string(json, NULL, m->row[k]);
    tn_json_put(json, "] }");
}

static void put_events(tn_json *json, const tn_run_facts *o)
{
    const tn_event_hit *hit = NULL;
    const int n = tn_sim_event_hits(o->sim, &hit);
    tn_json_begin_array(json, "events");
    for (int i = 0; i < n; i++)
        tn_json_object(json, NULL, "name %s time %g direction %s",
                       tn_model_event_name(o->model, hit[i].event), hit[i].t,
                       hit[i].rising ? "rising" : "falling");
    tn_json_end_array(json);
}

static void put_notes(tn_json *json, const tn_model *model, const tn_sim *sim)
{
    tn_json_begin_array(json, "notes");
    for (int i = 0; i < tn_model_note_count(model); i++)
        tn_json_string(json, NULL, tn_model_note(model, i));
    for (int i = 0; i < tn_sim_note_count(sim); i++)
        tn_json_string(json, NULL, tn_sim_note(sim, i));
    tn_json_end_array(json);
}

static void run_json_put_vector(tn_json *json, const char *key, tn_vec3 v)
{
    tn_json_numbers(json, key, 3, (double[]){v.x, v.y, v.z});
}

static void run_json_put_body(tn_json *json, const tn_run_facts *o, tn_body body)
{
    const tn_quat e = tn_sim_body_rotation(o->sim, body);
    tn_json_begin_object(json, tn_model_body_name(o->model, body));
    run_json_put_vector(json, "position", tn_sim_body_frame(o->sim, body).p);
    tn_json_numbers(json, "quaternion", 4, (double[]){e.w, e.x, e.y, e.z});
    run_json_put_vector(json, "velocity", tn_sim_body_velocity(o->sim, body));
    run_json_put_vector(json, "angular_velocity", tn_sim_body_rate(o->sim, body));
    run_json_put_vector(json, "acceleration", tn_sim_body_acceleration(o->sim, body));
    run_json_put_vector(json, "angular_acceleration", tn_sim_body_rate_dot(o->sim, body));
    tn_json_end_object(json);
}

static void run_json_put_joint(tn_json *json, const tn_run_facts *o, tn_joint joint)
{
    double q[TN_JOINT_MAX_COORDS], rate[TN_JOINT_MAX_COORDS], lambda[TN_JOINT_MAX_ROWS];
    bool unique[TN_JOINT_MAX_ROWS];
    const int ncoord = tn_sim_joint_coordinates(o->sim, joint, q, rate);
    const tn_wrench reaction = tn_sim_joint_reaction(o->sim, joint);
    const int nrow = tn_sim_joint_multipliers(o->sim, joint, lambda, unique);
    tn_json_begin_object(json, tn_model_joint_name(o->model, joint));
    tn_json_string(json, "kind", tn_model_joint_kind_name(o->model, joint));
    tn_json_numbers(json, "coordinates", ncoord, q);
    tn_json_numbers(json, "rates", ncoord, rate);
    run_json_put_vector(json, "force", reaction.f);
    run_json_put_vector(json, "torque", reaction.m);
    tn_json_numbers(json, "lambda", nrow, lambda);
    tn_json_begin_array(json, "unique");
    for (int i = 0; i < nrow; i++)
        tn_json_boolean(json, NULL, unique[i]);
    tn_json_put(json, "] }");
}

static void put_final(tn_json *json, const tn_run_facts *o)
{
    tn_json_put(json, "final { time %g bodies {", tn_sim_time(o->sim));
    for (int i = 1; i < tn_model_body_count(o->model); i++)
        run_json_put_body(json, o, (tn_body){i});
    tn_json_put(json, "} joints {");
    for (int i = 0; i < tn_model_joint_count(o->model); i++)
        run_json_put_joint(json, o, (tn_joint){i});
    tn_json_put(json, "} }");
}

static void put_counts(tn_json *json, const tn_ledger *l)
{
    tn_json_put(json, "steps %ld rejected %ld newton %ld factorizations %ld", l->steps, l->rejected,
                l->newton, l->factorizations);
    tn_json_put(json, "evaluations %ld tangents %ld projections %ld", l->evaluations, l->tangents,
                l->projections);
    if (has_orders(l)) {
        tn_json_begin_array(json, "orders"); // steps with order one, two, …
        for (int i = 1; i < TN_COUNT(l->order_steps); i++)
            tn_json_integer(json, NULL, l->order_steps[i]);
        tn_json_end_array(json);
    }
    tn_json_object(json, "residuals", "g %g Bv %g", l->max_g, l->max_gdot);
}

// Writes the works of elements that have dissipated or supplied energy.
static void put_works(tn_json *json, const tn_sim *sim)
{
    tn_json_begin_array(json, "works");
    for (int i = 0; i < tn_sim_work_count(sim); i++) {
        tn_work w;
        if (tn_sim_work(sim, i, &w) == TN_OK && (w.dissipated != 0.0 || w.supplied != 0.0))
            tn_json_object(json, NULL, "name %s kind %s dissipated %g supplied %g", w.name, w.kind,
                           w.dissipated, w.supplied);
    }
    tn_json_end_array(json);
}

static void put_energy(tn_json *json, const tn_run_facts *o)
{
    const tn_ledger *l = &o->ledger;
    if (!l->has_energy) {
        tn_json_null(json, "energy");
        return;
    }
    tn_json_put(json, "energy { initial %g final %g kinetic %g potential %g dissipated %g",
                l->energy_start, l->energy, l->kinetic, l->potential, l->dissipated);
    tn_json_put(json, "impacts %g", l->impacts);
    tn_json_put(json, "supplied %g balance %g max_balance %g noise %g relative %g", l->supplied,
                l->balance, l->max_balance, l->energy_noise, tn_ledger_relative_balance(l));
    tn_json_numbers(json, "band", 2, l->band);
    tn_json_put(json, "drift %g", l->drift);
    put_works(json, o->sim);
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

static void put_error(tn_json *json, const tn_run_error *e)
{
    if (!e->asked) {
        tn_json_null(json, "error");
        return;
    }
    tn_json_put(json, "error { positions %g velocities %g multipliers %g", e->distance.q,
                e->distance.v, e->distance.lambda);
    tn_json_put(json, "size { position %g velocity %g rate %g multiplier %g }", e->position,
                e->velocity, e->rate, e->lambda);
    tn_json_number(json, e->check.fixed ? "check_step" : "check_rtol", e->check.value);
    tn_json_string(json, "reason", *e->reason ? e->reason : NULL);
    tn_json_end_object(json);
}

static void put_required(tn_json *json, const tn_run_facts *o)
{
    tn_json_begin_array(json, "required");
    for (int i = 0; i < o->nbound; i++) {
        const tn_bound *b = &o->bounds[i];
        tn_json_object(json, NULL, "quantity %s limit %g found %g met %i", b->quantity, b->limit,
                       b->found, b->met);
    }
    tn_json_end_array(json);
}

static void put_judged(tn_json *json, const tn_judged *j, bool with_text)
{
    tn_json_put(json, "{ quantity %s value %g bound %g time %g", j->quantity, j->value, j->bound,
                j->t);
    tn_json_string(json, "where", *j->where ? j->where : NULL);
    if (with_text)
        tn_json_string(json, "text", j->text);
    tn_json_end_object(json);
}

void tn_verdict_put(tn_json *json, const tn_verdict *verdict)
{
    if (!json || !verdict)
        return;
    tn_json_begin_array(json, "judged");
    for (int i = 0; i < verdict->count; i++)
        put_judged(json, &verdict->judged[i], false);
    tn_json_put(json, "] doubts [");
    for (int i = 0; i < verdict->count; i++)
        if (verdict->judged[i].doubtful)
            put_judged(json, &verdict->judged[i], true);
    tn_json_end_array(json);
}

tn_status tn_run_json(const tn_run *run, tn_json **out)
{
    const tn_run_facts *o = &run->facts;
    const tn_sim_options *options = &o->simulate->options;
    tn_json *json = NULL;
    *out = NULL;
    TN_TRY(tn_json_create(&json));
    tn_json_put(json, "{ status %s reason %s tenon %s command %s model %s results %s", o->status,
                *o->reason ? o->reason : NULL, tn_version(), run->wanted.command, o->model_path,
                o->directory);
    tn_json_put(json, "method %s why %s rotation %s solver %s freedoms %d redundant %d",
                tn_sim_method(o->sim), tn_sim_why(o->sim), tn_sim_rotation(o->sim),
                tn_sim_solver(o->sim), tn_sim_freedoms(o->sim), tn_sim_redundant(o->sim));
    tn_json_put(json, "t_start %g t_end %g time %g step %g step_min %g", options->t_start,
                o->simulate->t_end, tn_sim_time(o->sim), o->ledger.step_max, o->ledger.step_min);
    put_counts(json, &o->ledger);
    put_singular(json, o);
    put_events(json, o);
    put_notes(json, o->model, o->sim);
    put_energy(json, o);
    put_momentum(json, &o->ledger);
    put_error(json, &o->error);
    put_required(json, o);
    tn_json_object(json, "size", "length %g speed %g", o->verdict.length, o->verdict.speed);
    tn_verdict_put(json, &o->verdict);
    tn_json_number(json, "wall_time", o->ledger.wall);
    put_final(json, o);
    if (run->record && run->record->checksums.sums)
        tn_checksums_json(&run->record->checksums, json);
    tn_summary_sign(json);
    tn_json_end_object(json);
    const tn_status s = tn_json_finish(json);
    TN_HAND_OUT(s, json, tn_json_destroy, out);
}
