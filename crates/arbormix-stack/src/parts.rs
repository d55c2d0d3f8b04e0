//! The lists of parts. A new part is a new file and a line here.

use crate::level0::Level0Part;
use crate::level0::forest::SetForest;
use crate::level0::regressions::Regressions;
use crate::level1::Level1Part;
use crate::level1::chain::Chain;
use crate::level1::label_sets::LabelSets;
use crate::level1::tied::TiedTrees;
use crate::level1::tree::Tree;

/// The parts of level 0, in the order in which the blend adds them up.
pub(crate) const LEVEL0: &[&dyn Level0Part] = &[&Regressions, &SetForest];

/// The parts of level 1, in the order of their weights. The label-set table stands before the parts that it reads, and a part
/// that can take the place of another stands after it.
pub(crate) const LEVEL1: &[&dyn Level1Part] = &[&LabelSets, &TiedTrees, &Tree, &Chain];
