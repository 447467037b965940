//! The user of a scenario with an automation.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use entracte_application::codec::{decode_automation, decode_occurrence, decode_snapshot};
use entracte_application::journal::OccurrenceOutcome;
use entracte_application::mail::{
    AutomationChangeRequest, CreateAutomationRequest, EditAutomationRequest, MailRequest,
    NewAutomationRequest, NewSeedRequest, RunAutomationRequest,
};
use entracte_application::ports::Clock;
use entracte_application::use_cases::{ConfirmCompletion, RejectCompletion};
use entracte_domain::automation::{AutomationPolicies, CatchUpPolicy, OverlapPolicy, RunPolicy, Trigger};
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, Input, ModelSelection, Phase, SessionFacts};
use entracte_domain::time::{Millis, Timestamp};

use super::scenario::{AutomationRunCause, AutomationScenario};
use super::scenario_run::automation;
use super::trigger::print_line;
use super::user::{RUN, ScenarioUser, author_ann};

/// Interval of the automation.
pub(super) const EVERY: Millis = Millis::hours(1);

/// Number of missed occurrences, if the scenario misses some.
const MISSED: i64 = 3;

impl ScenarioUser {
    /// Waits until the runs of an automation have ended.
    pub(super) async fn see_runs(&self, runs: &AutomationScenario) {
        let id = automation(&self.chat);
        if self
            .services
            .automations
            .automation(&self.workspace, &id)
            .await
            .expect("it is looked for")
            .is_none()
        {
            let request = MailRequest::workspace(CreateAutomationRequest {
                author: author_ann(),
                new: self.automation(&id, runs),
            });
            self.post(request).await;
        }
        loop {
            self.answer_inbox().await;
            let all = self.runs(&id).await;
            for (facts, phase) in &all {
                self.say_whether_complete(runs, facts, phase).await;
            }
            let ended = all.iter().filter(|(_, phase)| phase.end_reason().is_some()).count();
            if ended == all.len() {
                if ended >= runs.wanted {
                    break;
                }
                self.begin_next(&id, runs, ended).await;
            }
            self.pause().await;
        }
        // Occurrences due from now on would belong to another scenario; those due before belong to this one.
        let change = AutomationChangeRequest { enabled: Some(false), ..AutomationChangeRequest::default() };
        let edit = MailRequest::workspace(EditAutomationRequest {
            author: author_ann(),
            automation: id.clone(),
            change,
        });
        self.post(edit).await;
        while self.runs(&id).await.iter().any(|(_, phase)| phase.end_reason().is_none()) {
            self.answer_inbox().await;
            self.pause().await;
        }
    }

    fn automation(&self, id: &AutomationId, runs: &AutomationScenario) -> NewAutomationRequest {
        let anchor = self.clock.now().plus(EVERY);
        let trigger = match runs.begin {
            AutomationRunCause::OnTime | AutomationRunCause::Late => {
                Trigger::Every { interval: EVERY, anchor }
            }
            AutomationRunCause::ByHand => Trigger::Manual,
        };
        NewAutomationRequest {
            id: id.clone(),
            name: id.to_string(),
            trigger,
            policies: AutomationPolicies {
                catch_up: CatchUpPolicy { window: None, latest_only: runs.begin != AutomationRunCause::Late },
                overlap: OverlapPolicy::Queue,
                run: RunPolicy::default(),
            },
            enabled: true,
            seed: NewSeedRequest {
                id: SessionId::new(format!("{}seed", self.chat)),
                message: UserMessage::text("Do it."),
                voice: ModelSelection {
                    provider: RUN.into(),
                    model: "rehearsal".into(),
                    dialect: Dialect::Envelope,
                },
                require_validation: runs.guarded,
                restriction: Restriction::Open,
            },
        }
    }

    /// Every run so far.
    async fn runs(&self, id: &AutomationId) -> Vec<(SessionFacts, Phase)> {
        let rows = self
            .services
            .automations
            .occurrences(&self.workspace, id, None, u32::MAX)
            .await
            .expect("they can be read");
        let mut found = Vec::new();
        for row in rows {
            let occurrence = decode_occurrence(&row).expect("it can be read");
            let OccurrenceOutcome::Run(run) = occurrence.outcome else { continue };
            let row = self
                .services
                .store
                .session(&self.workspace, &run)
                .await
                .expect("it can be read")
                .expect("the run is there");
            let snapshot = decode_snapshot(&row.body).expect("it can be read");
            found.push((snapshot.facts, snapshot.phase));
        }
        found
    }

    /// If all runs have ended and more are wanted, starts the next: by the clock or by hand.
    async fn begin_next(&self, id: &AutomationId, runs: &AutomationScenario, ended: usize) {
        if runs.begin == AutomationRunCause::ByHand {
            let session = SessionId::new(format!("{}run{ended}", self.chat));
            let request = MailRequest::workspace(RunAutomationRequest {
                author: author_ann(),
                automation: id.clone(),
                session,
                event: None,
            });
            return self.post(request).await;
        }
        let row = self.services.automations.automation(&self.workspace, id).await.expect("it can be read");
        let next = row.and_then(|row| decode_automation(&row).expect("it can be read").next_at);
        let Some(next) = next.filter(|next| *next > self.clock.now()) else { return };
        let missed = if runs.begin == AutomationRunCause::Late { MISSED - 1 } else { 0 };
        let then = Timestamp(next.plus(Millis(EVERY.0 * missed)).0 + 1);
        // For the next process, which must not start at an earlier time.
        print_line(&format!("clock {}", then.0));
        self.clock.forward(then);
    }

    /// If the scenario says so, the user rejects the completion of a run the first time.
    async fn say_whether_complete(&self, runs: &AutomationScenario, facts: &SessionFacts, phase: &Phase) {
        if !runs.rejected || !matches!(phase, Phase::WaitingCompletionConfirmation { .. }) {
            return;
        }
        let is_rejection = |input: &Input| matches!(input, Input::CompletionRejected { .. });
        if self.entries(&facts.id).await.iter().any(|entry| is_rejection(&entry.input)) {
            let confirm = ConfirmCompletion::new(self.mail_sender.clone());
            self.accept_done_before(confirm.run(&self.workspace, &facts.id, author_ann()).await);
        } else {
            let reject = RejectCompletion::new(self.mail_sender.clone());
            self.accept_done_before(reject.run(&self.workspace, &facts.id, author_ann(), None).await);
        }
    }
}
