//! The chain in a model file.

use serde::{Deserialize, Serialize};

use super::StackedChain;
use crate::stored::{add_facts, rows_of};
use arbormix_joint::tree::CliqueTree;
use arbormix_learn::store::{ModelFileError, Stored, agree};

/// What the file holds beside the tensors.
#[derive(Serialize, Deserialize)]
struct ChainFacts {
    chain: Structure,
}

#[derive(Serialize, Deserialize)]
struct Structure {
    order: Vec<usize>,
    /// Places of the parents in the order.
    parents: Vec<Vec<usize>>,
}

impl StackedChain {
    /// Writes facts and tensors.
    pub(super) fn put(&self, file: &mut Stored) {
        let effects = self.effects.concat();
        file.put("chain.own", &[self.own.len(), 2], self.own.concat());
        file.put("chain.effects", &[effects.len(), 2], effects.concat());
        let chain = Structure { order: self.tree.order().to_vec(), parents: self.tree.parents().to_vec() };
        add_facts(file, &ChainFacts { chain });
    }

    /// Loads what [`StackedChain::put`] wrote.
    pub(super) fn from_file(stored: &Stored, labels: usize) -> Result<StackedChain, ModelFileError> {
        let ChainFacts { chain: Structure { order, parents } } = stored.facts_as()?;
        agree("labels and places of the chain", labels, order.len())?;
        let Some(tree) = CliqueTree::new(order, parents.clone()) else {
            let message = "the labels of the chain and their parents do not form a tree of cliques".to_string();
            return Err(ModelFileError::Entry { name: "facts".to_string(), message });
        };
        let own = rows_of(stored, "chain.own", labels)?;
        let count = parents.iter().map(Vec::len).sum();
        let mut all = rows_of(stored, "chain.effects", count)?.into_iter();
        let effects = parents.iter().map(|own| all.by_ref().take(own.len()).collect()).collect();
        Ok(StackedChain { tree, own, effects })
    }
}
