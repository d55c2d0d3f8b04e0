"""The Markdown table of docs/results/*.json beside the paper's figures; used by scripts/results."""

import json
import pathlib
import sys

# Tables 3 and 4 of the paper: exact match accuracy and CLL-loss per fold.
PUBLISHED = {
    "emotions": {"br": (0.265, 153.5), "ctbn": (0.322, 147.4), "mlme": (0.353, 131.3)},
    "image": {"br": (0.280, 432.5), "ctbn": (0.414, 388.4), "mlme": (0.479, 339.2)},
    "scene": {"br": (0.541, 344.7), "ctbn": (0.625, 306.3), "mlme": (0.711, 234.6)},
    "yeast": {"br": (0.151, 1500.3), "ctbn": (0.192, 1097.0), "mlme": (0.244, 989.5)},
}
TITLES = {"br": "BR", "ctbn": "CTBN", "mlme": "ML-ME"}


def methods(folder, name, preset):
    path = folder / f"{name}-{preset}.json"
    return {m["method"]: m for m in json.loads(path.read_text())["methods"]} if path.exists() else {}


def cell(result, digits, measure):
    value = result["measures"][measure]
    return f"{value['mean']:.{digits}f} ± {value['standard_error']:.{digits}f}"


def verdict(result, measure, published, higher_is_better):
    value = result["measures"][measure]
    behind = (published - value["mean"]) * (1 if higher_is_better else -1)
    if behind <= 0:
        return "better"
    return f"{behind / value['standard_error']:.1f} s.e. behind"


def main():
    folder = pathlib.Path(sys.argv[1])
    print("# The paper's figures and ours\n")
    print("Ten-fold means ± standard errors on one fixed shuffled split; EMA: exact match accuracy, CLL: CLL-loss per")
    print("fold. Made by `scripts/results DATA FOLDS`; per-fold values of all measures are in the JSON files here.\n")
    print("| data | method | EMA paper | EMA ours, `--preset paper` | | CLL paper | CLL ours, `--preset paper` | |")
    print("|---|---|---|---|---|---|---|---|")
    for name, published in PUBLISHED.items():
        ours = methods(folder, name, "paper")
        for method, (ema, cll) in published.items():
            if method in ours:
                result = ours[method]
                print(
                    f"| {name} | {TITLES[method]} | {ema:.3f} | {cell(result, 3, 'exact_match')} "
                    f"| {verdict(result, 'exact_match', ema, True)} | {cll:.1f} | {cell(result, 1, 'cll_loss')} "
                    f"| {verdict(result, 'cll_loss', cll, False)} |"
                )
    print("\n## The default against the paper's settings, ML-ME\n")
    print("| data | EMA `--preset paper` | EMA default | CLL `--preset paper` | CLL default |")
    print("|---|---|---|---|---|")
    for name in PUBLISHED:
        paper, default = methods(folder, name, "paper").get("mlme"), methods(folder, name, "default").get("mlme")
        if paper and default:
            cells = [cell(r, d, m) for m, d in (("exact_match", 3), ("cll_loss", 1)) for r in (paper, default)]
            print(f"| {name} | " + " | ".join(cells) + " |")
    print("\n## The most probable label set: proven, and how often the paper's ways miss it\n")
    print("| data | settings | test rows | proven optimal | best expert's set misses | 150 annealing steps miss |")
    print("|---|---|---|---|---|---|")
    for name in PUBLISHED:
        for preset in ("paper", "default"):
            misses = methods(folder, name, preset).get("mlme", {}).get("misses")
            if misses:
                print(
                    f"| {name} | {preset} | {misses['rows']} | {misses['certified']} | {misses['best_expert_misses']} "
                    f"| {misses['annealing_misses']} |"
                )


if __name__ == "__main__":
    main()
