// SPDX-License-Identifier: MIT
//
// Text of SVG; see svg.h.

#include "file/svg.h"

#include "text/utf8.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Two decimals, fewer where they are zero, with a point in every locale.
static void put_number_svg(tn_buffer *out, double value)
{
    const long long hundredths = llround(value * 100.0), whole = llabs(hundredths) / 100;
    const int rest = (int)(llabs(hundredths) % 100);
    tn_buffer_format(out, "%s%lld", hundredths < 0 ? "-" : "", whole);
    if (rest != 0)
        tn_buffer_format(out, rest % 10 ? ".%02d" : ".%d", rest % 10 ? rest : rest / 10);
}

static void escape_svg(tn_buffer *out, const char *text)
{
    static const char special[] = "<>&\"";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    for (const char *c = text; *c; c++) {
        const char *found = strchr(special, *c);
        if (found)
            tn_buffer_say(out, names[found - special]);
        else
            tn_buffer_put(out, c, 1);
    }
}

void tn_svg_put(tn_buffer *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *next; *format; format = next + 2) {
        next = strchr(format, '%');
        next = next ? next : format + strlen(format);
        tn_buffer_put(out, format, (size_t)(next - format));
        if (!*next)
            break;
        if (next[1] == 'g')
            put_number_svg(out, va_arg(args, double));
        else if (next[1] == 'x')
            tn_buffer_format(out, "#%06x", va_arg(args, unsigned));
        else
            escape_svg(out, va_arg(args, const char *));
    }
    va_end(args);
}

// Advance widths of Helvetica from the space on, in 1/1000 of the size [Adobe font metrics].
static const short advance[95] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

double tn_svg_width(const char *text)
{
    const double wider = 1.16; // DejaVu Sans, the widest of the usual ones, against Helvetica
    double width = 0.0;
    size_t left = text ? strlen(text) : 0;
    while (left > 0) {
        uint32_t code = 0;
        int n = tn_utf8_decode(text, left, &code);
        n = n < 1 ? 1 : n;
        width += code >= 32 && code < 127 ? advance[code - 32] : code < 0x1100 ? 650 : 1000;
        text += n;
        left -= (size_t)n;
    }
    return width * wider / 1000.0;
}
