//! The metric labels. Each has a finite set of values: names of the configuration, the catalog or the OpenAPI document.

use prometheus_client::encoding::EncodeLabelSet;

/// Labels of automation occurrences.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OccurrenceLabels {
    pub(super) outcome: &'static str,
}

/// Labels of a provider entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ProviderLabels {
    pub(super) provider: String,
}

/// Labels of model calls: the provider entry and the failure class.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ModelCallLabels {
    pub(super) provider: String,
    pub(super) class: &'static str,
}

/// Labels of commands: the name and the outcome.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct CommandLabels {
    pub(super) command: String,
    pub(super) status: &'static str,
}

/// Labels of long-task callbacks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct CallbackLabels {
    pub(super) verdict: &'static str,
}

/// Labels of token counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct TokenKindLabels {
    pub(super) kind: &'static str,
}

/// Labels of HTTP requests: the documented route and the status.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct HttpRequestLabels {
    pub(super) route: String,
    pub(super) status: u64,
}

/// Labels of ended streams.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct StreamEndLabels {
    pub(super) reason: &'static str,
}

/// Labels of refused connections: the limit that was exceeded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ConnectionRefusalLabels {
    pub(super) limit: &'static str,
}

/// Labels of notifications to people outside.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct NotificationLabels {
    pub(super) outcome: &'static str,
}

/// Labels of session phases.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct SessionPhaseLabels {
    pub(super) phase: String,
}
