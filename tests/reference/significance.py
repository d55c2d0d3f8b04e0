"""Tests of significance by scipy -> significance.json

    python tests/reference/significance.py

Layout of the file:

    {"paired":    [{"first", "second": [float], "t", "p": float}],
     "corrected": [{"first", "second": [float], "share": float, "t", "p": float}],
     "wilcoxon":  [{"first", "second": [float], "exact": bool, "statistic", "p": float}],
     "friedman":  [{"rows": [[float; methods]; data sets], "chi_square", "p", "f", "f_p": float}],
     "range":     [{"count": int, "q95", "q90": float, "at": float, "cdf": float}]}

Values have three decimals, so that ties and zeros occur where they are meant to and nowhere else. scipy has neither
the corrected resampled t nor Iman and Davenport's F: the first is recomputed from scipy's statistic (which scales with
the variance), the second from scipy's chi-square, both with p by scipy's distributions.
"""

import numpy as np
from scipy import stats

from store import store


def pairs(rng, size, kind):
    """Kinds: 0 plain, 1 ties in the size of differences, 2 zeros and ties, 3 equal differences but one."""
    first = np.round(rng.random(size), 3)
    shift = np.round(0.2 * rng.standard_normal(size) + 0.05, 3)
    if kind == 1:
        shift = np.round(shift, 1) + np.where(np.round(shift, 1) == 0, 0.1, 0)
    if kind == 2:
        shift = np.round(shift, 1)
        shift[0] = 0
    if kind == 3:
        shift = np.full(size, 0.125)
        shift[-1] = 0.25
    # Multiples of 1/1024 add without rounding: equal differences are equal to the last bit.
    exact = lambda values: np.round(values * 1024) / 1024
    first, shift = exact(first), exact(shift)
    return first, first + shift


def no_ties(first, second):
    sizes = np.abs(first - second)
    return len(np.unique(sizes)) == len(sizes) and np.all(sizes > 0)


def main():
    rng = np.random.default_rng(1945)
    paired, corrected, wilcoxon = [], [], []
    for kind in range(4):
        for size in (2, 3, 5, 10, 30):
            first, second = pairs(rng, size, kind)
            if np.ptp(first - second) == 0:
                continue
            both = {"first": first.tolist(), "second": second.tolist()}
            test = stats.ttest_rel(first, second)
            paired.append({**both, "t": float(test.statistic), "p": float(test.pvalue)})
            share = 1 / 9
            t = test.statistic / np.sqrt(1 + size * share)
            corrected.append({**both, "share": share, "t": float(t), "p": float(2 * stats.t.sf(abs(t), size - 1))})
    for kind in range(3):
        for size in (2, 5, 8, 10, 13, 30, 50, 60):
            first, second = pairs(rng, size, kind)
            exact = bool(no_ties(first, second)) and size <= 50
            test = stats.wilcoxon(first, second, correction=False, method="exact" if exact else "asymptotic")
            if np.isnan(test.pvalue):
                continue
            both = {"first": first.tolist(), "second": second.tolist()}
            wilcoxon.append({**both, "exact": exact, "statistic": float(test.statistic), "p": float(test.pvalue)})
    friedman = []
    for count, methods, digits in ((2, 3, 3), (5, 3, 3), (10, 10, 3), (10, 4, 1), (30, 5, 1), (4, 6, 3)):
        rows = np.round(rng.random((count, methods)) + 0.1 * np.arange(methods), digits)
        test = stats.friedmanchisquare(*rows.T)
        f = (count - 1) * test.statistic / (count * (methods - 1) - test.statistic)
        f_p = stats.f.sf(f, methods - 1, (methods - 1) * (count - 1))
        friedman.append(
            {
                "rows": rows.tolist(),
                "chi_square": float(test.statistic),
                "p": float(test.pvalue),
                "f": float(f),
                "f_p": float(f_p),
            }
        )
    ranges = []
    for count in (2, 3, 4, 5, 6, 8, 10, 11, 20):
        q95, q90 = (float(stats.studentized_range.ppf(p, count, np.inf)) for p in (0.95, 0.9))
        at = 0.5 + 0.3 * count
        ranges.append({"count": count, "q95": q95, "q90": q90, "at": at,
                       "cdf": float(stats.studentized_range.cdf(at, count, np.inf))})
    store(
        "significance.json",
        {"paired": paired, "corrected": corrected, "wilcoxon": wilcoxon, "friedman": friedman, "range": ranges},
    )


if __name__ == "__main__":
    main()
