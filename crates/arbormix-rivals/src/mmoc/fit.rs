//! Learning MMOC.

use super::code::Code;
use super::metric::{MarginProblem, Metric};
use super::params::OutputCodeParams;
use super::predict::{LinearRegression, OutputCode};
use crate::br::{BinaryRelevance, BinaryRelevanceParams};
use arbormix_base::progress::Progress;
use arbormix_data::splits::holdout;
use arbormix_joint::Result;
use arbormix_joint::learner::require_observed;
use arbormix_joint::learner::{FitReport, Inference, Learner, Prediction, Predictor, Size, TrainingSet, Workers};
use arbormix_joint::learner_head;
use arbormix_learn::logistic::{Bias, Coefficients, Design, Ridge};
use arbormix_matrix::{Columns, DenseMatrix};

/// The labels regressed on the features of rows with some weights.
struct Regressed<'a> {
    design: &'a Design,
    weights: Vec<f64>,
    /// In design coordinates, one column per label.
    solution: Columns,
    /// N × d, of all rows, those with weight 0 too.
    predicted: DenseMatrix,
    converged: bool,
}

/// What the held-out rows decided.
struct Choice {
    ridge: f64,
    cost: f64,
    /// Where the final optimisation starts.
    start: DenseMatrix,
    note: String,
}

/// The labels of all rows as 0 and 1.
struct Truth {
    /// N × d.
    rows: DenseMatrix,
    /// The same, one column per label.
    columns: Columns,
}

impl Truth {
    fn new(data: &TrainingSet<'_>) -> Truth {
        let (rows, labels) = (data.labels.rows(), data.labels.count());
        let mut truth = Truth { rows: DenseMatrix::zeros(rows, labels), columns: Columns::zeros(rows, labels) };
        for row in 0..rows {
            for label in data.labels.row(row).members() {
                truth.rows.row_mut(row)[label] = 1.0;
                truth.columns.column_mut(label)[row] = 1.0;
            }
        }
        truth
    }
}

impl<'a> Regressed<'a> {
    /// `ridge` is relative to the features' mean sum of squares.
    fn new(design: &'a Design, truth: &Truth, weights: Vec<f64>, ridge: f64) -> Regressed<'a> {
        let problem = Ridge::new(design, Some(&weights));
        let (solution, converged) = problem.solve(&truth.columns, ridge * problem.unit());
        let columns = problem.predict(&solution);
        let mut predicted = DenseMatrix::zeros(columns.rows(), columns.cols());
        for row in 0..columns.rows() {
            let cells = predicted.row_mut(row).iter_mut().enumerate();
            cells.for_each(|(label, cell)| *cell = columns.get(row, label));
        }
        Regressed { design, weights, solution, predicted, converged }
    }

    fn errors(&self, truth: &Truth) -> DenseMatrix {
        let mut errors = truth.rows.clone();
        errors.values_mut().iter_mut().zip(self.predicted.values()).for_each(|(cell, predicted)| *cell -= predicted);
        errors
    }

    /// In the coordinates of the features.
    fn to_features(&self) -> LinearRegression {
        let column = |label| self.design.to_features(&Coefficients::Linear(self.solution.column(label).to_vec()));
        let columns: Vec<_> = (0..self.solution.cols()).map(column).collect();
        let weights = Columns::from_columns(self.design.features(), columns.iter().map(|c| c.weights.as_slice()));
        LinearRegression { weights, biases: columns.iter().map(|c| c.bias).collect() }
    }
}

impl OutputCodeParams {
    fn own(&self) -> BinaryRelevanceParams {
        let (features, logistic) = (self.features.clone(), self.logistic.clone());
        BinaryRelevanceParams { features, logistic, seed: self.seed }
    }

    /// The model made of its three parts.
    fn assemble(&self, own: BinaryRelevance, regressed: &Regressed<'_>, truth: &Truth, metric: &Metric) -> OutputCode {
        let code = Code::new(&metric.matrix, &regressed.errors(truth), &regressed.weights, self.variances);
        OutputCode::new(own, regressed.to_features(), code, self)
    }

    /// Chooses the ridge by squared error and the cost by exact matches on held-out rows, which get weight 0 in training.
    fn choose(
        &self,
        data: &TrainingSet<'_>,
        design: &Design,
        truth: &Truth,
        weights: &[f64],
        progress: &dyn Progress,
    ) -> Result<Choice> {
        let first = |note: &str| Choice {
            ridge: self.ridges[0],
            cost: self.costs[0],
            start: identity(data.labels.count()),
            note: note.to_string(),
        };
        if self.ridges.len() == 1 && self.costs.len() == 1 {
            return Ok(first(""));
        }
        let (seen, held) = holdout(data.labels.rows(), self.held_out, self.seed);
        let weight = |rows: &[usize]| rows.iter().map(|&row| weights[row]).sum::<f64>();
        if weight(&seen) <= 0.0 || weight(&held) <= 0.0 {
            return Ok(first("; the first values, for there are too few rows to hold some out"));
        }
        let mut masked = weights.to_vec();
        held.iter().for_each(|&row| masked[row] = 0.0);
        progress.begin("choosing the penalty of the linear regression", self.ridges.len());
        let mut regressed: Option<(f64, f64, Regressed<'_>)> = None;
        for &ridge in &self.ridges {
            progress.check()?;
            let tried = Regressed::new(design, truth, masked.clone(), ridge);
            let errors = tried.errors(truth);
            let loss = |&row: &usize| weights[row] * errors.row(row).iter().map(|e| e * e).sum::<f64>();
            let loss: f64 = held.iter().map(loss).sum();
            // Ties to the larger penalty: the simpler regression.
            if regressed.as_ref().is_none_or(|(least, ..)| loss <= *least) {
                regressed = Some((loss, ridge, tried));
            }
            progress.advance(1);
        }
        let (_, ridge, regressed) = regressed.expect("validated: there is at least one ridge");
        let (own, _) = self.own().fit(&TrainingSet { weights: Some(&masked), ..*data }, progress)?;
        let problem = MarginProblem::new(&truth.rows, &regressed.predicted, Some(&masked), self.bulge);
        let features = data.features.select_rows(&held);
        progress.begin("choosing the cost of the code", self.costs.len());
        let mut best = (f64::NEG_INFINITY, first(""));
        let mut start = identity(data.labels.count());
        for &cost in &self.costs {
            let metric = problem.solve(cost, &start, &self.solver, progress)?;
            let model = self.assemble(own.clone(), &regressed, truth, &metric);
            let predictions = model.predict(&features, Inference::default())?;
            let matched = |(prediction, row): (&Prediction, &usize)| {
                if prediction.labels == *data.labels.row(*row) { weights[*row] } else { 0.0 }
            };
            let matches = predictions.iter().zip(&held).map(matched).sum::<f64>() / weight(&held);
            start = metric.matrix;
            if matches > best.0 {
                let note = format!("; chosen with {matches:.3} exact matches on {} held-out rows", held.len());
                best = (matches, Choice { ridge, cost, start: start.clone(), note });
            }
            progress.advance(1);
        }
        Ok(best.1)
    }
}

impl Learner for OutputCodeParams {
    learner_head!("mmoc");

    fn seconds(&self, size: &Size) -> f64 {
        size.regression_seconds(2 * size.labels * self.costs.len())
    }

    fn bytes(&self, size: &Size, workers: Workers) -> usize {
        size.regression_bytes(1, workers) + 8 * size.labels * size.labels * size_of::<f64>()
    }

    fn learn(&self, data: &TrainingSet<'_>, progress: &dyn Progress) -> Result<(Box<dyn Predictor>, FitReport)> {
        require_observed(data, self.method())?;
        self.decoding.check(data.labels.count())?;
        let design = Design::new(data.features, Bias::Penalised);
        let truth = Truth::new(data);
        let weights = data.weights.map_or_else(|| vec![1.0; data.labels.rows()], <[f64]>::to_vec);
        let choice = self.choose(data, &design, &truth, &weights, progress)?;
        let (own, mut report) = self.own().fit(data, progress)?;
        progress.begin("learning the code", 1);
        let regressed = Regressed::new(&design, &truth, weights, choice.ridge);
        let problem = MarginProblem::new(&truth.rows, &regressed.predicted, data.weights, self.bulge);
        let metric = problem.solve(choice.cost, &choice.start, &self.solver, progress)?;
        let model = self.assemble(own, &regressed, &truth, &metric);
        progress.advance(1);
        let (cost, ridge, length) = (choice.cost, choice.ridge, model.code().rows());
        report.notes.push(format!("cost {cost}, ridge {ridge}, code of length {length}{}", choice.note));
        if !metric.converged {
            let Metric { objective, bound, .. } = metric;
            report.notes.push(format!("the code's objective is {objective:.6}, proven only to be at least {bound:.6}"));
        }
        if !regressed.converged {
            report.notes.push("the linear regression reached its limit of steps before its accuracy".to_string());
        }
        report.converged &= metric.converged && regressed.converged;
        Ok((Box::new(model), report))
    }
}

fn identity(size: usize) -> DenseMatrix {
    let mut out = DenseMatrix::zeros(size, size);
    (0..size).for_each(|label| out.row_mut(label)[label] = 1.0);
    out
}
