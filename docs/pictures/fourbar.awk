# SPDX-License-Identifier: MIT
#
# result.csv of models/fourbar.yaml to an SVG: one turn of the crank, the linkage at equal time
# intervals and the path of a point of the coupler; the linkage moves, five times as slowly as it
# does in truth. Called by draw.sh.
#
# The origin of crank and rocker is the middle of the link, so with the pivots A and D
#   B = 2 crank - A,  C = 2 rocker - D,  P = coupler + R (0, 0.25).

BEGIN {
    FS = ","
    scale = 300
    every = 12 # rows between two positions of the links
    slow = 5
}

function X(x) { return sprintf("%.1f", 165 + scale * x) }
function Y(y) { return sprintf("%.1f", 335 - scale * y) }

NR == 1 {
    for (i = 1; i <= NF; i++) {
        sub(/ \[.*/, "", $i)
        column[$i] = i
    }
    next
}

function joined(list, item) { return list (list ? ";" : "") item }

# Values of an attribute at equal time intervals, again and again.
function moving(attribute, values) {
    return "<animate attributeName=\"" attribute "\" values=\"" values "\" dur=\"" \
        sprintf("%.2f", slow * last) "s\" repeatCount=\"indefinite\"/>"
}

$column["A.angle"] <= 6.29 {
    bx = 2 * $column["crank.position.x"]
    by = 2 * $column["crank.position.y"]
    cx = 2 * $column["rocker.position.x"] - 1
    cy = 2 * $column["rocker.position.y"]
    angle = 2 * atan2($column["coupler.quaternion.z"], $column["coupler.quaternion.w"])
    px = $column["coupler.position.x"] - 0.25 * sin(angle)
    py = $column["coupler.position.y"] + 0.25 * cos(angle)
    curve = curve (curve ? " " : "") X(px) "," Y(py)
    links = "M" X(0) "," Y(0) " L" X(bx) "," Y(by) " L" X(cx) "," Y(cy) " L" X(1) "," Y(0)
    coupler = "M" X(bx) "," Y(by) " L" X(px) "," Y(py) " L" X(cx) "," Y(cy)
    last = $column["time"]
    if (n % 3 == 0) {
        all_links = joined(all_links, links)
        all_couplers = joined(all_couplers, coupler " Z")
        pin_x[1] = joined(pin_x[1], X(bx)); pin_y[1] = joined(pin_y[1], Y(by))
        pin_x[2] = joined(pin_x[2], X(cx)); pin_y[2] = joined(pin_y[2], Y(cy))
        pin_x[3] = joined(pin_x[3], X(px)); pin_y[3] = joined(pin_y[3], Y(py))
    }
    if (n++ == 0) {
        first = links
        first_coupler = coupler
        pins = X(bx) "," Y(by) " " X(cx) "," Y(cy) " " X(px) "," Y(py)
    } else if (n % every == 1)
        shadows = shadows "  <path class=\"shadow\" d=\"" links "\"/>\n"
}

END {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"50 95 450 340\" width=\"450\" height=\"340\">"
    print "<title>A four-bar linkage over one turn of its crank, and the path of a coupler point</title>"
    print "<style>"
    print "  path, polyline { fill: none; stroke-linejoin: round; stroke-linecap: round }"
    print "  .shadow { stroke: #888; stroke-width: 1; opacity: 0.45 }"
    print "  .link { stroke: #1f5fa8; stroke-width: 5 }"
    print "  .plate { stroke: #1f5fa8; stroke-width: 2; fill: #1f5fa8; fill-opacity: 0.15 }"
    print "  .curve { stroke: #c8501e; stroke-width: 2.5 }"
    print "  circle { fill: #fff; stroke: #1f5fa8; stroke-width: 2.5 }"
    print "  .ground { stroke: #555; stroke-width: 2 }"
    print "  @media (prefers-color-scheme: dark) {"
    print "    .link, .plate, circle { stroke: #6db3f2 } .plate { fill: #6db3f2 }"
    print "    .curve { stroke: #f0925a } .shadow, .ground { stroke: #aaa } circle { fill: #222 }"
    print "  }"
    print "</style>"
    printf "%s", shadows
    print "  <polyline class=\"curve\" points=\"" curve "\"/>"
    print "  <path class=\"plate\" d=\"" first_coupler " Z\">" moving("d", all_couplers) "</path>"
    print "  <path class=\"link\" d=\"" first "\">" moving("d", all_links) "</path>"
    m = split(pins " " X(0) "," Y(0) " " X(1) "," Y(0), pin, " ")
    for (i = 1; i <= m; i++) {
        split(pin[i], at, ",")
        print "  <circle cx=\"" at[1] "\" cy=\"" at[2] "\" r=\"5.5\">" \
            (i <= 3 ? moving("cx", pin_x[i]) moving("cy", pin_y[i]) : "") "</circle>"
        if (i > m - 2)
            print "  <path class=\"ground\" d=\"M" at[1] - 16 "," at[2] + 14 " h32\"/>"
    }
    print "</svg>"
}
