//! Delivers notifications: to a webhook, to a topic of ntfy, to a browser, to a program.

use async_trait::async_trait;
use entracte_domain::time::Timestamp;

use entracte_domain::id::WorkspaceKey;

use super::SecretReference;
use crate::texts::{LocalizedMessage, LocalizedTexts, saying};

/// The channel by which a target is reached. It refers to secrets and never contains them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryChannel {
    /// A signed POST according to Standard Webhooks.
    Webhook {
        /// The target address, or a reference to one that is itself secret (`env:NAME`, `file:/PATH`).
        url: String,
        /// The reference to the signing key: `whsec_…`, or plain base64.
        secret: SecretReference,
    },
    /// A topic of ntfy.
    Ntfy {
        /// The topic's address, `https://ntfy.sh/my-topic`, or a reference to it.
        url: String,
        /// The reference to the access token; `None` for a public topic.
        token: Option<SecretReference>,
    },
    /// A local program that reads the same JSON as a webhook, and has title, body and link as variables and in its
    /// arguments. It runs without a shell and without any other variable.
    Command {
        /// The absolute path of the program.
        program: String,
        /// The arguments of the program.
        arguments: Vec<String>,
    },
    /// A push subscription of a browser (RFC 8030). What is sent is encrypted for that browser alone (RFC 8291).
    Push {
        /// The address of the subscription at the push service of the browser. Whoever knows it can send there, if it
        /// also has the key of this server.
        endpoint: String,
        /// The public key of the subscription (`p256dh`), in base64url.
        key: String,
        /// The secret that the browser shares with this server (`auth`), in base64url.
        auth: String,
    },
}

impl DeliveryChannel {
    /// The stored word of the channel.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Webhook { .. } => "webhook",
            Self::Ntfy { .. } => "ntfy",
            Self::Command { .. } => "command",
            Self::Push { .. } => "push",
        }
    }

    /// The secrets this channel refers to.
    pub fn references(&self) -> Vec<&SecretReference> {
        match self {
            Self::Webhook { secret, .. } => vec![secret],
            Self::Ntfy { token, .. } => token.iter().collect(),
            Self::Command { .. } | Self::Push { .. } => Vec::new(),
        }
    }
}

/// The required prefix of variables that a target may refer to over HTTP.
pub const TARGET_VARIABLE_PREFIX: &str = "ENTRACTE_NOTIFY_";

/// Whether a target may refer to this variable over HTTP, if its declaration allows it.
pub fn is_target_variable(name: &str) -> bool {
    let rest = name.strip_prefix(TARGET_VARIABLE_PREFIX).unwrap_or_default();
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !rest.is_empty() && rest.bytes().all(is_letter)
}

/// The owner of a delivery channel, which determines the secrets the channel may refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryChannelOwner {
    /// The workspace of the target.
    pub workspace: WorkspaceKey,
    /// The person of the target.
    pub person: String,
    /// Whether the target was added on the command line of the server's machine, where every secret is readable
    /// anyway: it may then refer to a secret that no configuration declares.
    pub is_operators: bool,
}

/// The content of one notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// `ntf_…`: the same in each attempt, so that the receiver can detect duplicates.
    pub id: String,
    /// The time of this attempt.
    pub at: Timestamp,
    /// A one-line title for people.
    pub title: String,
    /// A sentence for people.
    pub text: String,
    /// The address opened by a tap.
    pub click: Option<String>,
    /// Buttons, offered only if the card is shown in full and only to its person.
    pub actions: Vec<NotificationAction>,
    /// The complete notification as JSON.
    pub body: String,
}

/// A button that sends a POST when pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationAction {
    /// The label of the button.
    pub label: String,
    /// The address of the POST.
    pub url: String,
    /// The JSON body of the POST.
    pub body: String,
}

/// The result of one delivery attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The target accepted the notification.
    Taken,
    /// The target no longer exists (410; of a browser also 404); it is never tried again.
    Gone,
    /// The attempt failed, with the reason; a later attempt may succeed.
    Refused(String),
}

/// The stored reason of a target or an outbox row that ended with [`DeliveryOutcome::Gone`].
pub const TARGET_GONE: &str = "410";

/// Delivers notifications.
///
/// Contract: one call is one attempt without internal retries; an address this machine must not call, or a secret that
/// must not be sent there, is refused before anything is sent. Failure texts contain no secret.
///
/// ```
/// use async_trait::async_trait;
/// use entracte_application::ports::{
///     DeliveryChannel, DeliveryChannelOwner, DeliveryOutcome, Notification, NotificationSender,
/// };
/// use entracte_application::texts::{LocalizedMessage, LocalizedTexts};
///
/// /// Accepts and discards every notification.
/// struct Silence;
///
/// #[async_trait]
/// impl NotificationSender for Silence {
///     fn refusal(&self, _: &DeliveryChannelOwner, _: &DeliveryChannel) -> Option<LocalizedMessage> {
///         None
///     }
///     async fn check(&self, _: &DeliveryChannelOwner, _: &DeliveryChannel, _: &LocalizedTexts) -> Result<(), String> {
///         Ok(())
///     }
///     async fn send(&self, _: &DeliveryChannelOwner, _: &DeliveryChannel, _: &Notification) -> DeliveryOutcome {
///         DeliveryOutcome::Taken
///     }
/// }
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait NotificationSender: Send + Sync {
    /// The public key with which browsers subscribe, in base64url; made with its private key when it is first asked for.
    ///
    /// # Errors
    /// Why this sender has none: it sends nothing to browsers, or its key cannot be read or written.
    fn push_key(&self) -> Result<String, LocalizedMessage> {
        Err(saying!("tools-notify-no-push"))
    }

    /// Why a target is disabled: its secret may not be sent to its host, or its host is not allowed for targets.
    /// `None` if it may be used. It does no network access, so it is cheap enough to be called before each delivery.
    fn refusal(&self, owner: &DeliveryChannelOwner, way: &DeliveryChannel) -> Option<LocalizedMessage>;

    /// Checks that a target may be used, without contacting it, when it is added.
    ///
    /// # Errors
    /// The reason for the person who adds the target, localised (a forbidden address, an unavailable secret, a missing
    /// program); it contains no secret. The same channel is refused again until it, or something it refers to,
    /// changes.
    async fn check(
        &self,
        owner: &DeliveryChannelOwner,
        way: &DeliveryChannel,
        texts: &LocalizedTexts,
    ) -> Result<(), String>;

    /// Makes one delivery attempt.
    async fn send(
        &self,
        owner: &DeliveryChannelOwner,
        way: &DeliveryChannel,
        notification: &Notification,
    ) -> DeliveryOutcome;
}
