//! Questions to many rows.

use super::answer::Answer;
use super::asked::Asked;
use super::row::Row;
use crate::model::Model;
use crate::needs::Needs;
use crate::scoring::each_block;
use arbormix_base::progress::Progress;
use arbormix_data::DataError;
use arbormix_joint::Result;
use arbormix_joint::joint::{RowMixture, Rows};
use arbormix_joint::learner::Inference;
use arbormix_joint::question::Known;
use arbormix_matrix::Matrix;

/// A model and the encoded rows that it is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// The model.
    pub model: &'a Model,
    /// The encoded rows.
    pub features: &'a Matrix,
    /// What is known of each row, if anything is.
    pub known: Option<&'a [Known]>,
}

impl Asking<'_> {
    /// Answers one question for every row: by the method itself if it does that and nothing is known, else from the joint
    /// distribution.
    pub fn answer(&self, asked: &Asked, progress: &dyn Progress, take: &mut dyn FnMut(Answer)) -> Result<()> {
        let has_joint = self.model.predictor().has_distributions();
        let by_method = asked.needs() != Needs::Joint && (asked.own().is_some() || !has_joint);
        if self.known.is_none() && by_method {
            return self.by_method(asked, None, "answering", progress, take);
        }
        let mut take_all = |answers: Vec<Answer>| answers.into_iter().for_each(&mut *take);
        self.from_joint(std::slice::from_ref(asked), progress, &mut take_all)
    }

    /// Answers all questions for every row from its joint distribution, given what is known; refused by methods that have
    /// none.
    pub fn from_joint(
        &self,
        asked: &[Asked],
        progress: &dyn Progress,
        take: &mut dyn FnMut(Vec<Answer>),
    ) -> Result<()> {
        asked.iter().try_for_each(|asked| self.check(asked))?;
        let predictor = self.model.predictor();
        let answers = |number: usize, mixture: &RowMixture<'_>| -> Result<Vec<Answer>> {
            let given = self.known.map(|known| mixture.given(&known[number])).transpose()?;
            let (mixture, log_known) =
                given.as_ref().map_or((mixture, 0.0), |given| (&given.mixture, given.log_probability));
            let row = Row::of_joint(number, predictor.method(), mixture, log_known);
            asked.iter().map(|asked| asked.answer(&row)).collect()
        };
        each_block(self.features, Inference::default(), "answering", progress, |first, some| {
            let rows = Rows::of(predictor, some)?.ask(|row, mixture| answers(first + row, mixture));
            rows.into_iter().try_for_each(|row| {
                take(row?);
                Ok(())
            })
        })
    }

    /// Answers one question for every row without a joint distribution: as the method itself does, or from the marginals
    /// (`marginals`, if they are there already). Refused for questions that need more.
    pub fn by_method(
        &self,
        asked: &Asked,
        marginals: Option<&[Vec<f64>]>,
        stage: &str,
        progress: &dyn Progress,
        take: &mut dyn FnMut(Answer),
    ) -> Result<()> {
        self.check(asked)?;
        let predictor = self.model.predictor();
        if let Some(own) = asked.own() {
            if own.together {
                progress.begin(stage, self.features.rows());
                (own.answer)(predictor, 0, self.features)?.into_iter().for_each(take);
                return Ok(());
            }
            return each_block(self.features, Inference::default(), stage, progress, |first, some| {
                (own.answer)(predictor, first, some)?.into_iter().for_each(&mut *take);
                Ok(())
            });
        }
        if asked.needs() != Needs::Marginals {
            return Err(Rows::unsupported(predictor.method()));
        }
        let mut answer = |number: usize, marginals: &[f64]| -> Result<()> {
            take(asked.answer(&Row::of_marginals(number, predictor.method(), marginals))?);
            Ok(())
        };
        if let Some(marginals) = marginals {
            return marginals.iter().enumerate().try_for_each(|(row, marginals)| answer(row, marginals));
        }
        each_block(self.features, Inference::default(), stage, progress, |first, some| {
            let marginals = predictor.marginals(some)?;
            (0..some.rows()).try_for_each(|row| answer(first + row, marginals.row(row)))
        })
    }

    /// Errs if what is known or what is asked is about another number of rows.
    fn check(&self, asked: &Asked) -> Result<()> {
        let right = self.features.rows();
        let what = [
            ("rows of known labels and of features", self.known.map(<[_]>::len)),
            ("rows of label sets and of features", asked.rows()),
        ];
        match what.into_iter().find(|(_, rows)| rows.is_some_and(|rows| rows != right)) {
            Some((what, Some(left))) => Err(DataError::Sizes { what, left, right }.into()),
            _ => Ok(()),
        }
    }
}
