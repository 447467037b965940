//! The refusals of the real model APIs, as pure checkers of request bodies.
//!
//! Each API has the rules of its documentation and no leniency: the real server accepts every body that passes here. A
//! [`StrictApiPeer`] is one server in one conversation; it also seals its reasoning, so that it notices any change
//! before a reasoning block, as the real servers do.

mod body_shape;
mod chat;
mod messages;
mod profiles;
mod responses;
mod seal;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub use profiles::{FakeProviderServer, StrictServerRequest};
use seal::ThoughtSealHash;

/// A rule of an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StrictApiRule {
    /// The body, or a part of it, has the wrong shape.
    Shape,
    /// The body has a field that the API does not know.
    UnknownField,
    /// A text has no visible content.
    EmptyText,
    /// A role is not allowed at this position.
    Role,
    /// The conversation does not begin with the user.
    Beginning,
    /// The conversation ends with the model, which would have to continue its own text.
    Prefill,
    /// Two adjacent messages have the same role.
    Alternation,
    /// A call of the model has no result right after it.
    CallWithoutResult,
    /// A result has no call right before it.
    ResultWithoutCall,
    /// A result is not in front of everything else.
    ResultsNotFirst,
    /// A call has a second result.
    ResultTwice,
    /// Two calls have the same id.
    IdTwice,
    /// The API does not accept the format of an id.
    IdShape,
    /// The API does not accept the name of a tool.
    NameShape,
    /// Two tools have the same name.
    NameTwice,
    /// There are more tools than the API accepts.
    TooManyTools,
    /// The arguments of a call have the wrong form.
    Arguments,
    /// The API does not accept the schema of a tool.
    Schema,
    /// There are calls, results or a tool choice, but no tools.
    ToolsMissing,
    /// The model is forced to use a tool.
    ForcedChoice,
    /// There are more than four cache breakpoints.
    Breakpoints,
    /// A cache breakpoint has a forbidden position.
    BreakpointPlace,
    /// Reasoning has no seal.
    SealMissing,
    /// Reasoning was changed, belongs to another model, or follows changed content.
    SealBroken,
    /// Reasoning stands without the reply it led to.
    ReasoningAlone,
    /// A text of Entracte's own follows results directly, which teaches a model to answer nothing.
    OwnTextAfterResult,
    /// A user message follows results directly.
    UserAfterResult,
    /// A JSON object is requested, but no item of the input contains the word.
    JsonWord,
    /// The server does not enforce the reply schema.
    OutputSchema,
    /// The key is not where the server expects it.
    Key,
    /// A turn, the system prompt or the tools differ from an earlier request of the same generation.
    Changed,
}

/// Why a body is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictApiRefusal {
    /// The rule that it breaks.
    pub rule: StrictApiRule,
    /// The position and the value.
    pub why: String,
}

impl StrictApiRefusal {
    fn new(rule: StrictApiRule, why: impl Into<String>) -> Self {
        Self { rule, why: why.into() }
    }
}

/// A wire dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrictApi {
    /// Anthropic Messages, version 2026-10-21, of a model that binds its thinking.
    Messages,
    /// OpenAI Responses without server-side storage.
    Responses,
    /// Chat Completions as the strictest of its servers accepts it.
    Chat,
}

/// The content of a body without the parts that may differ between two requests of one conversation.
#[derive(Clone, Debug, PartialEq)]
struct ComparableBody {
    /// Model, system prompt and tools.
    frozen: Value,
    /// Each block, item or message with its role.
    turns: Vec<Value>,
    /// The seal over all of it.
    seal: ThoughtSealHash,
}

impl StrictApi {
    /// Every wire dialect.
    pub const ALL: [StrictApi; 3] = [StrictApi::Messages, StrictApi::Responses, StrictApi::Chat];

    /// Its rules. [`StrictApiRule::Changed`] is a rule of every [`StrictApiPeer`].
    pub const fn rules(self) -> &'static [StrictApiRule] {
        match self {
            StrictApi::Messages => &messages::RULES,
            StrictApi::Responses => &responses::RULES,
            StrictApi::Chat => &chat::RULES,
        }
    }

    /// Checks one body by itself.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(self, body: &[u8]) -> Result<(), StrictApiRefusal> {
        self.read(body).map(|_| ())
    }

    fn read(self, body: &[u8]) -> Result<ComparableBody, StrictApiRefusal> {
        let body: Value = serde_json::from_slice(body).map_err(|error| {
            StrictApiRefusal::new(StrictApiRule::Shape, format!("the body is not valid JSON: {error}"))
        })?;
        match self {
            StrictApi::Messages => messages::read(&body),
            StrictApi::Responses => responses::read(&body),
            StrictApi::Chat => chat::read(&body),
        }
    }
}

/// A part of a model's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrictReplyPart {
    /// Reasoning, sealed.
    Thinks(String),
    /// Text.
    Says(String),
    /// A tool call.
    Calls {
        /// Its id.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments as JSON text.
        arguments: String,
    },
}

/// One server in one conversation.
#[derive(Clone, Debug)]
pub struct StrictApiPeer {
    api: StrictApi,
    last: Option<(u32, ComparableBody)>,
}

impl StrictApiPeer {
    /// A server of this API without any request so far.
    pub const fn new(api: StrictApi) -> Self {
        Self { api, last: None }
    }

    /// Accepts a request of this prompt generation.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn accept_body(&mut self, generation: u32, body: &[u8]) -> Result<(), StrictApiRefusal> {
        let reading = self.api.read(body)?;
        if let Some((before, last)) = &self.last
            && *before == generation
        {
            check_continues(last, &reading)?;
        }
        self.last = Some((generation, reading));
        Ok(())
    }

    /// The body of a response in one piece, with these parts.
    pub fn answer(&self, said: &[StrictReplyPart]) -> Vec<u8> {
        let mut seal = self.last.as_ref().map(|(_, reading)| reading.seal).unwrap_or_default();
        let answer = match self.api {
            StrictApi::Messages => messages::answer(said, &mut seal),
            StrictApi::Responses => responses::answer(said, &mut seal),
            StrictApi::Chat => chat::answer(said),
        };
        answer.to_string().into_bytes()
    }
}

/// Whether the later request has the earlier one as its prefix. The last user message may have grown.
fn check_continues(earlier: &ComparableBody, later: &ComparableBody) -> Result<(), StrictApiRefusal> {
    if earlier.frozen != later.frozen {
        return Err(StrictApiRefusal::new(StrictApiRule::Changed, "model, system prompt or tools"));
    }
    let Some((last, before)) = earlier.turns.split_last() else { return Ok(()) };
    let Some(found) = later.turns.get(..before.len()) else {
        return Err(StrictApiRefusal::new(StrictApiRule::Changed, "it is shorter than it was"));
    };
    if let Some((was, is)) = before.iter().zip(found).find(|(was, is)| was != is) {
        return Err(StrictApiRefusal::new(StrictApiRule::Changed, format!("{was} became {is}")));
    }
    match later.turns.get(before.len()) {
        Some(is) if is == last || has_grown(last, is) => Ok(()),
        other => Err(StrictApiRefusal::new(StrictApiRule::Changed, format!("{last} became {other:?}"))),
    }
}

/// Whether a user message, or the last result of a turn, starts with its earlier content.
fn has_grown(was: &Value, is: &Value) -> bool {
    // A block stands beside its role; a message contains its role.
    let (was, is) = (was.get(1).unwrap_or(was), is.get(1).unwrap_or(is));
    let text = |turn: &Value| {
        turn["content"].as_str().map(str::to_owned).or_else(|| is_result(turn).then(String::new))
    };
    let same = ["type", "role", "tool_use_id", "tool_call_id"].iter().all(|field| was[field] == is[field]);
    (was["role"] == "user" || is_result(was))
        && same
        && text(was).is_some_and(|was| text(is).is_some_and(|is| is.starts_with(&was)))
}

fn is_result(turn: &Value) -> bool {
    turn["type"] == "tool_result" || turn["role"] == "tool"
}
