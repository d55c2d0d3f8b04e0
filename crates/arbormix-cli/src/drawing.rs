//! Label trees as text and as DOT.

use std::fmt::Write;

use arbormix_joint::tree::Branching;

/// A forest with box-drawing characters, one label per line, children under their parent.
pub(crate) fn text(tree: &Branching, names: &[String]) -> String {
    let mut out = String::new();
    // (label, what stands before its line, what stands before its children's lines), last to be drawn first.
    let mut waiting: Vec<(usize, String, String)> =
        tree.children(None).into_iter().rev().map(|root| (root, String::new(), String::new())).collect();
    while let Some((label, own, below)) = waiting.pop() {
        out.push_str(&own);
        out.push_str(&names[label]);
        out.push('\n');
        for (place, child) in tree.children(Some(label)).into_iter().rev().enumerate() {
            let (branch, rest) = if place == 0 { ("└── ", "    ") } else { ("├── ", "│   ") };
            waiting.push((child, format!("{below}{branch}"), format!("{below}{rest}")));
        }
    }
    out
}

/// Forests as one DOT graph, a cluster for each.
pub(crate) fn dot(title: &str, trees: &[&Branching], names: &[String]) -> String {
    let mut out = format!("digraph {} {{\n", quoted(title));
    for (number, tree) in trees.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label = \"tree {}\";", number + 1);
        for (label, name) in names.iter().enumerate() {
            let _ = writeln!(out, "    t{number}_{label} [label = {}];", quoted(name));
        }
        for (label, parent) in tree.parents().iter().enumerate() {
            if let Some(parent) = parent {
                let _ = writeln!(out, "    t{number}_{parent} -> t{number}_{label};");
            }
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["animal", "cat", "indoor", "pet", "sofa \"x\""].map(String::from).to_vec()
    }

    fn tree() -> Branching {
        Branching::new(vec![None, Some(0), None, Some(0), Some(3)]).unwrap()
    }

    #[test]
    fn children_hang_under_their_parent() {
        let drawn = "animal\n├── cat\n└── pet\n    └── sofa \"x\"\nindoor\n";
        assert_eq!(text(&tree(), &names()), drawn);
    }

    #[test]
    fn lines_run_past_the_children_of_an_earlier_child() {
        let tree = Branching::new(vec![None, Some(0), Some(1), Some(0), None]).unwrap();
        assert_eq!(text(&tree, &names()), "animal\n├── cat\n│   └── indoor\n└── pet\nsofa \"x\"\n");
    }

    #[test]
    fn dot_names_every_node_and_edge() {
        let drawn = "digraph \"m\" {\n  subgraph cluster_0 {\n    label = \"tree 1\";\n    t0_0 [label = \"animal\"];\n    \
                     t0_1 [label = \"cat\"];\n    t0_2 [label = \"indoor\"];\n    t0_3 [label = \"pet\"];\n    \
                     t0_4 [label = \"sofa \\\"x\\\"\"];\n    t0_0 -> t0_1;\n    t0_0 -> t0_3;\n    t0_3 -> t0_4;\n  }\n}\n";
        assert_eq!(dot("m", &[&tree()], &names()), drawn);
    }
}
