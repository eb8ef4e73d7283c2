// SPDX-License-Identifier: MIT
//
// Decks and stored matrices of CalculiX.

#include "reduce/calculix.h"
#include "test.h"

static tn_deck deck;
static tn_fe fe;

static void forget(void)
{
    tn_deck_clear(&deck);
    tn_fe_clear(&fe);
}

static void put(const char *path, const char *text)
{
    tn_test_write(path, text, strlen(text));
}

static tn_status read_deck(const char *text)
{
    forget();
    put("part.inp", text);
    return tn_deck_read("part.inp", &deck);
}

#define TETS                                                                               \
    "** two tetrahedra with a common face\n"                                               \
    "*node, nset = all\n 1, 0, 0, 0\n2, 1, 0, 0,\n3, 0, 1., 0\n4, 0, 0, 1e0\n5, 1, 1, 1\n" \
    "*Element, type=C3D4, elset=part\n1, 1, 2, 3, 4\n2, 2, 3, 4,\n 5\n"                    \
    "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., 0.3\n"

static void nodes_sets_and_faces_are_found(void)
{
    CHECK_OK(read_deck(TETS "*NSET, NSET=Root\n1, 2,\n3\n*NSET, GENERATE, NSET=odd\n1, 5, 2\n"
                            "*NSET, NSET=both\nROOT, 5\n"));
    CHECK(deck.ids.count == 5 && deck.at.at[4].z == 1.0);
    CHECK(deck.faces.count == 8);
    CHECK(tn_deck_find(&deck, "ROOT")->nodes.count == 3);
    CHECK(tn_deck_find(&deck, "all")->nodes.count == 5);
    CHECK(tn_deck_find(&deck, "Odd")->nodes.at[1] == 3);
    CHECK(tn_deck_find(&deck, "both")->nodes.count == 4);
    CHECK(tn_deck_find(&deck, "none") == NULL);
}

static void files_that_are_included_are_read(void)
{
    put("mesh.inp", TETS);
    CHECK_OK(read_deck("*INCLUDE, INPUT=mesh.inp\n*STEP\n*END STEP\n"));
    CHECK(deck.ids.count == 5);
    CHECK_STATUS(read_deck("*INCLUDE, INPUT=part.inp\n"), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "part.inp:1: files include each other more than 16 deep");
}

// The matrices of both tetrahedra, as if each node were held by a spring of its own.
static void write_job(const char *job, int n)
{
    char path[64], text[512] = "", matrix[2048] = "";
    for (int i = 0; i < n; i++) {
        tn_test_append(text, sizeof text, "%d.%d\n", i / 3 + 1, i % 3 + 1);
        tn_test_append(matrix, sizeof matrix, "%d %d  %d.0e+00\n", i + 1, i + 1, i + 2);
    }
    tn_test_append(matrix, sizeof matrix, "1 2 -0.5\n1 3 0.0\n");
    snprintf(path, sizeof path, "%s.dof", job);
    put(path, text);
    snprintf(path, sizeof path, "%s.sti", job);
    put(path, matrix);
    snprintf(path, sizeof path, "%s.mas", job);
    put(path, matrix);
}

static void matrices_are_of_the_freedoms_that_are_told(void)
{
    CHECK_OK(read_deck(TETS));
    write_job("part", 15);
    CHECK_OK(tn_calculix_read("part", &deck, &fe));
    CHECK(fe.nnode == 5 && fe.node[4].row[2] == 14 && fe.node[4].row[3] == -1);
    CHECK(fe.K->nrow == 15 && fe.K->nnz == 17);
    CHECK(tn_sparse_at(fe.K, 1, 0) == -0.5 && tn_sparse_at(fe.K, 0, 1) == -0.5);
}

// Six faces are outside, and look outward: the volume below them is that of the mesh.
static void the_surface_looks_outward(void)
{
    CHECK_OK(read_deck(TETS));
    write_job("part", 15);
    CHECK_OK(tn_calculix_read("part", &deck, &fe));
    CHECK(fe.ntriangle == 6);
    double volume = 0.0;
    for (int i = 0; i < fe.ntriangle; i++) {
        const int *t = fe.triangle + 3 * i;
        volume += tn_v3_dot(fe.node[t[0]].x, tn_v3_cross(fe.node[t[1]].x, fe.node[t[2]].x)) / 6.0;
    }
    CHECK_NEAR(volume, 0.5, 1e-15);
}

// A brick with twenty nodes: eight corners, twelve middles; each face becomes six triangles.
static void quadratic_faces_are_split(void)
{
    static const int side[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                    {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    static const int corner[8][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0},
                                     {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};
    char text[4096] = "*NODE\n";
    for (int i = 0; i < 20; i++) {
        tn_test_append(text, sizeof text, "%d", i + 1);
        for (int d = 0; d < 3; d++)
            tn_test_append(text, sizeof text, ", %g",
                           i < 8 ? corner[i][d]
                                 : 0.5 * (corner[side[i - 8][0]][d] + corner[side[i - 8][1]][d]));
        tn_test_append(text, sizeof text, "\n");
    }
    tn_test_append(text, sizeof text,
                   "*ELEMENT, TYPE=C3D20R\n1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,\n"
                   "11, 12, 13, 14, 15, 16, 17, 18, 19, 20\n");
    CHECK_OK(read_deck(text));
    write_job("part", 60);
    CHECK_OK(tn_calculix_read("part", &deck, &fe));
    CHECK(fe.ntriangle == 36);
    double volume = 0.0;
    for (int i = 0; i < fe.ntriangle; i++) {
        const int *t = fe.triangle + 3 * i;
        volume += tn_v3_dot(fe.node[t[0]].x, tn_v3_cross(fe.node[t[1]].x, fe.node[t[2]].x)) / 6.0;
    }
    CHECK_NEAR(volume, 8.0, 1e-13);
}

static void deck_says(const char *text, const char *sentence)
{
    CHECK_STATUS(read_deck(text), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), sentence);
}

// A set may name itself, and sets of sets may double with each line.
static void short_decks_stay_short(void)
{
    char text[1024] = "*NODE\n1, 0, 0, 0\n*NSET, NSET=A\n1, A\n";
    CHECK_OK(read_deck(text));
    CHECK(tn_deck_find(&deck, "A")->nodes.count == 2);
    tn_deck_clear(&deck);
    deck_says("*NSET, NSET=A, GENERATE\n1, 2147483646, 1\n",
              "part.inp:2: sets of nodes have more than 67108864 members in all");
    for (int i = 0; i < 30; i++)
        strcat(text, "A, A\n");
    deck_says(text, "part.inp:17: sets of nodes have more than 67108864 members in all");
}

static void mistakes_in_decks_are_told(void)
{
    deck_says("*STEP\n", "part.inp: there are no nodes");
    deck_says("*NODE\n1, 0, 0\n", "part.inp:2: z is missing");
    deck_says("*NODE\none, 0, 0, 0\n", "part.inp:2: node: expected an integer, found 'one'");
    deck_says(TETS "*ELEMENT, TYPE=C3D4\n3, 1, 2, 3\n*STEP\n",
              "part.inp:16: element 3 has 3 of the 4 nodes of C3D4");
    deck_says(TETS "*NSET\n1\n", "part.inp:15: *NSET without a name; write *NSET, NSET=NAME");
    deck_says("*INCLUDE, INPUT=absent.inp\n",
              "absent.inp: cannot read the file: No such file or directory");
}

static void mistakes_in_matrices_are_told(void)
{
    CHECK_OK(read_deck(TETS));
    write_job("part", 15);
    put("part.dof", "1.1\n1.2\n1.3\n7.1\n");
    CHECK_STATUS(tn_calculix_read("part", &deck, &fe), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(),
               "part.dof:4: node 7 is not in the deck; CalculiX makes nodes of its own of shells "
               "and beams: take solid elements");
    tn_fe_clear(&fe);
    put("part.dof", "1.1\n1.5\n");
    CHECK_STATUS(tn_calculix_read("part", &deck, &fe), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "part.dof:2: direction is 5; it must be from 1 to 3");
    tn_fe_clear(&fe);
    put("part.dof", "1.1\n1.2\n1.3\n");
    CHECK_STATUS(tn_calculix_read("part", &deck, &fe), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(), "part.sti:4: row is 4; it must be from 1 to 3");
    tn_fe_clear(&fe);
}

static void preloaded_matrices_have_the_same_freedoms(void)
{
    tn_sparse *K = NULL;
    CHECK_OK(read_deck(TETS));
    write_job("part", 15);
    write_job("loaded", 12);
    CHECK_OK(tn_calculix_read("part", &deck, &fe));
    CHECK_OK(tn_calculix_stiffness("part", &fe, &K));
    CHECK(K->nnz == fe.K->nnz);
    tn_sparse_destroy(K);
    CHECK_STATUS(tn_calculix_stiffness("loaded", &fe, &K), TN_ERR_FILE);
    CHECK_TEXT(tn_last_error(),
               "loaded.dof has 12 freedoms, the job without load has 15: free the preloaded body "
               "in its last step by *BOUNDARY, OP=NEW");
}

static const tn_test tests[] = {
    {"nodes, sets and faces are found", nodes_sets_and_faces_are_found},
    {"short decks stay short", short_decks_stay_short},
    {"files that are included are read", files_that_are_included_are_read},
    {"matrices are of the freedoms that are told", matrices_are_of_the_freedoms_that_are_told},
    {"the surface looks outward", the_surface_looks_outward},
    {"quadratic faces are split", quadratic_faces_are_split},
    {"mistakes in decks are told", mistakes_in_decks_are_told},
    {"mistakes in matrices are told", mistakes_in_matrices_are_told},
    {"preloaded matrices have the same freedoms", preloaded_matrices_have_the_same_freedoms},
};

int main(int argc, char **argv)
{
    const int failed = tn_run_tests(tests, TN_COUNT(tests), argc, argv);
    forget();
    return failed;
}
