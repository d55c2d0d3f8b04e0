"""The benchmark of bench/run: ours and theirs in turns, with proof that both solved the same problem.

- `processes`: the two sides as processes that do their work when told to
- `peers`: what the others do
- `evidence`: whether both solved the same problem
- `rows`, `growth`: the comparisons, one per line of the table
- `data`: the benchmark's data
- `report`: the Markdown table
"""
