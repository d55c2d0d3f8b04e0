//! One grown tree in flat arrays.

/// Stands for "no feature": the node is a leaf.
pub(crate) const LEAF: u32 = u32::MAX;

/// A tree. Nodes are in preorder, so the left child of a split is the next node.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FlatTree {
    /// Feature that a node splits by, or [`LEAF`].
    pub(crate) features: Vec<u32>,
    /// Rows with a value up to this go left; 0 in leaves.
    pub(crate) thresholds: Vec<f64>,
    /// Right child of a split; number of a leaf.
    pub(crate) links: Vec<u32>,
    /// Start of the shares of each leaf, followed by the number of all shares.
    starts: Vec<u32>,
    classes: Vec<u32>,
    shares: Vec<f64>,
}

impl FlatTree {
    pub(crate) fn nodes(&self) -> usize {
        self.features.len()
    }

    /// Adds a split whose right child is not known yet; returns its number.
    pub(crate) fn push_split(&mut self, feature: u32, threshold: f64) -> usize {
        self.features.push(feature);
        self.thresholds.push(threshold);
        self.links.push(0);
        self.nodes() - 1
    }

    /// Makes the next node the right child of a split.
    pub(crate) fn link_next(&mut self, split: usize) {
        self.links[split] = self.nodes() as u32;
    }

    /// Adds a leaf with the shares of its classes.
    pub(crate) fn push_leaf(&mut self, shares: impl Iterator<Item = (u32, f64)>) {
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
    pub(crate) fn leaves<const N: usize>(&self, rows: [&[f64]; N]) -> [u32; N] {
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
    pub(crate) fn shares(&self, leaf: u32) -> (&[u32], &[f64]) {
        let leaf = leaf as usize;
        let range = self.starts[leaf] as usize..self.starts[leaf + 1] as usize;
        (&self.classes[range.clone()], &self.shares[range])
    }
}
