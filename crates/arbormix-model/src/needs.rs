//! What a question or a decision rule is answered from, and so which methods can answer it.

/// What a question or a decision rule is answered from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Needs {
    /// P(label) of every label, which every method gives.
    Marginals,
    /// Label sets and their probabilities, which some methods without a joint distribution to ask give too: chains, say.
    Sets,
    /// The joint distribution of the row: methods that are made of label trees or of tables of label sets.
    Joint,
}
