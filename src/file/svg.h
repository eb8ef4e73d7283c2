// SPDX-License-Identifier: MIT
//
// Text of SVG: numbers, characters that mean something to XML, and the room that words take.

#pragma once

#include "text/buffer.h"

// Text in which %g is a number with at most two decimals, %x a colour and %s a text that means
// nothing to XML and HTML but itself.
void tn_svg_put(tn_buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The font of all pictures, as an attribute.
#define TN_SVG_FONT "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\""

// The width of a text of size 1, or a bit more: that of Helvetica with a margin for wider fonts.
// NULL counts as none.
double tn_svg_width(const char *text);
