//! `chat`: opens a new or existing session, for one message or a conversation.

use std::io::Read;
use std::sync::Arc;

use entracte_application::commands::compose_message;
use entracte_application::texts::say;
use entracte_application::use_cases::{
    AttachFiles, MessageFile, NewChat, SendMessage, StartChat, StartChatWithMessage,
};
use entracte_domain::id::{MessageId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::session::ModelSelection;

use super::attachment::unread_files_notice;
use super::chat_stage::ChatStage;
use super::model_selection::new_voice;
use super::recent_chats::{self, ChatChoice, existing_session};
use super::turn::SessionContext;
use super::{attachment, chat_loop, chat_on_server, enrichment};
use crate::api_client::ApiClient;
use crate::app_services::AppServices;
use crate::args::{ChatArgs, ModeName};
use crate::command_context::CommandContext;
use crate::config::REHEARSAL;
use crate::error::{CliError, CliExitCode};
use crate::follow::drain_before_exit;
use crate::runtime_access::RuntimeAccess;
use crate::user_text::{UserText, message};

/// Runs `chat`.
pub(crate) async fn run(context: &CommandContext, args: ChatArgs) -> Result<CliExitCode, CliError> {
    if args.stream && !context.out.json {
        return Err(CliError::new(CliExitCode::Usage, message!("chat-stream-json")));
    }
    let message = match args.message.as_deref() {
        Some("-") => Some(standard_input()?),
        Some(text) => Some(text.to_owned()),
        None if context.out.json => {
            let text = message!("chat-json");
            return Err(CliError::new(CliExitCode::Usage, text));
        }
        None => None,
    };
    let enrichments = enrichment::read_all(&args.enrich, context.environment.texts())?;
    let api = ApiClient::open(context).await?;
    if let (None, Some(_)) = (api.services(), &args.script) {
        return Err(script_runs_elsewhere());
    }
    let Some(text) = message else { return converse(context, &api, args).await };
    check(context, &text, enrichments.len())?;
    let files = attachment::upload_all(context, &api, &args.attach).await?;
    let Some(services) = api.services() else {
        return chat_on_server::run(context, &api, &args, text, &enrichments, files).await;
    };
    let message = compose_message(&text, enrichments.into_iter().map(|one| one.enrichment).collect());
    enrichment::check(context, services, &message).await?;
    if args.session.is_none() && !args.go_on {
        let message = attach_files(context, &api, services, None, message, &files).await?;
        return start(context, &api, services.clone(), &args, message).await;
    }
    services.set_owner_kind(context.owner_kind("chat", None));
    let session = SessionId::new(existing_session(&api, &args).await?);
    let message = attach_files(context, &api, services, Some(&session), message, &files).await?;
    let workspace = api.workspace().clone();
    let stage = SessionContext::open_session(context, services.clone(), workspace, session).await?;
    let stage = SessionContext { stream: args.stream, ..stage };
    send(&stage, &api, message, args.client_key, args.no_wait).await
}

/// Opens a conversation in a new or an earlier chat.
async fn converse(
    context: &CommandContext,
    api: &ApiClient<'_>,
    args: ChatArgs,
) -> Result<CliExitCode, CliError> {
    let (args, first) = match recent_chats::is_open(context, &args) {
        false => (args, None),
        true => match recent_chats::choose_chat(context, api).await? {
            ChatChoice::New(first) => (args, first),
            ChatChoice::Session(session) => (ChatArgs { session: Some(session), ..args }, None),
            ChatChoice::Leaves(exit) => return Ok(exit),
        },
    };
    if let Some(services) = api.services() {
        services.set_owner_kind(context.owner_kind("chat", None));
    }
    let is_new = args.session.is_none() && !args.go_on;
    let session = match (is_new, api.services()) {
        (false, _) => existing_session(api, &args).await?,
        (true, None) => chat_on_server::create(api, &args, None).await?.id,
        (true, Some(services)) => {
            let chat = new_chat(context, services, &args)?;
            let Some((_, runtime)) = api.open_here_runtime().await? else { return Ok(CliExitCode::Done) };
            check_script_runs_here(&args, &runtime).await?;
            let start = StartChat::new(runtime, services.ids.clone());
            start.run(api.workspace(), chat).await?.session.to_string()
        }
    };
    if is_new {
        context.out.write_notice(&say!(api.texts().await?, "chat-session", session = &session));
    }
    chat_loop::run(ChatStage::open(context, api, session).await?, is_new, first).await
}

/// Starts a session with its first message, and waits until it rests.
async fn start(
    context: &CommandContext,
    api: &ApiClient<'_>,
    services: Arc<AppServices>,
    args: &ChatArgs,
    message: UserMessage,
) -> Result<CliExitCode, CliError> {
    services.set_owner_kind(context.owner_kind("chat", None));
    let chat = new_chat(context, &services, args)?;
    let runtime = RuntimeAccess::open(services.clone()).await?;
    check_script_runs_here(args, &runtime).await?;
    let has_files = message.files().next().is_some();
    let start = StartChatWithMessage::new(runtime.clone(), services.ids.clone());
    let (workspace, key) = (context.settings.workspace.clone(), args.client_key.clone());
    let begun = start.run(&workspace, context.settings.author.clone(), chat, message, key).await;
    let session = match begun {
        Ok(begun) => begun.session,
        Err(error) => {
            // The work that this process took up as the owner must come to rest first.
            drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
            return Err(error.into());
        }
    };
    let stage = SessionContext { context, services, runtime, workspace, session, stream: args.stream };
    let texts = context.workspace_texts().await;
    context.out.write_notice(&say!(texts, "chat-session", session = stage.session.as_str()));
    tell_unread_files(&stage, api, has_files, None).await;
    // The turn is the whole session; if this key was used before, the entries since then.
    let after = stage.sequence_before_turn(args.client_key.as_deref()).await?.unwrap_or(0);
    stage.follow_if_owner(args.no_wait, after).await
}

/// Sends one message to an existing session, and waits until it rests.
async fn send(
    stage: &SessionContext<'_>,
    api: &ApiClient<'_>,
    message: UserMessage,
    client_key: Option<String>,
    no_wait: bool,
) -> Result<CliExitCode, CliError> {
    // If the key was used before, the turn began with that message.
    let after = match stage.sequence_before_turn(client_key.as_deref()).await? {
        Some(before) => before,
        None => stage.last_sequence().await?,
    };
    let has_files = message.files().next().is_some();
    let send = SendMessage::new(stage.runtime.clone());
    let sent = send.run(&stage.workspace, &stage.session, stage.author(), message, client_key).await;
    let message = sent.as_ref().ok().and_then(|sent| sent.message.clone());
    stage.finish_request(sent).await?;
    tell_unread_files(stage, api, has_files, message.as_ref().map(MessageId::as_str)).await;
    stage.follow_if_owner(no_wait, after).await
}

/// Tells, beside a message with files, that the model in use does not read them.
async fn tell_unread_files(
    stage: &SessionContext<'_>,
    api: &ApiClient<'_>,
    has_files: bool,
    message: Option<&str>,
) {
    if has_files && let Some(notice) = unread_files_notice(api, stage.session.as_str(), message).await {
        stage.context.out.write_notice(&notice);
    }
}

/// The message with these stored files, for a session or a new one.
async fn attach_files(
    context: &CommandContext,
    api: &ApiClient<'_>,
    services: &AppServices,
    session: Option<&SessionId>,
    message: UserMessage,
    files: &[String],
) -> Result<UserMessage, CliError> {
    let files: Vec<MessageFile> = files.iter().map(|digest| MessageFile::stored(digest)).collect();
    let attach = AttachFiles::new(services.file_store());
    let settings = &context.settings.runtime;
    Ok(attach.run(api.workspace(), session, message, &files, settings).await?)
}

/// Refuses invalid messages before a session is created for them.
fn check(context: &CommandContext, text: &str, enrichments: usize) -> Result<(), CliError> {
    if text.trim().is_empty() {
        return Err(CliError::new(CliExitCode::Usage, message!("chat-empty")));
    }
    // A server has limits of its own.
    if context.server.is_some() {
        return Ok(());
    }
    let most = context.settings.runtime.message_max_enrichments;
    if most > 0 && enrichments > most {
        let text = message!("chat-enrichments", count = enrichments, most = most);
        return Err(CliError::new(CliExitCode::Usage, text));
    }
    let (length, most) = (text.chars().count(), context.settings.runtime.message_max_chars);
    if length > most {
        let text = message!("chat-too-long", count = length, most = most);
        return Err(CliError::new(CliExitCode::Usage, text));
    }
    Ok(())
}

/// Refuses a script where another process runs the sessions: it knows its own configuration only.
async fn check_script_runs_here(args: &ChatArgs, runtime: &RuntimeAccess) -> Result<(), CliError> {
    if args.script.is_none() || runtime.refresh_is_owner().await {
        return Ok(());
    }
    Err(script_runs_elsewhere())
}

fn script_runs_elsewhere() -> CliError {
    let next = "entracte chat --script FILE --data ANOTHER_FOLDER";
    CliError::with_next(CliExitCode::Conflict, message!("chat-script-elsewhere"), next)
}

fn new_chat(context: &CommandContext, services: &AppServices, args: &ChatArgs) -> Result<NewChat, CliError> {
    let provider = args.script.as_ref().map(|_| REHEARSAL).or(args.provider.as_deref());
    let voice = new_voice(context, services, provider, args.model.as_deref())?;
    let ModelSelection { provider, model, dialect } = voice;
    let require_validation = args.require_approval;
    // An unnamed session gets its name from the first message.
    let name = args.name.clone().unwrap_or_default();
    let restriction = args
        .commands
        .as_deref()
        .map(crate::command_restriction::restriction)
        .transpose()?
        .unwrap_or_default();
    let mode = args.mode.map(ModeName::mode);
    Ok(NewChat { name, provider, model, dialect, require_validation, mode, restriction })
}

/// The most bytes read from standard input, which may be endless. Each use has its own, smaller limit.
const INPUT_MAX_BYTES: usize = 64 << 20;

/// Reads all of standard input.
pub(super) fn standard_input() -> Result<String, CliError> {
    let failed = |why: UserText| CliError::new(CliExitCode::Usage, message!("error-input", why = why));
    let mut bytes = Vec::new();
    let read = std::io::stdin().take(INPUT_MAX_BYTES as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| failed(error.to_string().into()))?;
    if bytes.len() > INPUT_MAX_BYTES {
        return Err(failed(message!("file-too-large", megabytes = INPUT_MAX_BYTES >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| failed(message!("file-not-text")))
}
