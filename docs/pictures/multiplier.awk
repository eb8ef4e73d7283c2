# SPDX-License-Identifier: MIT
#
# Three result.csv of multiplier.yaml (a fine run as reference, index3, ggl, stored at the same
# times) to an SVG of the errors in the multiplier of the rod. Called by draw.sh.

BEGIN {
    FS = ","
    left = 62; top = 16; width = 480; height = 220; t_end = 5; most = 0.3
}

function X(t) { return sprintf("%.1f", left + width * t / t_end) }
function Y(e) { return sprintf("%.1f", top + height * (0.5 - 0.5 * e / most)) }

function line(x1, y1, x2, y2) {
    print "  <path class=\"axis\" d=\"M" x1 "," y1 " L" x2 "," y2 "\"/>"
}

function text(x, y, anchor, s) {
    print "  <text x=\"" x "\" y=\"" y "\" text-anchor=\"" anchor "\">" s "</text>"
}

FNR == 1 {
    file++
    for (i = 1; i <= NF; i++)
        if ($i ~ /^rod\.lambda/)
            lambda = i
    next
}

file == 1 { reference[FNR] = $lambda; next }

{ points[file] = points[file] " " X($1) "," Y($lambda - reference[FNR]) }

END {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 560 290\" width=\"560\" height=\"290\">"
    print "<title>Error in the multiplier of a pendulum, index3 and ggl</title>"
    print "<style>"
    print "  text { font: 13px sans-serif; fill: #333 }"
    print "  .axis { stroke: #888; stroke-width: 1 }"
    print "  polyline { fill: none; stroke-width: 1.6; stroke-linejoin: round }"
    print "  .a { stroke: #c8501e } .b { stroke: #1f5fa8; stroke-width: 2.2 }"
    print "  text.a { fill: #c8501e; stroke: none } text.b { fill: #1f5fa8; stroke: none }"
    print "  @media (prefers-color-scheme: dark) {"
    print "    text { fill: #ccc } .axis { stroke: #999 }"
    print "    .a { stroke: #f0925a } .b { stroke: #6db3f2 }"
    print "    text.a { fill: #f0925a } text.b { fill: #6db3f2 }"
    print "  }"
    print "</style>"
    line(left, top, left, top + height)
    line(left, Y(0), left + width, Y(0))
    for (e = -2; e <= 2; e++)
        text(left - 8, Y(0.1 * e) + 4, "end", sprintf("%.1f", 0.1 * e))
    for (t = 0; t <= t_end; t++)
        text(X(t), top + height + 18, "middle", t)
    text(left + width / 2, top + height + 40, "middle", "t [s]")
    text(left + 4, top + 4, "start", "error of lambda [N], h = 0.02 s")
    print "  <polyline class=\"a\" points=\"" substr(points[2], 2) "\"/>"
    print "  <polyline class=\"b\" points=\"" substr(points[3], 2) "\"/>"
    print "  <text class=\"a\" x=\"" X(1.2) "\" y=\"" Y(0.19) "\">galpha/index3</text>"
    print "  <text class=\"b\" x=\"" X(1.2) "\" y=\"" Y(-0.06) "\">galpha/ggl</text>"
    print "</svg>"
}
