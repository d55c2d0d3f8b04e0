//! Bad inputs: each gets its message, its exit code, and no file is left behind.

mod cases;
mod models;

use crate::support::Folder;

/// One bad input.
struct Case {
    name: &'static str,
    /// Names and contents, in parts.
    files: &'static [(&'static str, &'static [&'static str])],
    arguments: &'static str,
    code: i32,
    /// What the standard error stream says after "error: ".
    message: &'static str,
}

impl Case {
    fn check(&self) -> Result<(), String> {
        let folder = Folder::new();
        self.files.iter().for_each(|(name, parts)| folder.write(name, parts.concat()));
        let before = folder.names();
        let ran = folder.run(&format!("{} --quiet", self.arguments));
        let expected = format!("error: {}\n", self.message);
        let same = ran.code == self.code && ran.stderr == expected && ran.stdout.is_empty() && folder.names() == before;
        let found = format!("{} | {}{}", ran.code, ran.stderr, ran.stdout);
        if same { Ok(()) } else { Err(format!("{}: expected {} | {expected}found {found}", self.name, self.code)) }
    }
}

#[test]
fn every_bad_input_has_its_message() {
    let wrong: Vec<String> = cases::CASES.iter().filter_map(|case| case.check().err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn labels_that_never_change_work_with_a_note() {
    let folder = Folder::new();
    folder.write("p.csv", "size,fur,cat,pet\n0.5,0.1,1,0\n0.7,0.9,1,0\n0.2,0.4,1,1\n0.3,0.3,1,1\n");
    let ran = folder.run("fit p.csv --labels cat,pet --method br -o m");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let note = "note: label \"cat\" is present in every row: predicted by a smoothed constant\n";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    assert!(folder.succeed("predict m p.csv --json").lines().all(|line| line.contains("\"labels\":[\"cat\"")));
}

#[test]
fn one_row_works_with_notes() {
    let folder = Folder::new();
    folder.write("p.csv", "size,fur,cat,pet\n0.5,0.1,1,0\n");
    let ran = folder.run("fit p.csv --labels cat,pet -o m");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("note: 2 features are constant"), "{}", ran.stderr);
    assert!(ran.stderr.contains("note: label \"pet\" is absent from every row"), "{}", ran.stderr);
}
