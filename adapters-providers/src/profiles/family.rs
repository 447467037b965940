//! Parameters that a provider's models accept, by model family.

/// Models with a common name prefix, and the parameters they accept.
#[derive(Debug)]
pub(crate) struct ModelFamily {
    /// Name prefixes of the family.
    pub(crate) names: &'static [&'static str],
    /// Accepted values of `effort`.
    pub(crate) efforts: EffortSupport,
    /// Whether the models accept `temperature` and `top_p`.
    pub(crate) sampling: SamplingSupport,
    /// Most tokens of one answer, if known.
    pub(crate) most_output_tokens: Option<u32>,
}

/// Values of `effort` that a model accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EffortSupport {
    /// Exactly these values.
    Of(&'static [&'static str]),
    /// No value: the parameter is refused.
    Refused,
    /// Any value that the server accepts; the list is not known.
    Any,
}

/// Whether a model accepts `temperature` and `top_p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SamplingSupport {
    /// Never.
    Never,
    /// Only without reasoning, that is with the effort `none`.
    WithoutReasoning,
    /// Always.
    Always,
}

impl ModelFamily {
    /// Whether a model is known to reason before it answers, with this effort.
    pub(crate) fn reasons(&self, model: &str, effort: Option<&str>) -> bool {
        let is_known = self.is_named() && !model.contains("-chat");
        is_known && self.sampling != SamplingSupport::Always && effort != Some(NO_REASONING)
    }

    /// Whether the family names specific models instead of all others.
    pub(crate) fn is_named(&self) -> bool {
        self.names.iter().all(|name| !name.is_empty())
    }

    /// Whether the models accept this value of `effort`.
    pub(crate) fn takes_effort(&self, effort: &str) -> bool {
        match self.efforts {
            EffortSupport::Of(words) => words.contains(&effort),
            EffortSupport::Refused => false,
            EffortSupport::Any => true,
        }
    }

    /// Whether the models accept `temperature` and `top_p` with this effort.
    pub(crate) fn takes_sampling(&self, effort: Option<&str>) -> bool {
        match self.sampling {
            SamplingSupport::Never => false,
            SamplingSupport::WithoutReasoning => effort == Some(NO_REASONING),
            SamplingSupport::Always => true,
        }
    }

    /// Whether a model belongs to the family. A fine-tuned model belongs to that of its base model.
    pub(super) fn contains_model(&self, model: &str) -> bool {
        let base = model.strip_prefix("ft:").unwrap_or(model);
        self.names.iter().any(|name| base.starts_with(name))
    }
}

/// The effort that disables reasoning.
pub(crate) const NO_REASONING: &str = "none";

/// The family of unknown models: no parameter is refused.
pub(super) const UNKNOWN: ModelFamily = ModelFamily {
    names: &[""],
    efforts: EffortSupport::Any,
    sampling: SamplingSupport::Always,
    most_output_tokens: None,
};
