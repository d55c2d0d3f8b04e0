//! Everything there is to say about the parameters of a method.

use serde_json::{Value as Json, json};

use super::group::within;
use super::{Allowed, Field, Group, Kind, Level, Preset, Variant};

/// One parameter that holds a value, with its place among the groups.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// Dotted name: `em.max_iterations`.
    pub path: String,
    /// Name in Python: the last part may differ by convention, and dots are underscores.
    pub python: String,
    /// The parameter itself.
    pub field: Field,
    /// For everyone only if all groups around it are.
    pub level: Level,
    /// Value in the recommended preset.
    pub default: Json,
    /// Value in the paper's preset.
    pub paper: Json,
}

impl Leaf {
    /// What it means, in one line.
    pub fn meaning(&self) -> String {
        joined(self.field.meaning)
    }
}

/// All parameters of a group, those for everyone first, otherwise in the order of their declaration.
pub fn leaves<G: Group>() -> Vec<Leaf> {
    let presets = Preset::ALL.map(|preset| G::preset(preset).write());
    let mut out = Vec::new();
    walk(G::FIELDS, "", "", Level::Main, &presets, &mut out);
    out.sort_by_key(|leaf| leaf.level == Level::Expert);
    out
}

fn walk(fields: &[Field], path: &str, python: &str, level: Level, presets: &[Json; 2], out: &mut Vec<Leaf>) {
    for field in fields {
        let path = within(path, field.name);
        let own = field.python.unwrap_or(field.name);
        // A group whose name says nothing in Python leaves it out.
        let python = match (python, own) {
            ("", own) => own.to_string(),
            (group, "") => group.to_string(),
            (group, own) => format!("{group}_{own}"),
        };
        let level = if level == Level::Main { field.level } else { Level::Expert };
        let values = [&presets[0][field.name], &presets[1][field.name]];
        match field.kind {
            Kind::Group(inner) => walk(inner, &path, &python, level, &values.map(Clone::clone), out),
            _ => {
                let [default, paper] = values.map(Clone::clone);
                out.push(Leaf { path, python, field: *field, level, default, paper });
            }
        }
    }
}

/// A parameter as JSON, for programs that show it.
pub fn describe_leaf(leaf: &Leaf) -> Json {
    json!({
        "name": leaf.path,
        "python": leaf.python,
        "level": if leaf.level == Level::Main { "main" } else { "expert" },
        "kind": kind(leaf.field.kind),
        "meaning": leaf.meaning(),
        "allowed": if leaf.field.allowed == Allowed::All { Json::Null } else { leaf.field.allowed.rule().into() },
        "default": leaf.default,
        "paper": leaf.paper,
    })
}

fn kind(of: &Kind) -> Json {
    match of {
        Kind::Number => json!({"is": "number"}),
        Kind::Count => json!({"is": "count"}),
        Kind::Flag => json!({"is": "flag"}),
        Kind::List(inner) => json!({"is": "list", "of": kind(inner)}),
        Kind::Optional(inner) => json!({"is": "optional", "of": kind(inner)}),
        Kind::Choice(variants) => json!({"is": "choice", "of": variants.iter().map(variant).collect::<Vec<_>>()}),
        Kind::Either(kinds) => json!({"is": "either", "of": kinds.iter().map(kind).collect::<Vec<_>>()}),
        Kind::Group(fields) => json!({"is": "group", "of": fields.iter().map(|field| field.name).collect::<Vec<_>>()}),
    }
}

fn variant(of: &Variant) -> Json {
    let fields: serde_json::Map<String, Json> =
        of.fields.iter().map(|(name, inner)| (name.to_string(), kind(inner))).collect();
    json!({
        "word": of.word,
        "meaning": joined(of.meaning),
        "holds": of.holds.map(kind),
        "fields": if fields.is_empty() { Json::Null } else { fields.into() },
    })
}

/// Lines of a doc comment as one line.
fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ").trim().to_string()
}
