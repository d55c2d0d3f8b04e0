//! Parameters that are one of several words.

use serde_json::Value as Json;

use super::{Kind, ParamError};

/// Declares a parameter that is one of several words. A word may hold a value, or named values:
///
/// ```
/// use arbormix_base::params::Value;
/// use serde_json::json;
///
/// arbormix_base::choices! {
///     /// Which rows are held out.
///     pub enum Scoring: Copy {
///         /// All of them in turn, in this many folds.
///         Folds(usize) = "folds",
///         /// A share of them.
///         Holdout(f64) = "holdout",
///         /// None.
///         Nothing = "none",
///         /// Those near a row.
///         Near {
///             /// The row.
///             row: usize,
///         } = "near",
///     }
/// }
///
/// let mut scoring = Scoring::Nothing;
/// scoring.set(&json!({"folds": 3}), "scoring")?;
/// assert_eq!((scoring, scoring.write()), (Scoring::Folds(3), json!({"folds": 3})));
/// scoring.set(&json!("none"), "scoring")?;
/// let error = scoring.set(&json!("near"), "scoring").unwrap_err().to_string();
/// assert_eq!(error, "parameter scoring: near needs a value of its own: set scoring.near.row");
/// # Ok::<(), arbormix_base::params::ParamError>(())
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[doc = $about:literal])+
        pub enum $name:ident $(: $($extra:ident),+)? {
            $(
                $(#[doc = $meaning:literal])+
                $variant:ident
                $(( $holds:ty ))?
                $({ $( $(#[doc = $inner:literal])+ $field:ident : $kind:ty ),+ $(,)? })?
                = $word:literal
            ),+ $(,)?
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq $($(, $extra)+)?)]
        pub enum $name {
            $(
                $(#[doc = $meaning])+
                $variant $(( $holds ))? $({ $( $(#[doc = $inner])+ $field: $kind ),+ })?,
            )+
        }

        #[allow(unreachable_pub, dead_code)]
        impl $name {
            /// Its words, in the order of their declaration.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// Its word, without what it holds.
            pub fn word(&self) -> &'static str {
                match self {
                    $( $name::$variant { .. } => $word, )+
                }
            }
        }

        impl $crate::params::Value for $name {
            const KIND: $crate::params::Kind = $crate::params::Kind::Choice(&[
                $(
                    $crate::params::Variant {
                        word: $word,
                        meaning: &[$($meaning),+],
                        holds: $crate::choices!(@holds $($holds)?),
                        fields: &[$($( (stringify!($field), &<$kind as $crate::params::Value>::KIND) ),+)?],
                    },
                )+
            ]);

            fn write(&self) -> $crate::params::serde_json::Value {
                $( $crate::choices!(@write self $name $variant $word $(( $holds ))? $({ $($field),+ })?); )+
                unreachable!("every word has been written")
            }

            fn set(
                &mut self,
                given: &$crate::params::serde_json::Value,
                path: &str,
            ) -> Result<(), $crate::params::ParamError> {
                *self = $name::chosen(Some(self), given, path)?;
                Ok(())
            }
        }

        impl $name {
            /// The value that JSON names; named values that are not given stay as they were before.
            #[allow(unused_variables)]
            fn chosen(
                before: Option<&$name>,
                given: &$crate::params::serde_json::Value,
                path: &str,
            ) -> Result<$name, $crate::params::ParamError> {
                let kind = <$name as $crate::params::Value>::KIND;
                let word = $crate::params::word_of(&kind, given, path)?;
                $( if word == $word {
                    $crate::choices!(@read before given path $name $variant $word $(( $holds ))? $({ $($field : $kind),+ })?);
                } )+
                Err($crate::params::expected(&kind, given, path))
            }
        }

        impl $crate::params::serde::Serialize for $name {
            fn serialize<S: $crate::params::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::params::serde::Serialize::serialize(&$crate::params::Value::write(self), serializer)
            }
        }

        impl<'de> $crate::params::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::params::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let given = <$crate::params::serde_json::Value as $crate::params::serde::Deserialize>::deserialize(deserializer)?;
                $name::chosen(None, &given, "value").map_err($crate::params::serde::de::Error::custom)
            }
        }
    };
    (@holds $holds:ty) => { Some(&<$holds as $crate::params::Value>::KIND) };
    (@holds) => { None };
    (@write $self:ident $name:ident $variant:ident $word:literal) => {
        if let $name::$variant = $self {
            return $word.into();
        }
    };
    (@write $self:ident $name:ident $variant:ident $word:literal ($holds:ty)) => {
        if let $name::$variant(held) = $self {
            return $crate::params::keyed($word, $crate::params::Value::write(held));
        }
    };
    (@write $self:ident $name:ident $variant:ident $word:literal { $($field:ident),+ }) => {
        if let $name::$variant { $($field),+ } = $self {
            let mut inner = $crate::params::serde_json::Map::new();
            $( inner.insert(stringify!($field).to_string(), $crate::params::Value::write($field)); )+
            return $crate::params::keyed($word, inner.into());
        }
    };
    (@read $before:ident $given:ident $path:ident $name:ident $variant:ident $word:literal) => {
        return Ok($name::$variant)
    };
    (@read $before:ident $given:ident $path:ident $name:ident $variant:ident $word:literal ($holds:ty)) => {{
        let mut held = <$holds>::default();
        $crate::params::set_field(&mut held, &$given[$word], $path, $word)?;
        return Ok($name::$variant(held));
    }};
    (@read $before:ident $given:ident $path:ident $name:ident $variant:ident $word:literal { $($field:ident : $kind:ty),+ }) => {{
        let place = format!("{}.{}", $path, $word);
        let inner = $crate::params::payload(&[$(stringify!($field)),+], &$given[$word], &place)?;
        let before: Option<($($kind,)+)> = match $before {
            Some($name::$variant { $($field),+ }) => Some(($($field.clone(),)+)),
            _ => None,
        };
        let complete = before.is_some();
        let ($(mut $field,)+) = before.unwrap_or_default();
        $(
            match inner.get(stringify!($field)) {
                Some(value) => $crate::params::set_field(&mut $field, value, &place, stringify!($field))?,
                None if complete => {}
                None => return Err($crate::params::needs_value($path, $word, stringify!($field))),
            }
        )+
        return Ok($name::$variant { $($field),+ });
    }};
}

/// An object with one key.
pub fn keyed(word: &str, value: Json) -> Json {
    Json::Object([(word.to_string(), value)].into_iter().collect())
}

/// The error for a word that lacks a value it needs.
pub fn needs_value(path: &str, word: &str, name: &str) -> ParamError {
    let place = if name.is_empty() { format!("{path}.{word}") } else { format!("{path}.{word}.{name}") };
    let message = format!("{word} needs a value of its own: set {place}");
    ParamError::Form { name: path.to_string(), message }
}

/// The word that JSON names: alone, or as the one key of an object that holds its value.
pub fn word_of(kind: &Kind, given: &Json, path: &str) -> Result<&'static str, ParamError> {
    let refused = || super::expected(kind, given, path);
    let Kind::Choice(variants) = kind else { return Err(refused()) };
    let find = |word: &str| variants.iter().find(|variant| variant.word == word);
    match given {
        Json::String(word) => {
            let found = find(word).ok_or_else(refused)?;
            match (found.holds, found.fields) {
                (None, []) => Ok(found.word),
                (Some(_), _) => Err(needs_value(path, word, "")),
                (None, [(name, _), ..]) => Err(needs_value(path, word, name)),
            }
        }
        Json::Object(held) if held.len() == 1 => {
            let word = held.keys().next().ok_or_else(refused)?;
            let found = find(word).ok_or_else(refused)?;
            let holds_something = found.holds.is_some() || !found.fields.is_empty();
            if holds_something { Ok(found.word) } else { Err(refused()) }
        }
        _ => Err(refused()),
    }
}

/// The named values that a word holds; names that it does not have are refused.
pub fn payload<'a>(
    names: &[&str],
    given: &'a Json,
    path: &str,
) -> Result<&'a serde_json::Map<String, Json>, ParamError> {
    let Json::Object(inner) = given else {
        let message = format!("expected a group with {}, found {given}", names.join(", "));
        return Err(ParamError::Form { name: path.to_string(), message });
    };
    match inner.keys().find(|name| !names.contains(&name.as_str())) {
        None => Ok(inner),
        Some(name) => Err(ParamError::UnknownName {
            name: super::group::within(path, name),
            known: names.join(", "),
            near: super::group::nearest(name, names).map(|near| super::group::within(path, near)),
            methods: Vec::new(),
        }),
    }
}
