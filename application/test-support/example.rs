//! Support for documentation examples: the names that most of them use, and [`example`], which runs one.

use std::error::Error;
pub use std::sync::Arc;

#[doc(no_inline)]
pub use entracte_domain::{
    automation::{AutomationPolicies, Trigger},
    command::Command,
    id::*,
    message::*,
    restriction::Restriction,
    session::{ParkReason, Phase, SessionFacts, SessionKind, Slot, Standing},
    task::TaskUpdateVerdict,
    time::*,
    validation::{RuleScope, UseLimits},
    value::JsonValue,
};

#[doc(no_inline)]
pub use crate::commands::Catalog;
#[doc(no_inline)]
pub use crate::mail::*;
#[doc(no_inline)]
pub use crate::ports::*;
#[doc(no_inline)]
pub use crate::rule_book::RuleBook;
#[doc(no_inline)]
pub use crate::samples;
#[doc(no_inline)]
pub use crate::settings::*;
#[doc(no_inline)]
pub use crate::stream::LiveText;
#[doc(no_inline)]
pub use crate::system::*;

/// Runs an example to its end.
///
/// # Panics
/// When it fails.
pub fn example(shown: impl Future<Output = Result<(), Box<dyn Error>>>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = runtime.map_err(Into::into).and_then(|runtime| runtime.block_on(shown));
    assert!(ended.is_ok(), "{ended:?}");
}
