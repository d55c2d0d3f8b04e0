//! Iterative stratification (Sechidis, Tsoumakas and Vlahavas 2011, Algorithm 1).
//!
//! The rarest label goes first, because it has the fewest rows to correct an uneven start. Each of its rows goes to the
//! part that needs most rows of this label. Three points differ from widespread implementations: rows are
//! permuted by the seed first, every tie is broken by the seed, and a full part takes nothing more, so that sizes are
//! exactly those asked for.

use crate::Labels;
use arbormix_base::random::Stream;

/// What a part still needs.
struct Part {
    /// Rows it can still take.
    room: usize,
    /// Rows of each label that it still needs; negative if it has too many.
    wanted: Vec<f64>,
}

/// Part of each row, with exactly `sizes[p]` rows in part p.
///
/// # Panics
/// If the sizes do not sum to the number of rows; the callers in this module divide the rows themselves.
pub(super) fn assign(labels: &Labels, sizes: &[usize], seed: u64) -> Vec<usize> {
    let rows = labels.rows();
    assert_eq!(sizes.iter().sum::<usize>(), rows, "the parts hold all rows");
    let mut stream = Stream::new(seed, "stratify", sizes.len() as u64);
    let order = stream.permutation(rows);
    let mut rows_with = vec![Vec::new(); labels.count()];
    for &row in &order {
        labels.row(row).members().for_each(|label| rows_with[label].push(row));
    }
    let mut remaining: Vec<usize> = rows_with.iter().map(Vec::len).collect();
    let share = |size: usize, count: usize| count as f64 * size as f64 / rows as f64;
    let mut parts: Vec<Part> = sizes
        .iter()
        .map(|&room| Part { room, wanted: remaining.iter().map(|&count| share(room, count)).collect() })
        .collect();
    let mut assigned = vec![None; rows];
    let rarest = |remaining: &[usize]| (0..remaining.len()).filter(|&l| remaining[l] > 0).min_by_key(|&l| remaining[l]);
    while let Some(label) = rarest(&remaining) {
        for &row in &rows_with[label] {
            if assigned[row].is_some() {
                continue;
            }
            let part = choose(&parts, |part| part.wanted[label], &mut stream);
            assigned[row] = Some(part);
            parts[part].room -= 1;
            for other in labels.row(row).members() {
                parts[part].wanted[other] -= 1.0;
                remaining[other] -= 1;
            }
        }
    }
    let mut ids = vec![0; rows];
    for &row in &order {
        ids[row] = assigned[row].unwrap_or_else(|| {
            let part = choose(&parts, |_| 0.0, &mut stream);
            parts[part].room -= 1;
            part
        });
    }
    ids
}

/// The part with room that needs most. Ties go to the part with most room, then to the seed.
fn choose(parts: &[Part], want: impl Fn(&Part) -> f64, stream: &mut Stream) -> usize {
    let rank = |part: &Part| (want(part), part.room);
    let mut best: Vec<usize> = Vec::new();
    for (index, part) in parts.iter().enumerate().filter(|(_, part)| part.room > 0) {
        let better = best.first().map(|&leader| rank(part).partial_cmp(&rank(&parts[leader])));
        match better.flatten() {
            Some(std::cmp::Ordering::Less) => {}
            Some(std::cmp::Ordering::Equal) => best.push(index),
            Some(std::cmp::Ordering::Greater) | None => best = vec![index],
        }
    }
    best[stream.below(best.len())]
}
