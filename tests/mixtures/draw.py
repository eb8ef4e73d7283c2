# SPDX-License-Identifier: MIT
"""Draws small models of all kinds by a seed.

Which kinds there are, their keys, the types, units and ranges of these and which are required is
read from the schema (tenon help --schema), so that a new kind takes part by itself. RECIPES knows
more of a few kinds: what makes a contact touch at the start. A model whose parts do not fit is
welcome, too, but most should move.
"""

import random
import re

AXES = ([1, 0, 0], [0, 1, 0], [0, 0, 1])

# Usual sizes of numbers by their unit, from and to.
SIZES = {
    "m": (0.02, 0.4), "kg": (0.2, 3), "kg m^2": (0.002, 0.05), "N": (0.1, 10), "N m": (0.02, 1),
    "N/m": (5, 300), "N s/m": (0.1, 4), "N m/rad": (0.3, 20), "N m s/rad": (0.01, 0.3),
    "rad": (0.1, 1), "deg": (5, 60), "rad/s": (0.2, 3), "m/s": (0.1, 1), "s": (0.002, 0.05),
    "kg/m^3": (500, 3000), "Pa": (1e6, 1e9), "N m^2": (0.1, 10), "1/m": (0.5, 5),
    "m/rad": (0.02, 0.1), "kg/m": (0.1, 2), "kg m": (1e-5, 1e-3), "N/m^3": (10, 1000), "": (0.1, 2),
}
POSITIVE = ("kg", "kg/m^3", "s")
WILD = (0, -1, 1e-12, 1e12, 1e300, 1e-300, -1e9, "1/0", "sqrt(-1)", "log(0)", "1e308*10")


def unit_of(prop):
    found = re.search(r"\[([^\]]*)\]$", prop.get("description", ""))
    return found.group(1).split(" or ")[0].split(", ")[0] if found else ""


class Schema:
    def __init__(self, document):
        self.defs = document["$defs"]
        self.top = document["properties"]

    def refer(self, prop):
        return prop.get("$ref", "").rsplit("/", 1)[-1]

    def kinds(self, family):
        """The definitions of the kinds of body, joint, force, shape or block, by name."""
        names = [self.refer(one) for one in self.defs[family]["oneOf"]]
        return {name[len(family) + 1:]: self.defs[name] for name in names}


class Draw(random.Random):
    """One model. `bodies` are names with their places at the start, `joints` names with kinds."""

    def __init__(self, seed, schema):
        super().__init__(seed)
        self.schema = schema
        self.wild = 0.03 if self.random() < 0.15 else 0.0  # how often a number is a strange one
        self.plain = self.random() < 0.5  # few optional keys
        self.flat = self.random() < 0.3   # all in a plane
        self.bodies, self.joints, self.springs, self.names = {}, {}, [], []
        self.turned, self.params, self.functions = set(), [], []

    # Numbers ---------------------------------------------------------------------------------

    def digits(self, x):
        return float("%.3g" % x)

    def size(self, unit):
        low, high = SIZES.get(unit, SIZES[""])
        return self.digits(low * (high / low) ** self.random())

    def number(self, prop):
        if self.random() < self.wild:
            return self.choice(WILD)
        x = self.size(unit_of(prop))
        if "minimum" in prop:
            x = max(x, prop["minimum"])
        elif "exclusiveMinimum" not in prop and unit_of(prop) not in POSITIVE and \
                self.random() < 0.4:
            x = -x
        if "maximum" in prop:
            x = min(x, prop["maximum"])
        if x > 0 and self.params and self.random() < 0.1:
            return "%s*%g" % (self.choice(self.params), x)
        return x

    def place(self, spread=0.3):
        z = 0.0 if self.flat else round(self.uniform(-spread, spread), 1)
        return [round(self.uniform(-spread, spread), 1), round(self.uniform(-spread, spread), 1), z]

    def axis(self, slides=False):
        if self.flat:
            return self.choice(([1, 0, 0], [0, 1, 0], [1, 1, 0])) if slides else [0, 0, 1]
        if self.random() < 0.3:
            return [0, 0, 1]
        if self.random() < 0.7:
            return list(self.choice(AXES))
        return [round(self.uniform(-1, 1), 2), round(self.uniform(-1, 1), 2), 0.5]

    def rotation(self):
        if self.flat:
            return {"axis": [0, 0, 1], "angle": round(self.uniform(-3, 3), 2)}
        kind = self.randrange(4)
        three = [round(self.uniform(-1.5, 1.5), 2) for _ in range(3)]
        if kind == 0:
            return {"angles": three}
        if kind == 1:
            return {"quaternion": [1] + three}
        if kind == 2:
            return {"angles_deg": [10 * x for x in three]}
        return {"axis": self.axis(), "angle": three[0]}

    # Expressions -----------------------------------------------------------------------------

    def expression(self, names=None, depth=2, smooth=None):
        names = self.names if names is None else names
        smooth = self.random() < 0.7 if smooth is None else smooth
        pick = self.random()
        if depth == 0 or pick < 0.25:
            if names and self.random() < 0.8:
                return self.choice(names)
            return "%g" % self.digits(self.uniform(-2, 2))
        one = self.expression(names, depth - 1, smooth)
        two = self.expression(names, depth - 1, smooth)
        if pick < 0.55:
            return "(%s %s %s)" % (one, self.choice("+-*"), two)
        if pick < 0.8:
            form = self.choice(("sin(%s)", "cos(3*%s)", "tanh(%s)", "(%s)^2", "-%s",
                                "sqrt(1 + (%s)^2)", "exp(-(%s)^2)", "step(%s, 0, 0, 0.1, 1)",
                                "smooth_abs(%s, 0.1)", "atan2(%s, 1)"))
            return form % one
        if smooth:
            return "(%s)/(1 + (%s)^2)" % (one, two)
        if self.functions and self.random() < 0.3:
            name, count = self.choice(self.functions)
            return "%s(%s)" % (name, ", ".join([one, two][:count]))
        form = self.choice(("if(%s > 0, %s, 0)", "max(%s, %s)", "min(%s, %s)",
                            "clamp(%s, -1, 1) + %s", "abs(%s)*%s", "deadband(%s, 0.1) - %s",
                            "sign(%s)*%s", "(%s < %s)", "select(2, %s, %s)",
                            "hysteresis(%s, -0.1, 0.1, 0)*%s"))
        return form % (one, two)

    def of_time(self):
        return self.expression(["t", "t", "2*t"] + self.params, 2)

    def function(self, prop, names=None):
        x = self.size(unit_of(prop))
        if "motion" in prop.get("description", "") or "coordinate as" in prop.get("description", ""):
            return self.choice(("%g*t" % x, "%g*sin(3*t)" % x, "%g*t^2" % x, "%g" % x,
                                "step(t, 0, 0, 0.1, %g)" % x))
        pick = self.random()
        if pick < 0.3:
            return self.number(prop)
        if pick < 0.4:
            times = sorted(self.sample(range(100), 4))
            return {"table": [[0.01 * t, self.size(unit_of(prop))] for t in times]}
        if pick < 0.6 or not self.names:
            return "%g*%s" % (x, self.of_time())
        return "%g*%s" % (x, self.expression(names))

    # Values by their definitions -------------------------------------------------------------

    def some(self, names):
        return self.choice(sorted(names)) if names else "ground"

    def curve(self, key):
        if key[0] in "xu":
            return self.choice(("s", "0.1*cos(s)", "u", "0.1*s"))
        return self.choice(("0", "0.1*sin(s)", "0.1*s^2", "v", "0.1*u*v", "s"))

    def joint_name(self):
        able = [name for name, coordinates in self.joints.items() if coordinates]
        return self.some(able or self.joints) if self.joints else "none"

    def value(self, prop, key):
        if "enum" in prop:
            return self.choice(prop["enum"])
        if "const" in prop:
            return prop["const"]
        ref = self.schema.refer(prop)
        n = 2 if self.flat and self.random() < 0.8 else 3
        draw = {
            "number": lambda: self.number(prop),
            "integer": lambda: self.randint(max(1, prop.get("minimum", 0)), 3),
            "boolean": lambda: self.random() < 0.5,
            "text": lambda: "red" if key == "color" else self.choice(("position", "both")),
            "expression": lambda: self.expression(),
            "curve": lambda: self.curve(key),
            "file": lambda: "no_such_file",
            "body-name": lambda: self.some(self.bodies),
            "joint-name": self.joint_name,
            "coordinate": lambda: self.choice((0, 0, 0, 1)),
            "vector": lambda: [self.number(prop) for _ in range(n)],
            "quaternion": lambda: [1] + [self.digits(self.uniform(-1, 1)) for _ in range(3)],
            "numbers": lambda: self.number(prop) if self.random() < 0.5
                       else [self.number(prop) for _ in range(self.randint(1, 3))],
            "point": lambda: [self.number(prop), self.number(prop)],
            "points": lambda: [[0.1 * i - 0.2, self.size("m")] for i in range(5)],
            "pairs": lambda: [[0.1, self.size("kg")]],
            "places": lambda: [self.place(), self.place()],
            "rows": lambda: [self.number(prop) for _ in range(4)],
            "functions": lambda: [self.function(prop) for _ in range(3)],
            "function": lambda: self.function(prop),
            "names": lambda: [self.some(self.bodies), self.some(self.bodies)],
            "rotation": self.rotation,
            "shapes": lambda: [self.shape() for _ in range(self.randint(0, 2))],
            "parameters": lambda: {"mark": self.size("m")},
        }.get(ref)
        if draw:
            return draw()
        return self.thing(self.schema.defs[ref]) if ref in self.schema.defs else 1

    def thing(self, definition, given=(), leave=()):
        """What has keys: those that are required, some of the others, and what is given."""
        out = {}
        if "items" in definition:
            return [self.thing(self.schema.defs[self.schema.refer(definition["items"])])]
        if "anyOf" in definition and "properties" not in definition:
            return self.value(definition["anyOf"][0], "")
        props = definition.get("properties", {})
        if isinstance(definition.get("additionalProperties"), dict):
            return {"one": self.value(definition["additionalProperties"], "one")}
        required = list(definition.get("required", ()))
        if "anyOf" in definition:  # one way to say how heavy a body is, and none of the others
            ways = definition["anyOf"]
            way = ways[0] if self.random() < 0.85 else self.choice(ways)
            mine = list(way.get("required", ()))
            leave = set(leave) | {key for w in ways for key in w.get("required", ())} - set(mine)
            if way is not ways[0]:
                leave |= {"com", "inertia_axes"}
            if "density" in mine or "shapes" in mine or "inertia_from_shapes" in mine:
                given = dict(given, shapes=[{"kind": "box", "size": [0.1, 0.2, 0.15]}])
                if "shapes" in mine:
                    given["shapes"][0]["density"] = 700
            for key in leave:
                given = {k: v for k, v in given.items() if k != key}
            required += mine
            for key in mine:
                if definition["properties"].get(key, {}).get("$ref", "").endswith("boolean"):
                    out[key] = True
        chance = 0.04 if self.plain else 0.25
        for key, prop in props.items():
            if key in leave or key in out or key in given:
                continue
            if key in required or self.random() < chance:
                out[key] = self.value(prop, key)
        out.update(given)
        return out

    # Elements --------------------------------------------------------------------------------

    def shape(self):
        kinds = {k: d for k, d in self.schema.kinds("shape").items()
                 if "file" not in d["properties"]}
        kind = self.choice(sorted(kinds))
        return self.thing(kinds[kind], leave=("at_s", "axis_2", "axis"))

    def section(self):
        kind = self.choice(self.schema.defs["section"]["properties"]["kind"]["enum"])
        if kind == "stiffness":
            gives = {"stiffness": [500, 500, 1000], "rotational_stiffness": [1, 1, 1],
                     "mass": 0.5, "inertia_x": 1e-4, "inertia_y": 1e-4}
        else:
            gives = {"E": self.digits(10 ** self.uniform(6, 8)), "rho": 1500, "width": 0.02,
                     "height": 0.03, "radius": 0.015, "wall": 0.002, "flange": 0.003, "web": 0.002}
            mine = {"rectangle": "width height", "circle": "radius", "tube": "radius wall",
                    "I": "width height flange web"}.get(kind, "").split()
            gives = {k: v for k, v in gives.items() if k in ["E", "rho"] + mine}
        return dict(gives, kind=kind)

    def beam(self, name, at):
        end = [at[0] + 0.3, at[1] + self.choice((0, 0.1)), at[2]]
        count = self.randint(1, 3)
        self.bodies[name + ".start"], self.bodies[name + ".end"] = at, end
        return {"points": [at, end], "section": self.section(), "elements": count,
                "damping": self.choice((0, 0.001, 0.01))}

    def modal(self, name, at):
        self.bodies[name + ".root"] = at
        self.bodies[name + ".tip"] = [round(at[0] + 0.4, 3), at[1], at[2]]
        self.turned.add(name)
        shapes = self.choice(([{"z": "s^2"}], [{"y": "s^2"}, {"z": "s^2"}],
                              [{"z": "s^2"}, {"z": "s^3"}, {"x": "s"}]))
        return {"rod": {"length": 0.4, "section": self.section(), "functions": shapes,
                        "attachments": {"root": 0, "tip": 0.4}},
                "initial": {"position": at}, "stiffening": self.random() < 0.3}

    def body(self, name, near):
        kinds = self.schema.kinds("body")
        flat = [k for k in kinds if "planar" in k or "2d" in k]
        pick = flat if self.flat else [k for k in kinds if k not in flat or self.random() < 0.05]
        weights = [4 if k in ("rigid", "planar") else 1 for k in pick]
        kind = self.choices(pick, weights)[0]
        at = [round(a + b, 3) for a, b in zip(near, self.place())]
        definition = kinds[kind]
        given = {"kind": kind}
        if kind == "beam":
            given.update(self.beam(name, at))
            return self.thing(definition, given, leave=("x_axis", "end_section",
                "line", "x", "y", "z", "from", "to", "bend", "tension", "nodes", "places",
                "start_direction", "end_direction", "initial", "shapes"))
        if kind == "modal":
            given.update(self.modal(name, at))
            return self.thing(definition, given, leave=("file", "shapes", "damping"))
        self.bodies[name] = at
        start = {"position": at[:2] if kind in flat else at}
        starts = self.schema.defs[self.schema.refer(definition["properties"]["initial"])]
        for key in ("velocity", "rate", "orientation"):
            if key in starts["properties"] and self.random() < 0.25:
                start[key] = self.value(starts["properties"][key], key)
                self.turned.add(name)
        if self.random() < 0.05:
            start["fixed"] = True
        given["initial"] = start
        if "inertia" in definition["properties"] and kind == "rigid":
            given["inertia"] = [self.size("kg m^2")] * 2 + [self.size("kg m^2")]
            given["inertia"][2] = min(given["inertia"][2], 2 * given["inertia"][0])
        return self.thing(definition, given, leave=("products",))

    def pair(self):
        names = sorted(self.bodies)
        two = self.sample(names, 2) if len(names) > 1 and self.random() < 0.7 else \
            ["ground", self.choice(names)]
        return two

    def seat(self, two, kind=""):
        """Where a joint or force between two bodies sits: frames that coincide at the start."""
        at = [self.bodies.get(name, [0, 0, 0]) for name in two]
        point = self.choice((at[0], at[1], [round((a + b) / 2, 3) for a, b in zip(*at)]))
        out = {"bodies": list(two), "at": point,
               "axis": self.axis("prismatic" in kind or "slot" in kind or "line" in kind)}
        pick = self.random()
        if pick < 0.1:
            del out["axis"]
        elif pick < 0.2:
            del out["at"]
        elif pick < 0.25:
            out = {"bodies": list(two), "frame_a": {"at": self.place(), "axis": out["axis"]},
                   "frame_b": {"at": self.place()}}
        if two[0] == "ground" and self.random() < 0.3:
            out["body"] = out.pop("bodies")[1]
        return out

    def apart(self, two):
        at = [self.bodies.get(name, [0, 0, 0]) for name in two]
        if at[0] == at[1]:
            at[1] = [at[1][0], at[1][1] + 0.1, at[1][2]]
        return {"bodies": list(two), "at_a": at[0], "at_b": at[1]}

    def element(self, family, name, two=None, kind=None):
        kinds = self.schema.kinds(family)
        kind = kind or self.choice(sorted(kinds))
        definition = kinds[kind]
        props = definition["properties"]
        given = {"kind": kind}
        seats = ("at", "at_a", "at_b", "at_s", "axis", "axis_2", "orientation", "frame_a",
                 "frame_b", "body", "bodies")
        if "bodies" in props and "frame_a" in props:
            two = two or self.pair()
            recipe = RECIPES.get(kind)
            if recipe:
                given.update(recipe(self, two))
            elif kind in APART:
                given.update(self.apart(two))
            else:
                given.update(self.seat(two, kind))
            leave = seats
        elif "body" in props:
            given["body"] = two[1] if two else self.some(self.bodies)
            if self.random() < 0.5 and "at" in props:
                given["at"] = self.bodies.get(given["body"], [0, 0, 0])
            leave = seats
        else:
            leave = ()
        leave += ("initial",) if self.random() < 0.8 else ()
        if "row" in props:
            given["row"] = self.row(props["row"])
        if kind in HEAVY:
            leave += tuple(key for key in HEAVY[kind] if self.random() < 0.9)
        return self.thing(definition, given, leave)

    def row(self, prop):
        """A row that stays zero: of velocities, or of positions with its value at the start."""
        name = self.some(self.bodies)
        other = self.some(self.bodies)
        a, b = self.choice("xyz"), self.choice("xyz")
        if "velocit" in prop.get("description", ""):
            return self.choice(("%s.velocity.%s - 0.5*%s.velocity.%s" % (name, a, other, b),
                                "%s.velocity.%s" % (name, a),
                                "sin(%s.position.%s)*%s.velocity.%s - %s.velocity.y" % (
                                    name, a, other, b, name),
                                self.expression(depth=2)))
        start = self.bodies.get(name, [0, 0, 0])["xyz".index(a)]
        return "%s.position.%s - (%g)" % (name, a, start)

    # The model -------------------------------------------------------------------------------

    def channel_names(self, model):
        names = ["t"] + self.params
        for name in self.bodies:
            names += ["%s.position.%s" % (name, self.choice("xyz")),
                      "%s.velocity.%s" % (name, self.choice("xyz"))]
        for name, coordinates in self.joints.items():
            for c in coordinates:
                c = "'%s'" % c if " " in c else c
                names += ["%s.%s" % (name, c), "%s.%s.rate" % (name, c)]
            if self.random() < 0.15:
                names.append("%s.force.%s" % (name, self.choice("xyz")))
        return names + ["%s.length" % name for name in self.springs] + list(model.get("inputs", ()))

    def parameters(self, model):
        if self.random() < 0.5:
            self.params = ["p%d" % i for i in range(self.randint(1, 3))]
            model["parameters"] = {name: self.digits(self.uniform(0.5, 2)) for name in self.params}
        if self.random() < 0.15:
            two = self.random() < 0.4
            table = {"x": [-1, 0, 1, 2], "values": [self.size("") for _ in range(4)]}
            if two:
                table.update(y=[0, 1, 2], values=[[self.size("") for _ in range(3)]
                                                  for _ in range(4)])
            if self.random() < 0.5:
                table["interpolation"] = self.choice(("linear", "spline", "monotone"))
            model["tables"] = {"curve": table}
            self.functions = [("curve", 2 if two else 1)]
        if self.random() < 0.15:
            definition = self.schema.defs["input"]["anyOf"][1]
            kind = self.choice(definition["properties"]["kind"]["enum"])
            model["inputs"] = {"push": {"kind": kind, "value": self.size("")}}
            if kind == "filter":
                model["inputs"]["push"]["frequency"] = 20
            if self.random() < 0.4:
                model["inputs"]["push"] = 0.5

    def mechanism(self, model):
        near = [0, 0, 0]
        for i in range(self.choices((1, 2, 3, 4, 6), (3, 4, 3, 2, 1))[0]):
            before = sorted(self.bodies)
            name = "b%d" % i
            model["bodies"][name] = self.body(name, near)
            mine = [b for b in sorted(self.bodies) if b not in before]
            near = self.bodies[self.choice(mine)]
            if self.random() < 0.85:
                base = self.choice(before + ["ground"]) if before else "ground"
                self.join(model, "j%d" % i, [base, self.choice(mine)])
        for i in range(self.choices((0, 1, 2, 3), (5, 3, 2, 1))[0]):
            self.join(model, "k%d" % i, None, extra=True)

    def join(self, model, name, two, extra=False):
        kinds = self.schema.kinds("joint")
        usual = ("revolute", "spherical", "prismatic", "cylindrical", "universal")
        kind = self.choice(usual) if not extra and self.random() < 0.5 else None
        if self.flat and not extra:
            kind = self.choice(("revolute", "revolute", "prismatic", "pin-in-slot"))
        able = [k for k in sorted(kinds) if not self.flat or k in FLAT or self.random() < 0.1]
        kind = kind or self.choice(able)
        needs = any(self.schema.refer(p) == "joint-name" for p in
                    kinds[kind]["properties"].values())
        if needs and not any(self.joints.values()):
            kind = "revolute"
        model["joints"][name] = self.element("joint", name, two, kind)
        self.joints[name] = kinds[kind].get("coordinates", [])

    def forces(self, model):
        kinds = self.schema.kinds("force")
        for i in range(self.choices((0, 1, 2, 3, 4), (2, 3, 3, 2, 1))[0]):
            kind = self.choice(sorted(kinds))
            if "joint" in kinds[kind]["properties"] and not any(self.joints.values()):
                continue
            name = "f%d" % i
            model["forces"][name] = self.element("force", name, None, kind)
            if kind in ("spring", "law"):
                self.springs.append(name)

    def equations(self, model):
        """Signals, states, unknowns, sampled systems, blocks, outputs and events."""
        self.names = self.channel_names(model)
        if self.random() < 0.5:
            return
        if self.random() < 0.5:
            model["signals"] = {"sig%d" % i: self.expression() for i in range(self.randint(1, 2))}
            self.names += list(model["signals"])
        if self.random() < 0.3:
            model["states"] = {"c": {"rate": "%s - c" % self.expression(), "initial": 0.1}}
            if self.random() < 0.3:
                model["states"]["c"]["limits"] = [-0.2, 0.2]
            self.names.append("c")
        if self.random() < 0.2:
            model["unknowns"] = {"w": {"equation": "w + 0.1*w^3 - %s" % self.expression()}}
            self.names.append("w")
        if self.random() < 0.25:
            model["sampled"] = {"servo": {
                "every": self.choice((0.01, 0.003, 0.05)), "next": {"u": self.expression()}}}
            if self.random() < 0.5:
                model["sampled"]["servo"]["delay"] = 0.002
            self.names.append("servo.u")
        if self.random() < 0.3:
            kinds = self.schema.kinds("block")
            kind = self.choice(sorted(kinds))
            block = self.thing(kinds[kind], {"kind": kind})
            if kind == "transfer-function":
                block.update(numerator=[1], denominator=[0.1, 1])
            if kind == "delay":
                block.update(time=0.01, every=0.005)
            block["input"] = self.expression()
            model["blocks"] = {"ctl": block}
            self.names.append("ctl")
        if self.random() < 0.3:
            body = self.some(self.bodies)
            model["outputs"] = {"out": self.choice((
                {"of": body, "axis": self.choice("xyz"), "point": [0.1, 0, 0],
                 "quantity": self.choice(("position", "velocity", "acceleration"))},
                {"of": body, "quantity": "distance", "point": [0.1, 0, 0],
                 "in": self.some(self.bodies)},
                self.expression()))}
        if self.random() < 0.2 and self.bodies:
            body = self.some(self.bodies)
            model["events"] = {"pass": {"body": body, "axis": "x", "direction": "both",
                                        "value": self.digits(self.bodies[body][0] + 0.001)}}
            if self.random() < 0.2:
                model["events"]["pass"]["stop"] = True

    def parts(self, model):
        """A template used twice, and a repeated chain."""
        if self.flat:
            return
        if self.random() < 0.15:
            part = Draw(self.random(), self.schema)
            part.flat, part.params = False, []
            inner = {"parameters": {"k": 30}, "bodies": {"bob": part.body("bob", [0, 0, 0])}}
            mine = sorted(part.bodies)
            inner["joints"] = {"pin": part.element(
                "joint", "pin", ["ground", part.choice(mine)], part.choice(
                    ("revolute", "spherical", "prismatic", "universal", "cylindrical", "fixed")))}
            part.joints["pin"] = part.schema.kinds("joint")[inner["joints"]["pin"]["kind"]][
                "coordinates"]
            inner["forces"] = {"pull": {"kind": "spring", "stiffness": "k",
                                        **part.apart(["ground", part.choice(mine)])}}
            model["templates"] = {"part": inner}
            model["assemblies"] = {
                "left": {"of": "part", "at": self.place()},
                "right": {"of": "part", "at": self.place(), "orientation": self.rotation(),
                          "parameters": {"k": 20}}}
            self.bodies.update({"left." + b: [0, 0, 0] for b in mine})
            self.joints["left.pin"] = part.joints["pin"]
        if self.random() < 0.1:
            body = {"kind": "rigid", "mass": "0.5 + 0.1*i", "inertia": [0.01, 0.01, 0.01],
                    "initial": {"position": ["0.1*i", 0, 0]}}
            model["bodies"]["l0"] = dict(body, mass=0.5, initial={"position": [0, 0, 0]})
            model["repeat"] = {
                "to": self.randint(1, 3), "bodies": {"l$i": body},
                "joints": {"p$i": {"kind": self.choice(("revolute", "spherical", "universal")),
                                   "bodies": ["l$(i-1)", "l$i"], "at": ["0.1*i - 0.05", 0, 0],
                                   "axis": self.axis()}}}
            self.bodies["l1"] = [0.1, 0, 0]
            if self.random() < 0.7:
                model["joints"]["hang"] = {"kind": "spherical", "bodies": ["ground", "l0"]}

    def model(self):
        model = {"tenon": 1, "bodies": {}, "joints": {}, "forces": {}}
        if self.random() < 0.8:
            model["gravity"] = [0, -9.81, 0] if self.flat else [0, 0, -9.81]
        self.parameters(model)
        self.mechanism(model)
        self.parts(model)
        self.names = self.channel_names(model)
        self.equations(model)
        self.forces(model)
        model["simulate"] = {"t_end": self.choice((0.01, 0.02, 0.02, 0.05))}
        return {key: value for key, value in model.items() if value != {}}


# Kinds that hold bodies in the plane.
FLAT = ("revolute", "prismatic", "fixed", "pin-in-slot", "distance", "cam", "gear", "rack-pinion",
        "drive", "pose-drive", "velocity-row", "position-row", "planar-revolute", "planar-fixed",
        "planar-prismatic", "point-on-line", "knife-edge")
# Kinds that act along a line between two points.
APART = ("spring", "distance", "law")
# Keys that make nearly every model of a kind fail, so that they are rare.
HEAVY = {"contact-force": ("a", "b", "length_a", "length_b", "hollow", "young_a", "young_b",
                           "exponent", "law"),
         "beam-element": ("stretch", "turn", "mass", "inertia"),
         "spring": ("table", "interpolation", "beyond", "cubic"),
         "torsion-spring": ("table", "interpolation", "beyond", "cubic"),
         "joint-spring": ("table", "interpolation", "beyond", "cubic"),
         "distance": ("length",), "gear": ("ratio_1", "ratio_2"),
         "friction": ("load",), "lugre": ("load", "bristle"),
         "pose-drive": ("x", "y", "z", "roll", "pitch", "yaw")}


def _below(draw, two, r):
    at = draw.bodies.get(two[1], [0, 0, 0])
    return {"bodies": ["ground", two[1]], "frame_a": {"at": [0, 0, round(at[2] - r, 3)]}}


def _wheel(draw, two):
    r = draw.size("m")
    return dict(_below(draw, two, r), radius=r, frame_b={"axis": [0, 1, 0]})


def _ball(draw, two):
    r = draw.size("m")
    return dict(_below(draw, two, r), radius=r, frame_b={})


def _cam(draw, two):
    a, b = (draw.bodies.get(name, [0, 0, 0]) for name in two)
    d = ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5 or 0.3
    r = round(0.3 * d, 3)
    return {"bodies": list(two), "at_a": a, "at_b": [b[0], b[1], a[2]], "follower": "roller",
            "radius": r, "x": "%.17g*cos(s)" % (d - r), "y": "%.17g*sin(s)" % (d - r)}


def _surface(draw, two):
    return dict(draw.seat(two), x="u", y="v", radius=0,
                z=draw.choice(("0", "0.2*u*v", "0.3*(u^2 + v^2)", "0.1*sin(u)")))


def _curves(draw, two):
    return dict(draw.seat(two), x="s", y="0", z="0.1*s^2", x_b="0", y_b="s", z_b="-0.1*s^2",
                **{"from": -1, "to": 1, "from_b": -1, "to_b": 1})


def _rail(draw, two):
    at = draw.bodies.get(two[1], [0, 0, 0])
    return {"bodies": list(two), "at_a": [at[0], at[1], round(at[2] - 0.1, 3)], "at_b": at,
            "rail_y": "0.06*sin(s)", "rail_z": "0.06*cos(s) - 0.06", "rail_from": -1, "rail_to": 1,
            "wheel_y": "s", "wheel_r": "0.1 + 0.02*s", "wheel_from": -0.05, "wheel_to": 0.05}


def _solids(draw, two):
    a, b = (draw.bodies.get(name, [0, 0, 0]) for name in two)
    d = sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5 or 0.3
    r = round(0.3 * d, 3)
    return {"bodies": list(two), "at_a": a, "at_b": b, "a": "sphere", "b": "sphere",
            "radius_a": float("%.17g" % (d - r)), "radius_b": r}


def _impact(draw, two):
    given = _solids(draw, two)
    return dict(given, radius_a=0.8 * given["radius_a"], stiffness=draw.choice((1e3, 1e5)))


RECIPES = {"rolling-wheel": _wheel, "rolling-ball": _ball, "cam": _cam,
           "knife-edge": lambda draw, two: dict(_below(draw, two, 0), frame_b={}),
           "point-on-surface": _surface, "curve-on-curve": _curves, "wheel-rail": _rail,
           "contact": _solids, "contact-force": _impact}
