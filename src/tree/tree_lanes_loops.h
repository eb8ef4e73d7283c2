// SPDX-License-Identifier: MIT
//
// Loops of a tree on vectors of lanes. With accelerations a of the tree alone, the rows r of joints
// that close loops and their second derivatives c at a,
//
//   S lambda = c,   S = B M^-1 B^T,   v' = a - M^-1 B^T lambda,
//
// where column r of M^-1 B^T is the response of the tree to the wrenches of row r on its two
// bodies, by the factors of M that the recursions left. Included after tree_lanes_kernel.h.
//
// Rows (row/row.h) in places A and B with accelerations l, al of reference points and turning:
//
//   COORD  e . d'',  d'' = difference of l + al x s + w x (w x s), s: arm of the point
//   DOT    (al_A - al_B) . x + (w_A - w_B) . x',  x = a x b

typedef struct {
    tree_vec f, na, nb; // on B, and -f on A; moments on A and on B
    lane c;
} row_kept;

static inline tree_vec minus(tree_vec a, tree_vec b)
{
    return (tree_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline tree_vec point_acceleration(const kept *k, tree_vec arm)
{
    return tree_add_cross(tree_plus(k->a.l, tree_centripetal(k->turn.w, arm)), k->a.al, arm);
}

static inline row_kept point_row(const lanes_row *row, const kept *a, const kept *b, tree_vec in_a,
                                 tree_vec in_b)
{
    const tree_vec sa = tree_along(a->turn.x, a->turn.y, a->link.z, in_a),
                   sb = tree_along(b->turn.x, b->turn.y, b->link.z, in_b);
    const lane zero = {0.0}, one = zero + 1.0;
    const tree_vec e = {row->i == 0 ? one : zero, row->i == 1 ? one : zero,
                        row->i == 2 ? one : zero};
    const tree_vec apart = minus(point_acceleration(b, sb), point_acceleration(a, sa));
    return (row_kept){e, tree_cross(e, sa), tree_cross(sb, e), tree_dot(e, apart)};
}

static inline row_kept axis_row(const kept *a, const kept *b, tree_vec in_a, tree_vec in_b)
{
    const tree_vec p = tree_along(a->turn.x, a->turn.y, a->link.z, in_a),
                   q = tree_along(b->turn.x, b->turn.y, b->link.z, in_b);
    const tree_vec x = tree_cross(p, q);
    const tree_vec rate =
        tree_plus(tree_cross(tree_cross(a->turn.w, p), q), tree_cross(p, tree_cross(b->turn.w, q)));
    return (row_kept){tree_none(), x, minus(tree_none(), x),
                      tree_dot(minus(a->a.al, b->a.al), x) +
                          tree_dot(minus(a->turn.w, b->turn.w), rate)};
}

static inline void look_at_rows(const tn_lanes *s, const lane *c, const kept *keep, row_kept *rows)
{
    for (int r = 0; r < s->nrow; r++, c += LANES_ROW * VECTORS) {
        const lanes_row *row = &s->row[r];
        const kept *a = &keep[row->a], *b = &keep[row->b];
        const tree_vec in_a = get3(c), in_b = get3(c + 3 * VECTORS);
        rows[r] = row->turns ? axis_row(a, b, in_a, in_b) : point_row(row, a, b, in_a, in_b);
    }
}

// The answer x of the tree to the wrenches of a row; force and answer are memory for all nodes.
static inline void answer_row(const tn_lanes *s, const lanes_row *row, const row_kept *r,
                              const kept *keep, tree_force *force, tree_accel *answer, lane *x)
{
    const tree_force nothing = {tree_none(), tree_none()};
    for (int k = 0; k < s->n; k++)
        force[k] = nothing;
    force[row->a] = (tree_force){r->f, minus(tree_none(), r->na)}; // load it takes, less its own
    force[row->b].f = minus(force[row->b].f, r->f);
    force[row->b].n = minus(force[row->b].n, r->nb);
    for (int k = s->n - 1; k > 0; k--) {
        const lanes_node *node = &s->node[k];
        const kept *at = &keep[k];
        tree_force F = tree_force_shift(force[k], at->link.r);
        if (node->kind != TREE_AXIS_NONE) {
            const tree_vec own = slides(node) ? force[k].f : force[k].n;
            const lane u = -tree_dot(axis_of(node, at), own);
            x[node->v0] = at->pivot.Di * u;
            F.n = plus_times(F.n, u, at->pivot.ws);
            F.f = plus_times(F.f, u, at->pivot.wf);
        }
        force[node->parent] = tree_force_sum(force[node->parent], F);
    }
    answer[0] = (tree_accel){tree_none(), tree_none()};
    for (int k = 1; k < s->n; k++) {
        const lanes_node *node = &s->node[k];
        const kept *at = &keep[k];
        answer[k] = answer[node->parent];
        if (node->kind == TREE_AXIS_NONE)
            answer[k] = tree_carried(&at->link, answer[k], false);
        else
            x[node->v0] = tree_unfold_axis(&at->link, &at->pivot, axis_of(node, at), slides(node),
                                           false, x[node->v0], &answer[k]);
    }
}

// S = L D L^T in place. Ones for lanes in which S loses digits, as it does by the inverse masses of
// light bodies (motion/schur.c), else zeros.
static inline lane factor_rows(int n, lane *S)
{
    static const double LOSES = 1e-4;
    lane loses = {0.0};
    for (int j = 0; j < n; j++) {
        const lane whole = S[j * n + j];
        for (int k = 0; k < j; k++)
            S[j * n + j] -= S[j * n + k] * S[j * n + k] * S[k * n + k];
        for (int i = 0; i < LANE_WIDTH; i++)
            loses[i] = S[j * n + j][i] < LOSES * whole[i] ? 1.0 : loses[i];
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++)
                S[i * n + j] -= S[i * n + k] * S[j * n + k] * S[k * n + k];
            S[i * n + j] /= S[j * n + j];
        }
    }
    return loses;
}

// The right-hand sides c of the rows become lambda.
static inline void solve_rows(int n, const lane *S, row_kept *rows)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            rows[i].c -= S[i * n + k] * rows[k].c;
    for (int i = n - 1; i >= 0; i--) {
        rows[i].c /= S[i * n + i];
        for (int k = i + 1; k < n; k++)
            rows[i].c -= S[k * n + i] * rows[k].c;
    }
}

static inline lane row_power(const lanes_row *row, const row_kept *r, const tree_accel *answer)
{
    const tree_accel a = answer[row->a], b = answer[row->b];
    return tree_dot(r->f, minus(b.l, a.l)) + tree_dot(r->na, a.al) + tree_dot(r->nb, b.al);
}

// Accelerations of the nodes by those of the joints.
static inline void carry_accelerations(const tn_lanes *s, const lane *a, kept *keep)
{
    for (int k = 1; k < s->n; k++) {
        const lanes_node *node = &s->node[k];
        kept *at = &keep[k];
        at->a = tree_carried(&at->link, keep[node->parent].a, true);
        if (slides(node))
            at->a.l = plus_times(at->a.l, a[node->v0 * VECTORS], axis_of(node, at));
        else if (node->kind == TREE_TURNS_Z)
            at->a.al = plus_times(at->a.al, a[node->v0 * VECTORS], at->link.z);
    }
}

static inline bool any_of(lane x)
{
    bool any = false;
    for (int i = 0; i < LANE_WIDTH; i++)
        any = any || x[i] != 0.0;
    return any;
}

static inline void close_loops(const tn_lanes *s, const lane *numbers, kept *keep, lane *memory,
                               lane *a)
{
    enum { REFINEMENTS = 3 };
    const int n = s->nrow;
    row_kept *rows = (row_kept *)memory;
    tree_force *force = (tree_force *)(rows + n);
    tree_accel *answer = (tree_accel *)(force + s->n);
    lane *S = (lane *)(answer + s->n), *x = S + n * n;
    look_at_rows(s, numbers, keep, rows);
    for (int r = 0; r < n; r++) {
        answer_row(s, &s->row[r], &rows[r], keep, force, answer, x + r * s->nv);
        for (int i = r; i < n; i++)
            S[i * n + r] = row_power(&s->row[i], &rows[i], answer);
    }
    const lane loses = factor_rows(n, S);
    const int sweeps = any_of(loses) ? REFINEMENTS : 0;
    lane part = {0.0};
    part += 1.0;
    for (int sweep = 0; sweep <= sweeps; sweep++, part = loses) { // others stay as they are
        if (sweep > 0) {
            carry_accelerations(s, a, keep);
            look_at_rows(s, numbers, keep, rows);
        }
        solve_rows(n, S, rows);
        for (int r = 0; r < n; r++)
            for (int i = 0; i < s->nv; i++)
                a[i * VECTORS] -= part * rows[r].c * x[r * s->nv + i];
    }
}
