# SPDX-License-Identifier: MIT
#
# Lines "mass steps" of runs of small_mass.yaml, the last one without mass, to an SVG with
# logarithmic axes as [Arn13, Fig. 2]. Called by draw.sh.

BEGIN { left = 62; top = 16; width = 440; height = 220; decades = 6; low = 2; high = 6 }

function X(m) { return sprintf("%.1f", left + width * (-1 - log(m) / log(10)) / decades) }
function Y(n) { return sprintf("%.1f", top + height * (high - log(n) / log(10)) / (high - low)) }

function line(kind, x1, y1, x2, y2) {
    print "  <path class=\"" kind "\" d=\"M" x1 "," y1 " L" x2 "," y2 "\"/>"
}

function text(x, y, anchor, s) {
    print "  <text x=\"" x "\" y=\"" y "\" text-anchor=\"" anchor "\">" s "</text>"
}

$1 > 0 { points = points " " X($1) "," Y($2); next }
{ none = $2 }

END {
    right = left + width; bottom = top + height
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 560 290\" width=\"560\" height=\"290\">"
    print "<title>Steps of bdf over the ratio of masses of coupled oscillators</title>"
    print "<style>"
    print "  text { font: 13px sans-serif; fill: #333 }"
    print "  .axis { stroke: #888; stroke-width: 1 }"
    print "  .a { fill: none; stroke: #c8501e; stroke-width: 1.6 }"
    print "  .b { stroke: #1f5fa8; stroke-width: 2.2; stroke-dasharray: 6 4 }"
    print "  @media (prefers-color-scheme: dark) {"
    print "    text { fill: #ccc } .axis { stroke: #999 }"
    print "    .a { stroke: #f0925a } .b { stroke: #6db3f2 }"
    print "  }"
    print "</style>"
    line("axis", left, top, left, bottom)
    line("axis", left, bottom, right, bottom)
    for (k = low; k <= high; k++)
        text(left - 8, Y(10 ^ k) + 4, "end", "10<tspan dy=\"-5\" font-size=\"10\">" k "</tspan>")
    for (k = 1; k <= decades + 1; k++)
        text(X(10 ^ -k), bottom + 18, "middle", "10<tspan dy=\"-5\" font-size=\"10\">-" k "</tspan>")
    text(left + width / 2, bottom + 40, "middle", "m1 / m2")
    print "  <polyline class=\"a\" points=\"" substr(points, 2) "\"/>"
    line("b", left, Y(none), right, Y(none))
    text(right, Y(none) - 8, "end", "m1 = 0: " none " steps")
    text(X(1e-4) - 8, Y(3e4), "end", "steps of bdf/ggl")
    print "</svg>"
}
