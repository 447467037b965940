//! The declared secrets of a configuration: `[secrets.NAME]`, and the configuration's own uses of them.

use entracte_adapters_commands::secret::{
    DeclaredSecret, DeclaredSecrets, SecretKind, SecretText, SecretUse, SecretUser,
};
use entracte_application::ports::SecretReference;
use entracte_application::texts::saying;
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeString, DeValue, ValueDeserializer};
use url::Url;

use super::file::ConfigFileReader;
use super::layers::LayerProviderEntry;
use super::policy::PolicySource;
use super::tools::ExternalToolsConfig;
use crate::user_text::{ConfigFault, message};

impl ConfigFileReader<'_> {
    /// Reads the table `secrets`.
    pub(super) fn secrets(
        &self,
        key: &Spanned<DeString<'_>>,
        value: Spanned<DeValue<'_>>,
    ) -> Result<Vec<(String, DeclaredSecret)>, ConfigFault> {
        let DeValue::Table(entries) = value.into_inner() else {
            let fault = ConfigFault::new(message!("config-tables", setting = "secrets"));
            return Err(fault.at(self.place(key.span())));
        };
        let mut secrets = Vec::new();
        for (name, value) in entries {
            let (place, entry) = (self.place(name.span()), name.get_ref().to_string());
            let mut declared = DeclaredSecret::deserialize(ValueDeserializer::from(value.clone()))
                .map_err(|error| self.wrong(&format!("secrets.{entry}"), &error, &place))?;
            self.folder.settle_declared(&mut declared);
            declared
                .check(&entry)
                .map_err(|fault| ConfigFault::new(fault.says).at(self.place_of(&value, fault.key, &place)))?;
            secrets.push((entry, declared));
        }
        Ok(secrets)
    }
}

/// Adds the secrets of a lower layer; existing names win as a whole.
pub(super) fn join(secrets: &mut Vec<(String, DeclaredSecret)>, others: Vec<(String, DeclaredSecret)>) {
    for other in others {
        if secrets.iter().all(|(known, _)| *known != other.0) {
            secrets.push(other);
        }
    }
}

/// Checks that the configuration sends its declared secrets only to their hosts. Providers, MCP servers, task servers and
/// the policy hook work for every workspace; an HTTP tool is checked at each call, which has a workspace and a person.
pub(super) fn check_uses(
    declared: &DeclaredSecrets,
    providers: &[LayerProviderEntry],
    tools: &ExternalToolsConfig,
    policy: Option<&PolicySource>,
) -> Result<(), ConfigFault> {
    let check = |named: String, place: Option<SecretReference>, kind, address: Option<&str>| {
        let Some(place) = place else { return Ok(()) };
        let url = address.and_then(|address| Url::parse(address).ok());
        let user = SecretUser::Everybody;
        match declared.refusal(SecretUse { place: &place, kind, url: url.as_ref(), user }) {
            None => Ok(()),
            Some(why) => Err(ConfigFault::new(saying!("fault-declared-use", named = named, why = why))),
        }
    };
    for entry in providers {
        let address = entry.config.in_force().base_url;
        let named = format!("providers.{}", entry.name);
        check(named, entry.config.secret_reference(), SecretKind::Bearer, address.as_deref())?;
    }
    for (name, server) in &tools.mcp {
        for (key, value) in &server.headers {
            let named = format!("mcp.{name}.headers.{key}");
            check(named, value.reference(), SecretKind::Bearer, server.url.as_deref())?;
        }
        for (key, value) in &server.env {
            check(format!("mcp.{name}.env.{key}"), value.reference(), SecretKind::Bearer, None)?;
        }
        let Some(login) = &server.oauth else { continue };
        let secret = login.client_secret.clone().map(SecretText::Secret);
        let place = secret.and_then(|secret| secret.reference());
        check(format!("mcp.{name}.oauth.client_secret"), place, SecretKind::Bearer, login.issuer.as_deref())?;
    }
    if let Some(PolicySource::Http { url, token, .. }) = policy {
        check("policy.token".to_owned(), token.clone(), SecretKind::Bearer, Some(url.as_str()))?;
    }
    for task in &tools.tasks {
        for place in &task.secrets {
            let named = format!("tools.tasks.{}.secrets", task.name);
            check(named, place.reference(), SecretKind::WebhookKey, Some(&task.url))?;
        }
    }
    Ok(())
}
