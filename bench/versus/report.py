"""The Markdown table of a run."""

import statistics


def seconds(times):
    if not times:
        return "–"
    value = statistics.median(times["cpu"])
    return f"{value:.3g} s"


def value_of(part):
    unit = part.get("unit", "×")
    if unit == "share":
        return f"{100 * part['ratio']:.0f} %", f"{100 * part['aim']:.0f} %"
    if unit == "×":
        return f"{part['ratio']:.1f}×", f"{part['aim']}×"
    if unit == "exponent":
        return f"{part['ratio']:.2f}", f"{part['aim']}"
    return f"{part['ratio']:.3g} {unit}", f"{part['aim']} {unit}"


def reached(part):
    within = part["ratio"] <= part["aim"] if part.get("at_most") else part["ratio"] >= part["aim"]
    return "yes" if within else "**no**"


def threads(part):
    two = part.get("two_threads")
    if not two:
        return "–"
    words = f"{two['speed_up']:.2f}× one thread"
    return words + (f"; {two['ratio']:.1f}× theirs on two" if "ratio" in two else "")


def same(part):
    words = {True: "yes", False: "**no**", None: "in part"}[part["same"]]
    return f"{words}: {part['says']}"


def markdown(facts, parts):
    lines = [
        f"# Benchmark of {facts['date']}, {facts['cpu']}",
        "",
        f"`{facts['command']}`, commit {facts['commit']}; {facts['cores']} cores, {facts['system']}; load {facts['load']} "
        f"when it began; {', '.join(facts['versions'])}.",
        "",
        "Ratios are theirs / ours in CPU seconds on one thread, medians of rounds in which both ran in turns; reading files "
        "and starting processes is in none of them. *Same problem* is what was checked, from weights, objectives or "
        "predictions, outside both programs."
        + (" **One round only (--quick): not to be quoted.**" if facts["quick"] else ""),
        "",
        "| work | data | against | theirs | ours | measured | aim | reached | two threads (wall) | same problem |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for part in parts:
        measured, aim = value_of(part)
        bound = "≤" if part.get("at_most") else "≥"
        cells = [part["line"], part["data"], part["against"], seconds(part.get("theirs")), seconds(part["ours"])]
        cells += [measured, f"{bound} {aim}", reached(part), threads(part), same(part)]
        lines.append("| " + " | ".join(cells) + " |")
    if facts["failed"]:
        lines += ["", "Not measured:", ""] + [f"- {name}: {reason}" for name, reason in facts["failed"].items()]
    if not facts["real_data"]:
        lines += ["", "The data are planted rows of the real sets' sizes: the real ones were not found."]
    return "\n".join(lines) + "\n"
