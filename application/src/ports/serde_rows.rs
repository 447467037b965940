//! Serialisation of rows with serde: ids as text, instants as microseconds. For stores that write whole rows in JSON
//! or another serde format; only with the feature `rows-serde`.

use entracte_domain::id::{AutomationId, CallId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize as _, Deserializer, Serialize, Serializer};

use super::ReceiptRow;
use crate::instructions::{InstructionScope, InstructionSource};

/// A row with an equivalent plain type that serde supports.
pub(crate) trait SerdeRowForm: Sized {
    /// The plain type.
    type Form: Serialize + DeserializeOwned;

    /// Converts to the plain type.
    fn form(&self) -> Self::Form;

    /// Converts from the plain type.
    fn of(form: Self::Form) -> Self;
}

pub(crate) fn serialize<T: SerdeRowForm, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.form().serialize(serializer)
}

pub(crate) fn deserialize<'de, T: SerdeRowForm, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::Form::deserialize(deserializer).map(T::of)
}

macro_rules! text {
    ($($id:ident),*) => {
        $(impl SerdeRowForm for $id {
            type Form = String;

            fn form(&self) -> String {
                self.as_str().to_owned()
            }

            fn of(form: String) -> Self {
                Self::new(form)
            }
        })*
    };
}

text!(AutomationId, CallId, Digest, SessionId, TaskId, WorkspaceKey);

impl SerdeRowForm for InstructionScope {
    type Form = (String, String);

    fn form(&self) -> Self::Form {
        (self.kind().to_owned(), self.target().to_owned())
    }

    fn of((kind, target): Self::Form) -> Self {
        match kind.as_str() {
            "automation" => Self::Automation(AutomationId::new(target)),
            "session" => Self::Session(SessionId::new(target)),
            _ => Self::Workspace,
        }
    }
}

impl SerdeRowForm for InstructionSource {
    type Form = String;

    fn form(&self) -> String {
        self.text()
    }

    fn of(form: String) -> Self {
        Self::read(&form).unwrap_or(Self::Written)
    }
}

impl SerdeRowForm for Timestamp {
    type Form = i64;

    fn form(&self) -> i64 {
        self.0
    }

    fn of(form: i64) -> Self {
        Self(form)
    }
}

impl SerdeRowForm for u64 {
    type Form = u64;

    fn form(&self) -> u64 {
        *self
    }

    fn of(form: u64) -> Self {
        form
    }
}

/// Serialised by itself, because it is stored in a pair with its workspace.
impl SerdeRowForm for ReceiptRow {
    type Form = Self;

    fn form(&self) -> Self {
        self.clone()
    }

    fn of(form: Self) -> Self {
        form
    }
}

impl<T: SerdeRowForm> SerdeRowForm for Option<T> {
    type Form = Option<T::Form>;

    fn form(&self) -> Self::Form {
        self.as_ref().map(T::form)
    }

    fn of(form: Self::Form) -> Self {
        form.map(T::of)
    }
}

impl<T: SerdeRowForm> SerdeRowForm for Vec<T> {
    type Form = Vec<T::Form>;

    fn form(&self) -> Self::Form {
        self.iter().map(T::form).collect()
    }

    fn of(form: Self::Form) -> Self {
        form.into_iter().map(T::of).collect()
    }
}

impl<A: SerdeRowForm, B: SerdeRowForm> SerdeRowForm for (A, B) {
    type Form = (A::Form, B::Form);

    fn form(&self) -> Self::Form {
        (self.0.form(), self.1.form())
    }

    fn of((a, b): Self::Form) -> Self {
        (A::of(a), B::of(b))
    }
}
