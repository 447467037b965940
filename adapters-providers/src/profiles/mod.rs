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
mod local_servers;
mod mistral;
mod openai;
mod openrouter;
mod perplexity;

pub(crate) use family::{EffortSupport, ModelFamily, NO_REASONING, SamplingSupport};

use crate::call_id_format::CallIdFormat;
use crate::provider_kind::{ProviderKind, StructuredOutput};

/// What is special about a provider.
#[derive(Debug)]
pub(crate) struct ProviderProfile {
    /// Its kind.
    pub(crate) kind: ProviderKind,
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
    pub(crate) families: &'static [ModelFamily],
    /// Words for `service_tier`; empty = any.
    pub(crate) service_tiers: &'static [&'static str],
    /// How far it holds an answer to a JSON shape when the entry does not say.
    pub(crate) structured_output: StructuredOutput,
    /// Whether it can hold an answer to being some JSON object.
    pub(crate) json_mode: bool,
    /// Whether it takes a response format together with tools.
    pub(crate) format_beside_tools: bool,
    /// Its name for the output limit in Chat Completions.
    pub(crate) output_limit: OutputLimitField,
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
    pub(crate) call_ids: CallIdFormat,
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
pub(crate) enum OutputLimitField {
    /// `max_completion_tokens`
    MaxCompletionTokens,
    /// `max_tokens`, the only name that older servers know.
    MaxTokens,
}

/// Each kind has one profile.
impl PartialEq for ProviderProfile {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl ProviderProfile {
    /// The profile of a kind; none for the rehearsal, which has no network.
    pub(crate) fn of_kind(kind: ProviderKind) -> Option<&'static ProviderProfile> {
        match kind {
            ProviderKind::Claude => Some(&claude::PROFILE),
            ProviderKind::Openai => Some(&openai::PROFILE),
            ProviderKind::Groq => Some(&groq::PROFILE),
            ProviderKind::Compatible => Some(&compatible::PROFILE),
            ProviderKind::Ollama => Some(&local_servers::OLLAMA),
            ProviderKind::Vllm => Some(&local_servers::VLLM),
            ProviderKind::Mistral => Some(&mistral::PROFILE),
            ProviderKind::Gemini => Some(&gemini::PROFILE),
            ProviderKind::Deepseek => Some(&deepseek::PROFILE),
            ProviderKind::Perplexity => Some(&perplexity::PROFILE),
            ProviderKind::Openrouter => Some(&openrouter::PROFILE),
            ProviderKind::Azure => Some(&azure::PROFILE),
            ProviderKind::Rehearsal => None,
        }
    }

    /// What a model takes.
    pub(crate) fn family(&self, model: &str) -> &'static ModelFamily {
        self.families.iter().find(|family| family.contains_model(model)).unwrap_or(&family::UNKNOWN)
    }
}
