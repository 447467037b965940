//! The headers of a request with their secrets, and the removal of those secrets from everything that is shown.

use std::collections::BTreeMap;

use entracte_application::ports::SecretStore;
use entracte_application::texts::{Texts, say};
use entracte_domain::call::{CallOutcome, Failure};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::ExposeSecret;

use crate::answer::{digest, failure};
use crate::secret::{self, Scrubber, SecretText};

/// The secrets of one request.
#[derive(Default)]
pub(super) struct Secrets(Scrubber);

impl Secrets {
    /// The headers with their secrets. They are read at every call, so a renewed one needs no restart.
    pub(super) fn fill(
        headers: &BTreeMap<String, SecretText>,
        store: &dyn SecretStore,
        texts: &Texts,
    ) -> Result<(HeaderMap, Self), Failure> {
        let missing = |name: &str, why: String| {
            failure("NOT_CONFIGURED", say!(texts, "tools-http-header", name = name, why = why))
        };
        let (mut filled, mut secrets) = (HeaderMap::new(), Vec::new());
        for (name, header) in headers {
            let value = match header {
                SecretText::Text(text) => HeaderValue::from_str(text).ok(),
                SecretText::Secret(place) => {
                    let no_place = || missing(name, say!(texts, "tools-http-header-place"));
                    let reference = place.reference().ok_or_else(no_place)?;
                    let unread = |error| missing(name, secret::said(&error, texts));
                    let secret = store.secret(&reference).map_err(unread)?;
                    let text = format!("{}{}", place.prefix, secret.expose_secret());
                    secrets.push(secret);
                    HeaderValue::from_str(&text).ok().map(|mut value| {
                        value.set_sensitive(true);
                        value
                    })
                }
            };
            let value = value.ok_or_else(|| missing(name, say!(texts, "tools-http-header-value")))?;
            let wrong_name = |_| missing(name, say!(texts, "tools-http-header-name"));
            let name = HeaderName::try_from(name).map_err(wrong_name)?;
            filled.insert(name, value);
        }
        Ok((filled, Self(Scrubber::new(secrets))))
    }

    /// `text` without the secrets.
    pub(super) fn scrubbed(&self, text: String) -> String {
        self.0.scrubbed(text)
    }

    /// An outcome without the secrets, in case the other side echoed one.
    pub(super) fn scrubbed_outcome(&self, outcome: CallOutcome) -> CallOutcome {
        match outcome {
            CallOutcome::Succeeded { content, .. } => {
                let content = self.scrubbed(content);
                CallOutcome::Succeeded { digest: digest(&content), content }
            }
            CallOutcome::Probed { happened, content, .. } => {
                let content = self.scrubbed(content);
                CallOutcome::Probed { happened, digest: digest(&content), content }
            }
            CallOutcome::Failed(failure) => {
                let message = self.scrubbed(failure.message);
                let path = failure.path.map(|path| self.scrubbed(path));
                CallOutcome::Failed(Failure { message, path, ..failure })
            }
            CallOutcome::Accepted { task, content } => {
                CallOutcome::Accepted { task, content: self.scrubbed(content) }
            }
            CallOutcome::TimedOut => CallOutcome::TimedOut,
            lost @ CallOutcome::Lost { .. } => lost,
        }
    }
}
