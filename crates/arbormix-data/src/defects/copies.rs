//! Features that are copies of a label.

use super::Defect;
use crate::Dataset;

/// Labels with fewer rows are not tested.
const RARE: usize = 5;
/// A copy differs from its label, or from the opposite of the label, in at most this fraction of the rows with the
/// label or of the rows without it, whichever are fewer.
const DIFFERENT: f64 = 0.02;

/// A column as a yes/no question.
#[derive(Clone, Copy)]
enum Question {
    /// Is the cell different from 0? For columns that contain 0.
    Present,
    /// Is the cell different from the first row? For columns with two values, neither of them 0.
    Other(f64),
}

impl Question {
    fn asks(self, value: f64) -> bool {
        match self {
            Question::Present => value != 0.0,
            Question::Other(first) => value != first,
        }
    }
}

/// Features that agree with a label or with its opposite. Missing cells count as no.
pub(super) fn find(data: &Dataset) -> Vec<Defect> {
    let questions = questions(data);
    let mut yes = vec![0_usize; questions.len()];
    for_each_yes(data, &questions, |_, column| yes[column] += 1);
    let mut of_label = vec![0_usize; data.labels().count()];
    data.labels().sets().iter().for_each(|set| set.members().for_each(|label| of_label[label] += 1));
    // Sets of very different sizes cannot be nearly equal, so few pairs need to be counted.
    let mut pairs: Vec<Vec<(usize, usize)>> = vec![Vec::new(); questions.len()];
    for (column, question) in questions.iter().enumerate() {
        if question.is_some() {
            let near = |&label: &usize| {
                let (count, no) = (of_label[label], data.rows() - of_label[label]);
                count >= RARE && no >= RARE && (alike(yes[column], count) || alike(yes[column], no))
            };
            pairs[column] = (0..of_label.len()).filter(near).map(|label| (label, 0)).collect();
        }
    }
    for_each_yes(data, &questions, |row, column| {
        for (label, both) in &mut pairs[column] {
            *both += usize::from(data.labels().row(row).get(*label));
        }
    });
    let mut found = Vec::new();
    for (column, pairs) in pairs.iter().enumerate() {
        for &(label, both) in pairs {
            let (yes, count) = (yes[column], of_label[label]);
            let same = yes + count - 2 * both;
            let exceptions = same.min(data.rows() - same);
            if exceptions as f64 <= DIFFERENT * count.min(data.rows() - count) as f64 {
                found.push(Defect::CopiedLabel {
                    feature: data.columns()[column].name.clone(),
                    label: data.label_names()[label].clone(),
                    exceptions,
                });
            }
        }
    }
    found
}

/// Whether sets of these sizes can be nearly equal.
fn alike(first: usize, second: usize) -> bool {
    first.abs_diff(second) as f64 <= DIFFERENT * first.max(second) as f64
}

/// Which question each column answers; `None` for columns that are never 0 and have more than two values, or only one.
fn questions(data: &Dataset) -> Vec<Option<Question>> {
    let columns = data.columns().len();
    let (mut present, mut values) = (vec![0_usize; columns], vec![[None; 2]; columns]);
    let mut more = vec![false; columns];
    for row in 0..data.rows() {
        data.features().visit_row(row, |column, value| {
            if value == 0.0 || value.is_nan() {
                return;
            }
            present[column] += 1;
            match &mut values[column] {
                [Some(first), _] if *first == value => {}
                [_, Some(second)] if *second == value => {}
                [first @ None, _] => *first = Some(value),
                [_, second @ None] => *second = Some(value),
                _ => more[column] = true,
            }
        });
    }
    let question = |column: usize| match values[column] {
        _ if present[column] < data.rows() => Some(Question::Present),
        [Some(first), Some(_)] if !more[column] => Some(Question::Other(first)),
        _ => None,
    };
    (0..columns).map(question).collect()
}

/// Visits every row and column whose question is answered with yes.
fn for_each_yes(data: &Dataset, questions: &[Option<Question>], mut visit: impl FnMut(usize, usize)) {
    for row in 0..data.rows() {
        data.features().visit_row(row, |column, value| {
            if questions[column].is_some_and(|question| !value.is_nan() && question.asks(value)) {
                visit(row, column);
            }
        });
    }
}
