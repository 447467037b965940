//! The enumerations of a configuration entry: API, output shape, cache and key header. Data only.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

entracte_domain::words! {
    /// What a provider speaks.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum ProviderKind {
        /// Claude, over the Messages API.
        Claude = "claude",
        /// OpenAI, over the Responses API.
        Openai = "openai",
        /// Groq, over Chat Completions.
        Groq = "groq",
        /// Any endpoint that speaks Chat Completions: llama.cpp, a gateway, …
        Compatible = "compatible",
        /// Ollama on this machine, over Chat Completions.
        Ollama = "ollama",
        /// vLLM, over Chat Completions.
        Vllm = "vllm",
        /// Mistral, over Chat Completions.
        Mistral = "mistral",
        /// Gemini, at its address for the shape of OpenAI.
        Gemini = "gemini",
        /// DeepSeek, over Chat Completions.
        Deepseek = "deepseek",
        /// Perplexity, over Chat Completions; it has no tools.
        Perplexity = "perplexity",
        /// OpenRouter, over Chat Completions.
        Openrouter = "openrouter",
        /// Azure OpenAI, over the Responses API of a resource.
        Azure = "azure",
        /// The offline provider that plays a script.
        Rehearsal = "rehearsal",
    }
}

impl ProviderKind {
    /// The value of `gen_ai.provider.name` in OpenTelemetry's conventions for generative AI; for kinds that these do not
    /// know, the kind's own word.
    pub const fn convention_name(self) -> &'static str {
        match self {
            Self::Claude => "anthropic",
            Self::Azure => "azure.ai.openai",
            Self::Mistral => "mistral_ai",
            Self::Gemini => "gcp.gemini",
            Self::Openai
            | Self::Groq
            | Self::Compatible
            | Self::Ollama
            | Self::Vllm
            | Self::Deepseek
            | Self::Perplexity
            | Self::Openrouter
            | Self::Rehearsal => self.word(),
        }
    }

    /// The API that the kind's server offers.
    pub(crate) const fn wire(self) -> WireApi {
        match self {
            ProviderKind::Claude => WireApi::AnthropicMessages,
            ProviderKind::Openai | ProviderKind::Azure => WireApi::Responses,
            ProviderKind::Groq
            | ProviderKind::Compatible
            | ProviderKind::Ollama
            | ProviderKind::Mistral
            | ProviderKind::Gemini
            | ProviderKind::Deepseek
            | ProviderKind::Perplexity
            | ProviderKind::Openrouter
            | ProviderKind::Vllm
            | ProviderKind::Rehearsal => WireApi::ChatCompletions,
        }
    }
}

/// Model API of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WireApi {
    /// The Messages API.
    AnthropicMessages,
    /// The Responses API.
    Responses,
    /// Chat Completions.
    ChatCompletions,
}

impl WireApi {
    /// The body fields that the dialect writes itself.
    pub(crate) const fn fields(self) -> &'static [&'static str] {
        match self {
            WireApi::AnthropicMessages => &[
                "model",
                "max_tokens",
                "system",
                "messages",
                "tools",
                "tool_choice",
                "output_config",
                "service_tier",
                "stream",
            ],
            WireApi::Responses => &[
                "model",
                "instructions",
                "input",
                "tools",
                "tool_choice",
                "parallel_tool_calls",
                "text",
                "reasoning",
                "max_output_tokens",
                "service_tier",
                "temperature",
                "top_p",
                "prompt_cache_key",
                "include",
                "store",
                "stream",
            ],
            WireApi::ChatCompletions => &[
                "model",
                "messages",
                "tools",
                "tool_choice",
                "parallel_tool_calls",
                "response_format",
                "max_completion_tokens",
                "max_tokens",
                "reasoning_effort",
                "service_tier",
                "temperature",
                "top_p",
                "stream",
                "stream_options",
                "prompt_cache_key",
            ],
        }
    }
}

/// How commands are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandDialect {
    /// As native tools of the provider.
    #[default]
    Tools,
    /// In the JSON envelope of the answer's text.
    Envelope,
}

/// How far the server holds an answer to a JSON shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// To the schema, where the schema is one that it can enforce.
    Schema,
    /// To being a JSON object.
    Json,
    /// Not at all: the shape is asked for in words only.
    None,
}

/// How a key is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyAuth {
    /// `authorization: Bearer KEY`
    Bearer,
    /// `x-api-key: KEY`
    XApiKey,
    /// `api-key: KEY`
    ApiKey,
}

/// How long Claude keeps what it caches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CacheTtl {
    /// Five minutes after it was last used.
    #[default]
    #[serde(rename = "5m")]
    FiveMinutes,
    /// An hour; writing it costs more, which pays for sessions that wait for people.
    #[serde(rename = "1h")]
    OneHour,
}

impl CacheTtl {
    /// The value in a request; `None` for the default, which is left out.
    pub(crate) const fn word(self) -> Option<&'static str> {
        match self {
            CacheTtl::FiveMinutes => None,
            CacheTtl::OneHour => Some("1h"),
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
    pub(crate) fn is_default(&self) -> bool {
        *self == CacheTtl::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: every kind; expected: the values that OpenTelemetry's registry of attributes lists for
    /// `gen_ai.provider.name`, and the kind's own word where it lists none.
    #[test]
    fn provider_name_follows_the_convention() {
        let named =
            |kinds: &[ProviderKind]| kinds.iter().map(|kind| kind.convention_name()).collect::<Vec<_>>();
        let listed = named(&[
            ProviderKind::Claude,
            ProviderKind::Openai,
            ProviderKind::Groq,
            ProviderKind::Azure,
            ProviderKind::Mistral,
            ProviderKind::Gemini,
            ProviderKind::Deepseek,
            ProviderKind::Perplexity,
        ]);
        let expected = [
            "anthropic",
            "openai",
            "groq",
            "azure.ai.openai",
            "mistral_ai",
            "gcp.gemini",
            "deepseek",
            "perplexity",
        ];
        assert_eq!(listed, expected);
        assert_eq!(named(&[ProviderKind::Ollama, ProviderKind::Vllm]), ["ollama", "vllm"]);
    }
}
