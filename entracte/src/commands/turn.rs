//! Waits for a turn of a session, renders it, and converts it into an exit code.

use std::sync::Arc;

use entracte_adapters_http::shapes::session::QueueShape;
use entracte_adapters_http::shapes::turn::{TurnReading, TurnShape, TurnWaitShape};
use entracte_application::journal::JournalEntry;
use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{DeleteSession, UseCaseError};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::SystemKind;
use jiff::tz::TimeZone;

use crate::api_client::ApiClient;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::{
    FollowedSpan, ReplyTextDelta, SessionEventCursor, SessionFollower, SessionWatcher, TurnCompletion,
    drain_before_exit,
};
use crate::json::{ReasoningDeltaObject, ReplyDeltaObject, TURN_SCHEMA, VersionedShape, entry_object};
use crate::output::TerminalOutput;
use crate::render;
use crate::render::approval::{card, question};
use crate::render::chain::line;
use crate::render::entry::EntryRenderer;
use crate::render::messages::plan;
use crate::render::text::{block, one_line};
use crate::render::time::TimeFormatter;
use crate::runtime_access::RuntimeAccess;
use crate::user_text::{UserText, message};

/// The session of a request, with everything needed to follow it.
pub(crate) struct SessionContext<'a> {
    /// Settings and output.
    pub(crate) context: &'a CommandContext,
    /// The services.
    pub(crate) services: Arc<AppServices>,
    /// The request entry point.
    pub(crate) runtime: Arc<RuntimeAccess>,
    /// The workspace of the session.
    pub(crate) workspace: WorkspaceKey,
    /// The id of the session.
    pub(crate) session: SessionId,
    /// Whether streamed text is printed as JSON objects.
    pub(crate) stream: bool,
}

impl<'a> SessionContext<'a> {
    /// The context of an existing session.
    pub(crate) async fn open_session(
        context: &'a CommandContext,
        services: Arc<AppServices>,
        workspace: WorkspaceKey,
        session: SessionId,
    ) -> Result<Self, CliError> {
        let runtime = RuntimeAccess::open(services.clone()).await?;
        Ok(Self { context, services, runtime, workspace, session, stream: false })
    }

    /// The context of a session of the API, if that is on this machine; `None` on a server.
    pub(crate) async fn open_here(
        context: &'a CommandContext,
        api: &ApiClient<'_>,
        session: &str,
    ) -> Result<Option<Self>, CliError> {
        let Some((services, runtime)) = api.open_here_runtime().await? else { return Ok(None) };
        let (workspace, session) = (api.workspace().clone(), SessionId::new(session));
        Ok(Some(Self { context, services, runtime, workspace, session, stream: false }))
    }

    /// The number of the last entry.
    pub(crate) async fn last_sequence(&self) -> Result<u64, CliError> {
        Ok(self.services.follow().last_entry_number(&self.workspace, &self.session).await?)
    }

    /// The entry number before the message with this key; `None` if there is no such message.
    pub(crate) async fn sequence_before_turn(&self, key: Option<&str>) -> Result<Option<u64>, CliError> {
        let Some(key) = key else { return Ok(None) };
        let row = self.services.log.entry_by_client_key(&self.workspace, &self.session, key).await?;
        Ok(row.map(|row| row.seq.saturating_sub(1)))
    }

    /// The acting person.
    pub(crate) fn author(&self) -> String {
        self.context.settings.author.clone()
    }

    /// Waits until the session rests; prints the turn after the entry `after`.
    pub(crate) async fn report(&self, after: u64) -> Result<CliExitCode, CliError> {
        self.report_on(TurnExpectation::Work, after).await
    }

    /// Reports the turn after the session was stopped or interrupted from here.
    pub(crate) async fn report_halt(&self, after: u64) -> Result<CliExitCode, CliError> {
        self.report_on(TurnExpectation::Halt, after).await
    }

    async fn report_on(&self, asked: TurnExpectation, after: u64) -> Result<CliExitCode, CliError> {
        let texts = self.context.texts(&self.services, &self.workspace).await?;
        let mut watcher = turn_watcher(self.context, self.session.as_str(), self.stream, texts);
        let mut reading = SessionEventCursor::starting_after(after);
        let mut ended = self.follower().follow_until_rest(&mut reading, &mut *watcher).await?;
        if asked == TurnExpectation::Halt {
            // The requester knows of the interruption.
            ended.turn.halted = None;
        }
        let span = FollowedSpan { after, last: reading.last };
        let exit = print_turn(self.context, &ended.shape(&self.services.catalog(), span), texts)?;
        self.mark_read().await;
        self.drain_owned_work().await?;
        Ok(exit)
    }

    /// Waits until the session rests, if this process runs its work.
    pub(crate) async fn follow_if_owner(&self, no_wait: bool, after: u64) -> Result<CliExitCode, CliError> {
        match self.leave_running(no_wait, after).await? {
            Some(exit) => Ok(exit),
            None => self.report(after).await,
        }
    }

    /// With `no_wait`: the result of the request, if it waits for a slot or another process runs it. `None` if this
    /// process must run it.
    pub(crate) async fn leave_running(
        &self,
        no_wait: bool,
        after: u64,
    ) -> Result<Option<CliExitCode>, CliError> {
        if !no_wait {
            return Ok(None);
        }
        let place = self.services.slot_place(&self.workspace, &self.session).await?;
        if place.is_none() && self.runtime.refresh_is_owner().await {
            return Ok(None);
        }
        let (context, texts) = (self.context, self.context.workspace_texts().await);
        context.out.write_notice(&match &place {
            Some(place) => {
                let dial = TimeFormatter { zone: &context.zone, now: Some(self.services.clock.now()) };
                render::slot_place::place(place.session.as_str(), &place.into(), texts, dial)
            }
            None => say!(texts, "recorded-elsewhere"),
        });
        if context.out.json {
            let turn = self.services.follow().view(&self.workspace, &self.session, after).await?;
            let (last, now) = (self.last_sequence().await?, self.services.clock.now());
            let reading = TurnReading { after, last, rests: false, now };
            let turn = TurnShape::new(&turn, place.as_ref(), &self.services.catalog(), reading);
            context.out.write_json_line(&VersionedShape::new(TURN_SCHEMA, turn))?;
        }
        self.drain_owned_work().await?;
        Ok(Some(CliExitCode::Done))
    }

    /// The follower of this session.
    pub(crate) fn follower(&self) -> SessionFollower<'_> {
        SessionFollower {
            services: &self.services,
            runtime: &self.runtime,
            author: &self.context.settings.author,
            workspace: &self.workspace,
            session: &self.session,
        }
    }

    /// The result of a request. A refusal ends the command, but must not interrupt the work that this process took up
    /// as the owner.
    pub(crate) async fn finish_request<T>(&self, answer: Result<T, UseCaseError>) -> Result<T, CliError> {
        if answer.is_err() {
            self.drain_owned_work().await?;
        }
        Ok(answer?)
    }

    /// Deletes the session if it has no messages: the message it was created for never came.
    pub(crate) async fn discard_blank(&self) {
        let (workspace, session) = (&self.workspace, &self.session);
        let is_blank = match self.services.show().run(workspace, session).await {
            Ok(view) => view.facts.counters.rounds_total == 0 && view.facts.queue.is_empty(),
            Err(_) => false,
        };
        if !is_blank {
            return;
        }
        let delete = DeleteSession::new(self.runtime.clone());
        if let Err(error) = delete.run(workspace, session, self.author()).await {
            tracing::debug!(%session, %error, "the empty session stays");
        }
    }

    /// Whether the session has pending work, as of the entry `after`.
    pub(crate) async fn has_pending_work(&self, after: u64) -> Result<bool, CliError> {
        Ok(!self.services.follow().read_update(&self.workspace, &self.session, after).await?.rests)
    }

    /// Waits until the work that this process would interrupt has come to rest.
    pub(crate) async fn drain_owned_work(&self) -> Result<(), CliError> {
        drain_before_exit(&self.services, &self.runtime, |line| self.context.out.write_notice(line)).await
    }
}

/// The request of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnExpectation {
    Work,
    Halt,
}

/// What shows a turn while it goes on: lines of progress, or with `stream` JSON objects.
pub(super) fn turn_watcher(
    context: &CommandContext,
    session: &str,
    stream: bool,
    texts: &'static LocalizedTexts,
) -> Box<dyn SessionWatcher> {
    let (out, session) = (context.out.clone(), session.to_owned());
    if stream {
        return Box::new(JsonStreamWatcher { out, session });
    }
    let lines = context.entry_renderer(context.out.message_style, texts);
    Box::new(ProgressWatcher { out, lines, texts, zone: TimeZone::clone(&context.zone) })
}

/// Prints every entry as a line of progress.
struct ProgressWatcher {
    out: Arc<TerminalOutput>,
    lines: EntryRenderer,
    texts: &'static LocalizedTexts,
    zone: TimeZone,
}

impl SessionWatcher for ProgressWatcher {
    fn on_slot_wait(&mut self, session: &str, place: &QueueShape) {
        let dial = TimeFormatter { zone: &self.zone, now: Some(SystemClock.now()) };
        self.out.write_notice(&render::slot_place::place(session, place, self.texts, dial));
    }

    fn on_entry(&mut self, entry: &JournalEntry) -> Result<(), CliError> {
        self.out.progress(&self.lines.draw(entry));
        Ok(())
    }
}

/// Prints all events as JSON objects.
struct JsonStreamWatcher {
    out: Arc<TerminalOutput>,
    session: String,
}

impl SessionWatcher for JsonStreamWatcher {
    fn on_entry(&mut self, entry: &JournalEntry) -> Result<(), CliError> {
        self.out.write_json_line(&entry_object(entry)?)
    }

    fn on_reply_delta(&mut self, piece: &ReplyTextDelta<'_>) -> Result<(), CliError> {
        self.out.write_json_line(&ReplyDeltaObject::new(&self.session, piece.text))
    }

    fn on_reasoning_delta(&mut self, piece: &ReplyTextDelta<'_>) -> Result<(), CliError> {
        self.out.write_json_line(&ReasoningDeltaObject::new(&self.session, piece.text))
    }
}

/// Prints a turn: the reply is data; requests and problems are messages.
pub(super) fn print_turn(
    context: &CommandContext,
    ended: &TurnCompletion,
    texts: &LocalizedTexts,
) -> Result<CliExitCode, CliError> {
    let out = &context.out;
    if out.json {
        out.write_json_line(&VersionedShape::new(TURN_SCHEMA, &ended.turn))?;
        return Ok(report_turn(context, ended, texts));
    }
    // The reader of the answer must know which model gave it.
    ended.turn.fell_back.iter().for_each(|told| out.write_notice(told));
    if let Some(reply) = &ended.turn.reply {
        if let Some(plan) = plan(&reply.plan, texts) {
            out.write_notice(&plan);
        }
        // A reply that only asks has no text.
        if !reply.text.is_empty() {
            out.write_data_line(&block(&reply.text))?;
        }
    }
    Ok(report_turn(context, ended, texts))
}

/// Reports requests and problems of a turn; returns the exit code.
pub(crate) fn report_turn(
    context: &CommandContext,
    ended: &TurnCompletion,
    texts: &LocalizedTexts,
) -> CliExitCode {
    let turn = &ended.turn;
    let session = turn.session.as_str();
    let exit = exit_of(ended);
    if let Some(waiting) = &turn.waiting {
        if !context.out.json {
            let asking = turn.waits_in.last().map_or(session, |step| &step.session);
            // An approval card contains it.
            if let (TurnWaitShape::Question(_), Some(chain)) =
                (waiting, line(&turn.asked_by, &turn.waits_in, texts))
            {
                context.out.write_notice(&chain);
            }
            context.out.write_notice(&pending_question_text(context, asking, waiting, texts));
        }
        return exit;
    }
    let halted = turn.halted_by.as_ref().filter(|_| exit == CliExitCode::Interrupted && !ended.interrupted);
    if let Some(author) = halted {
        context.out.write_error_text(&interruption_error(turn, author).localized(texts));
        tell_waiting_messages(context, turn, texts);
        return exit;
    }
    if exit == CliExitCode::Conflict {
        let text = message!("turn-replaced", session = session);
        let next = format!("entracte session resume {session}");
        context.out.write_error_text(&CliError::with_next(exit, text, next).localized(texts));
        return exit;
    }
    match turn.troubles.last() {
        Some(asked) if asked.kind == SystemKind::SpendingQuestion.word() => {
            tell_spending_question(context, session, &asked.text);
        }
        Some(trouble) => {
            let of_provider = [SystemKind::ProviderError, SystemKind::NetworkError];
            let is_of_provider = of_provider.iter().any(|kind| kind.word() == trouble.kind);
            if is_of_provider && turn.end_reason.is_none() {
                let resume = format!("entracte session resume {session}");
                context.out.write_notice(&say!(texts, "turn-resume", command = resume));
            }
            let next = match is_of_provider {
                true => provider_command(context, turn),
                false => format!("entracte session journal {session}"),
            };
            let error = CliError::new(exit, trouble.text.clone()).or_next(next);
            context.out.write_error_text(&error.localized(texts));
        }
        None if exit == CliExitCode::Unknown => {
            let text = message!("turn-unknown", session = session);
            context.out.write_error_text(&CliError::new(exit, text).localized(texts));
        }
        None => {}
    }
    tell_waiting_messages(context, turn, texts);
    exit
}

/// The command after a failure of the provider: it finds out why, or names another one if it is no longer configured.
fn provider_command(context: &CommandContext, turn: &TurnShape) -> String {
    let (settings, provider) = (&context.settings, &turn.provider);
    // What a server has configured is known there.
    if context.server.is_some() || settings.has_provider(provider) {
        return format!("entracte provider check {provider}");
    }
    let provider = settings.default_provider.as_deref().unwrap_or("PROVIDER");
    format!("entracte session set {} --provider {provider}", turn.session)
}

/// The error after an interruption: its author, and how to continue.
fn interruption_error(turn: &TurnShape, author: &str) -> CliError {
    let session = turn.session.as_str();
    match (&turn.end_reason, turn.is_stopped) {
        (Some(_), _) => {
            let text = message!("turn-ended-by", author = author, session = session);
            CliError::with_next(CliExitCode::Interrupted, text, format!("entracte session journal {session}"))
        }
        (None, true) => resumable(message!("turn-stopped-by", author = author), session),
        (None, false) => resumable(message!("turn-interrupted-by", author = author), session),
    }
}

fn resumable(text: UserText, session: &str) -> CliError {
    CliError::with_next(CliExitCode::Interrupted, text, format!("entracte session resume {session}"))
}

/// Tells a person what a session asks at a soft line, and how to answer; programs read it in the turn.
fn tell_spending_question(context: &CommandContext, session: &str, asked: &str) {
    if !context.out.json {
        let asked = one_line(asked);
        context.out.write_notice(&format!(
            "{asked}\n  entracte cost extend {session}\n  entracte cost decline {session}"
        ));
    }
}

/// Reports messages that came during the work, and that no round has answered.
fn tell_waiting_messages(context: &CommandContext, turn: &TurnShape, texts: &LocalizedTexts) {
    let count = turn.queued_messages.len();
    if count > 0 && turn.end_reason.is_none() {
        let session = turn.session.as_str();
        context.out.write_notice(&say!(texts, "turn-messages-wait", count = count, session = session));
    }
}

/// The request to a person, and the commands that answer it.
fn pending_question_text(
    context: &CommandContext,
    session: &str,
    waiting: &TurnWaitShape,
    texts: &LocalizedTexts,
) -> String {
    let colour = context.out.message_style.colour;
    let text = say!(texts, "placeholder-text");
    match waiting {
        TurnWaitShape::Validation(approvals) => {
            let cards: Vec<String> =
                approvals.iter().map(|approval| card(approval, texts, colour, &context.zone).text).collect();
            let ids: Vec<&str> = approvals.iter().map(|approval| approval.id.as_str()).collect();
            let ids = ids.join(" ");
            format!("{}\n  entracte approve {ids}\n  entracte reject {ids} --reason {text}", cards.join("\n"))
        }
        TurnWaitShape::Question(asked) => {
            let asked: Vec<String> = asked.iter().map(|asked| question(asked, colour, texts)).collect();
            format!("{}\n  entracte answer {session} {text}", asked.join("\n"))
        }
    }
}

fn exit_of(ended: &TurnCompletion) -> CliExitCode {
    match &*ended.turn.outcome {
        "waits_for_person" => CliExitCode::Waiting,
        "outcome_unknown" => CliExitCode::Unknown,
        _ if ended.interrupted => CliExitCode::Interrupted,
        "done" => CliExitCode::Done,
        "limit_reached" => CliExitCode::Limit,
        "timed_out" => CliExitCode::TimedOut,
        "stopped" => CliExitCode::Interrupted,
        "replaced" => CliExitCode::Conflict,
        _ => CliExitCode::Failure,
    }
}
