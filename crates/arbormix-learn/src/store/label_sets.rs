//! Label sets in a file's facts: the labels present in each.

use super::ModelFileError;
use arbormix_data::LabelSet;

/// The labels present in each set.
pub fn members_of(sets: &[LabelSet]) -> Vec<Vec<usize>> {
    sets.iter().map(|set| set.members().collect()).collect()
}

/// Loads what [`members_of`] gave for ascending sets over `labels` labels.
pub fn sets_of(labels: usize, members: &[Vec<usize>]) -> Result<Vec<LabelSet>, ModelFileError> {
    let refused = |message: &str| ModelFileError::Entry { name: "facts".to_string(), message: message.to_string() };
    if members.iter().flatten().any(|&label| label >= labels) {
        return Err(refused("a label set has labels that do not exist"));
    }
    let set = |members: &Vec<usize>| {
        let mut set = LabelSet::empty(labels);
        members.iter().for_each(|&label| set.set(label, true));
        set
    };
    let sets: Vec<LabelSet> = members.iter().map(set).collect();
    if sets.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(refused("the label sets do not ascend"));
    }
    Ok(sets)
}
