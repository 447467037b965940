//! Carries notifications out: to a webhook, to a topic of ntfy, to a program.

use async_trait::async_trait;
use entracte_domain::time::Timestamp;

use entracte_domain::id::WorkspaceKey;

use super::SecretReference;
use crate::texts::{LocalizedMessage, LocalizedTexts};

/// How a target is reached. It names its secrets and never holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryChannel {
    /// A signed POST, as Standard Webhooks says.
    Webhook {
        /// Where to: an address, or the place where one is kept that is a secret itself (`env:NAME`, `file:/PATH`).
        url: String,
        /// Where the key of the signature is kept: `whsec_…`, or base64 alone.
        secret: SecretReference,
    },
    /// A topic of ntfy.
    Ntfy {
        /// Of the topic: `https://ntfy.sh/my-topic`, or the place where its address is kept.
        url: String,
        /// Where the access token is kept; none for a topic that takes everybody's.
        token: Option<SecretReference>,
    },
    /// A program of this machine, which reads the same JSON as a webhook. No shell, and an empty environment.
    Command {
        /// Its path, from the root.
        program: String,
        /// What it is started with.
        arguments: Vec<String>,
    },
}

impl DeliveryChannel {
    /// The word for it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Webhook { .. } => "webhook",
            Self::Ntfy { .. } => "ntfy",
            Self::Command { .. } => "command",
        }
    }

    /// The secrets that it names.
    pub fn references(&self) -> Vec<&SecretReference> {
        match self {
            Self::Webhook { secret, .. } => vec![secret],
            Self::Ntfy { token, .. } => token.iter().collect(),
            Self::Command { .. } => Vec::new(),
        }
    }
}

/// What the variables begin with that a target may name over HTTP.
pub const TARGET_VARIABLE_PREFIX: &str = "ENTRACTE_NOTIFY_";

/// Whether a target may name this variable over HTTP, where its declaration allows it.
pub fn is_target_variable(name: &str) -> bool {
    let rest = name.strip_prefix(TARGET_VARIABLE_PREFIX).unwrap_or_default();
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !rest.is_empty() && rest.bytes().all(is_letter)
}

/// Whose target a way is. What it may name depends on that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryChannelOwner {
    /// The workspace of the target.
    pub workspace: WorkspaceKey,
    /// The person of the target.
    pub person: String,
    /// The target was added on the command line of the server's machine, where every secret can be read anyway: it may name
    /// one that no configuration declares.
    pub is_operators: bool,
}

/// What is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// `ntf_…`: the same at each try, so that who gets it twice knows.
    pub id: String,
    /// When this try is made.
    pub at: Timestamp,
    /// One line for people.
    pub title: String,
    /// A sentence for people.
    pub text: String,
    /// Where a tap leads.
    pub click: Option<String>,
    /// Buttons, where the card is shown whole to nobody but its person.
    pub actions: Vec<NotificationAction>,
    /// All of it as JSON.
    pub body: String,
}

/// A button: pressed, it sends a POST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationAction {
    /// What stands on it.
    pub label: String,
    /// Where to.
    pub url: String,
    /// JSON.
    pub body: String,
}

/// What became of a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// It was taken.
    Taken,
    /// The target wants no more, ever (410).
    Gone,
    /// It was not, and why; it may be next time.
    Refused(String),
}

/// Carries notifications out.
///
/// Contract: one call is one try; nothing is tried again inside, and an address that this machine must not call, or a secret
/// that must not go there, is refused before anything is sent. What it says of a failure holds no secret.
///
/// ```
/// use async_trait::async_trait;
/// use entracte_application::ports::{Delivery, Notification, NotificationSender, Way, WayOwner};
/// use entracte_application::texts::{Saying, Texts};
///
/// /// Takes everything and tells nobody.
/// struct Silence;
///
/// #[async_trait]
/// impl NotificationSender for Silence {
///     fn refusal(&self, _: &WayOwner, _: &Way) -> Option<Saying> {
///         None
///     }
///     async fn check(&self, _: &WayOwner, _: &Way, _: &Texts) -> Result<(), String> {
///         Ok(())
///     }
///     async fn send(&self, _: &WayOwner, _: &Way, _: &Notification) -> Delivery {
///         Delivery::Taken
///     }
/// }
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait NotificationSender: Send + Sync {
    /// Why a target is off: its secret may not go to its host, or its host is not one that targets may reach. `None` while
    /// it may be sent to. It asks no network, so it is cheap enough to be asked before each sending.
    fn refusal(&self, owner: &DeliveryChannelOwner, way: &DeliveryChannel) -> Option<LocalizedMessage>;

    /// Whether a target may be reached at all, without reaching it; else why not, for whoever adds it.
    ///
    /// # Errors
    /// Why it may not be reached, in words of these texts for whoever adds the target (a forbidden address, a secret
    /// that cannot be had, a program that is not there); it holds no secret. The same way is refused again until it,
    /// or what it names, is another.
    async fn check(
        &self,
        owner: &DeliveryChannelOwner,
        way: &DeliveryChannel,
        texts: &LocalizedTexts,
    ) -> Result<(), String>;

    /// Tries once.
    async fn send(
        &self,
        owner: &DeliveryChannelOwner,
        way: &DeliveryChannel,
        notification: &Notification,
    ) -> DeliveryOutcome;
}
