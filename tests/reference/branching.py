"""Best branchings of random score matrices by networkx -> branching.json

    python tests/reference/branching.py

Layout of the file:

    {"cases": [{"scores": [[float; d]; d],   # scores[parent][child]; scores[i][i] is the score of i as a root
                "best": float}]}             # largest sum over labels of the score of its parent (or of being a root)

Scores are negative, like log-likelihoods, with four decimals; some cases have many equal scores, so only the total is
given, not the tree. A virtual root with an edge to every label of that label's root score makes the forest a spanning
arborescence (a maximum *branching* of negative scores would be empty).
"""

import networkx as nx
import numpy as np

from store import store

SIZES = [2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 8, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 25]


def scores_of(rng, size, kind):
    """Three kinds: roots about as good as parents; parents nearly always better (long trees, many cycles to break);
    and few distinct values (ties)."""
    scores = -10 * rng.random((size, size))
    if kind == 1:
        scores[np.diag_indices(size)] -= 10
        # Mutual favourites: every label's best parent is its neighbour and the reverse.
        for child in range(size - 1):
            scores[child, child + 1] = scores[child + 1, child] = -0.5 * rng.random()
    if kind == 2:
        scores = np.floor(scores / 2.5)
    return np.round(scores, 4)


def best_total(scores):
    size = len(scores)
    graph = nx.DiGraph()
    for child in range(size):
        graph.add_edge("root", child, weight=scores[child, child])
        for parent in range(size):
            if parent != child:
                graph.add_edge(parent, child, weight=scores[parent, child])
    tree = nx.maximum_spanning_arborescence(graph, attr="weight")
    return sum(scores[child if parent == "root" else parent, child] for parent, child in tree.edges)


def main():
    rng = np.random.default_rng(1977)
    cases = []
    for index, size in enumerate(SIZES):
        scores = scores_of(rng, size, index % 3)
        cases.append({"scores": scores.tolist(), "best": round(float(best_total(scores)), 4)})
    store("branching.json", {"cases": cases})


if __name__ == "__main__":
    main()
