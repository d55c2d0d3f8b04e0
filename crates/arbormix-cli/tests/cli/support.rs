//! A folder with small files, and the binary run in it.

use std::path::PathBuf;
use std::process::Output;

use assert_cmd::Command;
use tempfile::TempDir;

/// A folder that the binary runs in, so that paths in messages are short and known.
pub(crate) struct Folder(TempDir);

/// What a run gave.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// With `train.csv`, `test.csv` and a BR model of the first, `br.model`.
    pub(crate) fn with_model() -> Folder {
        let folder = Folder::new();
        folder.write("train.csv", table(40, 1));
        folder.write("test.csv", table(10, 2));
        folder.succeed("fit train.csv --labels cat,pet --method br -o br.model");
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), contents).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The binary with arguments separated by spaces.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command: Command = assert_cmd::cargo::cargo_bin_cmd!("arbormix");
        command.current_dir(self.0.path()).args(arguments.split_whitespace());
        command
    }

    pub(crate) fn run(&self, arguments: &str) -> Ran {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: status.code().unwrap(), stdout: text(stdout), stderr: text(stderr) }
    }

    /// Runs what must succeed and gives its standard output.
    pub(crate) fn succeed(&self, arguments: &str) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, 0, "arbormix {arguments}\n{}\n{}", ran.stdout, ran.stderr);
        ran.stdout
    }

    pub(crate) fn json(&self, arguments: &str) -> serde_json::Value {
        serde_json::from_str(&self.succeed(arguments)).unwrap()
    }
}

/// A CSV table with features `size`, `fur` and labels `cat`, `pet`: a cat is furry, and mostly a pet.
pub(crate) fn table(rows: usize, seed: u64) -> String {
    let mut state = seed;
    let mut uniform = || {
        // The multiplier of Knuth's MMIX; any numbers do, as long as they are always the same.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 24) as f64
    };
    let mut text = String::from("size,fur,cat,pet\n");
    for _ in 0..rows {
        let (size, fur) = (uniform(), uniform());
        let cat = fur + 0.4 * uniform() > 0.7;
        let pet = if cat { uniform() < 0.8 } else { size + 0.3 * uniform() > 0.9 };
        text.push_str(&format!("{size:.3},{fur:.3},{},{}\n", u8::from(cat), u8::from(pet)));
    }
    text
}
