//! The user of a scenario: does the next step of a user until the scenario is finished. In each process the same again
//! with the same keys and ids, like a user who got no answer.

#![expect(clippy::expect_used, clippy::panic, reason = "this is a test, in a program")]

use std::path::PathBuf;
use std::sync::Arc;

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::journal::JournalEntry;
use entracte_application::mail::{Mail, MailRequest, NewSessionRequest};
use entracte_application::ports::{Clock, MailSender};
use entracte_application::runtime::RuntimeServices;
use entracte_application::use_cases::{
    AcknowledgeTask, AnswerQuestion, ApprovalChoice, ChangeSettings, DecideApprovals, InboxKind, MarkSeen,
    ReadInbox, ReadLog, ResumeSession, SendMessage, SettleCall, UseCaseError,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::{Message, MessageBody, Segment, UserMessage};
use entracte_domain::question::Question;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, SessionKind};
use entracte_domain::task::TaskNotice;
use entracte_domain::time::Millis;

use super::clock::AcceleratedClock;
use super::files::{chart, has_file};
use super::scenario::{ChatScenario, CrashScenario};
use super::scenario_run::outside;
use super::script::LAST_WORDS;
use super::trigger::print_line;

/// The provider of chats.
pub(super) const CHAT: &str = "chat";

/// The provider of runs.
pub(super) const RUN: &str = "run";

/// Pause between two polls.
const PAUSE: Millis = Millis(400);

/// A user, and the process that serves them.
pub(super) struct ScenarioUser {
    pub(super) services: Arc<RuntimeServices>,
    pub(super) mail_sender: Arc<dyn MailSender>,
    pub(super) clock: Arc<AcceleratedClock>,
    pub(super) database: Database,
    pub(super) folder: PathBuf,
    pub(super) scene: &'static CrashScenario,
    pub(super) workspace: WorkspaceKey,
    pub(super) chat: SessionId,
}

impl ScenarioUser {
    /// Plays the scenario to its end.
    pub(super) async fn play_scenario(&self) {
        if self.scene.chat.is_some() && self.scene.runs.is_some() {
            // No session waits for the slot of another.
            let settings = ChangeSettings::new(self.mail_sender.clone());
            let changes = vec![("slots".to_owned(), Some("2".to_owned()))];
            self.accept_done_before(settings.run(&self.workspace, author_ann(), changes).await);
        }
        let talks = async {
            if let Some(chat) = &self.scene.chat {
                self.talk(chat).await;
            }
        };
        let runs = async {
            if let Some(runs) = &self.scene.runs {
                self.see_runs(runs).await;
            }
        };
        tokio::join!(talks, runs);
    }

    async fn talk(&self, chat: &ChatScenario) {
        self.start(chat).await;
        if chat.by_mail {
            self.send_nonsense().await;
        }
        for (number, text) in chat.messages.iter().enumerate() {
            self.send(number, text).await;
            // The first message is answered before the others are sent in direct succession.
            if number == 0 {
                self.until_told().await;
            }
        }
        self.until_told().await;
        if chat.retains {
            self.let_another_chat_go().await;
        }
        if chat.copied {
            self.copy();
        }
    }

    async fn start(&self, chat: &ChatScenario) {
        let new = NewSessionRequest {
            id: self.chat.clone(),
            kind: SessionKind::Chat,
            name: "crash".into(),
            provider: CHAT.into(),
            model: "rehearsal".into(),
            dialect: Dialect::Envelope,
            mode: None,
            require_validation: chat.guarded,
            restriction: Restriction::Open,
        };
        self.post(MailRequest::workspace(new)).await;
    }

    /// Posts a request, and repeats it if no process handled it.
    pub(super) async fn post(&self, request: MailRequest) {
        loop {
            let mail = Mail::from_request(request.clone());
            match self.mail_sender.post(&self.workspace, mail).await {
                Ok(_) => return,
                Err(error) => print_line(&format!("posts again: {error}")),
            }
        }
    }

    /// The same key in every process means the same message.
    async fn send(&self, number: usize, text: &str) {
        let send = SendMessage::new(self.mail_sender.clone());
        let key = format!("message-{number}");
        loop {
            let mut message = UserMessage::text(text);
            if number == 0 && has_file(self.scene) {
                message.segments.push(Segment::File(chart()));
            }
            match send.run(&self.workspace, &self.chat, author_ann(), message, Some(key.clone())).await {
                Ok(_) => return print_line(&format!("acknowledged {number}")),
                Err(UseCaseError::Post(error)) => print_line(&format!("posts again: {error}")),
                Err(error) => panic!("the message is not accepted: {error}"),
            }
        }
    }

    /// Unreadable mail gets an answer too.
    async fn send_nonsense(&self) {
        let mail_store = &self.services.mail_store;
        let id = mail_store.post(&self.workspace, vec![0], self.clock.now()).await.expect("it is posted");
        while mail_store.answer(&self.workspace, id).await.expect("it is looked for").is_none() {
            self.clock.sleep(PAUSE).await;
        }
        mail_store.delete_answered_before(self.clock.now()).await.expect("it is forgotten");
    }

    /// Answers the inbox and resumes the chat until the model has nothing left to do.
    async fn until_told(&self) {
        loop {
            let waits = self.answer_inbox().await;
            let seen = self
                .services
                .follow()
                .read_update(&self.workspace, &self.chat, 0)
                .await
                .expect("the database can be read");
            // The end of a task arrives by itself.
            if seen.rests && !seen.session.facts.tasks.is_empty() {
                self.clock.sleep(PAUSE).await;
                continue;
            }
            if seen.rests && seen.session.facts.queue.is_empty() && is_told(&seen.entries) {
                return;
            }
            if seen.rests && !waits {
                let resume = ResumeSession::new(self.mail_sender.clone());
                self.accept_done_before(resume.run(&self.workspace, &self.chat, author_ann()).await);
            }
            self.clock.sleep(PAUSE).await;
        }
    }

    /// Reads and answers the inbox; returns whether it had items.
    pub(super) async fn answer_inbox(&self) -> bool {
        let services = &self.services;
        let inbox = ReadInbox::new(
            services.store.clone(),
            services.log.clone(),
            services.rows.clone(),
            services.catalog.get(),
            services.clock.clone(),
        )
        .with_tasks(services.tasks.clone());
        let items = inbox.run(&self.workspace).await.expect("the inbox can be read");
        let asked = !items.is_empty();
        for item in items {
            self.decide(&item.session, item.kind).await;
        }
        asked
    }

    async fn decide(&self, session: &SessionId, kind: InboxKind) {
        let (mail_sender, workspace) = (self.mail_sender.clone(), &self.workspace);
        match kind {
            InboxKind::Approval(_) => {
                let decide = DecideApprovals::new(mail_sender, self.services.store.clone());
                self.accept_done_before(
                    decide.run_for_all(workspace, session, author_ann(), &ApprovalChoice::Approve).await,
                );
            }
            InboxKind::Question(question) => {
                let text = match question {
                    Question::MultipleChoice { .. } => "1",
                    Question::Validation { .. } | Question::Open { .. } => "yes",
                };
                let answer = AnswerQuestion::new(mail_sender);
                self.accept_done_before(
                    answer.run(workspace, session, author_ann(), text.into(), None).await,
                );
            }
            InboxKind::Unsettled(call) => {
                // The user checks whether the action happened.
                let world = std::fs::read_to_string(outside(&self.folder, &self.chat)).unwrap_or_default();
                let happened = world.contains(&format!("\"{}\"", call.id));
                let settle = SettleCall::new(mail_sender);
                self.accept_done_before(
                    settle.run(workspace, session, author_ann(), call.id, happened, None).await,
                );
            }
            InboxKind::Parked(_) => {
                self.accept_done_before(
                    ResumeSession::new(mail_sender).run(workspace, session, author_ann()).await,
                );
            }
            InboxKind::Ended { .. } | InboxKind::Failed { .. } => {
                self.accept_done_before(
                    MarkSeen::new(mail_sender).run(workspace, session, author_ann()).await,
                );
            }
            InboxKind::Ungranted { .. } => {}
            InboxKind::Task { why: TaskNotice::Asks, .. } => {}
            InboxKind::Task { task, .. } => {
                self.accept_done_before(
                    AcknowledgeTask::new(mail_sender).run(workspace, &task.id, author_ann()).await,
                );
            }
        }
    }

    /// The request may have been executed meanwhile, or before the last kill.
    pub(super) fn accept_done_before<T>(&self, outcome: Result<T, UseCaseError>) {
        match outcome {
            Ok(_)
            | Err(UseCaseError::NotApplicable(_) | UseCaseError::Conflict(_) | UseCaseError::Post(_)) => {}
            Err(error) => panic!("the person is refused: {error}"),
        }
    }

    /// Makes a backup and a copy into another database, and compares both with the original.
    fn copy(&self) {
        let name = |what: &str| self.folder.join(format!("{}-{what}-{}.db", self.chat, std::process::id()));
        let (backup, copy) = (name("backup"), name("copy"));
        let open = |path: &PathBuf| {
            Database::open(&path.to_string_lossy(), DatabaseOptions::default()).expect("the copy opens")
        };
        self.database.backup(&backup).expect("it is backed up");
        let target = open(&copy);
        self.database.copy_into(&target).expect("it is copied");
        for copied in [target, open(&backup)] {
            let differences = self.database.differences(&copied).expect("they are compared");
            assert!(differences.is_empty(), "{} differs in {differences:?}", copied.location());
        }
    }

    pub(super) async fn entries(&self, session: &SessionId) -> Vec<JournalEntry> {
        let log = ReadLog::new(self.services.log.clone());
        log.entries(&self.workspace, session, 0).await.expect("the log can be read")
    }

    pub(super) async fn pause(&self) {
        self.clock.sleep(PAUSE).await;
    }
}

pub(super) fn author_ann() -> String {
    "ann".to_owned()
}

/// Whether the last message of the model is [`LAST_WORDS`].
fn is_told(entries: &[JournalEntry]) -> bool {
    let said = |last: Option<String>, message: Message| match message.body {
        MessageBody::Ai(said) => Some(said.pre_text),
        MessageBody::Rich(_) => None,
        MessageBody::Text(_) | MessageBody::System(_) | MessageBody::Execution(_) => last,
    };
    entries.iter().flat_map(JournalEntry::messages).fold(None, said).as_deref() == Some(LAST_WORDS)
}
