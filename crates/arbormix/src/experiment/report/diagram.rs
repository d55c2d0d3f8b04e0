//! The critical-difference diagram of Demšar (2006), as SVG.

use super::super::comparison::{LEVEL, Ranking};
use super::super::results::MethodInfo;
use super::super::significance::nemenyi_distance;

/// Where the axis of ranks begins and ends; names stand outside.
const LEFT: f64 = 190.0;
const RIGHT: f64 = 570.0;
const WIDTH: f64 = 760.0;
const AXIS: f64 = 70.0;
/// Between two bars, and between two names.
const BAR: f64 = 9.0;
const LINE: f64 = 22.0;

/// Methods on an axis of average ranks, the best on the left; a bar joins methods that Nemenyi's test cannot tell
/// apart. `None` if there are fewer than two data sets or methods.
pub fn critical_difference(title: &str, methods: &[MethodInfo], ranking: &Ranking) -> Option<String> {
    ranking.friedman.as_ref()?;
    let count = ranking.methods.len();
    let distance = nemenyi_distance(count, ranking.data.len(), LEVEL);
    let mut order: Vec<(f64, &str)> =
        ranking.mean_ranks.iter().zip(&ranking.methods).map(|(&rank, &at)| (rank, methods[at].name.as_str())).collect();
    // A stable sort: methods of the same rank stay in the experiment's order.
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ranks: Vec<f64> = order.iter().map(|(rank, _)| *rank).collect();
    let bars = groups(&ranks, distance);
    let names = AXIS + 14.0 + BAR * bars.len() as f64 + LINE;
    let half = count.div_ceil(2);
    let height = names + LINE * half as f64;
    let x = |rank: f64| LEFT + (rank - 1.0) / (count as f64 - 1.0) * (RIGHT - LEFT);
    let mut svg = Svg(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    ));
    svg.text(WIDTH / 2.0, 18.0, "middle", &format!("{title}: average ranks over {} data sets", ranking.data.len()));
    // The critical difference, drawn to the scale of the axis; as long as the axis if it is longer.
    let cd_end = x(1.0 + distance).min(RIGHT);
    svg.path(&[(LEFT, 34.0), (LEFT, 42.0), (LEFT, 38.0), (cd_end, 38.0), (cd_end, 34.0), (cd_end, 42.0)], 1.0);
    svg.text(cd_end + 8.0, 42.0, "start", &format!("critical difference {distance:.2} (p &lt; {LEVEL})"));
    svg.path(&[(LEFT, AXIS), (RIGHT, AXIS)], 1.0);
    for rank in 1..=count {
        svg.path(&[(x(rank as f64), AXIS - 5.0), (x(rank as f64), AXIS)], 1.0);
        svg.text(x(rank as f64), AXIS - 9.0, "middle", &rank.to_string());
    }
    for (place, &(first, last)) in bars.iter().enumerate() {
        let y = AXIS + 12.0 + BAR * place as f64;
        svg.path(&[(x(ranks[first]) - 4.0, y), (x(ranks[last]) + 4.0, y)], 4.0);
    }
    for (place, (rank, name)) in order.iter().enumerate() {
        // The better half on the left from the top down, the others on the right from the bottom up: lines never cross.
        let (line, side, anchor, beyond) = if place < half {
            (place, LEFT - 20.0, "end", -6.0)
        } else {
            (count - 1 - place, RIGHT + 20.0, "start", 6.0)
        };
        let y = names + LINE * line as f64;
        svg.path(&[(x(*rank), AXIS), (x(*rank), y), (side, y)], 1.0);
        svg.text(side + beyond, y + 4.0, anchor, &format!("{} ({rank:.2})", escape(name)));
    }
    svg.0.push_str("</svg>\n");
    Some(svg.0)
}

/// First and last of every largest group of methods whose ranks lie within the critical difference.
fn groups(ranks: &[f64], distance: f64) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for first in 0..ranks.len() {
        let last = ranks.iter().rposition(|rank| rank - ranks[first] <= distance).unwrap_or(first);
        if last > first && found.last().is_none_or(|&(_, before)| last > before) {
            found.push((first, last));
        }
    }
    found
}

struct Svg(String);

impl Svg {
    fn path(&mut self, points: &[(f64, f64)], width: f64) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let points = points.join(" ");
        self.0.push_str(&format!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"black\" stroke-width=\"{width}\"/>\n"
        ));
    }

    /// `text` is escaped already.
    fn text(&mut self, x: f64, y: f64, anchor: &str, text: &str) {
        self.0.push_str(&format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>\n"));
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_the_largest_ones_only() {
        assert_eq!(groups(&[1.0, 1.5, 2.8, 3.0, 5.0], 1.5), [(0, 1), (1, 3)]);
        assert_eq!(groups(&[1.0, 3.0], 1.0), []);
        assert_eq!(groups(&[1.0, 2.0, 3.0], 5.0), [(0, 2)]);
    }
}
