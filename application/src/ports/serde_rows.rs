//! Serialisation of rows with serde: ids as text, instants as microseconds. For stores that write whole rows in JSON
//! or another serde format; only with the feature `rows-serde`.

use entracte_domain::command::CommandKind;
use entracte_domain::id::{AutomationId, CallId, Digest, RoundAttempt, SessionId, TaskId, WorkspaceKey};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{EndReason, PhaseLabel, SessionKind, Standing};
use entracte_domain::spending::SpendingAmount;
use entracte_domain::task::TaskState;
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize as _, Deserializer, Serialize, Serializer};

use super::{AttemptReservation, ChangeKind, InboxRowKind, ReceiptRow, ReservationState};
use crate::instructions::{InstructionScope, InstructionSource};

/// A row with an equivalent plain type that serde supports.
pub(crate) trait SerdeRowForm: Sized {
    /// The plain type.
    type Form: Serialize + DeserializeOwned;

    /// Converts to the plain type.
    fn form(&self) -> Self::Form;

    /// Converts from the plain type.
    ///
    /// # Errors
    /// Why the plain value is none of this type.
    fn of(form: Self::Form) -> Result<Self, String>;
}

pub(crate) fn serialize<T: SerdeRowForm, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.form().serialize(serializer)
}

pub(crate) fn deserialize<'de, T: SerdeRowForm, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::of(T::Form::deserialize(deserializer)?).map_err(D::Error::custom)
}

macro_rules! text {
    ($($id:ident),*) => {
        $(impl SerdeRowForm for $id {
            type Form = String;

            fn form(&self) -> String {
                self.as_str().to_owned()
            }

            fn of(form: String) -> Result<Self, String> {
                Ok(Self::new(form))
            }
        })*
    };
}

text!(AutomationId, CallId, Digest, SessionId, TaskId, WorkspaceKey);

macro_rules! word {
    ($($type:ident),*) => {
        $(impl SerdeRowForm for $type {
            type Form = String;

            fn form(&self) -> String {
                self.word().to_owned()
            }

            fn of(form: String) -> Result<Self, String> {
                Self::from_word(&form)
                    .ok_or_else(|| format!("“{form}” is not a valid {}", stringify!($type)))
            }
        })*
    };
}

word!(
    ChangeKind,
    CommandKind,
    EndReason,
    InboxRowKind,
    LedgerState,
    PhaseLabel,
    SessionKind,
    Standing,
    TaskState
);

impl SerdeRowForm for InstructionScope {
    type Form = (String, String);

    fn form(&self) -> Self::Form {
        (self.kind().to_owned(), self.target().to_owned())
    }

    fn of((kind, target): Self::Form) -> Result<Self, String> {
        match kind.as_str() {
            "automation" => Ok(Self::Automation(AutomationId::new(target))),
            "session" => Ok(Self::Session(SessionId::new(target))),
            "workspace" => Ok(Self::Workspace),
            _ => Err(format!("“{kind}” is not a valid scope of instructions")),
        }
    }
}

impl SerdeRowForm for InstructionSource {
    type Form = String;

    fn form(&self) -> String {
        self.text()
    }

    fn of(form: String) -> Result<Self, String> {
        Self::read(&form).ok_or_else(|| format!("“{form}” is not a valid source of instructions"))
    }
}

impl SerdeRowForm for Timestamp {
    type Form = i64;

    fn form(&self) -> i64 {
        self.0
    }

    fn of(form: i64) -> Result<Self, String> {
        Ok(Self(form))
    }
}

impl SerdeRowForm for RoundAttempt {
    type Form = (u32, u32);

    fn form(&self) -> Self::Form {
        (self.round, self.attempt)
    }

    fn of((round, attempt): Self::Form) -> Result<Self, String> {
        Ok(Self { round, attempt })
    }
}

/// Tokens by kind, attempts without usage data, the cost in dollars, and the tokens with a price.
impl SerdeRowForm for Usage {
    type Form = ([u64; 4], u32, String, u64);

    fn form(&self) -> Self::Form {
        let Self { input, cache_read, cache_write, output, unknown_attempts, cost, priced } = *self;
        ([input, cache_read, cache_write, output], unknown_attempts, cost.to_string(), priced)
    }

    fn of(
        ([input, cache_read, cache_write, output], unknown_attempts, cost, priced): Self::Form,
    ) -> Result<Self, String> {
        let cost = cost.parse().map_err(|_| format!("“{cost}” is not a valid amount"))?;
        Ok(Self { input, cache_read, cache_write, output, unknown_attempts, cost, priced })
    }
}

/// The state, the tokens, and the dollars.
impl SerdeRowForm for AttemptReservation {
    type Form = (String, u64, String);

    fn form(&self) -> Self::Form {
        let Self { amount: SpendingAmount { tokens, cost }, state } = *self;
        (state.word().to_owned(), tokens, cost.to_string())
    }

    fn of((state, tokens, cost): Self::Form) -> Result<Self, String> {
        let cost = cost.parse().map_err(|_| format!("“{cost}” is not a valid amount"))?;
        let known = ReservationState::from_word(&state);
        let state = known.ok_or_else(|| format!("“{state}” is not a valid state of a reservation"))?;
        Ok(Self { amount: SpendingAmount { tokens, cost }, state })
    }
}

impl SerdeRowForm for u64 {
    type Form = u64;

    fn form(&self) -> u64 {
        *self
    }

    fn of(form: u64) -> Result<Self, String> {
        Ok(form)
    }
}

/// Serialised by itself, because it is stored in a pair with its workspace.
impl SerdeRowForm for ReceiptRow {
    type Form = Self;

    fn form(&self) -> Self {
        self.clone()
    }

    fn of(form: Self) -> Result<Self, String> {
        Ok(form)
    }
}

impl<T: SerdeRowForm> SerdeRowForm for Option<T> {
    type Form = Option<T::Form>;

    fn form(&self) -> Self::Form {
        self.as_ref().map(T::form)
    }

    fn of(form: Self::Form) -> Result<Self, String> {
        form.map(T::of).transpose()
    }
}

impl<T: SerdeRowForm> SerdeRowForm for Vec<T> {
    type Form = Vec<T::Form>;

    fn form(&self) -> Self::Form {
        self.iter().map(T::form).collect()
    }

    fn of(form: Self::Form) -> Result<Self, String> {
        form.into_iter().map(T::of).collect()
    }
}

impl<A: SerdeRowForm, B: SerdeRowForm> SerdeRowForm for (A, B) {
    type Form = (A::Form, B::Form);

    fn form(&self) -> Self::Form {
        (self.0.form(), self.1.form())
    }

    fn of((a, b): Self::Form) -> Result<Self, String> {
        Ok((A::of(a)?, B::of(b)?))
    }
}
