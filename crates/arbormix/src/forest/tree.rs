//! One grown tree in flat arrays.

use crate::model::{ModelFileError, Stored};

/// Stands for "no feature": the node is a leaf.
const LEAF: u32 = u32::MAX;

/// A tree; its nodes stand in preorder, so the left child of a split is the next node.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct FlatTree {
    /// Feature that a node splits by, or [`LEAF`].
    features: Vec<u32>,
    /// Rows with a value up to this go left; 0 in leaves.
    thresholds: Vec<f64>,
    /// Right child of a split; number of a leaf.
    links: Vec<u32>,
    /// Where each leaf's shares begin, and at last their number.
    starts: Vec<u32>,
    classes: Vec<u32>,
    shares: Vec<f64>,
}

impl FlatTree {
    pub(super) fn nodes(&self) -> usize {
        self.features.len()
    }

    /// Adds a split whose right child is not known yet; gives its number.
    pub(super) fn push_split(&mut self, feature: u32, threshold: f64) -> usize {
        self.features.push(feature);
        self.thresholds.push(threshold);
        self.links.push(0);
        self.nodes() - 1
    }

    /// Says that the right child of a split is the node that comes next.
    pub(super) fn link_next(&mut self, split: usize) {
        self.links[split] = self.nodes() as u32;
    }

    /// Adds a leaf with the shares of its classes.
    pub(super) fn push_leaf(&mut self, shares: impl Iterator<Item = (u32, f64)>) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.features.push(LEAF);
        self.thresholds.push(0.0);
        self.links.push(self.starts.len() as u32 - 1);
        for (class, share) in shares {
            self.classes.push(class);
            self.shares.push(share);
        }
        self.starts.push(self.classes.len() as u32);
    }

    /// The leaves that rows fall into.
    pub(super) fn leaves<const N: usize>(&self, rows: [&[f64]; N]) -> [u32; N] {
        let mut nodes = [0; N];
        let mut on_the_way = true;
        while on_the_way {
            on_the_way = false;
            for (node, row) in nodes.iter_mut().zip(rows) {
                let feature = self.features[*node];
                if feature != LEAF {
                    let left = row[feature as usize] <= self.thresholds[*node];
                    *node = if left { *node + 1 } else { self.links[*node] as usize };
                    on_the_way = true;
                }
            }
        }
        nodes.map(|node| self.links[node])
    }

    /// Classes and shares of a leaf.
    pub(super) fn shares(&self, leaf: u32) -> (&[u32], &[f64]) {
        let leaf = leaf as usize;
        let range = self.starts[leaf] as usize..self.starts[leaf + 1] as usize;
        (&self.classes[range.clone()], &self.shares[range])
    }

    /// As tensors under `prefix`; numbers of features and nodes are exact in f64.
    pub(super) fn put(&self, stored: &mut Stored, prefix: &str) {
        let numbers = |items: &[u32]| items.iter().map(|&item| f64::from(item)).collect::<Vec<_>>();
        let feature = |&feature: &u32| if feature == LEAF { -1.0 } else { f64::from(feature) };
        let mut put = |name: &str, values: Vec<f64>| stored.put(format!("{prefix}{name}"), &[values.len()], values);
        put("features", self.features.iter().map(feature).collect());
        put("thresholds", self.thresholds.clone());
        put("links", numbers(&self.links));
        put("starts", numbers(&self.starts));
        put("classes", numbers(&self.classes));
        put("shares", self.shares.clone());
    }

    /// Brings back what [`FlatTree::put`] gave; a damaged tree is refused, so that walking down one always ends.
    pub(super) fn load(
        stored: &Stored,
        prefix: &str,
        features: usize,
        classes: usize,
    ) -> Result<FlatTree, ModelFileError> {
        let values = |name: &str| {
            let name = format!("{prefix}{name}");
            let length = stored.tensors.get(&name).map_or(0, |tensor| tensor.values.len());
            stored.tensor(&name, &[length]).map(<[f64]>::to_vec)
        };
        let numbers =
            |name: &str| values(name).map(|items| items.into_iter().map(|item| item as u32).collect::<Vec<_>>());
        let feature = |item: f64| if item < 0.0 { LEAF } else { item as u32 };
        let tree = FlatTree {
            features: values("features")?.into_iter().map(feature).collect(),
            thresholds: values("thresholds")?,
            links: numbers("links")?,
            starts: numbers("starts")?,
            classes: numbers("classes")?,
            shares: values("shares")?,
        };
        if tree.is_sound(features, classes) {
            return Ok(tree);
        }
        let message = "the nodes, leaves and classes of a tree of the forest do not fit together".to_string();
        Err(ModelFileError::Entry { name: format!("{prefix}features"), message })
    }

    fn is_sound(&self, features: usize, classes: usize) -> bool {
        let (nodes, leaves) = (self.nodes(), self.starts.len().saturating_sub(1));
        let good = |node: usize| {
            let link = self.links[node] as usize;
            match self.features[node] {
                LEAF => link < leaves,
                feature => (feature as usize) < features && node + 1 < link && link < nodes,
            }
        };
        nodes > 0
            && self.thresholds.len() == nodes
            && self.links.len() == nodes
            && (0..nodes).all(good)
            && self.starts.windows(2).all(|pair| pair[0] <= pair[1])
            && self.starts.last().is_some_and(|&end| end as usize == self.classes.len())
            && self.shares.len() == self.classes.len()
            && self.classes.iter().all(|&class| (class as usize) < classes)
    }
}
