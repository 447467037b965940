//! What the models of a provider take of the parameters of an entry, family by family.

/// Models whose names begin alike, and what they take.
#[derive(Debug)]
pub(crate) struct ModelFamily {
    /// How their names begin.
    pub(crate) names: &'static [&'static str],
    /// Words for `effort`.
    pub(crate) efforts: EffortSupport,
    /// Whether they take `temperature` and `top_p`.
    pub(crate) sampling: SamplingSupport,
    /// Most tokens of one answer, where that is known.
    pub(crate) most_output_tokens: Option<u32>,
}

/// Which words a model takes for `effort`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EffortSupport {
    /// These.
    Of(&'static [&'static str]),
    /// None: it refuses the parameter.
    Refused,
    /// Whatever the server accepts, which is not known here.
    Any,
}

/// Whether a model takes `temperature` and `top_p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SamplingSupport {
    /// Never.
    Never,
    /// Only when it does not reason: with the effort `none`.
    WithoutReasoning,
    /// Always.
    Always,
}

impl ModelFamily {
    /// Whether a model is known to think before it answers, with this effort.
    pub(crate) fn reasons(&self, model: &str, effort: Option<&str>) -> bool {
        let is_known = self.is_named() && !model.contains("-chat");
        is_known && self.sampling != SamplingSupport::Always && effort != Some(NO_REASONING)
    }

    /// Whether its models are known, and not those that no other family names.
    pub(crate) fn is_named(&self) -> bool {
        self.names.iter().all(|name| !name.is_empty())
    }

    /// Whether its models take this word for `effort`.
    pub(crate) fn takes_effort(&self, effort: &str) -> bool {
        match self.efforts {
            EffortSupport::Of(words) => words.contains(&effort),
            EffortSupport::Refused => false,
            EffortSupport::Any => true,
        }
    }

    /// Whether its models take `temperature` and `top_p` with this effort.
    pub(crate) fn takes_sampling(&self, effort: Option<&str>) -> bool {
        match self.sampling {
            SamplingSupport::Never => false,
            SamplingSupport::WithoutReasoning => effort == Some(NO_REASONING),
            SamplingSupport::Always => true,
        }
    }

    /// Whether a model is of this family. A fine-tuned model is of its base's.
    pub(super) fn contains_model(&self, model: &str) -> bool {
        let base = model.strip_prefix("ft:").unwrap_or(model);
        self.names.iter().any(|name| base.starts_with(name))
    }
}

/// The effort of a model that is not to reason.
pub(crate) const NO_REASONING: &str = "none";

/// What is assumed of a model that no family names: nothing is refused.
pub(super) const UNKNOWN: ModelFamily = ModelFamily {
    names: &[""],
    efforts: EffortSupport::Any,
    sampling: SamplingSupport::Always,
    most_output_tokens: None,
};
