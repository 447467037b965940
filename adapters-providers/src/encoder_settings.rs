//! What of an entry goes into the body of a call, and what an answer is read with. Pure.

use std::borrow::Cow;
use std::sync::Arc;

use entracte_application::ports::{CommandRequestPolicy, ModelRequest, ToolDeclaration};
use serde_json::Value;

use crate::config::ProviderConfig;
use crate::encoder_version::EncoderVersion;
use crate::prices::CallTariff;
use crate::profiles::ProviderProfile;
use crate::provider_kind::{CacheTtl, StructuredOutput};
use crate::schema_fit::of_tool;

/// What an answer is read with.
#[derive(Clone, Debug)]
pub(crate) struct ReplyDecodeContext {
    /// What is special about the provider.
    pub(crate) profile: &'static ProviderProfile,
    /// What the call is billed by.
    pub(crate) tariff: CallTariff,
}

/// What of an entry goes into the body of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EncoderSettings {
    /// What is special about the provider.
    pub(crate) profile: &'static ProviderProfile,
    /// Which version of the encoders writes it.
    pub(crate) writing: EncoderVersion,
    /// Most tokens of an answer.
    pub(crate) max_output_tokens: Option<u32>,
    /// How hard to think.
    pub(crate) effort: Option<String>,
    /// The service tier.
    pub(crate) service_tier: Option<String>,
    /// Sampling.
    pub(crate) temperature: Option<f64>,
    /// Sampling.
    pub(crate) top_p: Option<f64>,
    /// Sampling in a relaunch, where that is another one.
    pub(crate) relaunch_temperature: Option<f64>,
    /// Most tokens of the answer of a relaunch, where those are others.
    pub(crate) relaunch_max_output_tokens: Option<u32>,
    /// How far the server holds an answer to a shape.
    pub(crate) structured_output: StructuredOutput,
    /// Whether the answer is streamed.
    pub(crate) stream: bool,
    /// Whether tokens are asked for in a stream of Chat Completions.
    pub(crate) stream_options: bool,
    /// Whether a model may ask for several calls in one answer; none: as the server does.
    pub(crate) parallel_tool_calls: Option<bool>,
    /// Whether requests of one session name it to the server's cache.
    pub(crate) prompt_cache_key: bool,
    /// Whether a model that reasons is asked to sum up what it thinks.
    pub(crate) reasoning_summary: bool,
    /// How long the server keeps what it caches.
    pub(crate) cache_ttl: CacheTtl,
    /// More fields of the body, as a JSON object.
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
            prompt_cache_key: config.prompt_cache_key.unwrap_or(profile.prompt_cache_key),
            // What stands behind another address may not know it.
            reasoning_summary: config
                .reasoning_summary
                .unwrap_or(profile.reasoning_summary && config.base_url.is_none()),
            cache_ttl: config.cache_ttl.unwrap_or_default(),
            extra_body: extra_body(config),
        }
    }

    /// What holds in one round: a relaunch may have its own temperature and output limit, and an agent has its own limit,
    /// where that is the lower one.
    pub(crate) fn for_round(&self, request: &ModelRequest) -> Cow<'_, Self> {
        let differs = self.relaunch_temperature.is_some() || self.relaunch_max_output_tokens.is_some();
        let relaunch = request.relaunch && differs;
        if !relaunch && request.output_tokens.is_none() {
            return Cow::Borrowed(self);
        }
        let of_relaunch = |own: Option<u32>| own.filter(|_| relaunch).or(self.max_output_tokens);
        let usual = of_relaunch(self.relaunch_max_output_tokens);
        let least = request.output_tokens.map(|most| usual.map_or(most, |usual| usual.min(most)));
        Cow::Owned(Self {
            temperature: self.relaunch_temperature.filter(|_| relaunch).or(self.temperature),
            max_output_tokens: least.or(usual),
            ..self.clone()
        })
    }

    /// What holds for a model. An entry is checked for its own, and a session or an agent may have another: what that one is
    /// known to refuse is left out, because the server would refuse the whole request.
    pub(crate) fn for_model(&self, model: &str) -> Cow<'_, Self> {
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

    /// The schema of a tool's arguments, as servers take it.
    pub(crate) fn schema_of<'a>(&self, tool: &'a ToolDeclaration) -> Cow<'a, Value> {
        if self.writing >= EncoderVersion::V3 { of_tool(&tool.schema) } else { Cow::Borrowed(&tool.schema) }
    }

    /// Whether the server is told to let the model call no tool. What it is told of tools stays as it was over a
    /// generation, because caches depend on it: only the closing call differs.
    pub(crate) fn withholds(&self, request: &ModelRequest) -> bool {
        let withheld = match request.commands {
            CommandRequestPolicy::Allowed => false,
            CommandRequestPolicy::WordsOnly => self.writing < EncoderVersion::V2,
            CommandRequestPolicy::None => true,
        };
        withheld && !request.tools.is_empty()
    }

    /// What the server is told of several calls in one answer; none: nothing. Without tools there is nothing to tell, and some
    /// servers refuse to be told.
    pub(crate) fn parallel(&self, request: &ModelRequest) -> Option<bool> {
        self.parallel_tool_calls.filter(|_| !request.tools.is_empty())
    }

    /// What the answer to a call of this model is read with.
    pub(crate) fn reading(&self, config: &ProviderConfig, model: &str) -> ReplyDecodeContext {
        ReplyDecodeContext {
            profile: self.profile,
            tariff: CallTariff::of(self.profile, config, model, self.cache_ttl),
        }
    }
}

/// The fields that an entry adds to the body, as one JSON object; none when it adds none.
fn extra_body(config: &ProviderConfig) -> Option<Arc<str>> {
    let fields = config.extra_body.as_ref().filter(|fields| !fields.is_empty())?;
    // Names and values: there is nothing in them that JSON cannot write.
    serde_json::to_string(fields).ok().map(Into::into)
}
