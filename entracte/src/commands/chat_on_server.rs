//! `chat --message` on a server: sends one message, and follows its turn.

use entracte_adapters_http::shapes::message::NewMessage;
use entracte_adapters_http::shapes::session::{AcceptedShape, NewSession, SessionShape};
use entracte_adapters_http::shapes::turn::TurnShape;
use entracte_application::texts::say;

use super::attachment::unread_files_notice;
use super::enrichment::WrittenEnrichment;
use super::recent_chats::existing_session;
use super::request_follow_up::RequestFollowUp;
use crate::api_client::{ApiClient, post};
use crate::args::ChatArgs;
use crate::command_context::CommandContext;
use crate::command_restriction::api_patterns;
use crate::error::{CliError, CliExitCode};

/// Sends one message to a new or an existing chat, and waits until it rests.
pub(super) async fn run(
    context: &CommandContext,
    api: &ApiClient<'_>,
    args: &ChatArgs,
    text: String,
    enrichments: &[WrittenEnrichment],
    files: Vec<String>,
) -> Result<CliExitCode, CliError> {
    let enrichments = enrichments.iter().map(|one| one.written.clone()).collect();
    let client_key = args.client_key.clone();
    let message = NewMessage { text, enrichments, files, uploads: Vec::new(), client_key };
    let (is_new, has_files) = (args.session.is_none() && !args.go_on, !message.files.is_empty());
    let (session, sent, after) = if is_new {
        let session = create(api, args, Some(message)).await?.id;
        context.out.write_notice(&say!(api.texts().await?, "chat-session", session = &session));
        // The turn is the whole session; if this key was used before, the entries since then.
        let after = match &args.client_key {
            Some(_) => turn_of_key(api, &session, args).await?,
            None => 0,
        };
        (session, None, after)
    } else {
        let session = existing_session(api, args).await?;
        // If the key was used before, the turn began with that message.
        let after = turn_of_key(api, &session, args).await?;
        let path = api.path(&["sessions", &session, "messages"]);
        let sent = api.send::<AcceptedShape>(post(&path, &message)).await?;
        (session, sent.message, after)
    };
    if has_files && let Some(notice) = unread_files_notice(api, &session, sent.as_deref()).await {
        context.out.write_notice(&notice);
    }
    let follow_up = RequestFollowUp::on_server(context, api, &session, after, args.stream);
    follow_up.follow(args.no_wait).await
}

/// Makes a chat, with its first message if there is one.
pub(super) async fn create(
    api: &ApiClient<'_>,
    args: &ChatArgs,
    message: Option<NewMessage>,
) -> Result<SessionShape, CliError> {
    let new = NewSession {
        name: args.name.clone(),
        provider: args.provider.clone(),
        model: args.model.clone(),
        require_validation: args.require_approval,
        mode: args.mode.map(|mode| mode.mode().word().to_owned()),
        commands: args.commands.as_deref().map(api_patterns).transpose()?,
        message,
    };
    api.send(post(&api.path(&["sessions"]), &new)).await
}

/// The number of the entry before the message of the command's key; that of the last entry if there is no such message.
async fn turn_of_key(api: &ApiClient<'_>, session: &str, args: &ChatArgs) -> Result<u64, CliError> {
    let path = api.path(&["sessions", session, "turn"]);
    Ok(api.get::<TurnShape>(&path.with_some("client_key", args.client_key.as_deref())).await?.after)
}
