//! Retention in a scenario: two other chats are ended, one of them is held, and the policy lets the other one go in
//! commits of a few rows. A killed process leaves rows that the next one removes.

#![expect(clippy::expect_used, clippy::panic, reason = "this is a test, in a program")]

use entracte_adapters_db::Database;
use entracte_application::instructions::InstructionScope;
use entracte_application::mail::{MailRequest, NewSessionRequest};
use entracte_application::ports::{Clock, ReclaimExtent};
use entracte_application::use_cases::{
    EndSession, HoldRetention, ReadDeletions, RunRetention, SendMessage, UseCaseError, VerifySession,
};
use entracte_domain::id::SessionId;
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, SessionKind};
use entracte_domain::time::Millis;

use super::findings::CrashFindings;
use super::scenario_run::{CrashScenarioRun, workspace};
use super::trigger::print_line;
use super::user::{CHAT, ScenarioUser, author_ann};

/// The chat that goes.
fn going(chat: &SessionId) -> SessionId {
    SessionId::new(format!("{chat}_gone"))
}

/// The chat that is held.
fn held(chat: &SessionId) -> SessionId {
    SessionId::new(format!("{chat}_held"))
}

impl ScenarioUser {
    /// Begins two other chats, ends them, holds one, and lets the other one go.
    pub(super) async fn let_another_chat_go(&self) {
        let (going, held) = (going(&self.chat), held(&self.chat));
        for other in [&held, &going] {
            self.begin_and_end(other).await;
        }
        let hold = HoldRetention::new(self.mail_sender.clone(), self.services.log.clone());
        let scope = InstructionScope::Session(held);
        loop {
            // What is not held for certain would go.
            match hold.run(&self.workspace, author_ann(), scope.clone(), "Audit.".to_owned()).await {
                Ok(_) => break,
                Err(error) => print_line(&format!("holds again: {error}")),
            }
        }
        while self.is_there(&going).await {
            self.clock.sleep(Millis::seconds(2)).await;
            if let Err(error) = self.run_retention().await {
                print_line(&format!("retention again: {error}"));
            }
        }
        let reclaimed = self.services.store.reclaim_space(ReclaimExtent::Part).await;
        reclaimed.expect("space is given back");
    }

    async fn begin_and_end(&self, other: &SessionId) {
        let new = NewSessionRequest {
            id: other.clone(),
            kind: SessionKind::Chat,
            name: "other".into(),
            provider: CHAT.into(),
            model: "rehearsal".into(),
            dialect: Dialect::Envelope,
            mode: None,
            require_validation: false,
            restriction: Restriction::Open,
        };
        self.post(MailRequest::workspace(new)).await;
        let send = SendMessage::new(self.mail_sender.clone());
        let message = UserMessage::text("Then go.");
        let sent = send.run(&self.workspace, other, author_ann(), message, Some(other.to_string())).await;
        match sent {
            // It had ended when a process before was killed.
            Ok(_) | Err(UseCaseError::Conflict(_) | UseCaseError::Post(_)) => {}
            Err(error) => panic!("the message is not accepted: {error}"),
        }
        self.accept_done_before(
            EndSession::new(self.mail_sender.clone()).run(&self.workspace, other, author_ann()).await,
        );
    }

    async fn is_there(&self, session: &SessionId) -> bool {
        let row = self.services.store.session(&self.workspace, session).await;
        row.expect("the session is read").is_some()
    }

    async fn run_retention(&self) -> Result<(), UseCaseError> {
        let services = &self.services;
        let run = RunRetention::new(
            services.store.clone(),
            services.log.clone(),
            self.mail_sender.clone(),
            services.clock.clone(),
            services.settings.retention.clone(),
            services.knowledge.clone(),
        );
        run.run(&self.workspace, &mut |_| {}).await.map(drop)
    }
}

/// At the end nothing is left of the chat that went but its record, and the held one is whole.
pub(super) async fn check_end(database: &Database, story: &CrashScenarioRun, findings: &mut CrashFindings) {
    if !story.scene.chat.as_ref().is_some_and(|chat| chat.retains) {
        return;
    }
    let (home, going, held) = (workspace(&story.session), going(&story.session), held(&story.session));
    let log = database.log_reader();
    let records = ReadDeletions::new(log.clone()).run(&home, 99).await.expect("the records are read");
    // A user whose process was killed begins the chat again, and it goes again.
    if !records.iter().any(|record| record.session == going) {
        findings.record_loss(format!("{story}: {going} went without a record"));
    }
    let entries = log.entries(&home, &going, 0, 9).await.expect("the log is read");
    let calls = log.calls(&home, &going).await.expect("the ledger is read");
    if !entries.is_empty() || !calls.is_empty() {
        findings.fault(format!("{story}: rows of {going} stayed"));
    }
    let verify = VerifySession::new(database.store(), log);
    match verify.run(&home, &held).await {
        Ok(None) => {}
        Ok(Some(_)) => findings.fault(format!("{story}: {held} does not replay")),
        Err(error) => findings.record_loss(format!("{story}: {held} is held, but: {error}")),
    }
}
