//! A forest in a file: its trees one after the other, without what follows from the order of the nodes.
//!
//! Nodes are in preorder, so the place of a right child need not be stored. There are four tensors: for each node the
//! feature of a split, or −1 − the number of classes of a leaf; for each split its threshold; for each leaf its
//! classes; and their shares, unless a leaf has a single class, with share 1.

use serde::{Deserialize, Serialize};

use super::Forest;
use super::tree::{FlatTree, LEAF};

use crate::store::{ModelFileError, Stored};

#[derive(Serialize, Deserialize)]
struct Facts {
    trees: usize,
    features: usize,
    classes: usize,
}

impl Forest {
    /// What a file must hold to bring the forest back bit by bit.
    pub fn store(&self) -> Stored {
        let facts = Facts { trees: self.trees.len(), features: self.features, classes: self.classes };
        let mut stored = Stored::with_facts(&facts);
        let (mut features, mut thresholds, mut classes, mut shares) = (vec![], vec![], vec![], vec![]);
        for tree in &self.trees {
            for node in 0..tree.nodes() {
                if tree.features[node] != LEAF {
                    features.push(f64::from(tree.features[node]));
                    thresholds.push(tree.thresholds[node]);
                    continue;
                }
                let (own, own_shares) = tree.shares(tree.links[node]);
                features.push(-1.0 - own.len() as f64);
                classes.extend(own.iter().map(|&class| f64::from(class)));
                shares.extend_from_slice(if own.len() == 1 { &[] } else { own_shares });
            }
        }
        for (name, values) in
            [("features", features), ("thresholds", thresholds), ("classes", classes), ("shares", shares)]
        {
            stored.put(name, &[values.len()], values);
        }
        stored
    }

    /// Loads what [`Forest::store`] gave. A damaged forest is refused, so that walking down a tree always ends.
    pub fn load(stored: &Stored) -> Result<Forest, ModelFileError> {
        let Facts { trees, features, classes } = stored.facts_as()?;
        let mut reader = Reader {
            nodes: values(stored, "features")?,
            thresholds: values(stored, "thresholds")?,
            classes: values(stored, "classes")?,
            shares: values(stored, "shares")?,
            feature_count: features as f64,
            class_count: classes as f64,
        };
        let read: Option<Vec<FlatTree>> = (0..trees).map(|_| reader.tree()).collect();
        let trees = read.filter(|_| reader.is_at_end()).ok_or_else(|| {
            let message = "the nodes, leaves and classes of the forest do not fit together".to_string();
            ModelFileError::Entry { name: "features".to_string(), message }
        })?;
        Ok(Forest { trees, features, classes })
    }
}

fn values<'a>(stored: &'a Stored, name: &str) -> Result<std::slice::Iter<'a, f64>, ModelFileError> {
    let length = stored.tensors.get(name).map_or(0, |tensor| tensor.values.len());
    Ok(stored.tensor(name, &[length])?.iter())
}

/// The part that is not read yet.
struct Reader<'a> {
    nodes: std::slice::Iter<'a, f64>,
    thresholds: std::slice::Iter<'a, f64>,
    classes: std::slice::Iter<'a, f64>,
    shares: std::slice::Iter<'a, f64>,
    feature_count: f64,
    class_count: f64,
}

impl Reader<'_> {
    /// The next tree; `None` if it is incomplete, or has features or classes that do not exist.
    fn tree(&mut self) -> Option<FlatTree> {
        let mut tree = FlatTree::default();
        // Splits whose left side is being read.
        let mut open = Vec::new();
        loop {
            let node = *self.nodes.next().filter(|node| node.fract() == 0.0)?;
            if node >= 0.0 {
                let &threshold = self.thresholds.next().filter(|threshold| threshold.is_finite())?;
                let feature = Some(node).filter(|&feature| feature < self.feature_count)?;
                open.push(tree.push_split(feature as u32, threshold));
                continue;
            }
            tree.push_leaf(self.leaf(-1.0 - node)?.into_iter());
            match open.pop() {
                Some(split) => tree.link_next(split),
                None => return Some(tree),
            }
        }
    }

    fn leaf(&mut self, count: f64) -> Option<Vec<(u32, f64)>> {
        let mut own = Vec::new();
        for _ in 0..count as usize {
            let class = *self.classes.next().filter(|class| class.fract() == 0.0)?;
            let share =
                if count == 1.0 { 1.0 } else { *self.shares.next().filter(|share| (0.0..=1.0).contains(*share))? };
            own.push((Some(class).filter(|class| (0.0..self.class_count).contains(class))? as u32, share));
        }
        Some(own)
    }

    fn is_at_end(&self) -> bool {
        [&self.nodes, &self.thresholds, &self.classes, &self.shares].iter().all(|rest| rest.len() == 0)
    }
}
