//! The headers of a request, with the secrets they need, and the removal of those from everything shown.

use std::collections::BTreeMap;

use entracte_application::ports::SecretStore;
use entracte_domain::command::{CallOutcome, Failure};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::ExposeSecret;

use crate::answer::{digest, failure};
use crate::secret::{Scrubber, SecretText};

/// The secrets of one request.
#[derive(Default)]
pub(super) struct Secrets(Scrubber);

impl Secrets {
    /// The headers with their secrets. They are read at every call, so a renewed one needs no restart.
    pub(super) fn fill(
        headers: &BTreeMap<String, SecretText>,
        store: &dyn SecretStore,
    ) -> Result<(HeaderMap, Self), Failure> {
        let (mut filled, mut secrets) = (HeaderMap::new(), Vec::new());
        for (name, header) in headers {
            let value = match header {
                SecretText::Text(text) => HeaderValue::from_str(text).ok(),
                SecretText::Secret(place) => {
                    let reference = place.reference().ok_or_else(|| missing(name, "it has no place"))?;
                    let secret =
                        store.secret(&reference).map_err(|fault| missing(name, &fault.to_string()))?;
                    let text = format!("{}{}", place.prefix, secret.expose_secret());
                    secrets.push(secret);
                    HeaderValue::from_str(&text).ok().map(|mut value| {
                        value.set_sensitive(true);
                        value
                    })
                }
            };
            let value = value.ok_or_else(|| missing(name, "it holds characters that no header can carry"))?;
            let name = HeaderName::try_from(name).map_err(|_| missing(name, "it is no name of a header"))?;
            filled.insert(name, value);
        }
        Ok((filled, Self(Scrubber::new(secrets))))
    }

    /// `text` without the secrets.
    pub(super) fn scrubbed(&self, text: String) -> String {
        self.0.scrubbed(text)
    }

    /// An outcome without the secrets, should the other side have echoed one.
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
            CallOutcome::Lost { found_by_start } => CallOutcome::Lost { found_by_start },
        }
    }
}

fn missing(header: &str, why: &str) -> Failure {
    failure("NOT_CONFIGURED", format!("the header “{header}” cannot be sent: {why}"))
}
