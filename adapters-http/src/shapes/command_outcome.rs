//! Shapes of manually requested commands and their outcomes.

use std::borrow::Cow;

use entracte_application::json_value::{ExactJson, parse_foreign};
use entracte_domain::value::JsonValue;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::data::DataShape;

/// The state of an action that is done.
pub const DONE: &str = "done";
/// The state of an action that somebody has to approve first.
pub const WAITS_FOR_APPROVAL: &str = "waits_for_approval";
/// The state of an action that was accepted and is not done yet.
pub const WORKS: &str = "works";

/// Parameters of a command that is run by hand.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunShape {
    /// Its parameters.
    #[serde(default)]
    #[schema(value_type = Value)]
    pub arguments: Option<ExactJson>,
}

/// What became of a command by hand.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ResultShape {
    /// The command.
    pub command: String,
    /// `done`; `waits_for_approval`: somebody decides first; `works`: it was accepted and is not done yet.
    pub state: Cow<'static, str>,
    /// What it gave, once it is done: as JSON where it is some, else as text.
    #[schema(value_type = Value)]
    pub result: ExactJson,
    /// The session that it went through; a query needs none.
    pub session: Option<String>,
    /// Its call in the ledger.
    pub call: Option<String>,
    /// The approval that it waits for.
    pub approval: Option<String>,
    /// What was made or changed, as it is now.
    pub data: Option<DataShape>,
}

impl ResultShape {
    /// The shape of a query's result.
    pub fn of_query(command: &str, content: String) -> Self {
        Self { result: read(content), ..Self::in_state(command, DONE) }
    }

    /// Whether the action is done.
    pub fn is_done(&self) -> bool {
        self.state == DONE
    }

    /// A shape with only a state.
    pub fn in_state(command: &str, state: &'static str) -> Self {
        Self {
            command: command.to_owned(),
            state: state.into(),
            result: ExactJson(JsonValue::Null),
            session: None,
            call: None,
            approval: None,
            data: None,
        }
    }
}

/// A call that was refused or failed: `current` of the problem that says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedCallShape {
    /// The state of the call, such as `forbidden` or `failed`.
    pub state: String,
    /// The code of the refusal or the failure, such as `NOT_FOUND`; null if it has none.
    pub code: Option<String>,
}

/// Parses the content as JSON; otherwise returns it as text.
pub fn read(content: String) -> ExactJson {
    ExactJson(match parse_foreign(&content) {
        Ok(value) => value,
        Err(_) => JsonValue::Text(content),
    })
}
