//! Carries notifications out: to a webhook, to a topic of ntfy, to a program of this machine.
//!
//! What goes over a network goes through [`crate::egress`], as it is told once: no redirect is followed, so nobody is told
//! whom the person did not name. Nothing is tried again in here.

mod command;
mod ntfy;
mod webhook;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::notify::secret_place;
use entracte_application::ports::{
    Delivery, Notification, NotificationSender, SecretError, SecretReference, SecretStore, Way,
};
use entracte_application::texts::{Texts, say};
use secrecy::{ExposeSecret, SecretString};

use crate::egress::{Egress, EgressAnswer, EgressError, EgressRequest, class, host_of};
use crate::secret;
use crate::webhook::Key;

/// Tells targets.
pub struct Senders {
    egress: Arc<Egress>,
    secrets: Arc<dyn SecretStore>,
    timeout: Duration,
}

impl Senders {
    /// Over this client and this store of secrets; one try takes so long at most.
    pub fn new(egress: Arc<Egress>, secrets: Arc<dyn SecretStore>, timeout: Duration) -> Self {
        Self { egress, secrets, timeout }
    }

    /// The address of a target: as it is written, or as it is kept where the text names a place.
    fn address(&self, written: &str) -> Result<String, SecretError> {
        match secret_place(written) {
            None => Ok(written.to_owned()),
            Some(place) => Ok(self.secrets.secret(&place)?.expose_secret().trim().to_owned()),
        }
    }

    fn secret(&self, place: &SecretReference) -> Result<SecretString, String> {
        self.secrets.secret(place).map_err(|error: SecretError| error.to_string())
    }

    fn webhook(
        &self,
        (url, secret): (&str, &SecretReference),
        notification: &Notification,
    ) -> Result<EgressRequest, String> {
        let (url, secret) = (self.address(url).map_err(|error| error.to_string())?, self.secret(secret)?);
        let request = Key::read(&secret).and_then(|key| webhook::request(&url, &key, notification));
        request.ok_or_else(|| "the key is no key".to_owned())
    }

    fn ntfy(
        &self,
        (url, token): (&str, Option<&SecretReference>),
        notification: &Notification,
    ) -> Result<EgressRequest, String> {
        let url = self.address(url).map_err(|error| error.to_string())?;
        let token = token.map(|place| self.secret(place)).transpose()?;
        let request = ntfy::request(&url, token.as_ref(), notification);
        request.ok_or_else(|| "the address names no topic".to_owned())
    }

    /// Sends a request once, and reads what its answer means.
    async fn post(&self, request: EgressRequest) -> Delivery {
        let request = EgressRequest { timeout: Some(self.timeout), ..request };
        match self.egress.send_once(request).await {
            Ok(answer) => meaning(&answer),
            // It is kept, and shown later to whoever reads it: in English, as a log is.
            Err(EgressError::TooLarge { status: 200..=299, .. }) => Delivery::Taken,
            Err(error) => Delivery::Refused(error.to_string()),
        }
    }
}

#[async_trait]
impl NotificationSender for Senders {
    async fn check(&self, way: &Way, texts: &Texts) -> Result<(), String> {
        let secret = |place| self.secrets.secret(place).map_err(|error| secret::said(&error, texts));
        let address = |written: &str| self.address(written).map_err(|error| secret::said(&error, texts));
        let url = match way {
            Way::Webhook { url, secret: place } => {
                Key::read(&secret(place)?).ok_or_else(|| say!(texts, "tools-notify-key"))?;
                address(url)?
            }
            Way::Ntfy { url, token } => {
                let address = address(url)?;
                ntfy::parts(&address).ok_or_else(|| say!(texts, "tools-notify-topic", url = url))?;
                token.as_ref().map(secret).transpose()?;
                address
            }
            Way::Command { program, .. } => {
                return command::check(program).map_err(|why| say!(texts, "tools-notify-program", why = why));
            }
        };
        let checked = self.egress.check(&url).await.map_err(|error| error.said(texts))?;
        // A signature proves who speaks, and hides nothing from those on the way.
        if checked.url.scheme() == "http" && checked.addresses.iter().any(|address| class(*address).is_none())
        {
            return Err(say!(texts, "tools-notify-clear", host = host_of(&checked.url)));
        }
        Ok(())
    }

    async fn send(&self, way: &Way, notification: &Notification) -> Delivery {
        let request = match way {
            Way::Webhook { url, secret } => self.webhook((url, secret), notification),
            Way::Ntfy { url, token } => self.ntfy((url, token.as_ref()), notification),
            Way::Command { program, arguments } => {
                return command::run(program, arguments, notification, self.timeout).await;
            }
        };
        match request {
            Ok(request) => self.post(request).await,
            Err(why) => Delivery::Refused(why),
        }
    }
}

/// What a status says. The body of an answer is nobody's business.
fn meaning(answer: &EgressAnswer) -> Delivery {
    match answer.status {
        200..=299 => Delivery::Taken,
        410 => Delivery::Gone,
        status => Delivery::Refused(format!("HTTP {status}")),
    }
}
