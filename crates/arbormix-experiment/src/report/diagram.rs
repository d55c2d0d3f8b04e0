//! The critical-difference diagram of Demšar (2006), as SVG.

use super::super::comparison::Ranking;
use super::super::results::MethodInfo;

/// Length of the axis of ranks; names stand outside, each letter at most this wide.
const LENGTH: f64 = 420.0;
const LETTER: f64 = 8.5;
const AXIS: f64 = 70.0;
/// Between two bars, and between two names.
const BAR: f64 = 9.0;
const LINE: f64 = 22.0;

/// Methods on an axis of average ranks, the best on the left; a bar joins methods that Nemenyi's test cannot tell
/// apart. `None` if there are fewer than two data sets or methods.
pub fn critical_difference(title: &str, methods: &[MethodInfo], ranking: &Ranking) -> Option<String> {
    let distance = ranking.critical_difference?;
    let count = ranking.methods.len();
    let mut order: Vec<(f64, &str)> =
        ranking.mean_ranks.iter().zip(&ranking.methods).map(|(&rank, &at)| (rank, methods[at].name.as_str())).collect();
    // A stable sort: methods of the same rank stay in the experiment's order.
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ranks: Vec<f64> = order.iter().map(|(rank, _)| *rank).collect();
    let bars = groups(&ranks, distance);
    let names = AXIS + 14.0 + BAR * bars.len() as f64 + LINE;
    let half = count.div_ceil(2);
    let height = names + LINE * half as f64;
    let label = |(rank, name): &(f64, &str)| format!("{name} ({rank:.2})");
    let longest = order.iter().map(|entry| label(entry).chars().count()).max().unwrap_or(0);
    let left = LETTER * longest as f64 + 36.0;
    let (right, width) = (left + LENGTH, 2.0 * left + LENGTH);
    let x = |rank: f64| left + (rank - 1.0) / (count as f64 - 1.0) * LENGTH;
    let mut svg = Svg(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    ));
    let sets = ranking.data.len();
    svg.text(width / 2.0, 18.0, "middle", &format!("{}: average ranks over {sets} data sets", escape(title)));
    // The critical difference, drawn to the scale of the axis; as long as the axis if it is longer.
    let cd_end = x(1.0 + distance).min(right);
    svg.path(&[(left, 34.0), (left, 42.0), (left, 38.0), (cd_end, 38.0), (cd_end, 34.0), (cd_end, 42.0)], 1.0);
    svg.text(cd_end + 8.0, 42.0, "start", &format!("CD {distance:.2}"));
    svg.path(&[(left, AXIS), (right, AXIS)], 1.0);
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
            (place, left - 20.0, "end", -6.0)
        } else {
            (count - 1 - place, right + 20.0, "start", 6.0)
        };
        let y = names + LINE * line as f64;
        svg.path(&[(x(*rank), AXIS), (x(*rank), y), (side, y)], 1.0);
        svg.text(side + beyond, y + 4.0, anchor, &escape(&label(&(*rank, name))));
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
    fn everything_lies_within_the_picture() {
        let names = ["a<b", "a method with quite a long name and parameters=12", "c"];
        let info = |name: &&str| MethodInfo {
            name: name.to_string(),
            method: "br".to_string(),
            params: serde_json::Value::Null,
        };
        let methods: Vec<MethodInfo> = names.iter().map(info).collect();
        let rows = [vec![1.0, 2.0, 3.0], vec![1.0, 3.0, 2.0]];
        let friedman = crate::significance::friedman(&rows);
        let mean_ranks = vec![1.0, 2.5, 2.5];
        let ranking = Ranking {
            methods: vec![0, 1, 2],
            data: vec![0, 1],
            mean_ranks,
            left_out: vec![],
            friedman,
            critical_difference: Some(2.34),
        };
        let svg = critical_difference("exact_match", &methods, &ranking).unwrap();
        assert!(svg.contains("a&lt;b (1.00)") && !svg.contains("a<b"), "{svg}");
        let number = |text: &str, before: &str| -> f64 {
            text.split_once(before).unwrap().1.split(['"', ' ', ',']).next().unwrap().parse().unwrap()
        };
        let (width, height) = (number(&svg, "width=\""), number(&svg, "height=\""));
        for line in svg.lines().filter(|line| line.starts_with("<text")) {
            let (x, y) = (number(line, "x=\""), number(line, "y=\""));
            // Letters of 13 pixels are about 7 wide.
            let text = line.split_once('>').unwrap().1.trim_end_matches("</text>");
            let long = 7.0 * text.chars().count() as f64;
            let (from, to) = match () {
                () if line.contains("\"end\"") => (x - long, x),
                () if line.contains("\"start\"") => (x, x + long),
                () => (x - long / 2.0, x + long / 2.0),
            };
            assert!(from >= 0.0 && to <= width && y > 0.0 && y < height, "{line} in {width} × {height}");
        }
        let bare = Ranking { critical_difference: None, ..ranking };
        assert_eq!(critical_difference("exact_match", &methods, &bare), None);
    }

    #[test]
    fn groups_are_the_largest_ones_only() {
        assert_eq!(groups(&[1.0, 1.5, 2.8, 3.0, 5.0], 1.5), [(0, 1), (1, 3)]);
        assert_eq!(groups(&[1.0, 3.0], 1.0), []);
        assert_eq!(groups(&[1.0, 2.0, 3.0], 5.0), [(0, 2)]);
    }
}
