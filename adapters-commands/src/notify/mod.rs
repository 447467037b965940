//! Sends notifications: to a webhook, to an ntfy topic, to a browser, to a local program.
//!
//! Network requests go through [`crate::egress`] and follow no redirect, so that only hosts named by the person
//! receive anything. This module retries nothing.

mod command;
mod ntfy;
mod push;
mod webhook;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::notify::parse_secret_reference;
use entracte_application::ports::{
    DeliveryChannel, DeliveryChannelOwner, DeliveryOutcome, Notification, NotificationSender, SecretError,
    SecretReference, SecretStore,
};
use entracte_application::texts::{LocalizedMessage, LocalizedTexts, say, saying};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use self::push::PushSubscription;
pub use self::push::{PushPolicy, VapidKey, VapidKeyStore};
use crate::egress::{
    AllowedHost, EgressClient, EgressError, EgressRequest, EgressResponse, class, host_of, parse_url,
};
use crate::secret::{self, DeclaredSecrets, SecretKind, SecretUse, SecretUser};
use crate::webhook::WebhookSigningKey;

/// Sends notifications to their targets.
pub struct NotificationSenders {
    egress: Arc<EgressClient>,
    secrets: Arc<dyn SecretStore>,
    terms: TargetPolicy,
    push: Option<PushPolicy>,
    timeout: Duration,
}

/// The secrets that targets may name, and the hosts they may reach.
#[derive(Clone, Debug)]
pub struct TargetPolicy {
    /// The declared secrets.
    pub declared: Arc<DeclaredSecrets>,
    /// Non-public hosts that targets may reach: `notify.allow`.
    pub allowed: Vec<AllowedHost>,
    /// Non-public hosts that tools may reach. Targets may not; those of earlier versions are disabled.
    pub of_tools: Vec<AllowedHost>,
}

impl NotificationSenders {
    /// Senders over this client and this secret store, under `policy`; `timeout` limits one attempt.
    pub fn new(
        egress: Arc<EgressClient>,
        secrets: Arc<dyn SecretStore>,
        terms: TargetPolicy,
        timeout: Duration,
    ) -> Self {
        Self { egress, secrets, terms, push: None, timeout }
    }

    /// Adds messages to browsers, which are refused without it.
    #[must_use]
    pub fn with_push(self, push: PushPolicy) -> Self {
        Self { push: Some(push), ..self }
    }

    /// Why a delivery channel may not use its secrets, or not at its host. An unreadable or invalid address is
    /// refused when sending.
    fn refused(&self, owner: &DeliveryChannelOwner, way: &DeliveryChannel) -> Option<LocalizedMessage> {
        let (written, secret) = match way {
            DeliveryChannel::Webhook { url, secret } => (url, Some((secret, SecretKind::WebhookKey))),
            DeliveryChannel::Ntfy { url, token } => {
                (url, token.as_ref().map(|token| (token, SecretKind::Bearer)))
            }
            // The capability in its address is of the browser, and no secret of this server.
            DeliveryChannel::Push { endpoint, .. } => return self.refused_push(endpoint),
            DeliveryChannel::Command { .. } => return None,
        };
        let user = SecretUser::Target(owner);
        let used = |place, kind, url| self.terms.declared.refusal(SecretUse { place, kind, url, user });
        let place = parse_secret_reference(written);
        // The permission to read the address comes before reading it.
        if let Some(refused) = place.as_ref().and_then(|place| {
            // A declared host list applies to the address once it is read.
            let named =
                self.terms.declared.refusal(SecretUse { place, kind: SecretKind::Address, url: None, user });
            named.filter(|refused| refused.key() != NO_HOST)
        }) {
            return Some(refused);
        }
        let url = self.address(written).ok().and_then(|address| parse_url(&address).ok());
        let own = place.as_ref().zip(url.as_ref());
        own.and_then(|(place, url)| used(place, SecretKind::Address, Some(url)))
            .or_else(|| secret.and_then(|(place, kind)| used(place, kind, url.as_ref())))
            .or_else(|| self.refused_host(url.as_ref()?))
    }

    fn refused_push(&self, endpoint: &str) -> Option<LocalizedMessage> {
        match &self.push {
            None => Some(saying!("tools-notify-no-push")),
            Some(_) => self.refused_host(&parse_url(endpoint).ok()?),
        }
    }

    /// Why a non-public host that tools may reach is not allowed for targets.
    fn refused_host(&self, url: &Url) -> Option<LocalizedMessage> {
        let is_named = |hosts: &[AllowedHost]| hosts.iter().any(|host| host.covers(url));
        let is_off = is_named(&self.terms.of_tools) && !is_named(&self.terms.allowed);
        is_off.then(|| saying!("tools-notify-not-allowed", host = host_of(url)))
    }

    /// The address of a target: the text itself, or the secret that it refers to.
    fn address(&self, written: &str) -> Result<String, SecretError> {
        match parse_secret_reference(written) {
            None => Ok(written.to_owned()),
            Some(place) => Ok(self.secrets.secret(&place)?.expose_secret().trim().to_owned()),
        }
    }

    fn secret(&self, place: &SecretReference) -> Result<SecretString, String> {
        self.secrets.secret(place).map_err(|error: SecretError| error.to_string())
    }

    fn webhook(
        &self,
        url: &str,
        secret: &SecretReference,
        notification: &Notification,
    ) -> Result<EgressRequest, String> {
        let (url, secret) = (self.address(url).map_err(|error| error.to_string())?, self.secret(secret)?);
        let request =
            WebhookSigningKey::read(&secret).and_then(|key| webhook::request(&url, &key, notification));
        request.ok_or_else(|| "the key is no key".to_owned())
    }

    fn ntfy(
        &self,
        url: &str,
        token: Option<&SecretReference>,
        notification: &Notification,
    ) -> Result<EgressRequest, String> {
        let url = self.address(url).map_err(|error| error.to_string())?;
        let token = token.map(|place| self.secret(place)).transpose()?;
        let request = ntfy::request(&url, token.as_ref(), notification);
        request.ok_or_else(|| "the address names no topic".to_owned())
    }

    fn push(
        &self,
        subscription: PushSubscription<'_>,
        notification: &Notification,
    ) -> Result<EgressRequest, String> {
        let policy = self.push.as_ref().ok_or_else(|| "this process sends no push messages".to_owned())?;
        push::request(policy, subscription, notification)
    }

    /// Sends a request once, and interprets the response.
    async fn post(&self, request: EgressRequest, is_gone: fn(u16) -> bool) -> DeliveryOutcome {
        let request = EgressRequest { timeout: Some(self.timeout), ..request };
        match self.egress.send_once(request).await {
            Ok(answer) if is_gone(answer.status) => DeliveryOutcome::Gone,
            Ok(answer) => meaning(&answer),
            // This text is stored and shown later to any reader: in English, like a log.
            Err(EgressError::TooLarge { status: 200..=299, .. }) => DeliveryOutcome::Taken,
            Err(error) => DeliveryOutcome::Refused(error.to_string()),
        }
    }
}

#[async_trait]
impl NotificationSender for NotificationSenders {
    fn push_key(&self) -> Result<String, LocalizedMessage> {
        let policy = self.push.as_ref().ok_or_else(|| saying!("tools-notify-no-push"))?;
        let key = policy.keys.find_or_create();
        key.map(|key| key.public()).map_err(|why| {
            // The path is of the machine, which only its operator sees.
            tracing::warn!(%why, "the key file of push messages cannot be used");
            saying!("tools-notify-push-key-file")
        })
    }

    fn refusal(&self, owner: &DeliveryChannelOwner, way: &DeliveryChannel) -> Option<LocalizedMessage> {
        self.refused(owner, way)
    }

    async fn check(
        &self,
        owner: &DeliveryChannelOwner,
        way: &DeliveryChannel,
        texts: &LocalizedTexts,
    ) -> Result<(), String> {
        if let Some(refused) = self.refused(owner, way) {
            return Err(refused.render(texts));
        }
        let secret =
            |place| self.secrets.secret(place).map_err(|error| secret::secret_error_message(&error, texts));
        let address = |written: &str| {
            self.address(written).map_err(|error| secret::secret_error_message(&error, texts))
        };
        let url = match way {
            DeliveryChannel::Webhook { url, secret: place } => {
                WebhookSigningKey::read(&secret(place)?).ok_or_else(|| say!(texts, "tools-notify-key"))?;
                address(url)?
            }
            DeliveryChannel::Ntfy { url, token } => {
                let address = address(url)?;
                ntfy::parts(&address).ok_or_else(|| say!(texts, "tools-notify-topic", url = url))?;
                token.as_ref().map(secret).transpose()?;
                address
            }
            DeliveryChannel::Push { endpoint, key, auth } => {
                let subscription = PushSubscription { endpoint, key, auth };
                if !subscription.has_keys() {
                    return Err(say!(texts, "tools-notify-push-keys"));
                }
                endpoint.clone()
            }
            DeliveryChannel::Command { program, arguments } => {
                if let Some(script) = command::script_with_place(arguments) {
                    return Err(say!(
                        texts,
                        "tools-notify-script",
                        script = entracte_application::terminal_text::one_line(script)
                    ));
                }
                return command::check(program).map_err(|why| say!(texts, "tools-notify-program", why = why));
            }
        };
        let checked = self
            .egress
            .check(&url)
            .await
            .map_err(|error| error.message_for_setting(texts, "notify.allow"))?;
        // A signature authenticates the sender, but does not hide the content on the network.
        if checked.url.scheme() == "http" && checked.addresses.iter().any(|address| class(*address).is_none())
        {
            return Err(say!(texts, "tools-notify-clear", host = host_of(&checked.url)));
        }
        Ok(())
    }

    async fn send(
        &self,
        owner: &DeliveryChannelOwner,
        way: &DeliveryChannel,
        notification: &Notification,
    ) -> DeliveryOutcome {
        if let Some(refused) = self.refused(owner, way) {
            return DeliveryOutcome::Refused(refused.to_string());
        }
        let request = match way {
            DeliveryChannel::Webhook { url, secret } => self.webhook(url, secret, notification),
            DeliveryChannel::Ntfy { url, token } => self.ntfy(url, token.as_ref(), notification),
            DeliveryChannel::Push { endpoint, key, auth } => {
                self.push(PushSubscription { endpoint, key, auth }, notification)
            }
            DeliveryChannel::Command { program, arguments } => {
                if command::script_with_place(arguments).is_some() {
                    // A target that was added before such scripts were refused.
                    let why = "a place such as {title} stands in its script; use \"$ENTRACTE_TITLE\" there";
                    return DeliveryOutcome::Refused(format!("{program}: {why}"));
                }
                return command::run(program, arguments, notification, self.timeout).await;
            }
        };
        match request {
            Ok(request) => self.post(request, is_gone(way)).await,
            Err(why) => DeliveryOutcome::Refused(why),
        }
    }
}

/// The message key for a secret that may not be sent to a host.
const NO_HOST: &str = "tools-secret-no-host";

/// The statuses by which a target says that it is gone. A push service says it of an ended subscription also by 404
/// (RFC 8030); elsewhere that may be a server that is being set up.
const fn is_gone(way: &DeliveryChannel) -> fn(u16) -> bool {
    match way {
        DeliveryChannel::Push { .. } => |status| matches!(status, 404 | 410),
        DeliveryChannel::Webhook { .. } | DeliveryChannel::Ntfy { .. } | DeliveryChannel::Command { .. } => {
            |status| status == 410
        }
    }
}

/// The meaning of a response's status. Its body is ignored.
fn meaning(answer: &EgressResponse) -> DeliveryOutcome {
    match answer.status {
        200..=299 => DeliveryOutcome::Taken,
        status => DeliveryOutcome::Refused(format!("HTTP {status}")),
    }
}
