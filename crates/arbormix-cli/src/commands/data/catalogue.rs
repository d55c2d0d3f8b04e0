//! The data sets that can be fetched: what they are, where they lie, and how to know that they arrived whole.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Names at least so similar (Jaro-Winkler, 0 to 1) to an unknown one are suggested.
const NEAR: f64 = 0.8;

/// Names suggested at most.
const MOST_SUGGESTIONS: usize = 3;

/// Data sets with a common address.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Catalogue {
    /// What the paths of the files are relative to.
    pub(super) base_url: String,
    /// What is known of the licence.
    pub(super) licence: String,
    pub(super) sets: Vec<DataSet>,
}

/// A data set.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DataSet {
    pub(super) name: String,
    /// What the labels are.
    pub(super) about: String,
    /// Whom to cite.
    pub(super) source: String,
    pub(super) rows: usize,
    pub(super) features: usize,
    pub(super) labels: usize,
    pub(super) files: Vec<RemoteFile>,
}

/// A file of a data set.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RemoteFile {
    /// Relative to the catalogue's address; its last part is the file's name in the cache.
    pub(super) path: String,
    /// In lower-case hexadecimal digits.
    pub(super) sha256: String,
    /// Size, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<u64>,
}

impl RemoteFile {
    /// The file's name in the cache.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

impl Catalogue {
    /// The one that comes with the program.
    pub(super) fn built_in() -> Result<Catalogue, Failure> {
        Catalogue::parse(include_str!("catalogue.json"), "the built-in catalogue")
    }

    /// A catalogue of the user's own.
    pub(super) fn read(path: &Path) -> Result<Catalogue, Failure> {
        let text = std::fs::read_to_string(path).map_err(arbormix::Error::io(path))?;
        Catalogue::parse(&text, &path.display().to_string())
    }

    fn parse(text: &str, place: &str) -> Result<Catalogue, Failure> {
        let form = "`arbormix data list --json` shows the form";
        let catalogue: Catalogue =
            serde_json::from_str(text).map_err(|e| Failure::Work(format!("{place}: {e}; {form}")))?;
        for set in &catalogue.sets {
            for name in std::iter::once(set.name.as_str()).chain(set.files.iter().map(RemoteFile::name)) {
                // Names become folders and files of the cache and must not lead out of it.
                if !is_plain(name) {
                    return Err(Failure::Work(format!("{place}: {name:?} cannot be the name of a file")));
                }
            }
            let is_sum = |sum: &str| sum.len() == 64 && sum.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
            if let Some(file) = set.files.iter().find(|file| !is_sum(&file.sha256)) {
                let rule = "is no SHA-256: write 64 digits from 0 to 9 and a to f";
                return Err(Failure::Work(format!("{place}: {}: {:?} {rule}", file.path, file.sha256)));
            }
        }
        Ok(catalogue)
    }

    /// The data set of this name, in any case.
    pub(super) fn find(&self, name: &str) -> Result<&DataSet, Failure> {
        let found = self.sets.iter().find(|set| set.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            let near = self.near(&name.to_ascii_lowercase());
            let hint = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) };
            Failure::Usage(format!(
                "there is no data set {name:?} in the catalogue{hint}; `arbormix data list` shows all"
            ))
        })
    }

    /// Names like this one, most similar first.
    fn near(&self, name: &str) -> Vec<&str> {
        let score = |set: &DataSet| strsim::jaro_winkler(name, &set.name.to_ascii_lowercase());
        let mut near: Vec<(f64, &str)> = self.sets.iter().map(|set| (score(set), set.name.as_str())).collect();
        near.retain(|(score, _)| *score >= NEAR);
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        near.into_iter().take(MOST_SUGGESTIONS).map(|(_, name)| name).collect()
    }
}

fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
}

#[cfg(test)]
mod tests {
    use arbormix_data::formats::{ReadOptions, read};

    use super::super::download::sha256_of;
    use super::*;

    #[test]
    fn the_built_in_catalogue_is_complete() {
        let catalogue = Catalogue::built_in().unwrap();
        assert!(catalogue.base_url.starts_with("https://") && catalogue.base_url.ends_with('/'));
        let names: std::collections::BTreeSet<&str> = catalogue.sets.iter().map(|set| set.name.as_str()).collect();
        assert_eq!(names.len(), catalogue.sets.len());
        for set in &catalogue.sets {
            let count = |ending: &str| set.files.iter().filter(|file| file.path.ends_with(ending)).count();
            assert!(count(".arff") >= 1 && count(".xml") == 1, "{}", set.name);
        }
    }

    #[test]
    fn checksums_and_shapes_are_those_of_the_benchmark_files() {
        let folder = std::env::var("ARBORMIX_DATA")
            .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").to_string());
        let catalogue = Catalogue::built_in().unwrap();
        for name in ["emotions", "enron"] {
            let path = Path::new(&folder).join(format!("{name}.arff"));
            if !path.exists() {
                eprintln!("skipped: there is no {}; set ARBORMIX_DATA", path.display());
                continue;
            }
            let set = catalogue.find(name).unwrap();
            for file in &set.files {
                let path = Path::new(&folder).join(file.name());
                assert_eq!(sha256_of(&path).unwrap(), file.sha256, "{}", file.path);
                assert_eq!(Some(path.metadata().unwrap().len()), file.bytes, "{}", file.path);
            }
            let data = read(&path, &ReadOptions::default()).unwrap();
            assert_eq!(
                [data.rows(), data.columns().len(), data.labels().count()],
                [set.rows, set.features, set.labels]
            );
        }
    }

    #[test]
    fn unknown_names_get_near_ones() {
        let catalogue = Catalogue::built_in().unwrap();
        assert_eq!(catalogue.find("Emotions").unwrap().name, "emotions");
        let said = |name: &str| catalogue.find(name).unwrap_err().to_string();
        assert!(said("emotoins").contains("did you mean emotions?"), "{}", said("emotoins"));
        assert!(said("corel").contains("did you mean corel5k"), "{}", said("corel"));
        assert!(!said("xyzzy").contains("did you mean"), "{}", said("xyzzy"));
    }

    #[test]
    fn catalogues_that_lead_out_of_the_cache_are_refused() {
        let text = |name: &str, path: &str, sum: &str| {
            format!(
                r#"{{"base_url": "", "licence": "", "sets": [{{"name": "{name}", "about": "", "source": "", "rows": 1,
                "features": 1, "labels": 1, "files": [{{"path": "{path}", "sha256": "{sum}"}}]}}]}}"#
            )
        };
        let sum = "0".repeat(64);
        assert!(Catalogue::parse(&text("a", "b/c.arff", &sum), "mine").is_ok());
        for (name, path, sum) in [("..", "c", &*sum), ("a/b", "c", &sum), ("a", "b/..", &sum), ("a", "b/", &sum)] {
            let refused = Catalogue::parse(&text(name, path, sum), "mine").unwrap_err().to_string();
            assert!(refused.starts_with("mine: ") && refused.contains("name of a file"), "{refused}");
        }
        assert!(Catalogue::parse(&text("a", "c", "ABC"), "mine").unwrap_err().to_string().contains("no SHA-256"));
    }
}
