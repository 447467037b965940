//! Declared secrets of a configuration (`[secrets.NAME]`): their use, their owner, and the hosts that may receive
//! them.
//!
//! Naming a secret sends it, so a person who may name one must not choose its host. A declared secret goes only where
//! its declaration allows, regardless of who names it. An undeclared one may be named by the configuration and on the
//! command line of the machine, where it is readable anyway, but not over HTTP.

use entracte_application::notify::format_secret_reference;
use entracte_application::ports::{DeliveryChannelOwner, SecretReference};
use entracte_application::texts::{LocalizedMessage, saying};
use entracte_domain::id::WorkspaceKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::declaration_checks::is_variable;
use crate::egress::{AllowedHost, host_of};

entracte_domain::words! {
    /// What a secret is for. One of another kind is not taken in its place: a key that signs messages is not sent as a token.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum SecretKind {
        /// An address that is a secret itself.
        Address = "address",
        /// A key that signs messages; it is never sent itself.
        WebhookKey = "webhook_key",
        /// A token that is sent in a header.
        Bearer = "bearer",
    }
}

/// An entry `[secrets.NAME]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeclaredSecret {
    /// The environment variable that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_env: Option<String>,
    /// The file that holds it and nothing else. A relative path counts from the folder of the file with this entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_file: Option<String>,
    /// What it is for: `address`, `webhook_key` or `bearer`.
    pub kind: SecretKind,
    /// The hosts that it may be sent to: names or addresses, each with or without a port, or networks. An address says its
    /// host itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<AllowedHost>,
    /// The workspaces that may use it, or `["*"]` for all of them; the configuration's own unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspaces: Option<Vec<String>>,
    /// The only person who may use it; everybody of these workspaces unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

/// A fault of a declaration: its key, and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredSecretFault {
    /// The key of the declaration.
    pub key: &'static str,
    /// The fault.
    pub says: LocalizedMessage,
}

impl DeclaredSecret {
    /// Checks that the entry of this name can be used.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self, name: &str) -> Result<(), DeclaredSecretFault> {
        let fault = |key, says| Err(DeclaredSecretFault { key, says });
        match (&self.secret_env, &self.secret_file) {
            (Some(variable), None) if is_variable(variable) => {}
            (None, Some(path)) if !path.is_empty() => {}
            (Some(_), None) => return fault("secret_env", saying!("fault-declared-variable", name = name)),
            _ => return fault("secret_env", saying!("fault-declared-place", name = name)),
        }
        if self.hosts.is_empty() && self.kind != SecretKind::Address {
            return fault("hosts", saying!("fault-declared-hosts", name = name));
        }
        if self.workspaces.as_ref().is_some_and(Vec::is_empty) {
            return fault("workspaces", saying!("fault-declared-workspaces", name = name));
        }
        Ok(())
    }

    /// The place of the secret; `None` if it is not valid.
    pub fn reference(&self) -> Option<SecretReference> {
        match (&self.secret_env, &self.secret_file) {
            (Some(name), None) => Some(SecretReference::Environment(name.clone())),
            (None, Some(path)) => Some(SecretReference::File(path.clone())),
            (Some(_), Some(_)) | (None, None) => None,
        }
    }

    fn has_workspace(&self, workspace: Option<&WorkspaceKey>, own: &WorkspaceKey) -> bool {
        match (&self.workspaces, workspace) {
            (Some(named), _) if named.iter().any(|name| name == EVERY_WORKSPACE) => true,
            (Some(named), Some(workspace)) => named.iter().any(|name| name == workspace.as_str()),
            (None, Some(workspace)) => workspace == own,
            (_, None) => false,
        }
    }
}

/// The principal that names a secret.
#[derive(Clone, Copy, Debug)]
pub enum SecretUser<'a> {
    /// A notification target.
    Target(&'a DeliveryChannelOwner),
    /// A call of a tool: its workspace, and the person whose rights it has.
    Call(&'a WorkspaceKey, Option<&'a str>),
    /// The configuration, for every workspace.
    Everybody,
}

/// One intended use of a secret.
#[derive(Clone, Copy, Debug)]
pub struct SecretUse<'a> {
    /// The place of the secret.
    pub place: &'a SecretReference,
    /// The kind of use.
    pub kind: SecretKind,
    /// Its destination; `None` if it is not a host, such as a program.
    pub url: Option<&'a Url>,
    /// The principal that names it.
    pub user: SecretUser<'a>,
}

/// All declarations of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredSecrets {
    entries: Vec<(String, DeclaredSecret)>,
    /// The configuration's own workspace; `None` in a configuration without declarations.
    own: Option<WorkspaceKey>,
}

impl DeclaredSecrets {
    /// An empty set of declarations.
    pub const fn none() -> Self {
        Self { entries: Vec::new(), own: None }
    }

    /// These declarations, of a configuration with this workspace.
    pub fn new(entries: Vec<(String, DeclaredSecret)>, own: WorkspaceKey) -> Self {
        Self { entries, own: Some(own) }
    }

    /// The places of the declared secrets.
    pub fn references(&self) -> impl Iterator<Item = SecretReference> {
        self.entries.iter().filter_map(|(_, secret)| secret.reference())
    }

    /// Why a secret may not be used in this way; `None` if it may.
    pub fn refusal(&self, used: SecretUse<'_>) -> Option<LocalizedMessage> {
        let mut first = None;
        let mut is_declared = false;
        for (name, secret) in &self.entries {
            if secret.reference().as_ref() != Some(used.place) {
                continue;
            }
            is_declared = true;
            match self.refused(name, secret, used) {
                None => return None,
                refused => first = first.or(refused),
            }
        }
        if is_declared {
            return first;
        }
        let may_name_any = match used.user {
            SecretUser::Target(owner) => owner.is_operators,
            SecretUser::Call(..) | SecretUser::Everybody => true,
        };
        (!may_name_any).then(|| undeclared(used.place))
    }

    fn refused(&self, name: &str, secret: &DeclaredSecret, used: SecretUse<'_>) -> Option<LocalizedMessage> {
        let (workspace, person) = match used.user {
            SecretUser::Target(owner) => (Some(&owner.workspace), Some(owner.person.as_str())),
            SecretUser::Call(workspace, person) => (Some(workspace), person),
            SecretUser::Everybody => (None, None),
        };
        let is_here = self.own.as_ref().is_some_and(|own| secret.has_workspace(workspace, own));
        let is_theirs = secret.person.as_deref().is_none_or(|owner| person == Some(owner));
        if !is_here || !is_theirs {
            // The message does not reveal the actual owner.
            return Some(saying!("tools-secret-not-theirs", place = format_secret_reference(used.place)));
        }
        if secret.kind != used.kind {
            let (kind, wanted) = (secret.kind.word(), used.kind.word());
            return Some(saying!("tools-secret-kind", name = name, kind = kind, wanted = wanted));
        }
        let listed = || secret.hosts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        match used.url {
            // Only a secret address may declare no hosts: it names its host itself.
            _ if secret.hosts.is_empty() => None,
            Some(url) if secret.hosts.iter().any(|host| host.covers(url)) => None,
            Some(url) => {
                Some(saying!("tools-secret-host", name = name, hosts = listed(), host = host_of(url)))
            }
            None => Some(saying!("tools-secret-no-host", name = name, hosts = listed())),
        }
    }
}

fn undeclared(place: &SecretReference) -> LocalizedMessage {
    saying!("tools-secret-undeclared", place = format_secret_reference(place))
}

/// The entry for every workspace in a list of workspaces.
const EVERY_WORKSPACE: &str = "*";

#[cfg(test)]
mod tests {
    use super::*;

    fn declared() -> DeclaredSecrets {
        let entry = |name: &str, more: serde_json::Value| {
            let mut all =
                serde_json::json!({ "secret_env": "KEY", "kind": "bearer", "hosts": ["a.example"] });
            for (key, value) in more.as_object().unwrap() {
                all[key] = value.clone();
            }
            (name.to_owned(), serde_json::from_value(all).unwrap())
        };
        let entries = vec![
            entry("plain", serde_json::json!({})),
            entry("anns", serde_json::json!({ "secret_env": "ANN", "person": "ann", "workspaces": ["*"] })),
            entry("net", serde_json::json!({ "secret_env": "NET", "hosts": ["10.1.0.0/16"] })),
        ];
        DeclaredSecrets::new(entries, WorkspaceKey::new("ann:home"))
    }

    fn refusal(
        variable: &str,
        kind: SecretKind,
        url: &str,
        owner: (&str, &str, bool),
    ) -> Option<&'static str> {
        let (place, url) = (SecretReference::Environment(variable.into()), url.parse().unwrap());
        let (workspace, person) = (WorkspaceKey::new(owner.0), owner.1.to_owned());
        let owner = DeliveryChannelOwner { workspace, person, is_operators: owner.2 };
        let used = SecretUse { place: &place, kind, url: Some(&url), user: SecretUser::Target(&owner) };
        declared().refusal(used).map(|refused| refused.key())
    }

    #[test]
    fn declared_secret_goes_only_to_declared_hosts() {
        let (ann, eve) = (("ann:home", "ann", false), ("eve:other", "eve", false));
        let bearer = SecretKind::Bearer;
        assert_eq!(refusal("KEY", bearer, "https://a.example/x", ann), None);
        assert_eq!(refusal("KEY", bearer, "https://A.example.:443/x", ann), None);
        assert_eq!(refusal("KEY", bearer, "https://b.example/a.example", ann), Some("tools-secret-host"));
        assert_eq!(refusal("KEY", bearer, "https://a.example.evil/", ann), Some("tools-secret-host"));
        assert_eq!(
            refusal("KEY", SecretKind::WebhookKey, "https://a.example", ann),
            Some("tools-secret-kind")
        );
        assert_eq!(refusal("KEY", bearer, "https://a.example/x", eve), Some("tools-secret-not-theirs"));
        assert_eq!(refusal("ANN", bearer, "https://a.example/x", ("eve:other", "ann", false)), None);
        assert_eq!(refusal("ANN", bearer, "https://a.example/x", eve), Some("tools-secret-not-theirs"));
        assert_eq!(refusal("NET", bearer, "http://10.1.2.3:80/", ann), None);
        assert_eq!(refusal("NET", bearer, "http://10.2.2.3/", ann), Some("tools-secret-host"));
        let operator = ("ann:home", "ann", true);
        assert_eq!(refusal("KEY", bearer, "https://b.example", operator), Some("tools-secret-host"));
        assert_eq!(refusal("OTHER", bearer, "https://b.example", operator), None);
        assert_eq!(refusal("OTHER", bearer, "https://b.example", ann), Some("tools-secret-undeclared"));
    }
}
