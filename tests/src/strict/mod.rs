//! What the real model APIs refuse, as pure checkers of request bodies.
//!
//! Each API has the rules of its documentation and no leniency: a body that passes here is one that the real server
//! takes. A [`StrictApiPeer`] is one server in one conversation; it also seals what it thinks, so that it notices when
//! anything before a thought was changed, as the real ones do.

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
    /// The body, or a part of it, is not what it must be.
    Shape,
    /// There is a field that the API does not know.
    UnknownField,
    /// A text with nothing to read in it.
    EmptyText,
    /// A speaker that may not speak there.
    Role,
    /// The conversation begins with somebody other than the user.
    Beginning,
    /// The conversation ends with the model, which would have to go on in the middle.
    Prefill,
    /// Two speakers of one kind after each other.
    Alternation,
    /// A call of the model without a result right after it.
    CallWithoutResult,
    /// A result whose call is not right before it.
    ResultWithoutCall,
    /// A result that is not in front of everything else.
    ResultsNotFirst,
    /// A second result of one call.
    ResultTwice,
    /// Two calls of one id.
    IdTwice,
    /// An id that the API does not take.
    IdShape,
    /// A tool's name that the API does not take.
    NameShape,
    /// Two tools of one name.
    NameTwice,
    /// More tools than the API takes.
    TooManyTools,
    /// Arguments of a call that are not what they must be.
    Arguments,
    /// The schema of a tool is none that the API takes.
    Schema,
    /// Calls, results or a choice of tools, and no tools.
    ToolsMissing,
    /// The model is forced to use a tool.
    ForcedChoice,
    /// More than four cache breakpoints.
    Breakpoints,
    /// A cache breakpoint where none may be.
    BreakpointPlace,
    /// Reasoning without its seal.
    SealMissing,
    /// Reasoning that was changed, or is of another model, or before which anything was changed.
    SealBroken,
    /// Reasoning without what it led to.
    ReasoningAlone,
    /// A text of Entracte's own right after results, which teaches a model to answer nothing.
    OwnTextAfterResult,
    /// A message of the user right after results.
    UserAfterResult,
    /// A JSON object is asked for, and no item of the input holds the word.
    JsonWord,
    /// The schema of the answer is none that the server enforces.
    OutputSchema,
    /// The key is not where the server looks for it.
    Key,
    /// A turn, the system prompt or the tools differ from what was sent before in the same generation.
    Changed,
}

/// Why a body is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictApiRefusal {
    /// The rule that it breaks.
    pub rule: StrictApiRule,
    /// Where, with the value.
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
    /// OpenAI Responses, nothing stored there.
    Responses,
    /// Chat Completions, as the strictest of its servers takes it.
    Chat,
}

/// What a body says, without what may differ between two requests of one conversation.
#[derive(Clone, Debug, PartialEq)]
struct ComparableBody {
    /// Model, system prompt and tools.
    frozen: Value,
    /// Each block, item or message with its speaker.
    turns: Vec<Value>,
    /// The seal over all of it.
    seal: ThoughtSealHash,
}

impl StrictApi {
    /// Every wire dialect.
    pub const ALL: [StrictApi; 3] = [StrictApi::Messages, StrictApi::Responses, StrictApi::Chat];

    /// The rules that it has. [`StrictApiRule::Changed`] is a rule of every [`StrictApiPeer`].
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

/// What a model says next, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrictReplyPart {
    /// It thinks, sealed.
    Thinks(String),
    /// It says this.
    Says(String),
    /// It calls a tool.
    Calls {
        /// Its id.
        id: String,
        /// The tool.
        name: String,
        /// JSON text.
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
    /// A server of that API that was asked nothing yet.
    pub const fn new(api: StrictApi) -> Self {
        Self { api, last: None }
    }

    /// Takes a request of that prompt generation.
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

    /// The body of an answer in one piece, in which it says this.
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

/// Whether the later request begins as the earlier one. The last user message may have grown.
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

/// Whether a user message, or the last result of a turn, begins with what it was.
fn has_grown(was: &Value, is: &Value) -> bool {
    // A block stands beside its speaker; a message has a role of its own.
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
