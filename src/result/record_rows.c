// SPDX-License-Identifier: MIT
//
// The rows that a record gathers before they are written.

#include "base/carve.h"
#include "result/record.h"

enum { MOST_ROWS = 1024, MOST_BYTES = 1 << 20 }; // gathered before they are written

static void layout_rows(void *self, tn_carve *mem)
{
    tn_record *record = self;
    for (int k = 0; k < record->list.nchannel; k++) {
        const size_t numbers = (size_t)record->capacity * (size_t)record->list.channel[k].size;
        record->gathered[k] = tn_carve_bytes(mem, numbers * sizeof(double));
    }
}

tn_status tn_record_layout(tn_record *record)
{
    record->list = *tn_sim_channels(record->sim);
    const size_t fit = MOST_BYTES / ((size_t)record->list.width * sizeof(double));
    record->capacity = fit < 1 ? 1 : fit > MOST_ROWS ? MOST_ROWS : (int)fit;
    if (tn_carve_block(record, layout_rows, &record->block) != TN_OK)
        return tn_fail(TN_ERR_MEMORY, "%s: no memory for results of %d numbers per row",
                       record->directory, record->list.width);
    return TN_OK;
}

// The step in which the row lies; where rows are further apart, the mean of those between them.
static void note_step(tn_record *record, tn_sim *sim, double *step)
{
    tn_ledger ledger;
    tn_sim_ledger(sim, &ledger);
    const double end = tn_sim_before(sim) + ledger.step;
    const long steps = ledger.steps - record->last_steps;
    if (steps > 1)
        *step = (end - record->last_end) / (double)steps;
    record->last_time = tn_sim_time(sim);
    record->last_end = end;
    record->last_steps = ledger.steps;
}

void tn_record_gather(tn_record *record, tn_sim *sim)
{
    double *to[TN_MOST_CHANNELS];
    for (int k = 0; k < record->list.nchannel; k++)
        to[k] = record->gathered[k] + (size_t)record->count * (size_t)record->list.channel[k].size;
    tn_channels_read(sim, to);
    note_step(record, sim, to[TN_CHANNEL_STEP]);
    record->count++;
    record->rows++;
}
