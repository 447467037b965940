//! The headers of a request with their secrets, and the removal of those secrets from everything that is shown.

use std::collections::BTreeMap;

use entracte_application::ports::{CallRequest, PersonSecretStore, SecretOwner, SecretStore};
use entracte_application::texts::say;
use entracte_domain::call::{CallFailure, CallOutcome};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use crate::call_outcome::{digest, failure, texts};
use crate::secret::{self, DeclaredSecrets, SecretKind, SecretText, SecretUse, SecretUser};
use entracte_application::system::SecretScrubber;

/// Where the secrets of requests come from.
#[derive(Clone, Copy)]
pub(super) struct RequestSecretSource<'a> {
    /// Those of the configuration.
    pub(super) store: &'a dyn SecretStore,
    /// Those that people bring.
    pub(super) people: &'a dyn PersonSecretStore,
    /// Where those of the configuration may be sent.
    pub(super) declared: &'a DeclaredSecrets,
}

impl RequestSecretSource<'_> {
    /// The own secret of the person whose rights a call has. Nobody else's is looked at: not of whoever approved it, and
    /// not of whoever else spoke.
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

    /// What a person who is asked must know of the own secrets that a call uses: whose, or why it would fail.
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

/// The secrets of one request.
#[derive(Default)]
pub(super) struct RequestSecrets(SecretScrubber);

impl RequestSecrets {
    /// The headers with their secrets. They are read at every call, so a renewed one needs no restart.
    pub(super) fn fill(
        headers: &BTreeMap<String, SecretText>,
        vault: RequestSecretSource<'_>,
        (call, url): (&CallRequest, &Url),
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

    /// `text` without the secrets.
    pub(super) fn scrubbed(&self, text: String) -> String {
        self.0.scrub_owned(text)
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
                CallOutcome::Failed(CallFailure { message, path, ..failure })
            }
            CallOutcome::Accepted { task, content, handle } => {
                CallOutcome::Accepted { task, content: self.scrubbed(content), handle }
            }
            CallOutcome::TimedOut => CallOutcome::TimedOut,
            // What an agent says never went through an address.
            outcome @ (CallOutcome::Lost { .. } | CallOutcome::Reported { .. }) => outcome,
        }
    }
}
