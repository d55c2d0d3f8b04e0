//! The chain in a model file.

use serde::{Deserialize, Serialize};

use super::StackedChain;
use crate::predict::rows_of;
use arbormix_joint::tree::CliqueTree;
use arbormix_learn::store::{ModelFileError, Stored, agree};

/// What the file holds beside the tensors.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Facts {
    order: Vec<usize>,
    /// Places of the parents.
    parents: Vec<Vec<usize>>,
}

impl StackedChain {
    /// Adds the tensors; gives the facts.
    pub(crate) fn put(&self, stored: &mut Stored) -> Facts {
        let effects = self.effects.concat();
        stored.put("chain.own", &[self.own.len(), 2], self.own.concat());
        stored.put("chain.effects", &[effects.len(), 2], effects.concat());
        Facts { order: self.tree.order().to_vec(), parents: self.tree.parents().to_vec() }
    }

    /// Brings back what [`StackedChain::put`] gave.
    pub(crate) fn load(facts: &Facts, labels: usize, stored: &Stored) -> Result<StackedChain, ModelFileError> {
        let Facts { order, parents } = facts;
        agree("labels and places of the chain", labels, order.len())?;
        let Some(tree) = CliqueTree::new(order.clone(), parents.clone()) else {
            let message = "the chain's labels and their parents are no tree of cliques".to_string();
            return Err(ModelFileError::Entry { name: "facts".to_string(), message });
        };
        let own = rows_of(stored, "chain.own", labels)?;
        let count = parents.iter().map(Vec::len).sum();
        let mut all = rows_of(stored, "chain.effects", count)?.into_iter();
        let effects = parents.iter().map(|own| all.by_ref().take(own.len()).collect()).collect();
        Ok(StackedChain { tree, own, effects })
    }
}
