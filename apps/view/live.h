// SPDX-License-Identifier: MIT
//
// A run with viewers. The simulation puts its rows here, the server takes them out in the form of
// the data JSON of the page. Both sides work at the same time: a row never changes once it is
// there, so that the simulation waits for nobody, however slow.
//
// Rows stay in memory, every one at first. Each time a block of them is full, the next block takes
// only every second of the rows that this one took: a run of any length fits, and its first half,
// quarter, eighth … have as many rows as the rest. Rows that are left out here are in the results.

#pragma once

#include "page/page.h"
#include "tenon/model.h"
#include "tenon/sim.h"

typedef struct tn_live tn_live;

// The model and the simulation are read while this is created and must outlive it. A run that
// begins again follows the rows that were shown before (or NULL): its numbers of rows are others.
tn_status tn_live_create(const tn_model *model, const char *model_path, tn_sim *sim,
                         tn_live *before, tn_live **out);
void tn_live_destroy(tn_live *live); // NULL is fine

// The side of the simulation, one thread. `last` rows are never left out.
void tn_live_row(tn_live *live, tn_sim *sim, bool last);
// Sets the progress of the run: an object in JSON with "status", "time", "t_end", "steps", as in
// summary.json. After the one that has `ended` nothing may follow.
void tn_live_tell(tn_live *live, const char *run, bool ended);

// The other side, any thread. Writes the data JSON with the rows from number `from` on, as many as
// fit into one answer; "from" and the count of frames say which. "live" becomes false with the last
// row of a run that has ended. `whole` adds what does not change: scene, meshes.
tn_status tn_live_json(tn_live *live, long from, bool whole, tn_page_sink sink);
bool tn_live_ended(tn_live *live);
