//! The part of a configuration entry that request bodies contain, and the context that answers are decoded with. Pure.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_application::ports::{CommandRequestPolicy, ModelRequest, ToolDeclaration};
use entracte_application::schema::SchemaDocument;
use entracte_application::system::sha256;
use entracte_domain::id::SessionId;
use serde::{Deserialize, Serialize};

use crate::answer_limits::AnswerLimits;
use crate::config::{ModelConfig, ProviderConfig};
use crate::encoder_version::EncoderVersion;
use crate::prices::CallTariff;
use crate::profiles::ProviderProfile;
use crate::provider_kind::{CacheTtl, StructuredOutput};
use crate::schema_fit::of_tool;
use crate::text::shortened;

/// Context for decoding an answer.
#[derive(Clone, Debug)]
pub(crate) struct ReplyDecodeContext {
    /// Profile of the provider.
    pub(crate) profile: &'static ProviderProfile,
    /// Prices of the call.
    pub(crate) tariff: CallTariff,
    /// Limits of the answer.
    pub(crate) limits: AnswerLimits,
}

/// The part of a configuration entry that determines the bytes of request bodies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EncoderSettings {
    /// Profile of the provider.
    pub(crate) profile: &'static ProviderProfile,
    /// Version of the encoders that write the body.
    pub(crate) writing: EncoderVersion,
    /// Most tokens of an answer.
    pub(crate) max_output_tokens: Option<u32>,
    /// The reasoning effort.
    pub(crate) effort: Option<String>,
    /// The service tier that a request asks for.
    pub(crate) service_tier: Option<String>,
    /// Sampling temperature.
    pub(crate) temperature: Option<f64>,
    /// Sampling threshold.
    pub(crate) top_p: Option<f64>,
    /// Sampling temperature of a relaunch, if it differs.
    pub(crate) relaunch_temperature: Option<f64>,
    /// Most tokens of the answer of a relaunch, if they differ.
    pub(crate) relaunch_max_output_tokens: Option<u32>,
    /// How strictly the server enforces an output shape.
    pub(crate) structured_output: StructuredOutput,
    /// Whether the answer is streamed.
    pub(crate) stream: bool,
    /// Whether a Chat Completions stream is asked to report tokens.
    pub(crate) stream_options: bool,
    /// Whether a model may request several calls in one answer; `None` is the server's default.
    pub(crate) parallel_tool_calls: Option<bool>,
    /// Most characters of a tool's description; `None` is no limit.
    pub(crate) tool_description_chars: Option<u32>,
    /// Whether requests of one session send its cache key to the server.
    pub(crate) prompt_cache_key: bool,
    /// Whether a reasoning model is asked to summarize its reasoning.
    pub(crate) reasoning_summary: bool,
    /// Time to live of the server's cache entries.
    pub(crate) cache_ttl: CacheTtl,
    /// Whether the model reads images.
    pub(crate) images: bool,
    /// Whether the model reads PDF.
    pub(crate) pdf: bool,
    /// What the entry says about the files that its models read.
    pub(crate) model_files: BTreeMap<String, ModelFileSupport>,
    /// Additional body fields, as a JSON object.
    pub(crate) extra_body: Option<Arc<str>>,
}

impl EncoderSettings {
    /// The settings of an entry.
    pub(crate) fn of(profile: &'static ProviderProfile, config: &ProviderConfig) -> Self {
        Self {
            profile,
            writing: EncoderVersion::LATEST,
            max_output_tokens: config.max_output_tokens,
            effort: config.effort.clone(),
            service_tier: config.service_tier.clone(),
            temperature: config.temperature,
            top_p: config.top_p,
            relaunch_temperature: config.relaunch_temperature,
            relaunch_max_output_tokens: config.relaunch_max_output_tokens,
            structured_output: config.structured_output.unwrap_or(profile.structured_output),
            stream: config.stream,
            stream_options: config.stream_options.unwrap_or(profile.stream_options),
            parallel_tool_calls: config.parallel_tool_calls,
            tool_description_chars: config.tool_description_chars.or(profile.tool_description_chars),
            prompt_cache_key: config.prompt_cache_key.unwrap_or(profile.prompt_cache_key),
            // A server at another address may not support it.
            reasoning_summary: config
                .reasoning_summary
                .unwrap_or(profile.reasoning_summary && config.base_url.is_none()),
            cache_ttl: config.cache_ttl.unwrap_or_default(),
            images: profile.images,
            pdf: profile.pdf,
            model_files: model_files(config),
            extra_body: extra_body(config),
        }
    }

    /// The settings of one round: a relaunch may have its own temperature and output limit, and an agent's limit
    /// applies if it is lower.
    pub(crate) fn for_round(&self, request: &ModelRequest) -> Cow<'_, Self> {
        self.for_answer(request.relaunch, request.output_tokens)
    }

    /// The settings of a round by what differs of its answer.
    pub(crate) fn for_answer(&self, relaunch: bool, output_tokens: Option<u32>) -> Cow<'_, Self> {
        let differs = self.relaunch_temperature.is_some() || self.relaunch_max_output_tokens.is_some();
        let relaunch = relaunch && differs;
        if !relaunch && output_tokens.is_none() {
            return Cow::Borrowed(self);
        }
        let of_relaunch = |own: Option<u32>| own.filter(|_| relaunch).or(self.max_output_tokens);
        let usual = of_relaunch(self.relaunch_max_output_tokens);
        let least = output_tokens.map(|most| usual.map_or(most, |usual| usual.min(most)));
        Cow::Owned(Self {
            temperature: self.relaunch_temperature.filter(|_| relaunch).or(self.temperature),
            max_output_tokens: least.or(usual),
            ..self.clone()
        })
    }

    /// The settings for a model: its parameters, and the files that it reads.
    pub(crate) fn for_model(&self, model: &str) -> Cow<'_, Self> {
        let settings = self.with_accepted_parameters(model);
        let Some(own) = self.model_files.get(model) else { return settings };
        Cow::Owned(Self {
            images: own.images.unwrap_or(self.images),
            pdf: own.pdf.unwrap_or(self.pdf),
            ..settings.into_owned()
        })
    }

    /// The settings with the parameters that a model accepts. An entry is checked for its own model, but a session or
    /// agent may use another: parameters that this model is known to refuse are left out, because the server would refuse
    /// the whole request.
    fn with_accepted_parameters(&self, model: &str) -> Cow<'_, Self> {
        let family = self.profile.family(model);
        let says_nothing = self.effort.is_none()
            && self.temperature.is_none()
            && self.top_p.is_none()
            && self.max_output_tokens.is_none();
        if self.writing < EncoderVersion::V3 || says_nothing || !family.is_named() {
            return Cow::Borrowed(self);
        }
        let effort = self.effort.clone().filter(|effort| family.takes_effort(effort));
        let samples = family.takes_sampling(effort.as_deref());
        let most = |tokens: u32| family.most_output_tokens.map_or(tokens, |most| tokens.min(most));
        Cow::Owned(Self {
            temperature: self.temperature.filter(|_| samples),
            top_p: self.top_p.filter(|_| samples),
            max_output_tokens: self.max_output_tokens.map(most),
            effort,
            ..self.clone()
        })
    }

    /// What a body declares before the conversation, which grows: tools and the shape of the answer, unless they stand
    /// after it.
    pub(crate) fn declared_before_turns<T: Default>(&self, declare: impl FnOnce() -> T) -> T {
        if self.declares_before_turns() { declare() } else { T::default() }
    }

    /// What a body declares after the conversation: the same, unless it stands before it.
    pub(crate) fn declared_after_turns<T: Default>(&self, declare: impl FnOnce() -> T) -> T {
        if self.declares_before_turns() { T::default() } else { declare() }
    }

    fn declares_before_turns(&self) -> bool {
        self.writing >= EncoderVersion::V7
    }

    /// The schema of a tool's arguments in a form that servers accept.
    pub(crate) fn schema_of<'a>(&self, tool: &'a ToolDeclaration) -> Cow<'a, SchemaDocument> {
        if self.writing >= EncoderVersion::V3 { of_tool(&tool.schema) } else { Cow::Borrowed(&tool.schema) }
    }

    /// The description of a tool, cut to what servers accept.
    pub(crate) fn description_of<'a>(&self, tool: &'a ToolDeclaration) -> Cow<'a, str> {
        let most = self.tool_description_chars.filter(|_| self.writing >= EncoderVersion::V5);
        match most.and_then(|most| usize::try_from(most).ok()) {
            Some(most) if tool.description.chars().count() > most => {
                // The mark of the cut counts.
                Cow::Owned(shortened(&tool.description, most.saturating_sub(1)))
            }
            _ => Cow::Borrowed(&tool.description),
        }
    }

    /// The key that names a session to the server's cache, if it is sent: the id of the session, or where servers refuse
    /// that as too long, its hash.
    pub(crate) fn cache_key_of<'a>(&self, session: &'a SessionId) -> Option<Cow<'a, str>> {
        let key = self.prompt_cache_key.then_some(session.as_str())?;
        let is_long = self.writing >= EncoderVersion::V5 && key.len() > CACHE_KEY_MAX_CHARS;
        Some(if is_long {
            Cow::Owned(sha256(key.as_bytes()).as_str().to_owned())
        } else {
            Cow::Borrowed(key)
        })
    }

    /// Whether the request disables tool calls. The tool declarations stay the same over a generation, because caches
    /// depend on them; only the closing call differs.
    pub(crate) fn withholds(&self, request: &ModelRequest) -> bool {
        let withheld = match request.commands {
            CommandRequestPolicy::Allowed => false,
            CommandRequestPolicy::WordsOnly => self.writing < EncoderVersion::V2,
            CommandRequestPolicy::None => true,
        };
        withheld && !request.tools.is_empty()
    }

    /// Value of the server's setting for several calls in one answer; `None` leaves it out. Without tools it is left
    /// out too, because some servers refuse it then.
    pub(crate) fn parallel(&self, request: &ModelRequest) -> Option<bool> {
        self.parallel_tool_calls.filter(|_| !request.tools.is_empty())
    }
}

/// Most characters of `prompt_cache_key`, as reported with the error of OpenAI: earendil-works/pi#4720,
/// vybestack/llxprt-code#2135.
const CACHE_KEY_MAX_CHARS: usize = 64;

/// The body fields that an entry adds, as one JSON object; `None` if it adds none.
fn extra_body(config: &ProviderConfig) -> Option<Arc<str>> {
    let fields = config.extra_body.as_ref().filter(|fields| !fields.is_empty())?;
    // Names and values only, so JSON can represent everything.
    serde_json::to_string(fields).ok().map(Into::into)
}

/// What an entry says about the files that one of its models reads; `None` is what the kind says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelFileSupport {
    /// Whether it reads images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) images: Option<bool>,
    /// Whether it reads PDF.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pdf: Option<bool>,
}

/// What an entry says about the files that its models read.
fn model_files(config: &ProviderConfig) -> BTreeMap<String, ModelFileSupport> {
    let says = |own: &ModelConfig| ModelFileSupport { images: own.images, pdf: own.pdf };
    let models = config.models.iter().map(|(model, own)| (model.clone(), says(own)));
    models.filter(|(_, own)| *own != ModelFileSupport::default()).collect()
}
