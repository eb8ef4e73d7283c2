// SPDX-License-Identifier: MIT
//
// The image of an object: the bytes of all blocks that it stands on, to go on in another process as
// if nothing had happened, to the last bit. What an object remembers is in dozens of places (pivots
// of old factors, predictions, turns of angles), and an image has all of it without a list that
// could be incomplete.
//
// An image is loaded into a twin: an object that was created in the same way, so that it has the
// same blocks in the same order. Word by word,
//
//   as in the twin already         stays
//   address within a block         becomes the address of the same place in the twin
//   other address (code, tables,   stays as it is in the twin; where the twin has none, it becomes
//   the model, other libraries)    NULL
//   anything else                  is taken over
//
// What is an address is told by the memory map of the process that wrote the image. A number with
// the bits of an address would be a denormal one within a mapped page: this does not happen by
// chance. Words in which a bool stands beside padding can look like one: such flags are a tn_flag.
// In programs that are not relocatable, as many a Python is, so can flags in a row and counters:
// these are told apart (image.c).
// Blocks with handles of other libraries make them good again (tn_memory_on_load).
//
// An image is for the same build of Tenon on the same kind of machine. A checksum tells whether its
// bytes are those that were written; beyond that it is trusted as the program itself is.

#pragma once

#include "base/alloc.h"
#include "tenon/base.h"

#include <stdint.h>

// Mixes bytes into a number that stands for all of them (FNV-1a), to make a `subject`.
void tn_image_mark(uint64_t *mark, const void *bytes, size_t size);
// Takes a snapshot into a new block, to be freed by tn_free. `subject` stands for all that a twin
// must have in common with the object beside its blocks.
tn_status tn_image_save(const tn_memory_list *blocks, uint64_t subject, void **out, size_t *size);
// TN_ERR_USAGE where the blocks are not those of the image; then nothing was changed.
tn_status tn_image_load(tn_memory_list *blocks, uint64_t subject, const void *image, size_t size);
