//! A reliability diagram as SVG: what was said against what happened, and how often each was said.

use std::fmt::Write;

use arbormix_model::measure::{Reliability, ReliabilityBin};

/// Side of the square in which probabilities are drawn.
const SIDE: f64 = 300.0;
/// Room for the axes' words.
const MARGIN: f64 = 60.0;
/// Height of the bars below, which say how often a probability was said.
const BARS: f64 = 60.0;

/// The diagram of one kind of claim. Points on the diagonal are kept promises; their size follows the number of claims.
pub(super) fn svg(claim: &str, reliability: &Reliability) -> String {
    let across = |p: f64| MARGIN + SIDE * p;
    let down = |p: f64| MARGIN + SIDE * (1.0 - p);
    let floor = MARGIN + SIDE + BARS + 30.0;
    let (width, height) = (SIDE + 2.0 * MARGIN, floor + 45.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    let text = |x: f64, y: f64, anchor: &str, words: &str| {
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>\n")
    };
    let line = |from: (f64, f64), to: (f64, f64), colour: &str| {
        format!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"/>\n",
            from.0, from.1, to.0, to.1
        )
    };
    let middle = MARGIN + SIDE / 2.0;
    out += &text(middle, 24.0, "middle", &format!("“{claim}”"));
    let error = format!("{} claims, expected calibration error {:.3}", reliability.count, reliability.expected_error);
    out += &text(middle, 42.0, "middle", &error);
    for step in 0..=4 {
        let p = f64::from(step) / 4.0;
        out += &line((across(p), down(0.0)), (across(p), down(1.0)), "#ddd");
        out += &line((across(0.0), down(p)), (across(1.0), down(p)), "#ddd");
        out += &text(across(0.0) - 6.0, down(p) + 4.0, "end", &format!("{p}"));
        out += &text(across(p), floor + 16.0, "middle", &format!("{p}"));
    }
    out += &line((across(0.0), down(0.0)), (across(1.0), down(1.0)), "#888");
    let most = reliability.bins.iter().map(|bin| bin.count).max().unwrap_or(0).max(1) as f64;
    for bin in &reliability.bins {
        out += &bar(bin, across(bin.above), across(bin.up_to), floor, BARS * bin.count as f64 / most);
        if let Some((said, happened)) = bin.said.zip(bin.happened) {
            let radius = 2.5 + 4.0 * (bin.count as f64 / most).sqrt();
            let title = format!("said {said:.3}, happened {happened:.3}, {} times", bin.count);
            let (x, y) = (across(said.min(1.0)), down(happened));
            let _ = writeln!(
                out,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"#1f6fb4\"><title>{title}</title></circle>"
            );
        }
    }
    out += &text(across(0.0) - 6.0, floor - BARS / 2.0, "end", "times");
    out += &text(middle, floor + 36.0, "middle", "said");
    let (x, y) = (18.0, MARGIN + SIDE / 2.0);
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" transform=\"rotate(-90 {x} {y})\">happened</text>"
    );
    out + "</svg>\n"
}

fn bar(bin: &ReliabilityBin, left: f64, right: f64, floor: f64, height: f64) -> String {
    let (x, width, top) = (left + 1.0, right - left - 2.0, floor - height);
    format!(
        "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#9ec5e6\"><title>{} \
         times</title></rect>\n",
        bin.count
    )
}
