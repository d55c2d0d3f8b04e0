//! What the demo says, and which tree and photo it shows.

use arbormix::{Model, Prediction};
use arbormix_data::{Dataset, LabelSet};

use super::cells;
use crate::drawing;
use crate::failure::Failure;

pub(super) const AFTER_TABLE: &str = "\
BR tags each tag alone, CTBN joins the tags in one tree, ML-ME mixes several
trees. The last line knows the distribution the tags were drawn from: nobody
can expect more photos with all tags right, or a lower log loss.
";

pub(super) const NEXT: &str = "
Try next:
  arbormix demo --write .                               these photos as files
  arbormix fit photos-train.arff -o photos.model --experts auto
  arbormix predict photos.model photos-test.arff --top 3
  arbormix evaluate photos.model photos-test.arff --per-label
  arbormix inspect photos.model
and then with a file of your own: arbormix describe FILE
";

pub(super) fn opening(training_rows: usize, test_rows: usize) -> String {
    format!(
        "Photos with seven tags. At home a cat is a pet, in nature a wild animal: how\n\
         tags go together depends on the photo. Learned from {training_rows} photos, tested on\n\
         {test_rows} others:\n\n"
    )
}

/// The tree of the expert that the gate uses most.
pub(super) fn tree(model: &Model, test: &Dataset) -> Result<String, Failure> {
    let trees = model.predictor().trees();
    let gate = model.predictor().gate(model.encode(test)?.as_ref());
    let share = |expert: usize| {
        let mean = |gate: &arbormix_matrix::DenseMatrix| {
            (0..gate.rows()).map(|row| gate.get(row, expert)).sum::<f64>() / gate.rows() as f64
        };
        gate.as_ref().map_or(0.0, mean)
    };
    let best = (0..trees.len()).max_by(|&a, &b| share(a).total_cmp(&share(b)));
    let Some((expert, tree)) = best.map(|expert| (expert, trees[expert])) else {
        return Ok(String::new());
    };
    Ok(format!(
        "\nML-ME has {} experts. The one that counts most ({:.0} %) has this tree:\n\n{}",
        trees.len(),
        100.0 * share(expert),
        indent(&drawing::text(tree, &model.schema().label_names))
    ))
}

/// The first test photo that ML-ME gets right and BR gets wrong; says that it was chosen so.
pub(super) fn prediction(independent: &Model, mixture: &Model, test: &Dataset) -> Result<String, Failure> {
    let (alone, joint) = (independent.predict(test)?, mixture.predict(test)?);
    let truth = test.labels();
    let tells = |row: &usize| joint[*row].labels == *truth.row(*row) && alone[*row].labels != *truth.row(*row);
    let Some(row) = (0..test.rows()).find(tells) else {
        return Ok(String::new());
    };
    let names = test.label_names();
    let features = cells(test.features(), row);
    let mut strongest: Vec<usize> = (0..features.len()).collect();
    strongest.sort_by(|&a, &b| features[b].total_cmp(&features[a]));
    let seen: Vec<&str> =
        strongest[..2.min(strongest.len())].iter().map(|&c| test.columns()[c].name.as_str()).collect();
    let says = |prediction: &Prediction| words(&prediction.labels, names);
    let chance = joint[row].log_probability.map_or(String::new(), |log| format!(" ({:.0} % sure)", 100.0 * log.exp()));
    let proof = if joint[row].certificate.is_some_and(|c| c.certified) { ", proven to be its best answer" } else { "" };
    Ok(format!(
        "\nThe first test photo that ML-ME gets right and BR does not has much\n{}. Its tags: {}.\n  BR says    {}\n  ML-ME says {}{chance}{proof}\n",
        seen.join(" and "),
        words(truth.row(row), names),
        says(&alone[row]),
        says(&joint[row])
    ))
}

fn words(set: &LabelSet, names: &[String]) -> String {
    let present: Vec<&str> = set.members().map(|label| names[label].as_str()).collect();
    if present.is_empty() { "no tag".to_string() } else { present.join(", ") }
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}
