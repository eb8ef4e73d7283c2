// SPDX-License-Identifier: MIT
//
//     write_hdf5 PLAN FILE
//
// The yardstick of small runs: a program that writes the same HDF5 file and does nothing else.

#include "hdf5_plan.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hid_t text_type;

static hid_t stored_type(const plan_entry *e)
{
    return e->type == PLAN_DOUBLES ? H5T_IEEE_F64LE
           : e->type == PLAN_INTS  ? H5T_STD_I32LE
           : e->type == PLAN_FLAGS ? H5T_STD_I8LE
                                   : text_type;
}

static hid_t space_of(const plan_entry *e)
{
    hsize_t shape[3], most[3];
    for (int i = 0; i < 3; i++) {
        shape[i] = e->shape[i];
        most[i] = e->chunked && (i == 0 || shape[i] == 0) ? H5S_UNLIMITED : shape[i];
    }
    return e->rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(e->rank, shape, most);
}

static uint64_t count_of(const plan_entry *e)
{
    uint64_t n = 1;
    for (int i = 0; i < e->rank; i++)
        n *= e->shape[i];
    return n;
}

static void write_dataset(hid_t file, const plan_entry *e, const void *values)
{
    const hid_t space = space_of(e), links = H5Pcreate(H5P_LINK_CREATE);
    const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[3] = {e->chunk[0], e->chunk[1], e->chunk[2]};
    H5Pset_create_intermediate_group(links, 1);
    if (e->chunked)
        H5Pset_chunk(create, e->rank, chunk);
    const hid_t set = H5Dcreate2(file, e->name, stored_type(e), space, links, create, H5P_DEFAULT);
    if (count_of(e) > 0)
        H5Dwrite(set, stored_type(e), H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Pclose(create);
    H5Pclose(links);
    H5Sclose(space);
}

static void write_attribute(hid_t file, const plan_entry *e, const void *values)
{
    const hid_t space = space_of(e), owner = H5Oopen(file, e->owner, H5P_DEFAULT);
    const hid_t attribute =
        H5Acreate2(owner, e->name, stored_type(e), space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, stored_type(e), values);
    H5Aclose(attribute);
    H5Oclose(owner);
    H5Sclose(space);
}

static void write_entry(hid_t file, const plan_entry *e, char *bytes)
{
    const uint64_t n = e->type == PLAN_TEXTS ? count_of(e) : 0;
    char **texts = calloc(n + 1, sizeof *texts);
    char *at = bytes;
    for (uint64_t i = 0; i < n; i++, at += strlen(at) + 1)
        texts[i] = at;
    (*e->owner ? write_attribute
               : write_dataset)(file, e, e->type == PLAN_TEXTS ? (void *)texts : (void *)bytes);
    free(texts);
}

int main(int argc, char **argv)
{
    FILE *plan = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!plan)
        return 1;
    plan_entry e;
    text_type = H5Tcopy(H5T_C_S1);
    H5Tset_size(text_type, H5T_VARIABLE);
    H5Tset_cset(text_type, H5T_CSET_UTF8);
    const hid_t file = H5Fcreate(argv[2], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    while (fread(&e, sizeof e, 1, plan) == 1) {
        char *bytes = malloc(e.bytes + 1);
        if (!bytes || fread(bytes, 1, e.bytes, plan) != e.bytes)
            return 1;
        write_entry(file, &e, bytes);
        free(bytes);
    }
    fclose(plan);
    return H5Fclose(file) < 0;
}
