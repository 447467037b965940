//! Earlier chats: the last one, and a choice among them.

use entracte_adapters_http::shapes::session::{SessionItem, SessionShape};
use entracte_application::protocol::relay;
use entracte_application::texts::{LocalizedTexts, say};

use crate::api_client::{ApiClient, ShortIdKind};
use crate::args::ChatArgs;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::line_reader::{LineInput, LineReader};
use crate::render::standing::standing;
use crate::render::text::name_of;
use crate::render::time::{day, shown_instant};
use crate::render::wrap::cut_at;
use crate::user_text::message;

/// The most chats to choose from: each has one digit.
const CHOICES_MAX: usize = 9;

/// The person's choice.
pub(super) enum ChatChoice {
    /// A new chat, with its first message if the person typed one.
    New(Option<String>),
    /// An earlier chat.
    Session(String),
    /// No chat.
    Leaves(CliExitCode),
}

/// The session that the command line names.
pub(super) async fn existing_session(api: &ApiClient<'_>, args: &ChatArgs) -> Result<String, CliError> {
    let Some(named) = &args.session else { return last_chat(api).await };
    let session = api.find(ShortIdKind::Session, named).await?;
    // A session without a conversation is refused before the person types a message.
    let shape: SessionShape = api.get(&api.path(&["sessions", &session])).await?;
    if relay::is_relay(&shape.editable.provider) {
        let text = message!("request-of-calls", session = session.as_str());
        return Err(CliError::new(CliExitCode::Conflict, text));
    }
    Ok(session)
}

/// The last chat of the workspace.
async fn last_chat(api: &ApiClient<'_>) -> Result<String, CliError> {
    let chats = chats(api, 1).await?;
    chats.into_iter().next().map(|chat| chat.id).ok_or_else(|| {
        let text = message!("chat-none-to-continue", workspace = api.workspace().as_str());
        CliError::with_next(CliExitCode::NotFound, text, "entracte chat")
    })
}

/// Whether the command line leaves the choice open, and a person is present to choose.
pub(super) fn is_open(context: &CommandContext, args: &ChatArgs) -> bool {
    let around = &context.environment;
    let is_terminal = around.stdin_terminal && around.stdout_terminal && around.stderr_terminal;
    let decides = [&args.session, &args.name, &args.provider, &args.model, &args.message]
        .iter()
        .any(|flag| flag.is_some());
    is_terminal
        && !context.out.quiet
        && !decides
        && args.script.is_none()
        && !args.go_on
        && !args.require_approval
        && args.commands.is_none()
}

/// Lets a person choose: a new chat, or an earlier one by its number. Anything else is the first message of a new chat.
pub(super) async fn choose_chat(
    context: &CommandContext,
    api: &ApiClient<'_>,
) -> Result<ChatChoice, CliError> {
    let texts = api.texts().await?;
    let chats = chats(api, CHOICES_MAX).await?;
    if chats.is_empty() {
        return Ok(ChatChoice::New(None));
    }
    context.out.write_notice(&say!(texts, "chat-recent"));
    for (index, row) in chats.iter().enumerate() {
        context.out.write_notice(&line(context, index + 1, row, texts));
    }
    let mut keyboard = LineReader::new(true).with_colour(context.out.style.colour);
    loop {
        let text = match keyboard.read_message_line(&say!(texts, "chat-choose")).await? {
            LineInput::Line(text) => text,
            LineInput::Interrupted => return Ok(ChatChoice::Leaves(CliExitCode::Interrupted)),
            LineInput::End => return Ok(ChatChoice::Leaves(CliExitCode::Done)),
        };
        if text.trim().is_empty() {
            return Ok(ChatChoice::New(None));
        }
        let Ok(number) = text.trim().parse::<usize>() else { return Ok(ChatChoice::New(Some(text))) };
        match number.checked_sub(1).and_then(|index| chats.get(index)) {
            Some(row) => return Ok(ChatChoice::Session(row.id.clone())),
            None => context.out.write_warning(&say!(
                texts,
                "chat-no-choice",
                given = text.trim(),
                most = chats.len()
            )),
        }
    }
}

fn line(context: &CommandContext, number: usize, chat: &SessionItem, texts: &LocalizedTexts) -> String {
    let text = format!(
        "  {number}  {} · {} · {}",
        name_of(&chat.name, texts),
        shown_instant(&chat.last_activity, |at| day(at, &context.zone)),
        // Its place in the queue is shown when it is open.
        standing(&SessionItem { position: None, ..chat.clone() }, texts)
    );
    context.out.message_style.width.map_or(text.clone(), |width| cut_at(&text, width.saturating_sub(1)))
}

/// The latest chats in progress with at least one message, at most this many. Sessions of manual calls have no
/// conversation.
async fn chats(api: &ApiClient<'_>, most: usize) -> Result<Vec<SessionItem>, CliError> {
    let path = api.path(&["sessions"]).with("kind", "chat").with("open", "true").with("details", "true");
    let was_used =
        |chat: &SessionItem| chat.rounds.is_some_and(|rounds| rounds > 0) || chat.queued_messages > Some(0);
    let converses =
        |chat: &SessionItem| chat.provider.as_deref().is_some_and(|provider| !relay::is_relay(provider));
    api.list_wanted(&path, most, |chat| was_used(chat) && converses(chat)).await
}
