// SPDX-License-Identifier: MIT
//
// tenon paper: items are read, run and judged. What the items of papers/ find is tested by
// themselves (`make papers-quick`); here is how the command treats any of them.

#include "cli_driver.h"
#include "paper/paper_parts.h"
#include "tenon/paper.h"

// A mass that hangs at rest, 0.5 m below its pin, and a table that is there.
static const char model[] = "tenon: 1\n"
                            "parameters: {L: 0.5}\n"
                            "gravity: [0, -10, 0]\n"
                            "bodies:\n"
                            "  mass: {kind: point-2d, mass: 2, initial: {position: [0, -L]}}\n"
                            "joints:\n"
                            "  rod: {kind: distance, bodies: [ground, mass], length: L}\n"
                            "simulate: {t_end: 0.1, output: 0.01}\n";

static const char head[] = "tenon_paper: 1\n"
                           "item: Fig. 1\n"
                           "title: A mass that hangs\n"
                           "source: section 1\n"
                           "states: It hangs 0.5 m below & does not move.\n"
                           "parameters:\n"
                           "  L: {value: 0.5, unit: m, text: of the rod}\n"
                           "commands:\n"
                           "  - run {here}/models/hanging.yaml --set L={L} --out still\n"
                           "  - plot still mass.position.y -o fig1.svg\n";

static const char tail[] = "pictures:\n"
                           "  - {file: fig1.svg, caption: Height of the mass}\n"
                           "verdict: agrees\n";

static void write_item(const char *name, const char *numbers, const char *end)
{
    char path[128], text[4096];
    CHECK(system("mkdir -p items/Key/models") == 0);
    write_text("items/Key/models/hanging.yaml", model);
    snprintf(path, sizeof path, "items/Key/%s.yaml", name);
    snprintf(text, sizeof text, "%s%s%s", head, numbers, end);
    write_text(path, text);
}

static const char right[] =
    "numbers:\n"
    "  - {what: height, unit: m, paper: -0.5, tenon: 'last(\"still:mass.position.y\")', within: 1 "
    "%}\n"
    "  - {what: rows, tenon: 'rows(\"still\")', between: [11, 11]}\n"
    "  - {what: time, tenon: 'summary(\"still:steps\")', judged: false}\n";

static void items_are_run_and_judged(void)
{
    CHECK(system("rm -rf items Key_fig1.paper") == 0);
    write_item("fig1", right, tail);
    CHECK(tenon("paper --papers items") == 0);
    CHECK(strstr(cli.out, "A mass that hangs"));
    CHECK(tenon("paper Key fig1 --papers items") == 0);
    CHECK(strstr(cli.out, "verdict     agrees"));
    CHECK(file_exists("Key_fig1.paper/paper.html") && file_exists("Key_fig1.paper/record.json"));
    // A second time: the folder is one of its own, and is emptied.
    CHECK(tenon("paper Key fig1 --papers items --json") == 0);
    tn_document *doc = json_of(cli.out);
    CHECK_TEXT(tn_node_get(doc->root, "verdict")->text, "agrees");
    tn_document_destroy(doc);
}

static void other_parameters_are_not_judged(void)
{
    CHECK(tenon("paper Key fig1 --papers items --set L=2") == 0);
    CHECK(strstr(cli.out, "not judged: the paper has other parameters than L = 2"));
    CHECK(strstr(cli.out, " -2 "));
    CHECK(tenon("paper Key fig1 --papers items --set L=2,L=3") == 1);
    CHECK(strstr(cli.err, "'L' has two values"));
    CHECK(tenon("paper Key fig1 --papers items --set ''") == 1);
    CHECK(tenon("paper Key fig1 --papers items --set M=2") == 1);
    CHECK(strstr(cli.err, "Key fig1 has no parameter 'M'"));
}

// A number beyond its bounds, a command that ends otherwise, and a picture that nobody made.
static void what_is_wrong_fails(void)
{
    write_item("wrong",
               "numbers:\n"
               "  - {what: height, paper: 0.5, tenon: 'last(\"still:mass.position.y\")', "
               "within: 1 %}\n",
               tail);
    CHECK(tenon("paper Key wrong --papers items") == 4);
    CHECK(strstr(cli.err, "Key wrong fails: height: -0.5 is not within 0.495 and 0.505"));
    CHECK(tenon("paper Key wrong --papers items --json") == 4);
    tn_document *doc = json_of(cli.out); // one document
    CHECK_TEXT(tn_node_get(doc->root, "verdict")->text, "fails");
    tn_document_destroy(doc);
    write_item("picture", right, "pictures: [{file: fig2.svg, caption: None}]\nverdict: agrees\n");
    CHECK(tenon("paper Key picture --papers items") == 4);
    CHECK(strstr(cli.err, "no command has written fig2.svg"));
    write_item("channel",
               "numbers:\n"
               "  - {what: height, paper: 0.5, tenon: 'last(\"still:mass.height\")', between: [0, "
               "1]}\n",
               tail);
    CHECK(tenon("paper Key channel --papers items") == 4);
    CHECK(strstr(cli.err, "no channel 'mass.height'"));
    CHECK(tenon("paper --all --papers items --out all") == 4);
    CHECK(strstr(cli.out, "4 items: 1 agree, 0 agree in shape, 0 differ, 3 fail"));
    CHECK(file_exists("all/papers.html"));
    CHECK(system("rm items/Key/wrong.yaml items/Key/picture.yaml items/Key/channel.yaml") == 0);
}

// What stands in the file is refused with its place.
static void mistakes_are_told(void)
{
    static const struct {
        const char *numbers, *end, *said;
    } cases[] = {
        {"numbers: [{what: a, tenon: 1}]\n", tail, "needs one of 'within' and 'between'"},
        {"numbers: [{what: a, tenon: 1, within: 5 %}]\n", tail,
         "'within' is about the published number"},
        {"numbers: [{what: a, paper: 1, tenon: 1, within: much}]\n", tail, "expected 5 %"},
        {"numbers: [{what: a, tenon: 1, between: [2, 1]}]\n", tail, "2 is above 1"},
        {"numbers: [{what: a, tenon: 1, between: [0, 1], bound: 2}]\n", tail,
         "unknown key 'bound'"},
        {right, "verdict: shape\n", "verdict 'shape' needs a 'why'"},
        {right, "verdict: good\n", "expected agrees, shape or differs"},
        {"numbers: [{what: a, paper: 2, tenon: 1, between: [0, 1], differs: so}]\n", tail,
         "number 'a' differs"},
        {"numbers: [{what: a, tenon: 1, between: [0, 2]}]\n", tail,
         "no number that is judged has one of the paper beside it"},
        {"", tail, "at least one command and one number"},
        {"numbers: []\n", tail, "the list is empty"},
        {"numbers: [{what: a, paper: 2, tenon: 1, between: [0, 1]}]\n", tail,
         "do not hold the published 2; say why"},
        {"numbers: [{what: a, paper: 1, tenon: 1, between: [0, 1], differs: so}]\n",
         "verdict: differs\nwhy: so\n", "so that nothing differs"},
        {"numbers: [{what: a, paper: 1, tenon: 1, judged: false}]\n", tail,
         "at least one number that is judged"},
        {right, "tables: [{file: ../a.csv, caption: a}]\nverdict: agrees\n",
         "leads out of the folder"},
    };
    for (int i = 0; i < TN_COUNT(cases); i++) {
        write_item("bad", cases[i].numbers, cases[i].end);
        CHECK(tenon("paper Key bad --papers items") == 2);
        CHECK(strstr(cli.err, "bad.yaml:"));
        if (!strstr(cli.err, cases[i].said))
            printf("%s\n", cli.err);
        CHECK(strstr(cli.err, cases[i].said));
    }
    CHECK(system("rm items/Key/bad.yaml") == 0);
    CHECK(tenon("paper Other --papers items") == 1);
    CHECK(strstr(cli.err, "there is no paper 'Other'; known are Key"));
    CHECK(tenon("paper Key fig9 --papers items") == 1);
    CHECK(tenon("paper Key fig1 --papers nowhere") == 1);
    CHECK(tenon("paper Key fig1 --papers items --all") == 1);
    CHECK(tenon("paper --papers items --set L=1") == 1);
    CHECK(system("mkdir -p mine && touch mine/letter") == 0);
    CHECK(tenon("paper Key fig1 --papers items --out mine") == 1);
    CHECK(file_exists("mine/letter"));
}

// A negative value has brackets in expressions; items run no items, and close their quotes.
static void commands_and_values_are_safe(void)
{
    write_text(
        "items/Key/square.yaml",
        "tenon_paper: 1\nitem: a\ntitle: a\nsource: a\nstates: a\nparameters: {a: -3}\n"
        "commands: [new pendulum]\nnumbers: [{what: a, paper: 8.625, tenon: '{a}^2 - 2^{a}*3', "
        "between: [8.625, 8.625]}]\nverdict: agrees\n");
    CHECK(tenon("paper Key square --papers items") == 0);
    static const char *const refused[] = {"paper Key fig1", "run a.yaml --out ../b", "plot 'a b"};
    for (int i = 0; i < TN_COUNT(refused); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "tenon_paper: 1\nitem: a\ntitle: a\nsource: a\nstates: a\n"
                 "commands: [\"%s\"]\nnumbers: [{what: a, tenon: 1, between: [0, "
                 "1]}]\nverdict: agrees\n",
                 refused[i]);
        write_text("items/Key/bad.yaml", text);
        CHECK(tenon("paper Key bad --papers items") == 2);
        CHECK(strstr(cli.err, "bad.yaml:6:"));
    }
    // The others are listed all the same.
    CHECK(tenon("paper --papers items") == 2);
    CHECK(strstr(cli.out, "A mass that hangs"));
    CHECK(system("rm items/Key/bad.yaml items/Key/square.yaml") == 0);
}

// Functions of series and tables ------------------------------------------------------------------

static double value_of(const char *text)
{
    double x = NAN;
    CHECK_OK(tn_paper_value(".", text, &x));
    return x;
}

static void functions_of_tables(void)
{
    write_text("cubic.csv", "t,x,name\n0,0,a\n1,1,b\n2,8,c\n3,27,d\n4,64,\"e, f\"\n");
    write_text("twice.csv", "k,x\n3,1\n3,2\n");
    write_text("other.csv", "t [s],y [m]\n0.5,0\n1.5,1\n2.5,2\n3.5,3\n");
    CHECK_NEAR(value_of("max(\"cubic.csv:x\")"), 64.0, 0.0);
    CHECK_NEAR(value_of("max(\"cubic.csv:x\", 0, 2) + 1"), 9.0, 0.0);
    CHECK_NEAR(value_of("at(\"cubic.csv:x\", 1 + 0.5)"), 1.5 * 1.5 * 1.5,
               1e-14); // a cubic is exact
    CHECK_NEAR(value_of("amax(\"cubic.csv:x - t^3\")"), 0.0, 0.0);
    // On the times of the first; between its rows the other is a line, which the cubic has exactly.
    CHECK_NEAR(value_of("max(\"cubic.csv:x - other.csv:y\", 1, 3)"), 27.0 - 2.5, 1e-13);
    CHECK_NEAR(value_of("crossing(\"cubic.csv:x\", 4.5)"), 1.5, 1e-14);
    CHECK_NEAR(value_of("time_of_max(\"-cubic.csv:x\")"), 0.0, 0.0);
    CHECK_NEAR(value_of("cell(\"cubic.csv:x\", -1)"), 64.0, 0.0);
    CHECK_NEAR(value_of("pick(\"cubic.csv:x:name=c\") / pick(\"cubic.csv:x:t=1\")"), 8.0, 0.0);
    CHECK_NEAR(value_of("pick(\"twice.csv:x:k=3&x=2.0\")"), 2.0, 0.0);
    CHECK_NEAR(value_of("cell(\"other.csv:t\", 1)"), 1.5, 0.0);
    CHECK_NEAR(value_of("cell(\"other.csv:y [m]\", 1)"), 1.0, 0.0);
    CHECK_NEAR(value_of("slope(\"cubic.csv:t:x\")"), 3.0, 1e-14); // of the positive ones
    CHECK_NEAR(value_of("rms(\"cubic.csv:x\", 1, 1)"), 1.0, 0.0);
    write_text("a.json", "{\"a\": {\"b\": [1, {\"c\": -2.5}]}, \"d\": true, "
                         "\"e\": \"dense LU\"}");
    CHECK_NEAR(value_of("number(\"a.json:a.b[1].c\") * number(\"a.json:d\")"), -2.5, 0.0);
    CHECK_NEAR(value_of("number(\"a.json:e=dense LU\")"), 1.0, 0.0);
    CHECK_NEAR(value_of("number(\"a.json:e=LU\")"), 0.0, 0.0);
    static const char *const wrong[] = {
        "max(\"cubic.csv:z\")",
        "max(\"none.csv:x\")",
        "max(\"cubic.csv:x\", 7, 8)",
        "cell(\"cubic.csv:x\", 1.5)",
        "pick(\"twice.csv:x:k=3\")",
        "most(\"cubic.csv:x\")",
        "cell(\"cubic.csv:x\", 9)",
        "pick(\"cubic.csv:x:name=z\")",
        "max(\"cubic.csv:x",
        "cell(\"cubic.csv:x\")",
        "number(\"a.json:a.b\")",
        "number(\"a.json:f=LU\")",
        "crossing(\"cubic.csv:x\", 99)",
        "max(\"1 + t\")",
        "1 +",
    };
    for (int i = 0; i < TN_COUNT(wrong); i++) {
        double x;
        CHECK(tn_paper_value(".", wrong[i], &x) != TN_OK);
        CHECK(*tn_last_error());
    }
}

// A tree that was moved with its build: what was configured elsewhere is configured anew, by make
// papers-quick, and the command there takes the items, models and programs beside it.
static void items_are_those_of_a_tree_that_was_moved(void)
{
    CHECK(tn_test_shell(
              "rm -rf moved && mkdir -p moved/tree/build && cd " TN_SOURCE_DIR
              " && tar cf - --exclude='./build*' --exclude=./.git --exclude=./web/node_modules . | "
              "(cd \"$OLDPWD/moved/tree\" && tar xf -)") == 0);
    CHECK(tn_test_shell("cp \"$(dirname " TN_BINARY ")/CMakeCache.txt\" moved/tree/build/") == 0);
    CHECK(system("env -u MAKEFLAGS -u MAKELEVEL make -s -C moved/tree configure "
                 "CMAKE_ARGS='-DBUILD_TESTING=OFF -DTENON_WEB=OFF' >configure.log 2>&1") == 0);
    CHECK(system("grep -q \"^CMAKE_HOME_DIRECTORY:INTERNAL=$PWD/moved/tree$\" "
                 "moved/tree/build/CMakeCache.txt") == 0);
    CHECK(system("cd moved/tree && test build/papers -ef papers -a build/models -ef models") == 0);
    // The command of this build in the place of one that takes minutes to make; its own title.
    CHECK(tn_test_shell("cp -P \"$(dirname " TN_BINARY ")\"/libtenon.so* " TN_BINARY
                        " moved/tree/build/") == 0);
    CHECK(system("sed -i 's/^title: .*/title: of the tree that was moved/' "
                 "moved/tree/papers/LB08/eq20.yaml") == 0);
    CHECK(system("cd moved && LD_LIBRARY_PATH=tree/build tree/build/tenon paper LB08 eq20 --quick "
                 "--out out >said.txt") == 0);
    CHECK(system("grep -q 'of the tree that was moved' moved/said.txt") == 0);
    CHECK(system("rm -rf moved") == 0);
}

static const tn_test tests[] = {
    {"items are run and judged", items_are_run_and_judged},
    {"other parameters are not judged", other_parameters_are_not_judged},
    {"what is wrong fails", what_is_wrong_fails},
    {"mistakes are told", mistakes_are_told},
    {"commands and values are safe", commands_and_values_are_safe},
    {"functions of tables", functions_of_tables},
    {"items are those of a tree that was moved", items_are_those_of_a_tree_that_was_moved},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
