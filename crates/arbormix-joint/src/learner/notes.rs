//! What several methods say or refuse about labels.

use arbormix_data::DataError;

use super::TrainingSet;
use crate::error::Result;

/// Errs if a label cell is unknown, for methods that cannot learn from the others alone.
pub fn require_observed(data: &TrainingSet<'_>, method: &'static str) -> Result<()> {
    let cells = data.labels.unknown();
    if cells == 0 {
        return Ok(());
    }
    let remedy = "remove these rows, fill in the cells, or use the methods stack, mlme or ctbn, which learn from the \
                  observed cells by EM, or br, which leaves unknown cells out";
    Err(DataError::UnknownLabels { cells, method, remedy }.into())
}

/// Notes on labels that are constant.
pub fn constant_label_notes(data: &TrainingSet<'_>) -> Vec<String> {
    let labels = data.labels;
    let note = |label: usize| {
        let known = (0..labels.rows()).filter_map(|row| labels.get(row, label));
        let (on, all) = known.fold((0, 0), |(on, all), present| (on + usize::from(present), all + 1));
        let name = &data.label_names[label];
        let place = if all < labels.rows() { "row where it is known" } else { "row" };
        match on {
            _ if all == 0 => Some(format!("label {name:?} is unknown in every row: nothing can be learned about it")),
            0 => Some(format!("label {name:?} is absent from every {place}: predicted by a smoothed constant")),
            _ if on == all => {
                Some(format!("label {name:?} is present in every {place}: predicted by a smoothed constant"))
            }
            _ => None,
        }
    };
    (0..labels.count()).filter_map(note).collect()
}

/// Says how many label cells are unknown.
pub fn unknown_cells_note(data: &TrainingSet<'_>) -> String {
    let (unknown, all) = (data.labels.unknown(), data.labels.rows() * data.labels.count());
    format!("{unknown} of {all} label cells are unknown: learned from the others by EM, as missing at random")
}
