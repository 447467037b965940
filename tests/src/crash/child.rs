//! One life of the process: takes the story up where it stands and tells it to its end, or dies.

#![expect(clippy::expect_used, clippy::panic, reason = "this is a test, in a program")]

use std::path::Path;
use std::sync::Arc;

use entracte_adapters_commands::{JournalFile, ResourcesExecutor};
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_adapters_providers::rehearsal::RehearsalProvider;
use entracte_application::codec::{Mail, MailRequest, NewSession};
use entracte_application::ports::CommandExecutor;
use entracte_application::settings::RuleBook;
use entracte_application::system::{RandomIds, SystemClock};
use entracte_application::use_cases::{
    AnswerApprovals, Choice, ResumeSession, SendMessage, UseCaseError, Waiting,
};
use entracte_domain::gate::Gate;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::{Body, UserMessage};
use entracte_domain::session::{Dialect, SessionKind};
use entracte_domain::time::Millis;

use super::point::{Fuse, FusedExecutor, FusedProvider, FusedStore, say};
use super::story::{LAST_WORDS, MESSAGES, script};
use crate::contracts::Stores;
use crate::stage::{Life, Parts, house};

/// What a life is given.
pub struct Orders<'a> {
    /// Folder of the database and the journal file.
    pub folder: &'a Path,
    /// The session of the story.
    pub session: SessionId,
    /// The place where the life ends; 0 = it lives.
    pub place: u32,
}

/// File of the effects outside, in the folder.
pub const OUTSIDE: &str = "outside.jsonl";

/// File of the database, in the folder.
pub const DATABASE: &str = "entracte.db";

/// The workspace of a story: each has its own, so that its zones can be counted.
pub fn workspace(session: &SessionId) -> WorkspaceKey {
    WorkspaceKey::new(format!("crash:{session}"))
}

/// Lives.
pub async fn live(orders: &Orders<'_>) {
    let path = orders.folder.join(DATABASE);
    let database =
        Database::open(&path.to_string_lossy(), DatabaseOptions::default()).expect("the database opens");
    let _owned = database.try_own().expect("nobody else owns it");
    if let Ok(Some(row)) = database.store().session(&orders.session).await {
        say(&format!("finds {}", row.phase));
    }
    let fuse = Fuse::new(orders.place);
    let life = begin(&database, orders.folder, &orders.session, &fuse).await;
    tell(&life, &orders.session, &fuse).await;
    say("told");
}

async fn begin(database: &Database, folder: &Path, session: &SessionId, fuse: &Arc<Fuse>) -> Life {
    let fused = |inner: Arc<dyn CommandExecutor>| -> Arc<dyn CommandExecutor> {
        Arc::new(FusedExecutor { inner, fuse: fuse.clone() })
    };
    let resources = ResourcesExecutor::new(database.resource_reader());
    let outside = JournalFile::new(folder.join(OUTSIDE), false);
    let clock = Arc::new(SystemClock);
    let provider = RehearsalProvider::from_script(&script(), clock.clone()).expect("the script is right");
    let mut rules = RuleBook::default();
    rules.change(|_, rules| {
        // The story is long and its model never learns; what is tested here is death, not patience.
        rules.rounds = 0;
        rules.without_progress = 0;
        rules.equal_failures = 0;
        rules.anti_loop_window = Millis(0);
        rules.quarantine_after = 0;
    });
    let parts = Parts {
        stores: Stores {
            store: Arc::new(FusedStore { inner: database.store(), fuse: fuse.clone() }),
            log: database.log_reader(),
            resources: database.resource_reader(),
            mail: database.mailbox(),
            automations: database.automation_reader(),
            keep: Box::new(()),
        },
        provider: Arc::new(FusedProvider { inner: Arc::new(provider), fuse: fuse.clone() }),
        executors: vec![fused(Arc::new(resources)), fused(Arc::new(outside))],
        rules,
        clock,
        ids: Arc::new(RandomIds),
    };
    let mut life = Life::begin(house(&parts)).await;
    life.workspace = workspace(session);
    life
}

/// Does what a user would do next, until the story is told.
async fn tell(life: &Life, session: &SessionId, fuse: &Arc<Fuse>) {
    start(life, session).await;
    send(life, session, 0).await;
    rest(life, session).await;
    fuse.pass("between messages");
    send(life, session, 1).await;
    send(life, session, 2).await;
    rest(life, session).await;
}

async fn start(life: &Life, session: &SessionId) {
    let new = NewSession {
        id: session.clone(),
        kind: SessionKind::Chat,
        name: "crash".into(),
        provider: "rehearsal".into(),
        model: "rehearsal".into(),
        dialect: Dialect::Envelope,
        require_validation: true,
        gate: Gate::Open,
    };
    let mail = Mail { session: Some(session.clone()), request: MailRequest::StartSession(new) };
    life.postbox.post(&life.workspace, mail).await.expect("the session is made");
}

/// The same key in every life: the same message.
async fn send(life: &Life, session: &SessionId, number: usize) {
    let send = SendMessage::new(life.postbox.clone());
    let message = UserMessage::text(MESSAGES[number]);
    send.run(&life.workspace, session, "ann".into(), message, Some(format!("message-{number}")))
        .await
        .expect("the message is accepted");
    say(&format!("acknowledged {number}"));
}

/// Approves what is asked and goes on until the model has nothing left to do.
async fn rest(life: &Life, session: &SessionId) {
    loop {
        let turn = life.follow().until_rest(session, 0).await.expect("the database can be read");
        match turn.waiting {
            Some(Waiting::Validation(_)) => approve(life, session).await,
            Some(Waiting::Question(_)) => panic!("the story has no question"),
            None if is_told(life, session).await => return,
            None => resume(life, session).await,
        }
    }
}

async fn approve(life: &Life, session: &SessionId) {
    let decide = AnswerApprovals::new(life.postbox.clone(), life.house.store.clone());
    match decide.run_for_all(&life.workspace, session, "ann".into(), &Choice::Approve).await {
        Ok(_) | Err(UseCaseError::NotApplicable(_) | UseCaseError::Conflict(_)) => {}
        Err(error) => panic!("the decision is refused: {error}"),
    }
}

async fn resume(life: &Life, session: &SessionId) {
    match ResumeSession::new(life.postbox.clone()).run(&life.workspace, session, "ann".into()).await {
        Ok(_) | Err(UseCaseError::NotApplicable(_)) => {}
        Err(error) => panic!("the session does not go on: {error}"),
    }
}

/// Whether the model's last words were its last words, and no message waits.
async fn is_told(life: &Life, session: &SessionId) -> bool {
    let view = life.follow().view(session, 0).await.expect("the database can be read");
    let entries = life.entries(session).await;
    let said = last_said(entries.iter().flat_map(entracte_application::codec::Entry::messages));
    view.session.facts.queue.is_empty() && said.is_some_and(|text| text == LAST_WORDS)
}

/// The text of the last message that is the model's or a person's; none for a person's.
fn last_said(messages: impl Iterator<Item = entracte_domain::message::Message>) -> Option<String> {
    messages.fold(None, |last, message| match message.body {
        Body::Ai(said) => Some(said.pre_text),
        Body::Rich(_) => None,
        Body::Text(_) | Body::System(_) | Body::Execution(_) => last,
    })
}
