//! Profiles: the differences between providers of the same dialect, as data.
//!
//! Addresses, headers, words and quirks; no mapping code.

mod azure;
mod claude;
mod compatible;
mod deepseek;
mod family;
mod gemini;
mod groq;
mod image_tokens;
mod local_servers;
mod mistral;
mod openai;
mod openrouter;
mod perplexity;

pub(crate) use family::{EffortSupport, ModelFamily, NO_REASONING, SamplingSupport};

use entracte_application::ports::FileTokenFormula;
use entracte_domain::file::ModelView;
use reqwest::Url;

use crate::call_id_format::CallIdFormat;
use crate::profiles::image_tokens::ModelImageTokens;
use crate::provider_kind::{ProviderKind, StructuredOutput};

/// Address, headers and quirks of a provider.
#[derive(Debug)]
pub(crate) struct ProviderProfile {
    /// Provider kind.
    pub(crate) kind: ProviderKind,
    /// Name of the provider for people.
    pub(crate) display_name: &'static str,
    /// The default address.
    pub(crate) base_url: Option<&'static str>,
    /// The default environment variable of the key.
    pub(crate) key_variable: Option<&'static str>,
    /// The header that carries the key.
    pub(crate) key_header: KeyHeader,
    /// Fixed headers of every request.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// Parameters that its models accept; the first family that contains a model applies.
    pub(crate) families: &'static [ModelFamily],
    /// Accepted values of `service_tier`; empty means any.
    pub(crate) service_tiers: &'static [&'static str],
    /// Default strictness with which an answer's JSON shape is enforced.
    pub(crate) structured_output: StructuredOutput,
    /// Whether the server can force an answer to be a JSON object.
    pub(crate) json_mode: bool,
    /// Whether the server accepts a response format together with tools.
    pub(crate) format_beside_tools: bool,
    /// Its field for the output limit in Chat Completions.
    pub(crate) output_limit: OutputLimitField,
    /// Whether the server accepts `stream_options`, which requests token counts in a Chat Completions stream.
    pub(crate) stream_options: bool,
    /// Whether the server accepts `prompt_cache_key`.
    pub(crate) prompt_cache_key: bool,
    /// Whether its reasoning models summarize their reasoning on request.
    pub(crate) reasoning_summary: bool,
    /// Whether the cost that its answers report, in US dollars, is the bill unless the entry says otherwise. The table is
    /// not used then, because it could differ.
    pub(crate) tells_cost: bool,
    /// Whether its models read images, unless the entry says otherwise of one.
    pub(crate) images: bool,
    /// Whether its models read PDF, unless the entry says otherwise of one.
    pub(crate) pdf: bool,
    /// The largest image that it takes, if its documentation or its errors say so. It refuses a whole request for a larger
    /// one, and the conversation would send that again with each round.
    pub(crate) largest_image: Option<ImageLimit>,
    /// How its models count images, if that is published; the first entry that names a model applies.
    pub(crate) image_tokens: &'static [ModelImageTokens],
    /// Tokens of a page of a PDF, if that is published.
    pub(crate) pdf_page_tokens: Option<u64>,
    /// Whether a user message may directly follow the results of calls.
    pub(crate) user_after_tool: bool,
    /// The format of call ids that the server accepts.
    pub(crate) call_ids: CallIdFormat,
    /// Tag of its raw turns: dialect and version, or dialect and server if servers add their own fields.
    pub(crate) raw_dialect: &'static str,
    /// Most tools of a request, if its documentation or its errors say so.
    pub(crate) most_tools: Option<u32>,
    /// Most characters of a tool's description, if its documentation says so.
    pub(crate) tool_description_chars: Option<u32>,
    /// An example model for messages that ask for one.
    pub(crate) example_model: &'static str,
    /// The end of this API at the provider's own address, if it has ended.
    pub(crate) ended: Option<EndedApi>,
}

/// The end of a provider's API, with the entry that replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EndedApi {
    /// The day after which the provider did not support the API any more, as `YYYY-MM-DD`.
    pub(crate) on: &'static str,
    /// Kind of an entry for the API that replaces it.
    pub(crate) kind: ProviderKind,
    /// Address of that API.
    pub(crate) base_url: &'static str,
    /// An example model of that API.
    pub(crate) model: &'static str,
}

/// The largest image of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImageLimit {
    /// Most bytes of its base64 form.
    pub(crate) encoded_bytes: u64,
    /// Most pixels of its longer side.
    pub(crate) side: u32,
}

impl ImageLimit {
    /// Whether an image is within the limit. One whose dimensions are unknown is judged by its size alone.
    pub(crate) fn fits(self, image: ModelView<'_>) -> bool {
        let encoded = image.bytes.div_ceil(3).saturating_mul(4);
        let side = image.dimensions.map_or(0, |pixels| pixels.width.max(pixels.height));
        encoded <= self.encoded_bytes && side <= self.side
    }
}

/// The header that carries the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// `x-api-key: KEY`
    XApiKey,
    /// `authorization: Bearer KEY`
    Bearer,
    /// `api-key: KEY`
    ApiKey,
}

/// The field for the output limit in Chat Completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputLimitField {
    /// `max_completion_tokens`
    MaxCompletionTokens,
    /// `max_tokens`, the only name that older servers accept.
    MaxTokens,
}

/// Each kind has exactly one profile, so the kinds are compared.
impl PartialEq for ProviderProfile {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl ProviderProfile {
    /// The profile of a kind; `None` for the rehearsal, which has no network.
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

    /// Whether an entry with this `base_url` uses the provider's own address.
    pub(crate) fn is_own_address(&self, base_url: Option<&str>) -> bool {
        let Some(given) = base_url else { return true };
        let host = |address: &str| Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned));
        self.base_url.and_then(host).is_some_and(|own| host(given) == Some(own))
    }

    /// How a model counts files, whether or not it reads them. A fine-tuned model counts as its base model.
    pub(crate) fn file_tokens(&self, model: &str) -> FileTokenFormula {
        let base = model.strip_prefix("ft:").unwrap_or(model);
        let is_named = |of: &&ModelImageTokens| of.names.iter().any(|name| base.starts_with(name));
        let image = self.image_tokens.iter().find(is_named).map(|of| of.formula);
        let unpublished = FileTokenFormula::UNPUBLISHED;
        FileTokenFormula {
            image: image.or(unpublished.image),
            pdf_page: self.pdf_page_tokens.or(unpublished.pdf_page),
        }
    }

    /// The family of a model, with the parameters it accepts.
    pub(crate) fn family(&self, model: &str) -> &'static ModelFamily {
        self.families.iter().find(|family| family.contains_model(model)).unwrap_or(&family::UNKNOWN)
    }
}
