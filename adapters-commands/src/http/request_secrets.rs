//! Fills secrets into the headers of a request, and removes them from every text that is shown.

use std::collections::BTreeMap;

use entracte_application::ports::{CallRequest, PersonSecretStore, SecretOwner, SecretStore};
use entracte_application::texts::say;
use entracte_domain::call::{CallFailure, CallOutcome};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use crate::call_outcome::{digest, failure, succeeded_with_files, texts};
use crate::secret::{self, DeclaredSecrets, SecretKind, SecretText, SecretUse, SecretUser};
use entracte_application::system::SecretScrubber;

/// The stores that the secrets of requests are read from.
#[derive(Clone, Copy)]
pub(super) struct RequestSecretSource<'a> {
    /// The secrets of the configuration.
    pub(super) store: &'a dyn SecretStore,
    /// The secrets that people store for themselves.
    pub(super) people: &'a dyn PersonSecretStore,
    /// The hosts to which configured secrets may be sent.
    pub(super) declared: &'a DeclaredSecrets,
}

impl RequestSecretSource<'_> {
    /// Reads the requester's own secret: that of the person whose rights the call has. Secrets of approvers or of
    /// other people in the exchange are never read.
    fn requester_secret(&self, call: &CallRequest, name: &str) -> Result<SecretString, CallFailure> {
        let missing = |said: String| failure("CREDENTIAL_MISSING", said);
        let texts = texts(call);
        let Some(person) = &call.acts_as else {
            return Err(missing(say!(texts, "tools-person-nobody", name = name)));
        };
        let holder = SecretOwner { workspace: call.workspace.clone(), person: person.clone() };
        match self.people.secret(&holder, name) {
            Ok(Some(secret)) => Ok(secret),
            Ok(None) => {
                let workspace = call.workspace.as_str();
                let said =
                    say!(texts, "tools-person-missing", person = person, name = name, workspace = workspace);
                Err(missing(said))
            }
            Err(error) => {
                tracing::error!(%error, "the secrets of a person cannot be read");
                Err(missing(say!(texts, "tools-person-unreadable", person = person, name = name)))
            }
        }
    }

    /// Notes for the approver on the requester's own secrets that a call uses: whose they are, or why reading them
    /// would fail.
    pub(super) fn requester_secret_notes(
        &self,
        headers: &BTreeMap<String, SecretText>,
        call: &CallRequest,
    ) -> Vec<String> {
        let names = headers.values().filter_map(SecretText::own);
        let told = |name: &str| match (self.requester_secret(call, name), &call.acts_as) {
            (Ok(_), Some(person)) => say!(texts(call), "tools-person-uses", person = person, name = name),
            (Ok(_), None) => String::new(),
            (Err(failure), _) => failure.message,
        };
        names.map(told).collect()
    }
}

/// The secrets of one request, for scrubbing.
#[derive(Default)]
pub(super) struct RequestSecrets(SecretScrubber);

impl RequestSecrets {
    /// The headers with their secrets, which are read at every call, so a renewed one needs no restart.
    pub(super) fn fill(
        headers: &BTreeMap<String, SecretText>,
        vault: RequestSecretSource<'_>,
        call: &CallRequest,
        url: &Url,
    ) -> Result<(HeaderMap, Self), CallFailure> {
        let texts = texts(call);
        let missing = |name: &str, why: String| {
            failure("NOT_CONFIGURED", say!(texts, "tools-http-header", name = name, why = why))
        };
        let (mut filled, mut secrets) = (HeaderMap::new(), Vec::new());
        for (name, header) in headers {
            let value = match header {
                SecretText::Text(text) => HeaderValue::from_str(text).ok(),
                SecretText::Secret(place) => {
                    let no_place = || missing(name, say!(texts, "tools-http-header-place"));
                    let unread = |error| missing(name, secret::secret_error_message(&error, texts));
                    let secret = match &place.secret_person {
                        Some(own) => vault.requester_secret(call, own)?,
                        None => {
                            let reference = place.reference().ok_or_else(no_place)?;
                            let user = SecretUser::Call(&call.workspace, call.acts_as.as_deref());
                            let used = SecretUse {
                                place: &reference,
                                kind: SecretKind::Bearer,
                                url: Some(url),
                                user,
                            };
                            if let Some(refused) = vault.declared.refusal(used) {
                                return Err(missing(name, refused.render(texts)));
                            }
                            vault.store.secret(&reference).map_err(unread)?
                        }
                    };
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
        Ok((filled, Self(SecretScrubber::new(secrets))))
    }

    /// `text` without the secrets of this request.
    pub(super) fn scrubbed(&self, text: String) -> String {
        self.0.scrub_owned(text)
    }

    /// The outcome without the secrets of this request, in case the server echoed one.
    pub(super) fn scrubbed_outcome(&self, outcome: CallOutcome) -> CallOutcome {
        match outcome {
            CallOutcome::Succeeded { content, files, .. } => {
                succeeded_with_files(self.scrubbed(content), files)
            }
            CallOutcome::Probed { happened, content, .. } => {
                let content = self.scrubbed(content);
                CallOutcome::Probed { happened, digest: digest(&content), content }
            }
            CallOutcome::Failed(failure) => {
                let message = self.scrubbed(failure.message);
                let path = failure.path.map(|path| self.scrubbed(path));
                CallOutcome::Failed(CallFailure { message, path, ..failure })
            }
            CallOutcome::Accepted { task, content, handle } => {
                CallOutcome::Accepted { task, content: self.scrubbed(content), handle }
            }
            CallOutcome::TimedOut => CallOutcome::TimedOut,
            // An agent's report never passed through an HTTP request.
            outcome @ (CallOutcome::Lost { .. } | CallOutcome::Reported { .. }) => outcome,
        }
    }
}
