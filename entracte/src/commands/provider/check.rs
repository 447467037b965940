//! `provider check`: sends a request to providers.

use std::sync::{Arc, Mutex, PoisonError};

use entracte_adapters_http::api_transport::api_path::ApiPath;
use entracte_adapters_http::shapes::workspace::{CheckedShape, ProviderShape};
use entracte_application::ports::{ProviderRegistry, SecretError, SecretReference, SecretStore};
use secrecy::SecretString;
use serde::Serialize;

use super::unknown;
use crate::api_client::{ApiClient, post_empty};
use crate::app_services::providers_with;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::text::one_line;
use crate::secrets::provider_keys;
use crate::user_text::UserText;

/// What `provider check --json` prints.
#[derive(Serialize)]
struct ProviderChecksObject {
    checks: Vec<ProviderCheckObject>,
}

#[derive(Serialize)]
struct ProviderCheckObject {
    name: String,
    #[serde(flatten)]
    checked: CheckedShape,
}

/// Checks one provider, or all: those of the server that the command names, or of this machine's configuration, which
/// needs no database.
pub(super) async fn check(context: &CommandContext, name: Option<String>) -> Result<CliExitCode, CliError> {
    match &context.server {
        Some(_) => check_on_server(context, name).await,
        None => check_here(context, name).await,
    }
}

async fn check_here(context: &CommandContext, name: Option<String>) -> Result<CliExitCode, CliError> {
    let keys = provider_keys(&context.settings.parts, &context.settings.providers);
    let keys = Arc::new(ProviderKeyStore { keys, fault: Mutex::default() });
    let parts = &context.settings.parts;
    let registry = parts.providers_before(providers_with(parts, &context.settings.providers, keys.clone()));
    let texts = context.environment.texts();
    let mut checks = Vec::new();
    for name in named(&registry, name)? {
        let checked = match (ask(&registry, &name).await, keys.missing()) {
            (checked, Some(why)) if !context.out.json => {
                CheckedShape { is_right: false, says: why.localize(texts), ..checked }
            }
            (checked, _) => checked,
        };
        let check = ProviderCheckObject { name, checked };
        print_check(context, &check)?;
        checks.push(check);
    }
    finish(context, checks)
}

async fn check_on_server(context: &CommandContext, name: Option<String>) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let names = match name {
        Some(name) => vec![name],
        None => {
            let all: Vec<ProviderShape> = api.list(&ApiPath::new(&["providers"])).await?;
            all.into_iter().map(|entry| entry.name).collect()
        }
    };
    let mut checks = Vec::new();
    for name in names {
        let path = ApiPath::new(&["providers", &name, "check"]);
        let checked = api.read_by(post_empty(&path)).await;
        let checked = checked.map_err(|error| error.or_next("entracte provider list"))?;
        let check = ProviderCheckObject { name, checked };
        print_check(context, &check)?;
        checks.push(check);
    }
    finish(context, checks)
}

/// Prints a check, if it is for a person, who sees each when it is there.
fn print_check(context: &CommandContext, check: &ProviderCheckObject) -> Result<(), CliError> {
    if context.out.json {
        return Ok(());
    }
    let ProviderCheckObject { name, checked } = check;
    let texts = context.environment.texts();
    let width = texts.render("doctor-grade-fail", &[]).chars().count();
    let word = texts.render(if checked.is_right { "doctor-grade-ok" } else { "doctor-grade-fail" }, &[]);
    context.out.write_data_line(&format!("{word:<width$}  {name}  {}", one_line(&checked.says)))
}

fn finish(context: &CommandContext, checks: Vec<ProviderCheckObject>) -> Result<CliExitCode, CliError> {
    let is_right = checks.iter().all(|check| check.checked.is_right);
    if context.out.json {
        let object = VersionedShape::new("entracte.provider_checks/2", ProviderChecksObject { checks });
        context.out.write_json_line(&object)?;
    }
    Ok(if is_right { CliExitCode::Done } else { CliExitCode::Failure })
}

/// The named provider, or all.
fn named(registry: &Arc<dyn ProviderRegistry>, name: Option<String>) -> Result<Vec<String>, CliError> {
    match name {
        Some(name) if !registry.names().contains(&name) => Err(unknown(&name, &registry.names())),
        Some(name) => Ok(vec![name]),
        None => Ok(registry.names()),
    }
}

/// Reads keys once, and records the errors: providers report them only in English.
struct ProviderKeyStore {
    keys: Arc<dyn SecretStore>,
    fault: Mutex<Option<UserText>>,
}

impl ProviderKeyStore {
    /// Why the last requested key could not be read.
    fn missing(&self) -> Option<UserText> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl SecretStore for ProviderKeyStore {
    fn secret(&self, place: &SecretReference) -> Result<SecretString, SecretError> {
        let read = self.keys.secret(place);
        let fault = read.as_ref().err().map(UserText::from);
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        read
    }
}

async fn ask(registry: &Arc<dyn ProviderRegistry>, name: &str) -> CheckedShape {
    let checked = match registry.provider(name) {
        Ok(provider) => provider.check().await,
        Err(failure) => Err(failure),
    };
    checked.into()
}
