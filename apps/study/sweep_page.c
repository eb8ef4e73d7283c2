// SPDX-License-Identifier: MIT
//
// report.html of a sweep: a page with its plots, statistics and cases, and the data in it
// (docs/formats/page.md). Long tables are thinned: every n-th case is in the page.

#include "file/json_stream.h"
#include "page/page_parts.h"
#include "study/sweep_parts.h"

#ifdef TN_WITH_WEB

static const double MOST_NUMBERS = 1e6; // of a page, 11 bytes each
enum { MOST_REASONS = 2000 };

typedef struct sweep_page {
    const tn_sweep *sweep;
    const tn_sweep_facts *facts;
    const sweep_rows *rows;
    int64_t every; // case is shown
} sweep_page;

static void put_columns(const sweep_page *p, long shown, tn_json *json)
{
    const long stride = (long)p->every * p->facts->ncolumn;
    tn_json_begin_array(json, "columns");
    for (int k = 0; k < p->facts->ncolumn; k++) {
        const tn_sweep_column *c = &p->facts->columns[k];
        tn_json_begin_object(json, NULL);
        tn_sweep_put_column(json, c);
        TN_PAGE_ARRAY(json, "values", false, shown, i, p->rows->values[k + i * stride]);
        tn_json_end_object(json);
    }
    tn_json_end_array(json);
}

static void put_reasons(const sweep_page *p, tn_json *json)
{
    int told = 0;
    tn_json_begin_array(json, "reasons");
    for (int64_t i = 0; i < p->rows->count && told < MOST_REASONS; i += p->every)
        if (p->rows->reason[i]) {
            tn_json_object(json, NULL, "case %lld text %s", (long long)p->rows->index[i],
                           p->rows->reason[i]);
            told++;
        }
    tn_json_end_array(json);
}

static tn_status write_data(void *user, tn_page_sink sink)
{
    const sweep_page *p = user;
    const long shown = (long)((p->rows->count + p->every - 1) / p->every);
    tn_json *json = NULL;
    TN_TRY(tn_json_stream(sink, &json));
    tn_json_put(json, "{ kind %s tenon %s", "sweep", tn_version());
    tn_sweep_put_facts(json, p->sweep, p->facts);
    tn_json_integer(json, "every", p->every);
    TN_PAGE_ARRAY(json, "index", false, shown, i, (double)p->rows->index[i * p->every]);
    TN_PAGE_ARRAY(json, "status", true, shown, i, p->rows->state[i * p->every]);
    put_columns(p, shown, json);
    put_reasons(p, json);
    tn_json_end_object(json);
    const tn_status s = tn_json_finish(json);
    tn_json_destroy(json);
    return s;
}

tn_status tn_sweep_write_page(const tn_sweep *sweep, const tn_sweep_facts *facts,
                              const sweep_rows *rows)
{
    const double numbers = (double)rows->count * (facts->ncolumn + 2);
    sweep_page p = {sweep, facts, rows, 1 + (int64_t)(numbers / MOST_NUMBERS)};
    char *path = tn_sweep_file(sweep->directory, "report.html");
    tn_status s = tn_got(path);
    TN_THEN(s, tn_page_write(path, TN_PAGE_SWEEP, write_data, &p));
    tn_free(path);
    return s;
}

#else

tn_status tn_sweep_write_page(const tn_sweep *sweep, const tn_sweep_facts *facts,
                              const sweep_rows *rows)
{
    (void)sweep, (void)facts, (void)rows;
    return TN_OK;
}

#endif
