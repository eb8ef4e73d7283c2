// SPDX-License-Identifier: MIT
//
// The data of a page, parsed back: poses and channels are those of the result, names are safe and
// whole, and what is missing becomes a warning.

#include "base/alloc.h"
#include "file/document.h"
#include "page/page.h"
#include "tenon/tenon.h"
#include "test.h"

#include <math.h>
#include <sys/stat.h>

static const char DIR[] = "page";

static const char model_text[] =
    "tenon: 1\n"
    "bodies:\n"
    "  '</script><script>alert(1)</script>':\n"
    "    mass: 1\n"
    "    inertia: [0.1, 0.1, 0.1]\n"
    "    initial: {position: [0.5, 0, 0]}\n"
    "    shapes: [{kind: box, size: [1, 0.1, 0.1]}, {kind: mesh, file: missing.stl}]\n"
    "  \"<!--<script> \\\" & \\\\ ä\":\n"
    "    mass: 1\n"
    "    inertia: [0.1, 0.1, 0.1]\n"
    "    initial: {position: [1.5, 0, 0]}\n"
    "gravity: [0, -9.81, 0]\n"
    "joints:\n"
    "  pin: {kind: revolute, bodies: [ground, '</script><script>alert(1)</script>'], at: [0, 0, 0],"
    " axis: [0, 0, 1]}\n";
static const char *const body_names[] = {"</script><script>alert(1)</script>",
                                         "<!--<script> \" & \\ \xc3\xa4"};

static void remove_folder(void)
{
    static const char *const files[] = {"result.journal", "result.h5", "summary.json",
                                        "report.html"};
    char path[64];
    for (int i = 0; i < TN_COUNT(files); i++) {
        snprintf(path, sizeof(path), "%s/%s", DIR, files[i]);
        remove(path);
    }
    remove(DIR);
}

static void write_summary(const char *text)
{
    FILE *file = fopen("page/summary.json", "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static void record_rows(int rows, const char *outcome)
{
    tn_model *model = NULL;
    tn_sim *sim = NULL;
    tn_record *record = NULL;
    tn_record_options options = tn_default_record();
    options.model_path = "models/it's.yaml";
    options.csv = false;
    remove_folder();
    CHECK_OK(tn_model_parse(model_text, "m.yaml", &model, NULL));
    tn_sim_options method = tn_default_sim();
    method.method = "galpha/ggl";
    CHECK_OK(tn_sim_create(model, &method, &sim));
    CHECK_OK(tn_record_create(DIR, sim, &options, &record));
    for (int i = 0; i < rows; i++) {
        CHECK_OK(tn_record_row(record, sim));
        CHECK_OK(tn_sim_step(sim, 1e-3));
    }
    CHECK_OK(tn_record_close(record, outcome));
    remove("page/summary.json"); // each test has its own, or none
    tn_sim_destroy(sim);
    tn_model_destroy(model);
}

// The page data of the folder and what it is read from.
typedef struct {
    tn_result *result;
    tn_buffer buffer;
    tn_page_notes notes;
    tn_document *doc;
    const tn_node *root;
} page;

static page make(const tn_page_options *options)
{
    page p = {0};
    CHECK_OK(tn_result_open(DIR, true, &p.result));
    CHECK_OK(tn_page_data_json(&(tn_page_of_result){p.result, options, &p.notes},
                               (tn_page_sink){tn_buffer_write, &p.buffer}));
    CHECK(strchr(p.buffer.text, '<') == NULL);
    CHECK(strstr(p.buffer.text, "\xe2\x80\xa8") == NULL);
    CHECK_OK(tn_document_parse(p.buffer.text, p.buffer.length, "data", &p.doc));
    p.root = p.doc->root;
    CHECK_TEXT(tn_node_get(p.root, "format")->text, "tenon-page");
    CHECK(tn_node_get(p.root, "warnings")->count == p.notes.texts.count);
    return p;
}

static void end(page *p)
{
    tn_document_destroy(p->doc);
    tn_free(p->buffer.text);
    tn_page_notes_free(&p->notes);
    tn_result_close(p->result);
}

static const tn_node *get(const tn_node *node, const char *a, const char *b)
{
    const tn_node *child = tn_node_get(node, a);
    CHECK(child != NULL);
    return b ? tn_node_get(child, b) : child;
}

static bool warns(const page *p, const char *text)
{
    const tn_node *warnings = tn_node_get(p->root, "warnings");
    for (int i = 0; i < warnings->count; i++)
        if (strstr(warnings->children[i]->text, text))
            return true;
    return false;
}

static int letter_value(char c)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = strchr(letters, c);
    CHECK(found != NULL && c);
    return (int)(found - letters);
}

// Numbers of {"f64": ...} or {"f32": ...}; free them.
static double *decode(const tn_node *array, long *count, bool *narrow)
{
    CHECK(array && array->kind == TN_NODE_MAP && array->count == 1);
    const char *text = array->children[0]->text;
    *narrow = strcmp(array->keys[0]->text, "f32") == 0;
    CHECK(*narrow || strcmp(array->keys[0]->text, "f64") == 0);
    const size_t length = strlen(text), size = *narrow ? 4 : 8;
    unsigned char *bytes = calloc(length + 8, 1);
    double *out = calloc(length + 1, sizeof(double));
    size_t n = 0;
    CHECK(length % 4 == 0 && bytes && out);
    for (size_t i = 0; i < length; i += 4) {
        const int pad = (text[i + 2] == '=') + (text[i + 3] == '=');
        unsigned bits = 0;
        for (size_t k = 0; k < 4; k++)
            bits = bits << 6 | (unsigned)(text[i + k] == '=' ? 0 : letter_value(text[i + k]));
        for (int k = 0; k < 3 - pad; k++)
            bytes[n++] = (unsigned char)(bits >> (16 - 8 * k));
    }
    CHECK(n % size == 0);
    for (size_t i = 0; i < n / size; i++) {
        float single;
        memcpy(&single, bytes + 4 * i, 4);
        if (*narrow)
            out[i] = single;
        else
            memcpy(&out[i], bytes + 8 * i, 8);
    }
    free(bytes);
    *count = (long)(n / size);
    return out;
}

// Content ----------------------------------------------------------------------------------------

static void names_are_text(void)
{
    record_rows(3, "done");
    page p = make(NULL);
    const tn_node *bodies = get(p.root, "scene", "bodies");
    CHECK(bodies->count == 3);
    for (int i = 0; i < 2; i++)
        CHECK_TEXT(tn_node_get(bodies->children[i + 1], "name")->text, body_names[i]);
    const tn_node *channels = tn_node_get(p.root, "channels");
    CHECK(channels->count == tn_result_channel_count(p.result));
    for (int i = 0; i < channels->count; i++) {
        const tn_result_channel *c = tn_result_channel_at(p.result, i);
        CHECK_TEXT(tn_node_get(channels->children[i], "name")->text, c->name);
        CHECK_TEXT(tn_node_get(channels->children[i], "group")->text, c->group);
        CHECK_TEXT(tn_node_get(channels->children[i], "unit")->text, c->unit);
    }
    end(&p);
    remove_folder();
}

static void check_frames(const page *p, const char *key, const char *path, bool narrow)
{
    const int set = tn_result_dataset_find(p->result, path);
    const int width = tn_result_dataset_at(p->result, set)->width;
    const long rows = tn_result_rows(p->result);
    double *stored = calloc((size_t)(rows * width + 1), sizeof(double));
    bool is_narrow;
    long n;
    double *shown = decode(get(p->root, "frames", key), &n, &is_narrow);
    CHECK(is_narrow == narrow && n == rows * width);
    CHECK_OK(tn_result_read_rows(p->result, set, 0, rows, stored));
    for (long i = 0; i < n; i++)
        CHECK(shown[i] == (narrow ? (double)(float)stored[i] : stored[i]));
    free(shown);
    free(stored);
}

static void check_channels(const page *p, bool equal)
{
    const tn_node *channels = tn_node_get(p->root, "channels");
    const long rows = tn_result_rows(p->result);
    double *stored = calloc((size_t)rows + 1, sizeof(double));
    double *times = calloc((size_t)rows + 1, sizeof(double));
    CHECK_OK(tn_result_time(p->result, 0, rows, times));
    for (int i = 0; i < channels->count; i++) {
        const tn_node *time = tn_node_get(channels->children[i], "time");
        const tn_node *same = tn_node_get(time, "same");
        long nt = 0, nv = 0;
        bool narrow = false;
        int channel = -1;
        if (same) {
            CHECK(atoi(same->text) < i);
            time = tn_node_get(channels->children[atoi(same->text)], "time");
        }
        double *t = decode(time, &nt, &narrow);
        double *v = decode(tn_node_get(channels->children[i], "value"), &nv, &narrow);
        CHECK_OK(
            tn_result_find(p->result, tn_node_get(channels->children[i], "name")->text, &channel));
        CHECK_OK(tn_result_read(p->result, channel, 0, rows, stored));
        CHECK(nt == nv && nv <= rows && (rows == 0 || nv >= (rows > 1 ? 2 : 1)));
        double low = INFINITY, high = -INFINITY, shown_low = INFINITY, shown_high = -INFINITY;
        for (long k = 0, row = 0; k < nv; k++) { // each point is a row, in order
            while (row < rows && times[row] != t[k])
                row++;
            CHECK(row < rows && (stored[row] == v[k] || (isnan(stored[row]) && isnan(v[k]))));
            shown_low = fmin(shown_low, v[k]);
            shown_high = fmax(shown_high, v[k]);
        }
        for (long row = 0; row < rows; row++) {
            low = fmin(low, stored[row]);
            high = fmax(high, stored[row]);
        }
        CHECK(low == shown_low && high == shown_high);
        CHECK(!equal || nv == rows || nv <= rows / 2); // all rows, or flat stretches left out
        free(t);
        free(v);
    }
    free(stored);
    free(times);
}

static void short_runs_are_whole(void)
{
    record_rows(400, "done");
    page p = make(NULL);
    CHECK_TEXT(get(p.root, "frames", "count")->text, "400");
    check_frames(&p, "time", "time", false);
    check_frames(&p, "position", "bodies/position", false);
    check_frames(&p, "quaternion", "bodies/quaternion", false);
    check_frames(&p, "velocity", "bodies/velocity", true);
    check_frames(&p, "force", "joints/force", true);
    check_channels(&p, true);
    end(&p);
    remove_folder();
}

static void few_rows(void)
{
    for (int rows = 0; rows < 3; rows++) {
        record_rows(rows, "done");
        page p = make(NULL);
        CHECK(atoi(get(p.root, "frames", "count")->text) == rows);
        check_frames(&p, "position", "bodies/position", false);
        check_channels(&p, true);
        CHECK(warns(&p, "no rows are stored yet") == (rows == 0));
        end(&p);
    }
    remove_folder();
}

static void long_runs_are_thinned(void)
{
    tn_page_options options = tn_default_page();
    options.most_frames = 70;
    options.most_buckets = 40;
    record_rows(3000, "done");
    page p = make(&options);
    long n;
    bool narrow;
    double *t = decode(get(p.root, "frames", "time"), &n, &narrow);
    CHECK(n == 70 && t[0] == 0.0);
    CHECK_NEAR(t[69], 2.999, 1e-12); // sums of steps
    for (int i = 1; i < 70; i++)
        CHECK_NEAR(t[i] - t[i - 1], 2.999 / 69.0, 1.001e-3); // to a row
    free(t);
    check_channels(&p, false);
    CHECK(p.buffer.length < 300000);
    end(&p);
    remove_folder();
}

static void pages_keep_to_their_bytes(void)
{
    tn_page_options options = tn_default_page();
    bool narrow;
    long n;
    record_rows(3000, "done");
    options.frame_aim = options.frame_bytes = 40000;
    options.channel_aim = options.channel_bytes = 100000;
    page p = make(&options);
    double *values = decode(get(p.root, "frames", "position"), &n, &narrow);
    CHECK(narrow && n > 6 * 100); // what 40000 bytes hold in single precision
    free(values);
    CHECK(p.buffer.length < 40000 + 100000 + 30000); // names and scene
    check_channels(&p, false);
    CHECK(warns(&p, "in single precision"));
    end(&p);
    options.most_channels = 50;
    p = make(&options);
    const tn_node *channels = tn_node_get(p.root, "channels");
    CHECK(channels->count <= 50 && channels->count > 20);
    CHECK(warns(&p, "channels: those of the run and of the first joints, forces "
                    "and bodies"));
    bool energy = false, joint = false, body = false;
    for (int i = 0; i < channels->count; i++) {
        const char *name = tn_node_get(channels->children[i], "name")->text;
        energy |= strcmp(name, "energy.balance") == 0;
        joint |= strcmp(name, "pin.force.x") == 0;
        body |= strcmp(tn_node_get(channels->children[i], "group")->text, "bodies") == 0;
    }
    CHECK(energy && joint && body);
    end(&p);
    remove_folder();
}

// The numbers of a channel are changed in the file: HDF5 stores them as they are.
static void set_not_a_number(double value)
{
    static char bytes[1 << 22];
    const double nan = NAN;
    FILE *file = fopen("page/result.h5", "r+b");
    CHECK(file != NULL);
    const size_t n = fread(bytes, 1, sizeof(bytes), file);
    long found = -1;
    for (size_t i = 0; i + 8 <= n && found < 0; i += 4)
        if (memcmp(bytes + i, &value, 8) == 0)
            found = (long)i;
    CHECK(found > 0 && fseek(file, found, SEEK_SET) == 0);
    CHECK(fwrite(&nan, 8, 1, file) == 1);
    fclose(file);
}

static void not_a_number_stays(void)
{
    double value = 0.0;
    int channel;
    long n;
    bool narrow;
    tn_result *r = NULL;
    record_rows(100, "done");
    CHECK_OK(tn_result_open(DIR, true, &r));
    CHECK_OK(tn_result_find(r, "energy.kinetic", &channel));
    CHECK_OK(tn_result_read(r, channel, 42, 1, &value));
    tn_result_close(r);
    set_not_a_number(value);
    page p = make(NULL);
    double *shown = decode(tn_node_get(tn_node_get(p.root, "channels")->children[channel], "value"),
                           &n, &narrow);
    CHECK(n == 100 && isnan(shown[42]) && !isnan(shown[41]) && !isnan(shown[43]));
    free(shown);
    check_channels(&p, true);
    end(&p);
    remove_folder();
}

// The run ----------------------------------------------------------------------------------------

static void the_summary_is_the_run(void)
{
    record_rows(3, "done");
    write_summary("{\n  \"status\": \"done\",\n  \"step\": 1.5e-3,\n  \"step_min\": 1.5e-3,\n"
                  "  \"why\": \"</script>\",\n  \"t_end\": 5,\n  \"energy\": null,\n"
                  "  \"required\": [],\n  \"odd\": [0x10, .5, -0.25E+7, true, 'true', ~]\n}\n");
    page p = make(NULL);
    CHECK_TEXT(get(p.root, "run", "status")->text, "done");
    CHECK_TEXT(get(p.root, "run", "why")->text, "</script>");
    CHECK_TEXT(get(p.root, "run", "step")->text, "0.0015");
    CHECK(get(p.root, "run", "energy")->kind == TN_NODE_NULL);
    // Numbers are written as JSON has them, and what is none becomes text.
    CHECK(strstr(p.buffer.text, "[\"0x10\",0.5,-2500000,true,\"true\",null]"));
    CHECK_TEXT(tn_node_get(p.root, "title")->text, "it's");
    CHECK_TEXT(tn_node_get(p.root, "reproduce")->text,
               "tenon run 'models/it'\\''s.yaml' --method galpha/ggl@absolute --step 1.5e-3 "
               "--t-end 5");
    CHECK(!warns(&p, "ledger"));
    end(&p);
    write_summary("{\"command\": \"tenon run x.yaml --step 1\"}");
    p = make(NULL);
    CHECK_TEXT(tn_node_get(p.root, "reproduce")->text, "tenon run x.yaml --step 1");
    end(&p);
    remove_folder();
}

static void without_a_summary(void)
{
    static const char *const bad[] = {"{\"status\": \"done\", \"ste", "[1, 2]", "", "\xff\xfe{}"};
    record_rows(3, "failed: the <step> is too small");
    page p = make(NULL);
    CHECK_TEXT(get(p.root, "run", "status")->text, "failed");
    CHECK_TEXT(get(p.root, "run", "reason")->text, "the <step> is too small");
    CHECK_NEAR(atof(get(p.root, "run", "time")->text), 2e-3, 1e-15); // sums of steps
    CHECK(warns(&p, "page/summary.json is missing: the ledger of the run is not known"));
    end(&p);
    for (int i = 0; i < TN_COUNT(bad); i++) {
        write_summary(bad[i]);
        p = make(NULL);
        CHECK_TEXT(get(p.root, "run", "status")->text, "failed");
        CHECK(warns(&p, "the ledger of the run is not known: "));
        end(&p);
    }
    remove_folder();
}

static void killed_runs_are_told(void)
{
    record_rows(3, "running");
    page p = make(NULL);
    CHECK(warns(&p, "the run goes on or was killed: 3 rows are shown"));
    CHECK_TEXT(tn_node_get(p.root, "live")->text, "false");
    end(&p);
    remove_folder();
}

// The scene --------------------------------------------------------------------------------------

static void missing_meshes(void)
{
    record_rows(1, "done");
    page p = make(NULL);
    const tn_node *meshes = tn_node_get(p.root, "meshes");
    CHECK(meshes->count == 1);
    CHECK_TEXT(tn_node_get(meshes->children[0], "name")->text, "missing.stl");
    CHECK_TEXT(get(meshes->children[0], "positions", "f32")->text, "");
    CHECK(warns(&p, "mesh 'missing.stl' is not shown: "));
    CHECK(tn_node_get(tn_node_get(p.root, "scene"), "meshes") == NULL);
    end(&p);
    remove_folder();
}

static void meshes_are_embedded(void)
{
    long n;
    bool narrow;
    record_rows(1, "done");
    mkdir("models", 0777); // beside the model
    FILE *file = fopen("models/missing.stl", "w");
    CHECK(file != NULL);
    fputs("solid\nfacet\nouter loop\nvertex 0 0 0\nvertex 0.5 0 0\nvertex 0 0 1e3\nendloop\n"
          "endfacet\nendsolid\n",
          file);
    fclose(file);
    page p = make(NULL);
    double *v =
        decode(get(tn_node_get(p.root, "meshes")->children[0], "positions", NULL), &n, &narrow);
    CHECK(n == 9 && narrow && v[3] == 0.5 && v[8] == 1e3);
    CHECK(!warns(&p, "mesh"));
    free(v);
    end(&p);
    tn_page_options options = tn_default_page();
    options.mesh_bytes = 40; // less than one triangle
    p = make(&options);
    CHECK(warns(&p, "triangles; simplify the mesh"));
    end(&p);
    remove("models/missing.stl");
    remove("models");
    remove_folder();
}

// Memory and files -------------------------------------------------------------------------------

static tn_status swallow(void *user, const char *text, size_t length)
{
    (void)text;
    *(size_t *)user += length;
    return TN_OK;
}

static void memory_runs_out(void)
{
    record_rows(20, "stopped"); // with its journal: HDF5 would be read by another process
    bool failed = true;
    int told = 0;
    const long before = tn_test_alloc_live();
    // The first hundred one by one, then further and further apart.
    for (long n = 1; failed; n += n < 100 ? 1 : n / 20) {
        tn_result *r = NULL;
        size_t bytes = 0;
        tn_test_alloc_fail_at(n);
        tn_status s = tn_result_open(DIR, true, &r);
        if (s == TN_OK)
            s = tn_page_data_json(&(tn_page_of_result){r, NULL, NULL},
                                  (tn_page_sink){swallow, &bytes});
        tn_result_close(r);
        failed = tn_test_alloc_failed();
        CHECK(s == (failed ? TN_ERR_MEMORY : TN_OK));
        CHECK(tn_test_alloc_live() == before);
        told++;
    }
    tn_test_alloc_fail_at(0);
    CHECK(told > 100);
    remove_folder();
}

static tn_status refuse(void *user, const char *text, size_t length)
{
    (void)text, (void)length;
    return --*(int *)user < 0 ? tn_fail(TN_ERR_STOPPED, "enough") : TN_OK;
}

static void sinks_may_refuse(void)
{
    tn_result *r = NULL;
    record_rows(400, "done");
    CHECK_OK(tn_result_open(DIR, true, &r));
    for (int pieces = 0; pieces < 5; pieces++) {
        int left = pieces;
        CHECK_STATUS(
            tn_page_data_json(&(tn_page_of_result){r, NULL, NULL}, (tn_page_sink){refuse, &left}),
            TN_ERR_STOPPED);
        CHECK(left == -1); // not asked again
    }
    tn_result_close(r);
    remove_folder();
}

static void files_appear_whole(void)
{
    tn_result *r = NULL;
    record_rows(10, "done");
    CHECK_OK(tn_result_open(DIR, true, &r));
    if (tn_report_check() == TN_OK) {
        CHECK_OK(tn_page_write("page/report.html", TN_PAGE_RUN, tn_page_data_json,
                               &(tn_page_of_result){r, NULL, NULL}));
        FILE *file = fopen("page/report.html", "rb");
        CHECK(file != NULL && fgetc(file) == '<');
        fseek(file, 0, SEEK_END);
        CHECK(ftell(file) < 3 << 20);
        fclose(file);
        CHECK_STATUS(tn_page_write("nowhere/report.html", TN_PAGE_RUN, tn_page_data_json,
                                   &(tn_page_of_result){r, NULL, NULL}),
                     TN_ERR_USAGE);
        CHECK_TEXT(tn_last_error(), "cannot write nowhere/report.html: No such file or directory");
    } else {
        CHECK_STATUS(tn_page_write("page/report.html", TN_PAGE_RUN, tn_page_data_json,
                                   &(tn_page_of_result){r, NULL, NULL}),
                     TN_ERR_USAGE);
        CHECK(strstr(tn_last_error(), "install npm"));
        CHECK(fopen("page/report.html", "r") == NULL);
    }
    CHECK(fopen("page/report.html.part", "r") == NULL);
    tn_result_close(r);
    remove_folder();
}

static const tn_test tests[] = {
    {"names of any kind are safe and come back", names_are_text},
    {"short runs are shown whole", short_runs_are_whole},
    {"no row and one row", few_rows},
    {"long runs are thinned and keep their extremes", long_runs_are_thinned},
    {"pages keep to their bytes", pages_keep_to_their_bytes},
    {"NaN stays", not_a_number_stays},
    {"the summary is the run", the_summary_is_the_run},
    {"without a summary the attributes tell", without_a_summary},
    {"killed runs are told", killed_runs_are_told},
    {"missing meshes become warnings", missing_meshes},
    {"meshes are embedded", meshes_are_embedded},
    {"memory that runs out is told and nothing leaks", memory_runs_out},
    {"a sink that refuses ends the writing", sinks_may_refuse},
    {"files appear when they are complete", files_appear_whole},
};

int main(int argc, char **argv)
{
    return tn_run_tests(tests, TN_COUNT(tests), argc, argv);
}
