// SPDX-License-Identifier: MIT
//
// Errors that come later than reading say where in the file stands what they name.

#include "model/model.h"
#include "tenon/tenon.h"
#include "test.h"

#define HEAD                \
    "tenon: 1\n"            \
    "gravity: [0, -9.81]\n" \
    "bodies:\n"             \
    "  rod: {kind: planar, mass: 1, inertia: 1, initial: {position: [0, 0]}}\n"

static tn_model *parse(const char *text, tn_simulate *simulate)
{
    tn_model *model = NULL;
    CHECK_OK(tn_model_parse(text, "m.yaml", &model, simulate));
    return model;
}

static bool begins(const char *text)
{
    return strncmp(tn_last_error(), text, strlen(text)) == 0;
}

// Creating a simulation is refused with a text that begins so.
static void check_refused(const char *text, const char *begin)
{
    tn_simulate simulate;
    tn_model *model = parse(text, &simulate);
    tn_sim *sim = NULL;
    CHECK(tn_sim_create(model, &simulate.options, &sim) != TN_OK);
    if (!begins(begin))
        CHECK_TEXT(tn_last_error(), begin);
    tn_model_destroy(model);
}

static void a_mechanism_that_cannot_be_assembled_has_the_place_of_its_joint(void)
{
    static const char text[] =
        HEAD "joints:\n"
             "  pin: {kind: revolute, bodies: [ground, rod], at: [0, 0]}\n"
             "  far: {kind: revolute, bodies: [ground, rod], at_a: [3, 0], at_b: [1, 0]}\n";
    check_refused(text, "m.yaml:6:3: the mechanism cannot be assembled: joint 'pin'");
    tn_simulate simulate;
    tn_model *model = parse(text, &simulate);
    tn_check *check = NULL;
    CHECK_STATUS(tn_check_create(model, &simulate.options, &check), TN_ERR_MODEL);
    CHECK(begins("m.yaml:6:3: the mechanism"));
    tn_dynamics *dynamics = NULL;
    CHECK_STATUS(tn_dynamics_create(model, NULL, &dynamics), TN_ERR_MODEL);
    CHECK(begins("m.yaml:6:3: the mechanism"));
    tn_model_destroy(model);
}

static void stated_starts_that_contradict_each_other_have_a_place(void)
{
    check_refused(HEAD "joints:\n"
                       "  pin: {kind: revolute, bodies: [ground, rod], initial: {rate: 1}}\n"
                       "  again: {kind: revolute, bodies: [ground, rod], initial: {rate: 2}}\n",
                  "m.yaml:6:3: ");
    check_refused("tenon: 1\n"
                  "bodies:\n"
                  "  rod:\n"
                  "    {kind: planar, mass: 1, inertia: 1, initial: {position: [1, 0], fixed: "
                  "true}}\n"
                  "joints:\n"
                  "  pin: {kind: revolute, bodies: [ground, rod]}\n",
                  "m.yaml:");
}

static void options_of_a_file_have_a_place_and_others_have_none(void)
{
    static const char text[] = HEAD "joints: {pin: {kind: revolute, bodies: [ground, rod]}}\n"
                                    "simulate: {method: adams, max_order: 40}\n";
    check_refused(text, "m.yaml:6:38: simulate: max_order is 40; adams has orders 1 to 12");
    tn_simulate simulate, stated = {.options = {.max_order = 30}};
    tn_model *model = parse(text, &simulate);
    tn_sim *sim = NULL;
    bool given[64] = {false};
    for (int i = 0; tn_help_option(i); i++)
        given[i] = strcmp(tn_help_option(i)->name, "max_order") == 0;
    CHECK_OK(tn_simulate_override(&simulate, &stated, given));
    CHECK_STATUS(tn_sim_create(model, &simulate.options, &sim), TN_ERR_USAGE);
    CHECK(begins("max_order is 30;"));
    tn_model_destroy(model);
}

static void a_run_that_ends_has_the_place_of_what_it_names(void)
{
    tn_simulate simulate;
    tn_model *model = parse(HEAD "joints: {pin: {kind: revolute, bodies: [ground, rod]}}\n"
                                 "forces:\n"
                                 "  late:\n"
                                 "    kind: motor\n"
                                 "    joint: pin\n"
                                 "    effort: {table: [[0, 0], [1, 1]], beyond: error}\n"
                                 "simulate: {t_end: 1}\n",
                            &simulate);
    tn_sim *sim = NULL;
    CHECK_OK(tn_sim_create(model, &simulate.options, &sim));
    CHECK(tn_sim_run(sim, 2.0, NULL, NULL) != TN_OK);
    CHECK(begins("m.yaml:7:3: force 'late': its table is from 0 s to 1 s"));
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

static void models_built_in_c_have_no_places(void)
{
    tn_model *model = tn_model_create();
    tn_body_def rod = tn_default_body();
    rod.name = "rod";
    tn_joint_def pin = tn_default_joint(TN_JOINT_SPHERICAL), far = pin;
    pin.body_b = far.body_b = tn_model_add_body(model, &rod);
    pin.name = "pin";
    far.frame_a.p.x = 3.0;
    far.frame_b.p.x = 1.0;
    tn_model_add_joint(model, &pin);
    tn_model_add_joint(model, &far);
    const tn_sim_options options = tn_default_sim();
    tn_sim *sim = NULL;
    CHECK_STATUS(tn_sim_create(model, &options, &sim), TN_ERR_MODEL);
    CHECK(begins("the mechanism cannot be assembled: joint 'pin'"));
    tn_place at;
    CHECK(!tn_place_find(model, "joint 'pin'", &at));
    tn_model_destroy(model);
}

#define FUNCTIONS                                                      \
    HEAD "joints: {pin: {kind: revolute, bodies: [ground, rod]}}\n"    \
         "forces:\n"                                                   \
         "  plain: {kind: motor, joint: pin, effort: 2*t}\n"           \
         "  quoted: {kind: motor, joint: pin, effort: \"2*t\"}\n"      \
         "  escaped: {kind: motor, joint: pin, effort: \"2\\x2at\"}\n" \
         "  lines: {kind: motor, joint: pin, effort: 2*\n"             \
         "     t}\n"                                                   \
         "  list: {kind: point-force, body: rod, force: [0, 2*t]}\n"

static void a_value_can_be_found_when_the_model_is_complete(void)
{
    static const struct {
        const char *words, *at;
    } cases[] = {
        {"force 'plain': effort", "m.yaml:7:46"},   {"force 'quoted': effort", "m.yaml:8:48"},
        {"force 'escaped': effort", "m.yaml:9:46"}, {"force 'lines': effort", "m.yaml:10:44"},
        {"force 'list': force y", "m.yaml:12:53"},  {"force 'list': force", "m.yaml:12:47"},
        {"body 'rod': position", "m.yaml:4:64"},    {"joint 'pin'", "m.yaml:5:10"},
    };
    tn_model *model = parse(FUNCTIONS, NULL);
    for (int i = 0; i < TN_COUNT(cases); i++) {
        char expected[200];
        snprintf(expected, sizeof expected, "%s: expression '2*t', column 3", cases[i].at);
        (void)tn_fail(TN_ERR_MODEL, "expression '2*t', column 3");
        CHECK_STATUS(tn_place_error_at(model, TN_ERR_MODEL, cases[i].words), TN_ERR_MODEL);
        CHECK_TEXT(tn_last_error(), expected);
    }
    tn_place at;
    CHECK(!tn_place_find(model, "force 'plain': effor", &at));
    CHECK(!tn_place_find(model, "force 'none'", &at));
    tn_model_destroy(model);
}

static void expressions_are_refused_at_the_character(void)
{
    static const struct {
        const char *force, *begin;
    } cases[] = {
        {"  f: {kind: motor, joint: pin, effort: 2*t + x}\n", "m.yaml:7:46: force 'f': effort: "},
        {"  f: {kind: motor, joint: pin, effort: '2*t + x'}\n", "m.yaml:7:47: force 'f': effort: "},
        {"  f: {kind: motor, joint: pin, effort: '2*t\n     + x'}\n", "m.yaml:7:40: force 'f': "},
        {"  f: {kind: point-force, body: rod, force: [t, 1 + x]}\n",
         "m.yaml:7:52: force 'f': force y: "},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        char text[1000] = HEAD "joints: {pin: {kind: revolute, bodies: [ground, rod]}}\nforces:\n";
        tn_model *model = NULL;
        strcat(text, cases[i].force);
        CHECK_STATUS(tn_model_parse(text, "m.yaml", &model, NULL), TN_ERR_MODEL);
        if (!begins(cases[i].begin))
            CHECK_TEXT(tn_last_error(), cases[i].begin);
    }
}

// Names are looked up when all elements are there, whatever the order in the file.
static void expressions_of_the_state_are_refused_at_the_character(void)
{
    static const struct {
        const char *text, *begin;
    } cases[] = {
        {"signals: {a: 1, b: 2*pin.angel}\n", "m.yaml:6:22: signal 'b': "},
        {"signals:\n  a: 1 + b\n  b: \"2*a\"\n",
         "m.yaml:7:6: signal 'a': expressions depend on each other in a circle: a -> b -> a"},
        {"states:\n  c: {rate: '1 + nix', initial: 0}\n", "m.yaml:7:18: state 'c': rate: "},
        {"states:\n  c: {rate: '1 + nix', initial: 0, limits: [-1, 1]}\n",
         "m.yaml:7:18: state 'c': rate: "},
        {"unknowns: {w: {equation: w - nix, start: 0}}\n", "m.yaml:6:30: unknown 'w': equation: "},
        {"sampled:\n  s: {every: 0.1, initial: {u: 0}, next: {u: 1 + nix}}\n",
         "m.yaml:7:50: sampled 's': next of u: "},
        {"forces:\n  m: {kind: motor, joint: pin, effort: 3 - nix*pin.angle}\n",
         "m.yaml:7:44: force 'm': effort: "},
        {"forces:\n  m: {kind: joint-law, joint: pin, law: 2*coordinte}\n",
         "m.yaml:7:43: force 'm': law: expression '2*coordinte', column 3: unknown name "
         "'coordinte'; did you mean 'coordinate'?"},
        {"parameters: {target: 1}\nsignals: {a: pin.angle - targt}\n",
         "m.yaml:7:26: signal 'a': expression 'pin.angle - targt', column 13: unknown name "
         "'targt'; did you mean 'target'?"},
        {"signals: {a: r\xc3\xb6"
         "d.angle}\n",
         "m.yaml:6:14: signal 'a': expression 'r\xc3\xb6"
         "d.angle', column 1: a name with letters "
         "other than those from a to z stands in quotes, as '\xc3\xa4rm'.angle"},
        {"forces:\n  m: {kind: motor, joint: pin, effort: pin.angle.acceleration}\n",
         "m.yaml:7:40: force 'm': effort"},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        char text[1000] = HEAD "joints: {pin: {kind: revolute, bodies: [ground, rod]}}\n";
        tn_model *model = NULL;
        strcat(text, cases[i].text);
        CHECK_STATUS(tn_model_parse(text, "m.yaml", &model, NULL), TN_ERR_MODEL);
        if (!begins(cases[i].begin))
            CHECK_TEXT(tn_last_error(), cases[i].begin);
    }
}

// A force's own numbers need no owner, so that a parameter of that name has two meanings there.
static void own_numbers_of_forces_that_have_another_meaning_are_refused(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"parameters: {rate: 2}\nforces:\n  m: {kind: joint-law, joint: pin, law: 3*rate}\n",
         "m.yaml:8:43: force 'm': law: expression '3*rate', column 3: 'rate' is a parameter and "
         "also a number of this force; rename the parameter, or write m.rate for that of the "
         "force"},
        {"parameters: {rate: 2}\nforces:\n  m: {kind: joint-spring, joint: pin, stiffness: rate}\n",
         "m.yaml:8:50: force 'm': stiffness: expression 'rate', column 1: 'rate' is a parameter "
         "and "
         "also a number of this force; rename the parameter, or write m.rate for that of the "
         "force"},
        {"inputs: {coordinate: 2}\nforces:\n  m: {kind: joint-law, joint: pin, law: "
         "coordinate*t}\n",
         "m.yaml:8:41: force 'm': law: expression 'coordinate*t', column 1: 'coordinate' is an "
         "input and also a number of this force; rename the input, or write m.deflection for that "
         "of the force"},
        {"signals: {rate: pin.angle}\nforces:\n  m a: {kind: joint-law, joint: pin, law: rate}\n",
         "m.yaml:8:43: force 'm a': law: expression 'rate', column 1: 'rate' is a signal and also "
         "a "
         "number of this force; rename the signal, or write 'm a'.rate for that of the force"},
        {"sampled: {turn: {every: 1, next: {x: 1}}}\nforces:\n  m: {kind: frame-law, bodies: "
         "[ground, rod], torque: [-turn.x, 0, 0]}\n",
         "m.yaml:8:57: force 'm': torque x: expression '-turn.x', column 2: 'turn.x' is what force "
         "'m' sees of its frames and also a number of 'turn'; give that another name"},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        char text[1000] = HEAD "joints: {pin: {kind: revolute, bodies: [ground, rod]}}\n";
        tn_model *model = NULL;
        strcat(text, cases[i].text);
        CHECK_STATUS(tn_model_parse(text, "m.yaml", &model, NULL), TN_ERR_MODEL);
        CHECK_TEXT(tn_last_error(), cases[i].message);
    }
}

static void own_numbers_by_their_owner_and_parameters_elsewhere_are_fine(void)
{
    tn_model *model =
        parse(HEAD "parameters: {rate: 2, length: 3}\n"
                   "joints: {pin: {kind: revolute, bodies: [ground, rod]}}\n"
                   "forces:\n"
                   "  m: {kind: joint-law, joint: pin, law: m.rate*length}\n"
                   "  w: {kind: point-force, body: rod, force: [rate*t, 0, length]}\n",
              NULL);
    tn_model_destroy(model);
}

static tn_status place(const tn_model *model, const char *text)
{
    return tn_place_error(model, tn_fail(TN_ERR_NUMERIC, "%s", text));
}

static void the_first_element_that_a_sentence_names_counts(void)
{
    tn_model *model = parse("tenon: 1\n"
                            "bodies: {\"it's\": {mass: 1, inertia: [1, 1, 1]},\n"
                            "  b: {mass: 1, inertia: [1, 1, 1]}}\n",
                            NULL);
    CHECK_STATUS(place(model, "the step fails at body 'it's', x; see body 'b'"), TN_ERR_NUMERIC);
    CHECK_TEXT(tn_last_error(), "m.yaml:2:10: the step fails at body 'it's', x; see body 'b'");
    CHECK_STATUS(place(model, tn_last_error()), TN_ERR_NUMERIC);
    CHECK_TEXT(tn_last_error(), "m.yaml:2:10: the step fails at body 'it's', x; see body 'b'");
    CHECK_STATUS(place(model, "bodys 'b' and 'it's'"), TN_ERR_NUMERIC);
    CHECK_TEXT(tn_last_error(), "m.yaml:3:3: bodys 'b' and 'it's'");
    CHECK_STATUS(place(model, "body 'b': mass is 3"), TN_ERR_NUMERIC);
    CHECK_TEXT(tn_last_error(), "m.yaml:3:13: body 'b': mass is 3");
    static const char *const none[] = {"nothing is named", "body 'c'", "'b'", "somebody 'b", ""};
    for (int i = 0; i < TN_COUNT(none); i++) {
        CHECK_STATUS(place(model, none[i]), TN_ERR_NUMERIC);
        CHECK_TEXT(tn_last_error(), none[i]);
    }
    CHECK_STATUS(place(NULL, "body 'b'"), TN_ERR_NUMERIC);
    CHECK_TEXT(tn_last_error(), "body 'b'");
    tn_model_destroy(model);
}

int main(int argc, char **argv)
{
    static const tn_test tests[] = {
        {"a mechanism that cannot be assembled has the place of its joint",
         a_mechanism_that_cannot_be_assembled_has_the_place_of_its_joint},
        {"stated starts that contradict each other have a place",
         stated_starts_that_contradict_each_other_have_a_place},
        {"options of a file have a place and others have none",
         options_of_a_file_have_a_place_and_others_have_none},
        {"a run that ends has the place of what it names",
         a_run_that_ends_has_the_place_of_what_it_names},
        {"models built in C have no places", models_built_in_c_have_no_places},
        {"a value can be found when the model is complete",
         a_value_can_be_found_when_the_model_is_complete},
        {"expressions are refused at the character", expressions_are_refused_at_the_character},
        {"expressions of the state are refused at the character",
         expressions_of_the_state_are_refused_at_the_character},
        {"own numbers of forces that have another meaning are refused",
         own_numbers_of_forces_that_have_another_meaning_are_refused},
        {"own numbers by their owner and parameters elsewhere are fine",
         own_numbers_by_their_owner_and_parameters_elsewhere_are_fine},
        {"the first element that a sentence names counts",
         the_first_element_that_a_sentence_names_counts},
    };
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
