// SPDX-License-Identifier: MIT
//
// Cuts the tree at loops, and estimates the cost of coordinates. The mass matrix of a tree couples
// all freedoms of a path to the ground, and a row of a loop has an entry for each of them. In nets,
// where loops share bodies with loops, paths are as long as the net: M and B are full. So such a
// tree is cut into subtrees with short paths: some bodies stand free, with the coordinates that
// they have in `absolute`, and the joints that would have carried them have rows. The forces in
// these joints and the accelerations of these bodies are unknowns then, and M is a row of small
// blocks. Trees without loops stay as they are: recursions need no matrix.
//
// Cost is counted in products of the elimination of (M C^T; C 0), velocities from the leaves to the
// ground: the sum of the squares of the entries that their columns have then. Recursions and the
// full matrix C M^-1 C^T that goes with them (motion/schur.h) are faster by far, product by
// product.

#include "coords/joint_coords_parts.h"

#include "base/alloc.h"

// Velocities on a path of a subtree, in the plane and in space. On ladders of planar rods 8 to 16
// cost the same, 5 and 24 a quarter more; on cloths of rods on balls 12 to 18.
enum { PATH_FLAT = 9, PATH_SPATIAL = 15 };

// Velocities and rows of a model up to which nothing is cut.
enum { SMALL = 60 };

// Cost of a recursion, for each velocity, and of a product in full matrices.
static const double RECURSION = 5.0, FULL = 1.0 / 30.0;

// Cost --------------------------------------------------------------------------------------------

static double square(double x)
{
    return x * x;
}

static double absolute_cost(const absolute *w)
{
    double *rows = tn_alloc(sizeof *rows * (size_t)w->nbody), cost = 0.0;
    if (!rows)
        return INFINITY;
    for (int k = 0; k < w->njoint; k++)
        for (int i = 0; i < w->joint[k].nbody; i++)
            rows[w->joint[k].body[i]] += w->joint[k].nrow;
    for (int k = 1; k < w->nbody; k++) {
        const int own = w->body[k].moves + w->body[k].turns;
        cost += own * square(own + rows[k]);
    }
    tn_free(rows);
    return cost;
}

// Sums over the subtree of each node: its rows; and paths to the ground.
typedef struct spread {
    int *path;    // velocities, its own included
    double *rows; // of joints that the tree does not carry
} spread;

static void spread_rows(const absolute *w, const tn_tree *tree, const bool *carried, spread *s)
{
    for (int k = 0; k < w->njoint; k++)
        for (int i = 0; !carried[k] && i < w->joint[k].nbody; i++)
            s->rows[tree->place[w->joint[k].body[i]]] += w->joint[k].nrow;
    for (int k = tree->n - 1; k > 0; k--)
        s->rows[tree->body[k].parent] += s->rows[k];
    for (int k = 1; k < tree->n; k++)
        s->path[k] = s->path[tree->body[k].parent] + tree->body[k].nv;
}

bool tn_joint_coords_has_blocks(const absolute *w, const tn_tree *tree)
{
    if (w->by_recursion && w->nforce == 0 && w->base.solid)
        return false;
    return tree->nv <= TN_JOINT_DENSE_MAX ||
           (joint_coords_is_apart(w) &&
            tn_tree_pieces(tree) <= (size_t)TN_JOINT_PIECE * (size_t)tree->nv);
}

static double matrix_cost(const absolute *w, const tn_tree *tree)
{
    const size_t n = (size_t)tree->n;
    char *memory = tn_alloc(n * (sizeof(int) + sizeof(double)) + (size_t)w->njoint);
    double cost = 0.0;
    if (!memory)
        return INFINITY;
    spread s = {.rows = (double *)(void *)memory, .path = (int *)(void *)(memory + 8 * n)};
    bool *carried = (bool *)(memory + 12 * n);
    for (int k = 1; k < tree->n; k++)
        if (tree->body[k].joint >= 0)
            carried[tree->body[k].joint] = true;
    spread_rows(w, tree, carried, &s);
    for (int k = 1; k < tree->n; k++)
        cost += tree->body[k].nv * square(s.path[k] + s.rows[k]);
    tn_free(memory);
    return cost;
}

// By the recursion of the tree, where it serves.
static double recursion_cost(const absolute *w, const tn_tree *tree)
{
    const double nv = tree->nv, r = tn_joint_coords_rows_left(&w->base, tree);
    return w->by_recursion ? RECURSION * nv + FULL * r * (nv + r * nv / 2.0 + r * r / 6.0)
                           : INFINITY;
}

static double cost_of(const absolute *w, const tn_tree *tree)
{
    const bool blocks = tn_joint_coords_has_blocks(w, tree);
    return fmin(blocks ? matrix_cost(w, tree) : INFINITY, recursion_cost(w, tree));
}

// Cutting -----------------------------------------------------------------------------------------

// The path from the ground to a place.
typedef struct reach {
    int length; // velocities on the path in its subtree
    int root;   // root of the subtree
    int size;   // of a root: velocities of its subtree so far
} reach;

// Marks the bodies that are to stand free: those whose path would be too long, or with which a
// subtree would become too large. at: work for each node. Returns their number.
static int mark_free(const absolute *w, const tn_tree *tree, reach *at, bool *free)
{
    int count = 0;
    for (int k = 1; k < tree->n; k++) {
        const tn_tree_body *b = &tree->body[k];
        const reach below = at[b->parent];
        const int own = w->body[b->body].moves + w->body[b->body].turns;
        const int most = own <= 3 ? PATH_FLAT : PATH_SPATIAL;
        const bool stands = b->parent == 0 && b->joint >= 0;
        const bool full = b->parent > 0 && at[below.root].size + b->nv > TN_JOINT_PIECE;
        const bool begins = b->joint < 0 || below.length + b->nv > most || full;
        if (b->joint >= 0 && begins) {
            free[b->body] = true;
            count++;
        }
        at[k] = (reach){begins ? own : below.length + b->nv, begins || stands ? k : below.root, 0};
        at[at[k].root].size += begins ? own : b->nv;
    }
    return count;
}

tn_status tn_joint_coords_cut(const absolute *w, tn_tree **tree)
{
    const int rows = tn_joint_coords_rows_left(&w->base, *tree);
    if (rows == 0 || (*tree)->nv + rows <= SMALL || !joint_coords_is_apart(w))
        return TN_OK;
    reach *at = tn_alloc(sizeof *at * (size_t)(*tree)->n);
    bool *free = tn_alloc(sizeof *free * (size_t)w->nbody);
    tn_tree *pieces = NULL;
    tn_status status = tn_got(at && free);
    if (status == TN_OK && mark_free(w, *tree, at, free) > 0)
        status = tn_joint_coords_grow(w, free, &pieces);
    if (pieces && matrix_cost(w, pieces) < cost_of(w, *tree)) {
        tn_tree_destroy(*tree);
        *tree = pieces;
        pieces = NULL;
    }
    tn_tree_destroy(pieces);
    TN_FREE(at, free);
    return status;
}

// Estimate ----------------------------------------------------------------------------------------

tn_status tn_joint_coords_estimate(const tn_system *world, tn_joint_coords_cost *out)
{
    const absolute *w = (const absolute *)world;
    tn_tree *tree = NULL;
    tn_status status = tn_joint_coords_tree(world, &tree);
    TN_THEN(status, tn_joint_coords_cut(w, &tree));
    if (status == TN_OK)
        *out = (tn_joint_coords_cost){absolute_cost(w), cost_of(w, tree)};
    tn_tree_destroy(tree);
    return status;
}

void tn_joint_coords_by_recursion(tn_system *world, bool alone)
{
    ((absolute *)world)->by_recursion = alone;
}
