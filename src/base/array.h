// SPDX-License-Identifier: MIT
//
// Growing arrays for set-up code: TN_ARRAY(tn_body_data) bodies; tn_array_push(&bodies, value).

#pragma once

#include "base/alloc.h"
#include "base/status.h"

#define TN_ARRAY(type) \
    struct {           \
        type *at;      \
        int count;     \
        int capacity;  \
    }

// Number of entries of an increasing list that are not above x.
static inline int tn_count_up_to(int n, const double *list, double x)
{
    int low = 0, high = n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (list[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

tn_status tn_array_grow(void **at, int *capacity, int count,
                        size_t size); // room for count + 1

// An expression of type tn_status; on failure the array is unchanged. The value may use the count.
#define tn_array_push(array, value)                                           \
    (tn_array_grow((void **)&(array)->at, &(array)->capacity, (array)->count, \
                   sizeof(*(array)->at)) == TN_OK                             \
         ? ((array)->at[(array)->count] = (value), (array)->count++, TN_OK)   \
         : TN_ERR_MEMORY)

#define tn_array_free(array) \
    (tn_free((array)->at), (array)->at = NULL, (array)->count = 0, (array)->capacity = 0)
