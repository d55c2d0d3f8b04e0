//! How fast a model answers: rows per second in a batch, and the time of one row.
//!
//!     cargo run --release --example prediction_speed -- MODEL DATA [REPETITIONS]
//!
//! Times are the best of the repetitions, without reading the file and encoding its columns.

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use std::path::Path;
use std::time::Instant;

use arbormix::data::formats::{self, ReadOptions};
use arbormix::matrix::Matrix;
use arbormix::{Model, Result};

fn best<T>(repetitions: usize, mut work: impl FnMut() -> Result<T>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..repetitions {
        let start = Instant::now();
        work()?;
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [model, data, rest @ ..] = words.as_slice() else {
        println!("prediction_speed MODEL DATA [REPETITIONS]");
        return Ok(());
    };
    let repetitions = rest.first().and_then(|word| word.parse().ok()).unwrap_or(20);
    let model = Model::load(Path::new(model))?;
    let data = formats::read(Path::new(data), &ReadOptions::default())?;
    let features = model.encode(&data)?;
    let sets = model.true_sets(&data)?;
    let (predictor, rows) = (model.predictor(), features.rows() as f64);
    let say = |what: &str, seconds: f64| {
        println!("{what:<12}{:>12.0} rows/s {:>10.2} µs a row", rows / seconds, 1e6 * seconds / rows)
    };
    say("predict", best(repetitions, || predictor.predict(&features, predictor.inference()))?);
    say("marginals", best(repetitions, || predictor.marginals(&features))?);
    say("log_prob", best(repetitions, || predictor.log_prob(&features, &sets))?);
    let one: Matrix = features.select_rows(&[0]);
    let alone = best(50 * repetitions, || predictor.predict(&one, predictor.inference()))?;
    println!("predict one row alone {:>33.2} µs", 1e6 * alone);
    let alone = best(50 * repetitions, || predictor.marginals(&one))?;
    println!("marginals of one row {:>34.2} µs", 1e6 * alone);
    Ok(())
}
