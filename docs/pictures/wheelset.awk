# SPDX-License-Identifier: MIT
#
# The table of bench_wheelset to one of three pictures, named by `picture`: motion, kappa, drift, as
# [Arn16, Fig. 11, 12 and 13, 14]. Called by draw_wheelset.sh.

BEGIN {
    FS = ","; top = 16; height = 220; left = 70
    width = picture == "kappa" ? 210 : 440
    low = picture == "motion" ? -12 : picture == "kappa" ? -8 : -16
    high = picture == "motion" ? 12 : picture == "kappa" ? 1 : -5
}

function log10(x) { return log(x) / log(10) }
function Y(y) { return sprintf("%.1f", top + height * (high - y) / (high - low)) }
function T(t) { return sprintf("%.1f", left + width * t / 10) }
function X(tol, panel) { return sprintf("%.1f", left + 240 * panel + width * (-3 - log10(tol)) / 7) }
function line(kind, x1, y1, x2, y2) {
    print "  <path class=\"" kind "\" d=\"M" x1 "," y1 " L" x2 "," y2 "\"/>"
}
function text(x, y, anchor, s) {
    print "  <text x=\"" x "\" y=\"" y "\" text-anchor=\"" anchor "\">" s "</text>"
}
function power(k) { return "10<tspan dy=\"-5\" font-size=\"10\">" k "</tspan>" }
function curve(kind, points) { print "  <polyline class=\"" kind "\" points=\"" points "\"/>" }
function axes(from, to, step,   k) {
    line("axis", left, top, left, top + height)
    line("axis", left, top + height, left + width, top + height)
    for (k = from; k <= to; k += step)
        text(left - 8, Y(k) + 4, "end", picture == "motion" ? k : power(k))
}
function times(   k) {
    for (k = 0; k <= 10; k += 2)
        text(T(k), top + height + 18, "middle", k)
    text(left + width / 2, top + height + 40, "middle", "t [s]")
}

picture == "motion" && $1 == "motion" { motion = motion " " T($5) "," Y(1e3 * $6) }
picture == "drift" && $1 == "drift" && $4 == 1e-05 && $5 > 0 && $6 != 0 {
    drift[$2] = drift[$2] " " T($5) "," Y(log10($6 * $6 > 1e-32 ? sqrt($6 * $6) : 1e-16))
}
picture == "kappa" && $1 == "error" {
    error[$2, $3] = error[$2, $3] " " X($4, $2 ~ /index2/) "," Y(log10($6))
}

function draw_motion() {
    axes(-10, 10, 5)
    times()
    text(left + 8, top + 10, "start", "x [mm]")
    curve("a", motion)
}
function draw_drift() {
    axes(-16, -6, 2)
    times()
    text(left + 8, top + 10, "start", "|g| of the right wheel [m]")
    curve("a", drift["radau5/index1"])
    curve("b", drift["radau5/index2"])
    curve("c", drift["radau5/ggl"])
    text(T(9.9), Y(-5.9), "end", "index1")
    text(T(9.9), Y(-8.1), "end", "index2")
    text(T(9.9), Y(-11.2), "end", "ggl")
}
function draw_kappa(   panel, k) {
    for (panel = 0; panel < 2; panel++) {
        method = "radau5/index" 3 - panel
        axes(panel == 0 ? low : high + 1, high - 1, 2)
        for (k = 4; k <= 10; k += 2)
            text(X(10 ^ -k, 0), top + height + 18, "middle", power(-k))
        text(left + width / 2, top + height + 40, "middle", "TOL, index" 3 - panel)
        curve("a", error[method, "1"])
        curve("b", error[method, "0.03"])
        curve("c", error[method, "1e-05"])
        left += 240
    }
    left -= 480
    text(left + 8, top + 6, "start", "error by amplitude")
    text(left + 240 + width, top + 6, "end", "kappa")
    text(left + 240 + width, top + 24, "end", "1 solid, 0.03 dashed")
    text(left + 240 + width, top + 42, "end", "10<tspan dy=\"-5\" font-size=\"10\">-5</tspan><tspan dy=\"5\"> dotted</tspan>")
}

END {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 560 290\" width=\"560\" height=\"290\">"
    print "<title>" (picture == "motion" ? "Hunting of a wheelset" : picture == "drift" ? \
        "Drift of a wheel from its rail" : "Errors over tolerances for two parts of these in the corrector") "</title>"
    print "<style>"
    print "  text { font: 13px sans-serif; fill: #333 }"
    print "  .axis { stroke: #888; stroke-width: 1 }"
    print "  .a, .b, .c { fill: none; stroke-width: 1.6 }"
    print "  .a { stroke: #c8501e } .b { stroke: #1f5fa8; stroke-dasharray: 7 3 }"
    print "  .c { stroke: #3a7d34; stroke-dasharray: 2 3 }"
    print "  @media (prefers-color-scheme: dark) {"
    print "    text { fill: #ccc } .axis { stroke: #999 }"
    print "    .a { stroke: #f0925a } .b { stroke: #6db3f2 } .c { stroke: #8fd088 }"
    print "  }"
    print "</style>"
    if (picture == "motion") draw_motion()
    else if (picture == "drift") draw_drift()
    else draw_kappa()
    print "</svg>"
}
