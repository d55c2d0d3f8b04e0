//! Groups of parameters.

use serde_json::Value as Json;

use super::{Field, ParamError, Value};

/// Declares a group of parameters; the [module](mod@crate::params) has an example.
///
/// Each line is `name: Type = default;`, with these after the default, in this order and each only if needed:
/// `paper = value` (the paper's preset), `allowed = Allowed::…`, `level = main` (for everyone), `python = "name"`. The type is a
/// [`Value`](crate::params::Value): a number, a flag, a list, a choice or another group. The group gets a builder method for
/// every parameter, so that a new one breaks no caller.
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident $(: $($extra:ident),+)? {
            $(
                $(#[doc = $meaning:literal])+
                $field:ident : $kind:ty = $default:expr
                $(, paper = $paper:expr)?
                $(, allowed = $allowed:expr)?
                $(, level = $level:ident)?
                $(, python = $python:literal)?
                ;
            )*
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq $($(, $extra)+)?)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[doc = $meaning])+ pub $field: $kind, )*
        }

        #[allow(unreachable_pub, dead_code)]
        impl $name {
            $(
                $(#[doc = $meaning])+
                #[must_use]
                pub fn $field(mut self, value: impl $crate::params::Given<$kind>) -> $name {
                    self.$field = value.given();
                    self
                }
            )*
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $( $field: $default, )* }
            }
        }

        impl $crate::params::Group for $name {
            const FIELDS: &'static [$crate::params::Field] = &[
                $(
                    $crate::params::Field {
                        name: stringify!($field),
                        meaning: &[$($meaning),+],
                        kind: &<$kind as $crate::params::Value>::KIND,
                        allowed: $crate::params!(@or [$($allowed)?] [$crate::params::Allowed::All]),
                        level: $crate::params!(@level $($level)?),
                        python: $crate::params!(@some $($python)?),
                    },
                )*
            ];

            fn paper() -> $name {
                $name { $( $field: $crate::params!(@or [$($paper)?] [$default]), )* }
            }
        }

        impl $crate::params::Value for $name {
            const KIND: $crate::params::Kind =
                $crate::params::Kind::Group(<$name as $crate::params::Group>::FIELDS);

            fn write(&self) -> $crate::params::serde_json::Value {
                let mut out = $crate::params::serde_json::Map::new();
                $( out.insert(stringify!($field).to_string(), $crate::params::Value::write(&self.$field)); )*
                out.into()
            }

            fn set(
                &mut self,
                given: &$crate::params::serde_json::Value,
                path: &str,
            ) -> Result<(), $crate::params::ParamError> {
                let $crate::params::serde_json::Value::Object(given) = given else {
                    return Err($crate::params::expected(&Self::KIND, given, path));
                };
                for (name, value) in given {
                    match name.as_str() {
                        $( stringify!($field) => $crate::params::set_field(&mut self.$field, value, path, name)?, )*
                        _ => return Err($crate::params::unknown(<$name as $crate::params::Group>::FIELDS, path, name)),
                    }
                }
                Ok(())
            }
        }

        $crate::params!(@serde $name);
    };
    (@or [$value:expr] [$other:expr]) => { $value };
    (@or [] [$other:expr]) => { $other };
    (@level main) => { $crate::params::Level::Main };
    (@level) => { $crate::params::Level::Expert };
    (@some $value:literal) => { Some($value) };
    (@some) => { None };
    (@serde $name:ident) => {
        impl $crate::params::serde::Serialize for $name {
            fn serialize<S: $crate::params::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::params::serde::Serialize::serialize(&$crate::params::Value::write(self), serializer)
            }
        }

        impl<'de> $crate::params::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::params::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let given = <$crate::params::serde_json::Value as $crate::params::serde::Deserialize>::deserialize(deserializer)?;
                let mut out = <$name as Default>::default();
                $crate::params::Value::set(&mut out, &given, "")
                    .map_err($crate::params::serde::de::Error::custom)?;
                Ok(out)
            }
        }
    };
}

/// The dotted name of a parameter within a group.
pub(super) fn within(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

/// Sets one parameter of a group.
pub fn set_field<V: Value>(field: &mut V, given: &Json, path: &str, name: &str) -> Result<(), ParamError> {
    field.set(given, &within(path, name))
}

/// The error for a name that a group does not have.
pub fn unknown(fields: &[Field], path: &str, name: &str) -> ParamError {
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    let near = nearest(name, &names).map(|name| within(path, name));
    ParamError::UnknownName { name: within(path, name), known: names.join(", "), near, methods: Vec::new() }
}

/// The name that a misspelled one is most like, if it is like one.
pub fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    /// Names that have less in common than this are not taken for each other.
    const ALIKE: f64 = 0.75;
    let alike = names.iter().map(|other| (strsim::jaro_winkler(name, other), *other));
    alike.filter(|(score, _)| *score > ALIKE).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, other)| other)
}
