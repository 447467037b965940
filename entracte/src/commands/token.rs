//! `token`: manages access to the server.

use entracte_adapters_http::shapes::token::{MadeTokenShape, NewTokenShape, TokenShape};
use entracte_application::texts::{LocalizedTexts, say};
use serde::Serialize;
use serde_json::json;

use super::decisions::duration;
use crate::api_client::{ApiClient, delete, post};
use crate::args::{CreateTokenArgs, ScopeName, TokenCommand};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::listing::{heads_of, write_table};
use crate::render::time::{day, shown_instant};

const LIST: &str = "entracte token list";

/// Runs `token …`.
pub(crate) async fn run(context: &CommandContext, command: TokenCommand) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    match command {
        TokenCommand::Create(args) => create(context, &api, args).await,
        TokenCommand::List { everywhere } => list(context, &api, everywhere).await,
        TokenCommand::Revoke { id, everywhere } => revoke(context, &api, &id, everywhere).await,
    }
}

const fn scope(name: ScopeName) -> &'static str {
    match name {
        ScopeName::Read => "read",
        ScopeName::Chat => "chat",
        ScopeName::Approve => "approve",
        ScopeName::Admin => "admin",
        ScopeName::Secret => "secret",
    }
}

async fn create(
    context: &CommandContext,
    api: &ApiClient<'_>,
    args: CreateTokenArgs,
) -> Result<CliExitCode, CliError> {
    let lasts = args.lasts.as_deref().map(duration).transpose()?;
    let person = match args.person {
        Some(person) => person,
        None => api.person().await?,
    };
    let new = NewTokenShape {
        person,
        name: args.name,
        scopes: args.scopes.into_iter().map(|name| scope(name).to_owned()).collect(),
        expires_at: lasts.map(|lasts| context.instant_after(lasts)),
        session: None,
        origins: Vec::new(),
        everywhere: args.everywhere,
    };
    let made = api.change::<MadeTokenShape>(post(&api.path(&["tokens"]), &new)).await;
    let made = made.map_err(|error| error.or_next("entracte token create"))?;
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.token/2", made))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    let (token, person) = (&made.token.id, &made.token.person.name);
    context.out.write_notice(&say!(texts, "token-made", token = token, person = person));
    context.out.write_data_line(&made.secret.unwrap_or_default())?;
    Ok(CliExitCode::Done)
}

/// What `token list --json` prints.
#[derive(Serialize)]
struct TokensObject {
    tokens: Vec<TokenShape>,
}

async fn list(
    context: &CommandContext,
    api: &ApiClient<'_>,
    everywhere: bool,
) -> Result<CliExitCode, CliError> {
    let path = api.path(&["tokens"]).with_some("everywhere", everywhere.then_some("true"));
    let tokens: Vec<TokenShape> = api.list(&path).await?;
    if context.out.json {
        context.out.write_json_line(&VersionedShape::new("entracte.tokens/2", TokensObject { tokens }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    if tokens.is_empty() {
        context.out.write_notice(&say!(texts, "token-none"));
        return Ok(CliExitCode::Done);
    }
    let rows: Vec<Vec<String>> = tokens.iter().map(|token| row(context, texts, token)).collect();
    let heads = heads_of(texts, "token", &["id", "name", "person", "reach", "scopes", "until", "used"]);
    write_table(&context.out, &heads, &rows)?;
    Ok(CliExitCode::Done)
}

fn row(context: &CommandContext, texts: &LocalizedTexts, token: &TokenShape) -> Vec<String> {
    let day = |at: &str| shown_instant(at, |at| day(at, &context.zone));
    let until = match (&token.revoked_at, &token.expires_at) {
        (Some(_), _) => say!(texts, "token-revoked"),
        (None, Some(at)) => day(at),
        (None, None) => say!(texts, "token-for-ever"),
    };
    vec![
        token.id.clone(),
        token.name.clone(),
        token.person.name.clone(),
        token.workspace.clone().unwrap_or_else(|| say!(texts, "token-everywhere")),
        token.scopes.join(" "),
        until,
        token.last_used.as_deref().map(day).unwrap_or_default(),
    ]
}

async fn revoke(
    context: &CommandContext,
    api: &ApiClient<'_>,
    id: &str,
    everywhere: bool,
) -> Result<CliExitCode, CliError> {
    // A full token is accepted too; only its id is used.
    let id = id.strip_prefix("entr_").unwrap_or(id);
    let id = id.split_once('.').map_or(id, |(id, _)| id);
    let path = api.path(&["tokens", id]).with_some("everywhere", everywhere.then_some("true"));
    api.change_only(delete(&path)).await.map_err(|error| error.or_next(LIST))?;
    if context.out.json {
        context.out.write_json_line(&json!({ "schema": "entracte.token_revoked/1", "id": id }))?;
        return Ok(CliExitCode::Done);
    }
    let texts = api.texts().await?;
    context.out.write_notice(&say!(texts, "token-revoked-now", token = id));
    Ok(CliExitCode::Done)
}
