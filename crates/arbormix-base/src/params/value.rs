//! Values of parameters: to JSON and back, with the place in every message.

use serde_json::Value as Json;

use super::{Kind, ParamError};

/// A parameter's value, or a group of parameters.
pub trait Value: Sized {
    /// What it may be.
    const KIND: Kind;
    /// The value as JSON.
    fn write(&self) -> Json;
    /// Lays JSON over the value: a group keeps what is not given. `path` is its dotted name, for messages.
    fn set(&mut self, given: &Json, path: &str) -> Result<(), ParamError>;
}

/// What a builder method takes for a parameter of type `T`: such a value, or something that stands for one.
pub trait Given<T> {
    /// The value.
    fn given(self) -> T;
}

impl<T> Given<T> for T {
    fn given(self) -> T {
        self
    }
}

impl<T> Given<Option<T>> for T {
    fn given(self) -> Option<T> {
        Some(self)
    }
}

impl<T, const N: usize> Given<Vec<T>> for [T; N] {
    fn given(self) -> Vec<T> {
        self.into()
    }
}

/// The error for a value of another kind.
pub fn expected(kind: &Kind, given: &Json, path: &str) -> ParamError {
    ParamError::Form { name: path.to_string(), message: format!("expected {}, found {given}", kind.expected()) }
}

impl Value for f64 {
    const KIND: Kind = Kind::Number;

    fn write(&self) -> Json {
        (*self).into()
    }

    fn set(&mut self, given: &Json, path: &str) -> Result<(), ParamError> {
        *self = given.as_f64().ok_or_else(|| expected(&Self::KIND, given, path))?;
        Ok(())
    }
}

impl Value for usize {
    const KIND: Kind = Kind::Count;

    fn write(&self) -> Json {
        (*self).into()
    }

    fn set(&mut self, given: &Json, path: &str) -> Result<(), ParamError> {
        let count = given.as_u64().and_then(|count| usize::try_from(count).ok());
        *self = count.ok_or_else(|| expected(&Self::KIND, given, path))?;
        Ok(())
    }
}

impl Value for u64 {
    const KIND: Kind = Kind::Count;

    fn write(&self) -> Json {
        (*self).into()
    }

    fn set(&mut self, given: &Json, path: &str) -> Result<(), ParamError> {
        *self = given.as_u64().ok_or_else(|| expected(&Self::KIND, given, path))?;
        Ok(())
    }
}

impl Value for bool {
    const KIND: Kind = Kind::Flag;

    fn write(&self) -> Json {
        (*self).into()
    }

    fn set(&mut self, given: &Json, path: &str) -> Result<(), ParamError> {
        *self = given.as_bool().ok_or_else(|| expected(&Self::KIND, given, path))?;
        Ok(())
    }
}

impl<T: Value + Default> Value for Vec<T> {
    const KIND: Kind = Kind::List(&T::KIND);

    fn write(&self) -> Json {
        self.iter().map(Value::write).collect()
    }

    fn set(&mut self, given: &Json, path: &str) -> Result<(), ParamError> {
        let Json::Array(values) = given else { return Err(expected(&Self::KIND, given, path)) };
        let read = |value: &Json| {
            let mut out = T::default();
            out.set(value, path)?;
            Ok(out)
        };
        *self = values.iter().map(read).collect::<Result<_, ParamError>>()?;
        Ok(())
    }
}

impl<T: Value + Default> Value for Option<T> {
    const KIND: Kind = Kind::Optional(&T::KIND);

    fn write(&self) -> Json {
        self.as_ref().map_or(Json::Null, Value::write)
    }

    fn set(&mut self, given: &Json, path: &str) -> Result<(), ParamError> {
        if given.is_null() {
            *self = None;
            return Ok(());
        }
        let mut inner = self.take().unwrap_or_default();
        inner.set(given, path)?;
        *self = Some(inner);
        Ok(())
    }
}
