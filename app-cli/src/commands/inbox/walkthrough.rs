//! The inbox with keys: the items of all sessions, one after the other. A decision is bound to the card on the
//! screen.

use std::sync::Arc;

use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    AcknowledgeTask, AnswerQuestion, AnswerTaskQuestion, ApprovalChoice, ApprovalSelection, ApprovalView,
    DecideApprovals, InboxItem, InboxKind, MarkSeen, ResumeSession, SettleCall, UseCaseError,
};
use entracte_domain::id::SessionId;
use entracte_domain::task::TaskNotice;

use super::super::decisions::arguments;
use super::super::reviewed_cards::ReviewedCards;
use super::{content, is_folded, switched_off, switched_off_text, undecided_server_text, undecided_servers};
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::drain_before_exit;
use crate::line_reader::{LineInput, LineReader};
use crate::raw_keyboard::{KeyPress, read_key};
use crate::render::approval::full_card_text;
use crate::render::text::escape_json;
use crate::render::wrap::fitted;
use crate::runtime_access::RuntimeAccess;
use crate::user_text::message;

/// The state of a walk through the inbox.
struct InboxWalkthrough<'a> {
    context: &'a CommandContext,
    services: Arc<AppServices>,
    runtime: Arc<RuntimeAccess>,
    texts: &'static LocalizedTexts,
    keyboard: LineReader,
    /// The index of the shown item.
    at: usize,
    /// The cards that the person has read in full.
    seen: ReviewedCards,
}

/// The navigation of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InboxNavigation {
    /// To the item at this index, which may have changed.
    Shows,
    /// The same item stays on the screen.
    Stays,
    /// The walk ends.
    Leaves,
}

/// Walks through the inbox.
pub(super) async fn run(context: &CommandContext) -> Result<CliExitCode, CliError> {
    let services = context.open_services()?;
    let texts = context.texts(&services, &context.settings.workspace).await?;
    let off = switched_off(context, &services).await?;
    for one in &off {
        context.out.write_notice(&switched_off_text(context, one, texts));
    }
    let items = services.inbox().run(&context.settings.workspace).await?;
    let servers = undecided_servers(&services, texts)?;
    for server in &servers {
        context.out.write_notice(&undecided_server_text(context, server, &items, texts));
    }
    if items.iter().all(|item| is_folded(item, &servers)) {
        if !off.is_empty() || !servers.is_empty() {
            return Ok(CliExitCode::Done);
        }
        context.out.write_notice(&say!(texts, "inbox-none", workspace = context.settings.workspace.as_str()));
        return Ok(CliExitCode::Done);
    }
    let runtime = RuntimeAccess::open(services.clone()).await?;
    let keyboard = LineReader::new(true).with_colour(context.out.message_style.colour);
    let seen = ReviewedCards::default();
    let mut walk = InboxWalkthrough {
        context,
        services: services.clone(),
        runtime: runtime.clone(),
        texts,
        keyboard,
        at: 0,
        seen,
    };
    let walked = walk.run_loop().await;
    // The work that was approved here runs in this process.
    drain_before_exit(&services, &runtime, |line| context.out.write_notice(line)).await?;
    walked.map(|()| CliExitCode::Done)
}

impl InboxWalkthrough<'_> {
    async fn run_loop(&mut self) -> Result<(), CliError> {
        loop {
            let servers = undecided_servers(&self.services, self.texts)?;
            let mut items = self.services.inbox().run(&self.context.settings.workspace).await?;
            items.retain(|item| !is_folded(item, &servers));
            let Some(last) = items.len().checked_sub(1) else {
                self.says(&say!(self.texts, "walk-empty"));
                return Ok(());
            };
            self.at = self.at.min(last);
            let item = &items[self.at];
            self.show(item, self.at + 1, items.len());
            loop {
                match self.key(item, last).await? {
                    InboxNavigation::Shows => break,
                    InboxNavigation::Stays => {}
                    InboxNavigation::Leaves => return Ok(()),
                }
            }
        }
    }

    fn show(&self, item: &InboxItem, number: usize, count: usize) {
        let place = say!(self.texts, "walk-place", number = number, count = count);
        self.says(&format!("\n{place}\n{}", content(self.context, item, self.texts)));
    }

    fn says(&self, text: &str) {
        let width = self.context.out.message_style.width.map(|width| width.saturating_sub(1));
        self.context.out.write_notice(&width.map_or(text.to_owned(), |width| fitted(text, width)));
    }

    /// Reads a key, and runs its action.
    async fn key(&mut self, item: &InboxItem, last: usize) -> Result<InboxNavigation, CliError> {
        let prompt = format!("{}, {}", keys_of(&item.kind, self.texts), say!(self.texts, "walk-keys"));
        let width = self.context.out.message_style.width.unwrap_or(80);
        let lines = fitted(&prompt, width.saturating_sub(1));
        let pressed =
            read_key(self.context.out.clone(), lines.split('\n').map(str::to_owned).collect()).await?;
        match pressed {
            KeyPress::Leaves | KeyPress::Key('q') => Ok(InboxNavigation::Leaves),
            KeyPress::Next | KeyPress::Key('j') => Ok(self.move_to(self.at.saturating_add(1).min(last))),
            KeyPress::Back | KeyPress::Key('k') => Ok(self.move_to(self.at.saturating_sub(1))),
            KeyPress::Key('?') => {
                self.says(&details(item, self.texts));
                if let InboxKind::Approval(approval) = &item.kind {
                    self.seen.add(approval);
                }
                Ok(InboxNavigation::Stays)
            }
            KeyPress::Key(key) => self.handle_key(item, key).await,
            KeyPress::Other => Ok(InboxNavigation::Stays),
        }
    }

    fn move_to(&mut self, at: usize) -> InboxNavigation {
        let step = if at == self.at { InboxNavigation::Stays } else { InboxNavigation::Shows };
        self.at = at;
        step
    }

    async fn handle_key(&mut self, item: &InboxItem, key: char) -> Result<InboxNavigation, CliError> {
        let session = &item.session;
        if let (InboxKind::Approval(approval), 'a' | 'e') = (&item.kind, key)
            && let Some(count) = self.seen.unseen_part_count(approval)
        {
            self.says(&say!(self.texts, "walk-hidden", count = count));
            return Ok(InboxNavigation::Stays);
        }
        match (&item.kind, key) {
            (InboxKind::Approval(approval), 'a') => {
                self.decide(session, approval, ApprovalChoice::Approve).await
            }
            (InboxKind::Approval(approval), 'e') => self.edit(session, approval).await,
            (InboxKind::Approval(approval), 'r') => {
                let Some(reason) = self.line("talk-why", "").await? else {
                    return Ok(InboxNavigation::Stays);
                };
                let reason = Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty());
                self.decide(session, approval, ApprovalChoice::Reject(reason)).await
            }
            (InboxKind::Question(_), 'a') => {
                let Some(text) = self.line("talk-answer", "").await? else {
                    return Ok(InboxNavigation::Stays);
                };
                if text.trim().is_empty() {
                    return Ok(InboxNavigation::Stays);
                }
                let answer = AnswerQuestion::new(self.runtime.clone());
                let done = answer.run(self.workspace(), session, self.author(), text, None).await;
                Ok(self.done(done, "walk-answered"))
            }
            (InboxKind::Unsettled(row), 'h' | 'n') => {
                let settle = SettleCall::new(self.runtime.clone());
                let (call, happened) = (row.id.clone(), key == 'h');
                let done = settle.run(self.workspace(), session, self.author(), call, happened, None).await;
                Ok(self.done(done, "walk-settled"))
            }
            (InboxKind::Parked(_), 'a') => {
                let resume = ResumeSession::new(self.runtime.clone());
                let done = resume.run(self.workspace(), session, self.author()).await;
                Ok(self.done(done, "walk-resumed"))
            }
            (InboxKind::Ended { .. }, 's') => {
                let seen = MarkSeen::new(self.runtime.clone());
                let done = seen.run(self.workspace(), session, self.author()).await;
                Ok(self.done(done, "walk-seen"))
            }
            (InboxKind::Task { task, why: TaskNotice::Asks }, 'a') => {
                let Some(text) = self.line("talk-answer", "").await? else {
                    return Ok(InboxNavigation::Stays);
                };
                if text.trim().is_empty() {
                    return Ok(InboxNavigation::Stays);
                }
                let answer = AnswerTaskQuestion::new(self.runtime.clone());
                let question = task.question.as_deref();
                let done = answer.run(self.workspace(), &task.id, self.author(), text, question).await;
                Ok(self.done(done, "walk-answered"))
            }
            (InboxKind::Task { why: TaskNotice::Asks, .. }, _) => Ok(InboxNavigation::Stays),
            (InboxKind::Task { task, .. }, 's') => {
                let seen = AcknowledgeTask::new(self.runtime.clone());
                let done = seen.run(self.workspace(), &task.id, self.author()).await;
                Ok(self.done(done, "walk-seen"))
            }
            _ => Ok(InboxNavigation::Stays),
        }
    }

    async fn edit(
        &mut self,
        session: &SessionId,
        approval: &ApprovalView,
    ) -> Result<InboxNavigation, CliError> {
        let before = escape_json(&approval.call.effective_command().arguments.to_json());
        let Some(text) = self.line("talk-parameters", &before).await? else {
            return Ok(InboxNavigation::Stays);
        };
        match arguments(message!("talk-written"), &text) {
            Ok(edited) => self.decide(session, approval, ApprovalChoice::ApproveEdited(edited)).await,
            Err(error) => {
                self.context.out.write_error_text(&error.localized(self.texts));
                Ok(InboxNavigation::Stays)
            }
        }
    }

    async fn decide(
        &mut self,
        session: &SessionId,
        approval: &ApprovalView,
        choice: ApprovalChoice,
    ) -> Result<InboxNavigation, CliError> {
        let key = if matches!(choice, ApprovalChoice::Reject(_)) { "walk-rejected" } else { "walk-approved" };
        let decide = DecideApprovals::new(self.runtime.clone(), self.services.store.clone());
        let shown = [ApprovalSelection::from_approval(approval)];
        let done = decide.run_for_selection(self.workspace(), session, self.author(), &shown, &choice).await;
        Ok(self.done(done, key))
    }

    /// Reports the result of a request. After a refusal the inbox is read again, because it may have changed.
    fn done<T>(&self, answer: Result<T, UseCaseError>, key: &'static str) -> InboxNavigation {
        match answer {
            Ok(_) => self.says(&self.texts.render(key, &[])),
            Err(error) => self
                .context
                .out
                .write_error_text(&CliError::from(error).or_next("entracte inbox").localized(self.texts)),
        }
        InboxNavigation::Shows
    }

    /// Reads a line; `None` if the person cancels.
    async fn line(&mut self, prompt: &'static str, begin: &str) -> Result<Option<String>, CliError> {
        match self.keyboard.read_prefilled_line(&self.texts.render(prompt, &[]), begin).await? {
            LineInput::Line(text) => Ok(Some(text)),
            LineInput::Interrupted | LineInput::End => Ok(None),
        }
    }

    fn workspace(&self) -> &entracte_domain::id::WorkspaceKey {
        &self.context.settings.workspace
    }

    fn author(&self) -> String {
        self.context.settings.author.clone()
    }
}

/// The keys of an item besides those for navigation.
fn keys_of(kind: &InboxKind, texts: &LocalizedTexts) -> String {
    let key = match kind {
        InboxKind::Approval(_) => "walk-keys-approval",
        InboxKind::Question(_) | InboxKind::Task { why: TaskNotice::Asks, .. } => "walk-keys-question",
        InboxKind::Unsettled(_) => "walk-keys-unsettled",
        InboxKind::Parked(_) => "walk-keys-parked",
        InboxKind::Ended { .. } | InboxKind::Task { .. } => "walk-keys-ended",
        InboxKind::Ungranted { .. } => "walk-keys-none",
    };
    texts.render(key, &[])
}

/// The folded and left-out parts of the card, all arguments, and where to read more.
fn details(item: &InboxItem, texts: &LocalizedTexts) -> String {
    let session = item.session.as_str();
    let more = match &item.kind {
        InboxKind::Approval(approval) => {
            return format!(
                "{}\n  entracte session calls {session} {}\n  entracte session messages {session}",
                full_card_text(approval),
                approval.call.id
            );
        }
        InboxKind::Unsettled(row) => format!("entracte session calls {session} {}", row.id),
        InboxKind::Task { task, .. } => format!("entracte task show {}", task.id),
        InboxKind::Ungranted { automation } => format!("entracte automation show {automation}"),
        InboxKind::Question(_) | InboxKind::Parked(_) | InboxKind::Ended { .. } => {
            format!("entracte session messages {session}")
        }
    };
    say!(texts, "walk-more", next = more)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: every kind of item, in both languages; expected: its prompt fits in two rows of 52 columns.
    #[test]
    fn keys_fit_narrow_terminal() {
        use entracte_application::settings::Language;
        for language in [Language::En, Language::Fr] {
            let texts = LocalizedTexts::for_language(language);
            for kind in ["approval", "question", "unsettled", "parked", "ended"] {
                let prompt = format!(
                    "{}, {}",
                    texts.render(&format!("walk-keys-{kind}"), &[]),
                    say!(texts, "walk-keys")
                );
                assert!(fitted(&prompt, 51).lines().count() <= 3, "{language:?} {kind}: {prompt}");
            }
        }
    }
}
