//! The options as declared questions.

use arbormix::Result;
use arbormix_model::ask::{About, Asked, Shape, Spec};

use super::Predict;
use crate::failure::Failure;

impl Predict {
    /// What is asked beside the most probable set, the marginals and `--top`, in the order of the columns.
    pub(super) fn extra(&self, known: bool) -> Result<Vec<Spec>, Failure> {
        let named = |name: &str| Spec::named(name).map_err(arbormix::Error::from);
        let flags =
            [(self.counts, "counts"), (self.label_counts, "label_counts"), (self.gate, "gate"), (self.pairs, "pairs")];
        let mut out = Vec::new();
        if known {
            out.push(named("known_probability")?);
        }
        if let Some(rule) = &self.rule {
            out.push(named("decision")?.with("rule", rule));
        }
        for text in &self.event {
            out.push(named("events")?.with("expression", text));
        }
        for (_, name) in flags.into_iter().filter(|(asked, _)| *asked) {
            out.push(named(name)?);
        }
        if let Some(count) = self.sample {
            out.push(named("samples")?.with("count", count));
        }
        if let Some(mass) = self.mass {
            out.push(named("credible")?.with("mass", mass));
        }
        for text in &self.ask {
            out.push(Spec::parse(text).map_err(|error| Failure::Usage(format!("--ask: {error}")))?);
        }
        Ok(out)
    }

    /// All questions: the most probable set, the marginals, `--top`, and the others.
    ///
    /// The options `--seed`, `--time-limit` and `--node-limit` are for every question that has such an argument.
    pub(super) fn asked(
        &self,
        about: &About<'_>,
        extra: Vec<Spec>,
        node_limit: Option<usize>,
        seed: Option<u64>,
    ) -> Result<Vec<Asked>, Failure> {
        let named = |name: &str| Spec::named(name).map_err(arbormix::Error::from);
        let mut specs = vec![named("map")?, named("marginals")?];
        if self.top > 0 {
            specs.push(named("top")?.with("count", self.top));
        }
        let base = specs.len();
        let options =
            [("seed", seed), ("time_limit", self.time_limit), ("node_limit", node_limit.map(|nodes| nodes as u64))];
        let mut out: Vec<Asked> = Vec::new();
        for (place, spec) in specs.into_iter().chain(extra).enumerate() {
            let with = |spec: Spec, (name, value): (&str, Option<u64>)| match value {
                Some(value) => spec.with_default(name, value),
                None => spec,
            };
            let asked = options.into_iter().fold(spec, with).ask(about)?;
            // The first question is the row itself, under no name; events share their key.
            let rest = out.iter().skip(usize::from(place >= base));
            let others: Vec<&Asked> = rest.filter(|other| other.name() == asked.name()).collect();
            if !others.is_empty() && !matches!(asked.shape(), Shape::Named(_)) {
                if others.iter().all(|other| other.arguments() == asked.arguments()) {
                    continue;
                }
                let message = "is asked twice, and a line has room for one answer; ask in another run";
                return Err(Failure::Usage(format!("--ask: {} {message}", asked.name())));
            }
            out.push(asked);
        }
        Ok(out)
    }
}
