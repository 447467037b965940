//! `secret`: manages personal secrets, for tools that use the requester's own.

use entracte_application::ports::SecretOwner;
use entracte_application::texts::say;
use entracte_application::use_cases::ManagePersonSecrets;
use secrecy::SecretString;
use serde_json::json;

use super::chat::standard_input;
use crate::args::SecretCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::tools::person_secrets;
use crate::user_text::message;

/// Runs `secret …`.
pub(crate) async fn run(context: &CommandContext, command: &SecretCommand) -> Result<CliExitCode, CliError> {
    let own = ManagePersonSecrets::new(person_secrets(&context.settings));
    let (workspace, person) = (context.settings.workspace.clone(), context.settings.author.clone());
    let holder = SecretOwner { workspace, person };
    match command {
        SecretCommand::Set { name } => set(context, &own, &holder, name).await,
        SecretCommand::List => list(context, &own, &holder).await,
        SecretCommand::Remove { name } => {
            own.forget(&holder, name)?;
            report_secret(context, &holder, name, "secret-removed").await
        }
    }
}

async fn set(
    context: &CommandContext,
    own: &ManagePersonSecrets,
    holder: &SecretOwner,
    name: &str,
) -> Result<CliExitCode, CliError> {
    // Text typed on a terminal would stay visible.
    if context.environment.stdin_terminal {
        let text = message!("secret-from-input");
        return Err(CliError::with_next(
            CliExitCode::Usage,
            text,
            format!("entracte secret set {name} < FILE"),
        ));
    }
    own.keep(holder, name, SecretString::from(standard_input()?))?;
    report_secret(context, holder, name, "secret-kept").await
}

async fn report_secret(
    context: &CommandContext,
    holder: &SecretOwner,
    name: &str,
    key: &str,
) -> Result<CliExitCode, CliError> {
    if context.out.json {
        let schema = if key == "secret-kept" { "entracte.secret/1" } else { "entracte.secret_removed/1" };
        let workspace = holder.workspace.as_str();
        let object =
            json!({ "schema": schema, "name": name, "person": holder.person, "workspace": workspace });
        context.out.write_json_line(&object)?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.workspace_texts().await;
    let (person, workspace) = (&holder.person, holder.workspace.as_str());
    context.out.write_notice(&match key {
        "secret-kept" => say!(texts, "secret-kept", name = name, person = person, workspace = workspace),
        _ => say!(texts, "secret-removed", name = name, person = person, workspace = workspace),
    });
    Ok(CliExitCode::Done)
}

async fn list(
    context: &CommandContext,
    own: &ManagePersonSecrets,
    holder: &SecretOwner,
) -> Result<CliExitCode, CliError> {
    let names = own.names(holder)?;
    if context.out.json {
        let (person, workspace) = (&holder.person, holder.workspace.as_str());
        let schema = "entracte.secrets/1";
        context.out.write_json_line(
            &json!({ "schema": schema, "person": person, "workspace": workspace, "names": names }),
        )?;
        return Ok(CliExitCode::Done);
    }
    if names.is_empty() {
        context.out.write_notice(&say!(
            context.workspace_texts().await,
            "secret-none",
            person = &holder.person
        ));
    }
    for name in names {
        context.out.write_data_line(&name)?;
    }
    Ok(CliExitCode::Done)
}
