//! Retention in a scenario: another chat is ended and goes by the policy, in commits of a few rows. A killed process
//! leaves rows that the next one removes.

#![expect(clippy::expect_used, clippy::panic, reason = "this is a test, in a program")]

use entracte_application::mail::{MailRequest, NewSessionRequest};
use entracte_application::ports::{Clock, ReclaimExtent};
use entracte_application::settings::{RetentionOverrides, RetentionPolicy, RetentionSettings};
use entracte_application::use_cases::{EndSession, RunRetention, SendMessage, UseCaseError};
use entracte_domain::id::SessionId;
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, SessionKind};
use entracte_domain::time::Millis;

use super::trigger::print_line;
use super::user::{CHAT, ScenarioUser, author_ann};

/// Rows of a commit: fewer than the session has.
const ROWS: u32 = 4;

impl ScenarioUser {
    /// Begins another chat, ends it, and lets it go.
    pub(super) async fn let_another_chat_go(&self) {
        let other = SessionId::new(format!("{}_gone", self.chat));
        let new = NewSessionRequest {
            id: other.clone(),
            kind: SessionKind::Chat,
            name: "goes".into(),
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
        let sent = send.run(&self.workspace, &other, author_ann(), message, Some("go".into())).await;
        match sent {
            // It had ended when a process before was killed.
            Ok(_) | Err(UseCaseError::Conflict(_) | UseCaseError::Post(_)) => {}
            Err(error) => panic!("the message is not accepted: {error}"),
        }
        self.accept_done_before(
            EndSession::new(self.mail_sender.clone()).run(&self.workspace, &other, author_ann()).await,
        );
        while self.is_there(&other).await {
            self.clock.sleep(Millis::seconds(2)).await;
            if let Err(error) = self.run_retention().await {
                print_line(&format!("retention again: {error}"));
            }
        }
        let reclaimed = self.services.store.reclaim_space(ReclaimExtent::Part).await;
        reclaimed.expect("space is given back");
    }

    async fn is_there(&self, session: &SessionId) -> bool {
        let row = self.services.store.session(&self.workspace, session).await;
        row.expect("the session is read").is_some()
    }

    async fn run_retention(&self) -> Result<(), UseCaseError> {
        let own = RetentionOverrides::read("chats=1s, results=1s").expect("these are limits");
        let settings = RetentionSettings {
            policy: RetentionPolicy::default().with_overrides(&own),
            rows_per_commit: ROWS,
            pause: Millis(0),
            ..RetentionSettings::default()
        };
        let services = &self.services;
        let run = RunRetention::new(
            services.store.clone(),
            services.log.clone(),
            self.mail_sender.clone(),
            services.clock.clone(),
            settings,
        );
        run.run(&self.workspace, &mut |_| {}).await.map(drop)
    }
}
