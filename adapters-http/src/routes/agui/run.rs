//! Runs an AG-UI thread.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::commands::compose_message;
use entracte_application::stream::{Cursor, StreamReadStart};
use entracte_application::texts::{LocalizedMessage, saying};
use entracte_application::use_cases::{MessageFile, NewChat, ReadDeletions, SendMessage, StartChat};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use serde_json::Value;

use super::interrupt_answers::{self, InterruptAnswerContext};
use super::run_stream::{AguiRunStream, run_refusal_response, run_response};
use super::{AguiThread, interrupt_values, open_interrupts};
use crate::agui::{
    AguiEventWriter, AguiTranscript, InputContent, InputFile, InputMessage, RunAgentInput,
    is_client_thread_name, session_of,
};
use crate::authentication::{Chat, WorkspaceAccess, WorkspacePrincipal};
use crate::extractors::MessageFilesBody;
use crate::problem::{Problem, ProblemCode};
use crate::routes::choose_model_voice;
use crate::routes::files::{attach_files, check_file_count, store_bytes};
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::stream::{LogStream, acquire_stream_permit};
use crate::stream_registry::StreamPermit;

/// Runs a thread of AG-UI 1.0: sends what is new, answers what the run before waited for, and tells what happens until the
/// session rests or waits for a person. The thread is a session, by its id or by a name that the client draws. A message
/// is sent once, by its id; whoever was cut off runs again and is told what they missed.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/agui",
    operation_id = "run_agent",
    tag = "events",
    params(WorkspacePath),
    request_body = RunAgentInput,
    responses((status = 200, content_type = "text/event-stream", body = String)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn run_agent(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    MessageFilesBody(input, _place): MessageFilesBody<RunAgentInput>,
) -> Result<Response, Problem> {
    if let Some((path, says)) = input.find_invalid_field() {
        return Err(Problem::invalid_field(&path, says));
    }
    let caller = caller.without_key();
    // The permit comes first, so that nothing is submitted without a stream for its outcome.
    let seat = acquire_stream_permit(&state, &caller)?;
    let session = session_of(caller.workspace(), &input.thread_id);
    match submit_run_input(&state, &caller, &session, &input).await {
        Ok(late) => stream_run(state, caller, seat, &session, AguiRunRequest { input: &input, late }).await,
        // Refusals that a client can resolve are reported in the protocol.
        Err(problem) if is_run_refusal(problem.code()) => {
            let texts = state.texts_for(caller.workspace(), caller.reader()).await?;
            let (thread, run, known) = (&input.thread_id, &input.run_id, AguiTranscript::default());
            Ok(run_refusal_response(AguiEventWriter::new(thread, run, session, known, texts), &problem))
        }
        Err(problem) => Err(problem),
    }
}

/// Whether a refusal concerns the run's input, instead of the principal or the server.
fn is_run_refusal(code: ProblemCode) -> bool {
    matches!(
        code,
        ProblemCode::Conflict
            | ProblemCode::AlreadyDecided
            | ProblemCode::Ended
            | ProblemCode::NotApplicable
            | ProblemCode::Changed
            | ProblemCode::Invalid
            | ProblemCode::FourEyes
    )
}

/// A run to be streamed.
struct AguiRunRequest<'a> {
    input: &'a RunAgentInput,
    /// The answers that came late, with what became of their interrupts.
    late: Vec<Value>,
}

/// Submits all inputs of the run; returns the answers that came late.
async fn submit_run_input(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    session: &SessionId,
    input: &RunAgentInput,
) -> Result<Vec<Value>, Problem> {
    let workspace = caller.workspace();
    let thread = AguiThread::read(state, workspace, session).await?;
    let known =
        thread.as_ref().map(|thread| AguiTranscript::from_entries(&thread.entries)).unwrap_or_default();
    let new = input.new_user_message().filter(|message| !known.has(&message.id));
    let new = new.map(|message| content_of(message).map(|content| (message, content))).transpose()?;
    if thread.is_none() {
        require_new_thread_allowed(state, workspace, session, input, new.is_some()).await?;
        // A refused file leaves no session.
        let new = compose(state, caller, session, new).await?;
        start(state, caller, session).await?;
        send(state, caller, session, new).await?;
        return Ok(Vec::new());
    }
    let late = match input.resume() {
        [] => Vec::new(),
        resume => {
            let answering = InterruptAnswerContext { state, caller, session };
            interrupt_answers::answer_interrupts(answering, resume).await?
        }
    };
    if new.is_some() {
        let open = open_interrupts(state, workspace, session, caller.reader()).await?;
        if !open.is_empty() {
            let text = saying!("refusal-thread-waits");
            return Err(Problem::new(ProblemCode::Conflict, text).with_current(&interrupt_values(open)));
        }
    }
    let new = compose(state, caller, session, new).await?;
    send(state, caller, session, new).await?;
    Ok(late)
}

/// Checks whether a thread without a session may get one.
async fn require_new_thread_allowed(
    state: &ServerState,
    workspace: &WorkspaceKey,
    session: &SessionId,
    input: &RunAgentInput,
    is_said: bool,
) -> Result<(), Problem> {
    let named = entracte_application::terminal_text::one_line(&input.thread_id);
    let unknown = |says: LocalizedMessage| Err(Problem::new(ProblemCode::NotFound, says));
    if !is_client_thread_name(&input.thread_id) || !is_said || !input.resume().is_empty() {
        return unknown(saying!("refusal-thread-unknown", thread = named));
    }
    let deletions = ReadDeletions::new(state.ports.log.clone()).run(workspace, u32::MAX).await?;
    match deletions.iter().any(|deletion| deletion.session == *session) {
        true => unknown(saying!("refusal-thread-deleted", thread = named)),
        false => Ok(()),
    }
}

async fn start(state: &ServerState, caller: &WorkspacePrincipal, session: &SessionId) -> Result<(), Problem> {
    let voice = choose_model_voice(state, None, None)?;
    let chat = NewChat {
        name: String::new(),
        provider: voice.provider,
        model: voice.model,
        dialect: voice.dialect,
        mode: None,
        require_validation: false,
        restriction: Restriction::Open,
    };
    let start = StartChat::new(caller.mail_sender(state), state.ports.ids.clone());
    start.run_as(caller.workspace(), session.clone(), chat).await?;
    Ok(())
}

async fn send(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    session: &SessionId,
    new: Option<(String, UserMessage)>,
) -> Result<(), Problem> {
    let Some((key, message)) = new else { return Ok(()) };
    let send = SendMessage::new(caller.mail_sender(state));
    send.run(caller.workspace(), session, caller.author(), message, Some(key)).await?;
    Ok(())
}

/// Stores the files of a new message, and composes the message with them; returns it with its key.
async fn compose(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    session: &SessionId,
    new: Option<(&InputMessage, InputContent)>,
) -> Result<Option<(String, UserMessage)>, Problem> {
    let Some((message, InputContent { text, files })) = new else { return Ok(None) };
    check_file_count(state, files.len())?;
    let mut named = Vec::with_capacity(files.len());
    for file in files {
        named.push(match file {
            InputFile::Stored(digest) => MessageFile::stored(&digest),
            InputFile::Uploaded { name, bytes } => store_bytes(state, caller, name, bytes).await?.into(),
        });
    }
    let composed = compose_message(&text, Vec::new());
    let composed = attach_files(state, caller.workspace(), Some(session), composed, &named).await?;
    Ok(Some((message.id.clone(), composed)))
}

fn content_of(message: &InputMessage) -> Result<InputContent, Problem> {
    message.content().map_err(|says| Problem::invalid_field("messages", says))
}

/// Streams the run: from the client's position, or from the latest act of a person, after a snapshot if the client's
/// earlier messages differ.
async fn stream_run(
    state: Arc<ServerState>,
    caller: WorkspacePrincipal,
    seat: StreamPermit,
    session: &SessionId,
    AguiRunRequest { input, late }: AguiRunRequest<'_>,
) -> Result<Response, Problem> {
    let (workspace, reader) = (caller.workspace().clone(), caller.reader());
    let Some(thread) = AguiThread::read(&state, &workspace, session).await? else {
        return Err(Problem::new(ProblemCode::NotFound, saying!("refusal-thread-gone")));
    };
    let (entries, known) = (thread.entries, input.known_message_ids());
    let last = entries.last().map_or(0, |entry| entry.seq);
    let all = AguiTranscript::from_entries(&entries);
    let (seq, transcript) = if all.is_known(&known) {
        (last, all)
    } else {
        let seq = AguiTranscript::latest_run_start(&entries);
        let before: Vec<_> = entries.into_iter().take_while(|entry| entry.seq <= seq).collect();
        (seq, AguiTranscript::from_entries(&before))
    };
    let knows_it = transcript.is_known(&known);
    let texts = state.texts_for(&workspace, reader).await?;
    let (thread, run) = (&input.thread_id, &input.run_id);
    let mut writer = AguiEventWriter::new(thread, run, session.clone(), transcript, texts);
    writer.report_late_answers(late);
    if !knows_it {
        writer.snapshot();
    }
    let start = StreamReadStart::At(Cursor { seq, spoken: None });
    let telling = LogStream::begin(&state, caller, seat, Some(session), start, None).await?;
    Ok(run_response(AguiRunStream {
        state,
        workspace,
        session: session.clone(),
        reader,
        telling,
        writer,
        is_over: false,
    }))
}
