//! Profiles: what differs between providers that speak the same dialect, as data.
//!
//! Addresses, headers, words and quirks; no code of the mapping lives here.

mod azure;
mod claude;
mod compatible;
mod deepseek;
mod family;
mod gemini;
mod groq;
mod local;
mod mistral;
mod openai;
mod openrouter;
mod perplexity;

pub(crate) use family::{Efforts, Family, NO_REASONING, Sampling};

use crate::call_ids::CallIds;
use crate::kind::{Kind, StructuredOutput};

/// What is special about a provider.
#[derive(Debug)]
pub(crate) struct Profile {
    /// Its kind.
    pub(crate) kind: Kind,
    /// Name for people.
    pub(crate) display_name: &'static str,
    /// The address when the entry names none.
    pub(crate) base_url: Option<&'static str>,
    /// The variable of the key when the entry names none.
    pub(crate) key_variable: Option<&'static str>,
    /// How the key is sent.
    pub(crate) key_header: KeyHeader,
    /// Headers of every request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// What its models take; the first family that has a model says it.
    pub(crate) families: &'static [Family],
    /// Words for `service_tier`; empty = any.
    pub(crate) service_tiers: &'static [&'static str],
    /// How far it holds an answer to a JSON shape when the entry does not say.
    pub(crate) structured_output: StructuredOutput,
    /// Whether it can hold an answer to being some JSON object.
    pub(crate) json_mode: bool,
    /// Whether it takes a response format together with tools.
    pub(crate) format_beside_tools: bool,
    /// Its name for the output limit in Chat Completions.
    pub(crate) output_limit: OutputLimit,
    /// Whether it takes `stream_options`, with which tokens are asked for in a stream of Chat Completions.
    pub(crate) stream_options: bool,
    /// Whether it takes `prompt_cache_key`.
    pub(crate) prompt_cache_key: bool,
    /// Whether its models that reason sum up what they think when they are asked to.
    pub(crate) reasoning_summary: bool,
    /// Whether its answers say what they cost, in US dollars; then no table is needed, and none would be right.
    pub(crate) tells_cost: bool,
    /// Whether a message of the user may follow the results of calls directly.
    pub(crate) user_after_tool: bool,
    /// Which ids of calls it takes.
    pub(crate) call_ids: CallIds,
    /// The tag of its raw turns: dialect and version, or dialect and server where servers add fields of their own.
    pub(crate) raw_dialect: &'static str,
    /// A model for messages that ask for one.
    pub(crate) example_model: &'static str,
}

/// How the key is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// `x-api-key: KEY`
    XApiKey,
    /// `authorization: Bearer KEY`
    Bearer,
    /// `api-key: KEY`
    ApiKey,
}

/// The name of the output limit in Chat Completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputLimit {
    /// `max_completion_tokens`
    MaxCompletionTokens,
    /// `max_tokens`, the only name that older servers know.
    MaxTokens,
}

/// Each kind has one profile.
impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Profile {
    /// The profile of a kind; none for the rehearsal, which has no network.
    pub(crate) fn of(kind: Kind) -> Option<&'static Profile> {
        match kind {
            Kind::Claude => Some(&claude::PROFILE),
            Kind::Openai => Some(&openai::PROFILE),
            Kind::Groq => Some(&groq::PROFILE),
            Kind::Compatible => Some(&compatible::PROFILE),
            Kind::Ollama => Some(&local::OLLAMA),
            Kind::Vllm => Some(&local::VLLM),
            Kind::Mistral => Some(&mistral::PROFILE),
            Kind::Gemini => Some(&gemini::PROFILE),
            Kind::Deepseek => Some(&deepseek::PROFILE),
            Kind::Perplexity => Some(&perplexity::PROFILE),
            Kind::Openrouter => Some(&openrouter::PROFILE),
            Kind::Azure => Some(&azure::PROFILE),
            Kind::Rehearsal => None,
        }
    }

    /// What a model takes.
    pub(crate) fn family(&self, model: &str) -> &'static Family {
        self.families.iter().find(|family| family.has(model)).unwrap_or(&family::UNKNOWN)
    }
}
