//! The labels. Each has a finite set of values: names of the configuration, of the catalog, of the document.

use prometheus_client::encoding::EncodeLabelSet;

/// What became of an occurrence.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OccurrenceLabels {
    pub(super) outcome: &'static str,
}

/// A provider's entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ProviderLabels {
    pub(super) provider: String,
}

/// The same, and the class of the failure.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ModelCallLabels {
    pub(super) provider: String,
    pub(super) class: &'static str,
}

/// A command, and how its call ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct CommandLabels {
    pub(super) command: String,
    pub(super) status: &'static str,
}

/// What a callback of a long task was taken as.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct CallbackLabels {
    pub(super) verdict: &'static str,
}

/// A kind of tokens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct TokenKindLabels {
    pub(super) kind: &'static str,
}

/// A route of the document, and the status of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct HttpRequestLabels {
    pub(super) route: String,
    pub(super) status: u64,
}

/// Why a stream was ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct StreamEndLabels {
    pub(super) reason: &'static str,
}

/// The limit of an address at which a connection was refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct ConnectionRefusalLabels {
    pub(super) limit: &'static str,
}

/// What came of a try to tell people outside.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct NotificationLabels {
    pub(super) outcome: &'static str,
}

/// A phase of sessions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct SessionPhaseLabels {
    pub(super) phase: String,
}
