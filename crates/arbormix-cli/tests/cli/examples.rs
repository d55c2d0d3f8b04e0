//! Every example that `--help` shows works, in the order in which a reader meets the commands.

use crate::support::Folder;

/// The lines under "Example" or "Examples".
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Example")).skip(1);
    lines.map_while(|line| line.trim().strip_prefix("arbormix ")).map(String::from).collect()
}

#[test]
fn every_example_in_the_help_works() {
    let folder = Folder::new();
    let help = folder.succeed("--help");
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(
        commands,
        [
            "demo",
            "describe",
            "fit",
            "predict",
            "explain",
            "evaluate",
            "inspect",
            "crossval",
            "compare",
            "paper",
            "data",
            "methods",
            "questions",
            "help"
        ]
    );
    for command in commands.iter().filter(|&&command| command != "help") {
        let examples = examples(&folder.succeed(&format!("{command} --help")));
        assert!(!examples.is_empty(), "{command} has no example");
        for example in examples {
            assert!(example.starts_with(command), "{command}: {example}");
            assert!(!folder.succeed(&example).is_empty() || example.contains(" -o "), "{example} prints nothing");
        }
    }
}
