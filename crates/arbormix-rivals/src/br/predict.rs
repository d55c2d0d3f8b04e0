//! A fitted BR.

use arbormix_data::LabelSet;
use arbormix_joint::Result;
use arbormix_joint::learner::{Inference, Joint, Prediction, Predictor};
use arbormix_joint::tree::Tree;
use arbormix_learn::logistic::Design;
use arbormix_learn::store::Stored;
use arbormix_matrix::{DenseMatrix, Matrix};
use arbormix_mlme::ctbn::Fitted;

/// A fitted BR: a tree without edges.
#[derive(Debug, Clone, PartialEq)]
pub struct BinaryRelevance(Tree);

impl BinaryRelevance {
    pub(crate) fn new(fitted: &Fitted, design: &Design) -> BinaryRelevance {
        BinaryRelevance(fitted.to_tree(design))
    }

    /// Log-odds of every label of every row, N × d.
    pub fn log_odds(&self, features: &Matrix) -> DenseMatrix {
        let tables = self.0.tables(features);
        let mut out = DenseMatrix::zeros(features.rows(), self.label_count());
        for row in 0..features.rows() {
            // No label has a parent: both rows of a table are the same.
            let tables = self.0.of_row(&tables, row);
            out.row_mut(row).iter_mut().zip(tables).for_each(|(z, [[off, on], _])| *z = on - off);
        }
        out
    }

    /// Brings back what [`Predictor::store`] gave.
    pub fn load(stored: &Stored) -> Result<BinaryRelevance> {
        Ok(BinaryRelevance(Tree::load(stored)?))
    }
}

impl Predictor for BinaryRelevance {
    fn method(&self) -> &'static str {
        "br"
    }

    fn label_count(&self) -> usize {
        self.0.label_count()
    }

    fn feature_count(&self) -> usize {
        self.0.feature_count()
    }

    fn joint(&self) -> Joint {
        Joint::Distribution
    }

    fn predict(&self, features: &Matrix, inference: Inference) -> Result<Vec<Prediction>> {
        self.0.predict(features, inference)
    }

    fn marginals(&self, features: &Matrix) -> Result<DenseMatrix> {
        self.0.marginals(features)
    }

    fn log_prob(&self, features: &Matrix, labels: &[LabelSet]) -> Result<Vec<f64>> {
        self.0.log_prob(features, labels)
    }

    fn top_sets(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<(LabelSet, f64)>>> {
        self.0.top_sets(features, count)
    }

    fn top_predictions(&self, features: &Matrix, count: usize) -> Result<Vec<Vec<Prediction>>> {
        self.0.top_predictions(features, count)
    }

    fn experts(&self) -> Vec<&Tree> {
        vec![&self.0]
    }

    fn store(&self) -> Stored {
        self.0.store()
    }
}
