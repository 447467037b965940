//! `token`: manages access to the server.

use entracte_application::ports::{AccessReach, Person, TokenKind, TokenRow, TokenScope, TokenScopes};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{CreateToken, ListTokens, NewToken, RevokeToken};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use super::decisions::duration;
use crate::args::{CreateTokenArgs, ScopeName, TokenCommand};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::table;
use crate::render::time::{day, iso};

const LIST: &str = "entracte token list";

/// Runs `token …`.
pub(crate) async fn run(context: &CommandContext, command: TokenCommand) -> Result<CliExitCode, CliError> {
    match command {
        TokenCommand::Create(args) => create(context, args).await,
        TokenCommand::List { everywhere } => list(context, everywhere).await,
        TokenCommand::Revoke { id, everywhere } => revoke(context, &id, everywhere).await,
    }
}

fn reach(context: &CommandContext, everywhere: bool) -> AccessReach {
    if everywhere {
        AccessReach::Everywhere
    } else {
        AccessReach::Workspace(context.settings.workspace.clone())
    }
}

const fn scope(name: ScopeName) -> TokenScope {
    match name {
        ScopeName::Read => TokenScope::Read,
        ScopeName::Chat => TokenScope::Chat,
        ScopeName::Approve => TokenScope::Approve,
        ScopeName::Admin => TokenScope::Admin,
        ScopeName::Secret => TokenScope::Secret,
    }
}

async fn create(context: &CommandContext, args: CreateTokenArgs) -> Result<CliExitCode, CliError> {
    let lasts = args.lasts.as_deref().map(duration).transpose()?;
    let services = context.open_services()?;
    let create =
        CreateToken::new(services.database.access_store(), services.clock.clone(), services.ids.clone());
    let new = NewToken {
        person: args.person.unwrap_or_else(|| context.settings.author.clone()),
        reach: reach(context, args.everywhere),
        kind: TokenKind::Program,
        name: args.name,
        scopes: TokenScopes::new(args.scopes.into_iter().map(scope)),
        embedded: None,
        expires_at: lasts.map(|lasts| services.clock.now().plus(lasts)),
        made_by: None,
    };
    let made =
        create.run(new).await.map_err(|error| CliError::from(error).or_next("entracte token create"))?;
    let secret = made.secret.expose_secret();
    if context.out.json {
        let mut object = object(&made.token, &made.person);
        object["schema"] = json!("entracte.token/1");
        object["secret"] = json!(secret);
        context.out.write_json_line(&object)?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, &context.settings.workspace).await?;
    context.out.write_notice(&say!(texts, "token-made", token = &made.token.id, person = &made.person.name));
    context.out.write_data_line(secret)?;
    Ok(CliExitCode::Done)
}

async fn list(context: &CommandContext, everywhere: bool) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let tokens = ListTokens::new(services.database.access_store()).run(&reach(context, everywhere)).await?;
    if context.out.json {
        let all: Vec<Value> = tokens.iter().map(|(token, person)| object(token, person)).collect();
        context.out.write_json_line(&json!({ "schema": "entracte.tokens/1", "tokens": all }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, &context.settings.workspace).await?;
    if tokens.is_empty() {
        context.out.write_notice(&say!(texts, "token-none"));
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> =
        tokens.iter().map(|(token, person)| row(context, texts, token, person)).collect();
    let head = ["id", "name", "person", "reach", "scopes", "until", "used"];
    let head = head.map(|name| texts.render(&format!("token-head-{name}"), &[]));
    for line in table(&head.each_ref().map(String::as_str), &rows, context.out.style) {
        context.out.write_data_line(&line)?;
    }
    Ok(CliExitCode::Done)
}

fn row(context: &CommandContext, texts: &LocalizedTexts, token: &TokenRow, person: &Person) -> Vec<String> {
    let until = match (token.revoked_at, token.expires_at) {
        (Some(_), _) => say!(texts, "token-revoked"),
        (None, Some(at)) => day(at, &context.zone),
        (None, None) => say!(texts, "token-for-ever"),
    };
    vec![
        token.id.clone(),
        token.name.clone(),
        person.name.clone(),
        match &token.reach {
            AccessReach::Workspace(key) => key.to_string(),
            AccessReach::Everywhere => say!(texts, "token-everywhere"),
        },
        token.scopes.words(),
        until,
        token.last_used.map(|at| day(at, &context.zone)).unwrap_or_default(),
    ]
}

async fn revoke(context: &CommandContext, id: &str, everywhere: bool) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let revoke = RevokeToken::new(services.database.access_store(), services.clock.clone());
    // A full token is accepted too; only its id is used.
    let id = id.strip_prefix("entr_").unwrap_or(id);
    let id = id.split_once('.').map_or(id, |(id, _)| id);
    let revoked = revoke.run(&reach(context, everywhere), id).await;
    revoked.map_err(|error| CliError::from(error).or_next(LIST))?;
    if context.out.json {
        context.out.write_json_line(&json!({ "schema": "entracte.token_revoked/1", "id": id }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = context.texts(&services, &context.settings.workspace).await?;
    context.out.write_notice(&say!(texts, "token-revoked-now", token = id));
    Ok(CliExitCode::Done)
}

fn object(token: &TokenRow, person: &Person) -> Value {
    let workspace = match &token.reach {
        AccessReach::Workspace(key) => Some(key.as_str()),
        AccessReach::Everywhere => None,
    };
    json!({
        "id": token.id,
        "name": token.name,
        "person": person.name,
        "workspace": workspace,
        "kind": token.kind.word(),
        "scopes": token.scopes.iter().map(TokenScope::word).collect::<Vec<_>>(),
        "created_at": iso(token.created_at),
        "expires_at": token.expires_at.map(iso),
        "revoked_at": token.revoked_at.map(iso),
        "last_used": token.last_used.map(iso),
        "made_by": token.made_by,
    })
}
