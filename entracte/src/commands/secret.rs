//! `secret`: manages personal secrets, for tools that use the requester's own.

use entracte_adapters_http::shapes::secret::{NewSecretShape, SecretNamesShape};
use entracte_application::texts::say;
use serde::Serialize;
use serde_json::json;

use super::chat::standard_input;
use crate::api_client::{ApiClient, delete, put};
use crate::args::SecretCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::user_text::message;

/// Runs `secret …`.
pub(crate) async fn run(context: &CommandContext, command: &SecretCommand) -> Result<CliExitCode, CliError> {
    // Text typed on a terminal would stay visible.
    if let SecretCommand::Set { name } = command
        && context.environment.stdin_terminal
    {
        let next = format!("entracte secret set {name} < FILE");
        return Err(CliError::with_next(CliExitCode::Usage, message!("secret-from-input"), next));
    }
    let api = ApiClient::open(context).await?;
    // Also says whose secrets they are, before any is changed.
    let own: SecretNamesShape = api.get(&api.path(&["me", "secrets"])).await?;
    match command {
        SecretCommand::Set { name } => {
            let new = NewSecretShape { secret: standard_input()? };
            api.change_only(put(&api.path(&["me", "secrets", name]), &new)).await?;
            report_secret(context, &api, &own.person, name, "secret-kept").await
        }
        SecretCommand::List => list(context, &api, own).await,
        SecretCommand::Remove { name } => {
            let removed = api.change_only(delete(&api.path(&["me", "secrets", name]))).await;
            removed.map_err(|error| error.or_next("entracte secret list"))?;
            report_secret(context, &api, &own.person, name, "secret-removed").await
        }
    }
}

async fn report_secret(
    context: &CommandContext,
    api: &ApiClient<'_>,
    person: &str,
    name: &str,
    key: &str,
) -> Result<CliExitCode, CliError> {
    let workspace = api.workspace().as_str();
    if context.out.json {
        let schema = if key == "secret-kept" { "entracte.secret/1" } else { "entracte.secret_removed/1" };
        let object = json!({ "schema": schema, "name": name, "person": person, "workspace": workspace });
        context.out.write_json_line(&object)?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    context.out.write_notice(&match key {
        "secret-kept" => say!(texts, "secret-kept", name = name, person = person, workspace = workspace),
        _ => say!(texts, "secret-removed", name = name, person = person, workspace = workspace),
    });
    Ok(CliExitCode::Done)
}

/// What `secret list --json` prints.
#[derive(Serialize)]
struct SecretsObject {
    workspace: String,
    #[serde(flatten)]
    own: SecretNamesShape,
}

async fn list(
    context: &CommandContext,
    api: &ApiClient<'_>,
    own: SecretNamesShape,
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        let shape = SecretsObject { workspace: api.workspace().as_str().to_owned(), own };
        context.out.write_json_line(&VersionedShape::new("entracte.secrets/1", shape))?;
        return Ok(CliExitCode::Done);
    }
    if own.names.is_empty() {
        context.out.write_notice(&say!(api.texts().await?, "secret-none", person = &own.person));
    }
    for name in own.names {
        context.out.write_data_line(&name)?;
    }
    Ok(CliExitCode::Done)
}
