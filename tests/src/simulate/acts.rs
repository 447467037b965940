//! One step of a simulation: a person, a model, an external system, time or a crash does something.

use entracte_application::mail::{
    AnswerQuestionRequest, AutomationChangeRequest, ConfirmCompletionRequest, CreateAutomationRequest,
    DecideCallsRequest, EditAutomationRequest, InterruptRoundRequest, MailAnswer, MailDecision, MailRequest,
    MailVerdict, NewAutomationRequest, NewSeedRequest, NewSessionRequest, RejectCompletionRequest,
    ResumeSessionRequest, RunAutomationRequest, SendMessageRequest, SessionRequest, StopSessionRequest,
};
use entracte_application::runtime::WorkspaceInput;
use entracte_domain::automation::{AutomationPolicies, CatchUpPolicy, OverlapPolicy, RunPolicy, Trigger};
use entracte_domain::call::CallState;
use entracte_domain::id::{AutomationId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{
    Dialect, Effect, LimitProfile, ModelSelection, Phase, SessionKind, UnattendedPolicy,
};
use entracte_domain::time::{Millis, Timestamp};
use serde_json::json;

use super::agents;
use super::four_eyes::somebody;
use super::rng::SeededRng;
use super::task_server::TaskDispatchFate;
use super::workspace::{ExpectedAutomation, SimulatedWorkspace, completed_line};
use crate::runtime_fixture::{FakeModelLine, command_request_line, envelope_line};

/// Maximum number of sessions of one kind.
const CHATS: usize = 4;
const AUTOMATIONS: usize = 4;

impl SimulatedWorkspace {
    /// Performs a random act, and returns its description.
    pub(super) async fn act(&mut self, chance: &mut SeededRng) -> String {
        self.restart_process().await;
        if self.doomed {
            return "a start".into();
        }
        if chance.percent(4) {
            if chance.percent(50) {
                self.store.fail_next(1);
            } else {
                self.store.lose_next_answer();
            }
        }
        if self.is_helped && chance.percent(25) {
            return self.act_on_tasks(chance).await;
        }
        match chance.below(100) {
            0..=9 => self.say(chance).await,
            10..=13 => self.automate(chance).await,
            14..=16 => self.switch(chance).await,
            17..=20 => self.run_by_hand(chance).await,
            21..=57 => self.finish(chance).await,
            58..=60 => self.reconfigure(chance).await,
            61..=74 => self.wait(chance).await,
            75..=76 => self.jump(chance).await,
            77..=79 => self.crash_process(chance).await,
            80 => {
                self.world.freeze_and_replace_owner().await;
                "another process takes over".into()
            }
            81..=90 => self.decide(chance).await,
            91..=96 => self.steer(chance).await,
            _ => {
                self.world
                    .handle_incoming(vec![WorkspaceInput::NetworkBack { provider: "fake".into() }])
                    .await;
                "the network is back".into()
            }
        }
    }

    async fn say(&mut self, chance: &mut SeededRng) -> String {
        let session = if self.chats.len() < CHATS && chance.percent(40) {
            let id = SessionId::new(self.name("ses_chat"));
            let new = NewSessionRequest {
                id: id.clone(),
                kind: SessionKind::Chat,
                name: "chat".into(),
                provider: "fake".into(),
                model: "fake-1".into(),
                dialect: Dialect::Envelope,
                mode: None,
                require_validation: chance.percent(30),
                restriction: Restriction::Open,
            };
            self.post_request(MailRequest::workspace(new)).await;
            self.restart_process().await;
            self.chats.push(id.clone());
            id
        } else {
            match chance.pick(&self.chats) {
                Some(chat) => chat.clone(),
                None => return "nobody to talk to".into(),
            }
        };
        let text = self.name("Hello ");
        let key = chance.percent(30).then(|| text.clone());
        let author = somebody(chance);
        let message = |client_key| {
            MailRequest::session(
                session.clone(),
                SendMessageRequest {
                    author: author.clone(),
                    message: UserMessage::text(text.clone()),
                    client_key,
                },
            )
        };
        let answer = self.post_request(message(key.clone())).await;
        if answer.is_none() && key.is_some() {
            // A person without an answer posts again with the same key: only one message exists.
            self.restart_process().await;
            self.post_request(message(key)).await;
        }
        format!("a message to {session}")
    }

    async fn automate(&mut self, chance: &mut SeededRng) -> String {
        if self.automations.len() >= AUTOMATIONS {
            return "enough automations".into();
        }
        let name = self.name("auto");
        let id = AutomationId::new(format!("aut_{name}"));
        let interval = Millis::hours(chance.between(1, 30));
        let anchor = self.world.now().plus(Millis::minutes(chance.between(1, 90)));
        let new = NewAutomationRequest {
            id: id.clone(),
            name: name.clone(),
            trigger: Trigger::Every { interval, anchor },
            policies: policies(chance),
            enabled: true,
            seed: NewSeedRequest {
                id: SessionId::new(format!("ses_seed{name}")),
                message: UserMessage::text("Do it."),
                voice: ModelSelection {
                    provider: "fake".into(),
                    model: "fake-1".into(),
                    dialect: Dialect::Envelope,
                },
                require_validation: chance.percent(30),
                restriction: Restriction::Open,
            },
        };
        let request =
            || MailRequest::workspace(CreateAutomationRequest { author: "ann".into(), new: new.clone() });
        while self.post_request(request()).await.is_none() && !self.doomed {
            self.restart_process().await;
        }
        self.automations.push(ExpectedAutomation {
            id: id.clone(),
            interval,
            anchor,
            first: anchor,
            enabled: true,
            closed: std::collections::BTreeSet::new(),
        });
        format!("{id} every {} h", interval.0 / 3_600_000)
    }

    /// Switches an automation off, or on again. The expected occurrences start anew.
    async fn switch(&mut self, chance: &mut SeededRng) -> String {
        if self.automations.is_empty() {
            return "nothing to switch".into();
        }
        let which = chance.below(self.automations.len());
        let (id, enabled) = (self.automations[which].id.clone(), self.automations[which].enabled);
        let change =
            AutomationChangeRequest { enabled: Some(!enabled), ..AutomationChangeRequest::default() };
        let request = MailRequest::workspace(EditAutomationRequest {
            author: "ann".into(),
            automation: id.clone(),
            change,
        });
        while self.post_request(request.clone()).await.is_none() && !self.doomed {
            self.restart_process().await;
        }
        let decided = self.decided(&id).await;
        let now = self.world.now();
        let expected = &mut self.automations[which];
        expected.enabled = !enabled;
        expected.closed.extend(decided);
        if !enabled {
            let (step, anchor) = (expected.interval.0 * 1000, expected.anchor.0);
            let gone = if now.0 < anchor { 0 } else { (now.0 - anchor) / step + 1 };
            expected.first = Timestamp(anchor + gone * step);
        }
        format!("{id} is {}", if enabled { "off" } else { "on" })
    }

    async fn run_by_hand(&mut self, chance: &mut SeededRng) -> String {
        let Some(id) = chance.pick(&self.automations).map(|expected| expected.id.clone()) else {
            return "nothing to run".into();
        };
        let session = SessionId::new(self.name("ses_run"));
        let event = chance.percent(30).then(|| r#"{"file":"new.pdf"}"#.to_owned());
        let request = MailRequest::workspace(RunAutomationRequest {
            author: "ann".into(),
            automation: id.clone(),
            session,
            event,
        });
        self.post_request(request).await;
        format!("{id} by hand")
    }

    /// Work in progress completes; or it completes and the process crashes before it learns so.
    async fn finish(&mut self, chance: &mut SeededRng) -> String {
        let under_way = self.world.effects_under_way();
        let Some((session, effect)) = chance.pick(&under_way).cloned() else { return "nothing to do".into() };
        let line = self.line(chance, &session).await;
        let what = format!("{effect:?} of {session}: {line:?}");
        if let (Effect::RunCall { .. }, true) = (&effect, self.is_helped) {
            self.bureau.set_next_dispatch(TaskDispatchFate::draw_from(chance));
            if chance.percent(30) {
                self.world.send(&session, &effect).await;
                return format!("{what}, and the answer is on its way");
            }
        }
        if let Effect::CallModel { .. } = effect {
            self.model.push_lines([line]);
        }
        if chance.percent(5) {
            self.world.perform(&session, &effect).await;
            self.world.crash();
            return format!("{what}, and death");
        }
        self.world.finish(&session, &effect).await;
        what
    }

    /// The next line of a session's model.
    async fn line(&self, chance: &mut SeededRng, session: &SessionId) -> FakeModelLine {
        if self.is_helped {
            let (facts, _) = self.world.session(session).await;
            let rows = self.world.sessions().await;
            let agents = rows.into_iter().filter(|row| row.id.is_agent_session());
            let strangers: Vec<String> = agents.map(|row| row.id.to_string()).collect();
            if let Some(line) = agents::line(chance, &facts, &strangers) {
                return line;
            }
        }
        line(chance)
    }

    /// A pending outcome is delivered.
    pub(super) async fn deliver_outcome(&mut self, chance: &mut SeededRng) -> String {
        let sent = self.world.undelivered_outcomes();
        let Some((session, effect)) = chance.pick(&sent).cloned() else { return "nothing to hear".into() };
        self.world.deliver_outcome(&session, &effect).await;
        format!("the answer of {effect:?} of {session}")
    }

    async fn wait(&mut self, chance: &mut SeededRng) -> String {
        let span = match chance.below(4) {
            0 => Millis::seconds(chance.between(1, 30)),
            1 => Millis::minutes(chance.between(1, 20)),
            2 => Millis::hours(chance.between(1, 5)),
            _ => match self.world.wakes_at() {
                Some(at) if at > self.world.now() => at.since(self.world.now()),
                Some(_) | None => Millis::seconds(30),
            },
        };
        let end = self.world.now().plus(span);
        // Up to the next observable moment, so that nothing happens between two checks.
        let next = self.world.wakes_at().filter(|at| *at > self.world.now() && *at < end).unwrap_or(end);
        let passed = next.since(self.world.now());
        self.world.clock.set(next);
        self.world.wake().await;
        format!("{} s pass", passed.0 / 1000)
    }

    async fn jump(&mut self, chance: &mut SeededRng) -> String {
        let days = chance.between(-30, 30);
        let to = self.world.now().plus(Millis::hours(24 * days));
        self.world.clock.set(to);
        self.world.wake().await;
        format!("the clock jumps by {days} days")
    }

    async fn crash_process(&mut self, chance: &mut SeededRng) -> String {
        self.world.crash();
        if chance.percent(30) {
            let later = self.world.now().plus(Millis::hours(chance.between(1, 48)));
            self.world.clock.set(later);
        }
        "death".into()
    }

    /// A person answers a pending item.
    async fn decide(&mut self, chance: &mut SeededRng) -> String {
        self.view_open_cards().await;
        let rows = self.world.sessions().await;
        let waiting: Vec<SessionId> = rows
            .into_iter()
            .filter(|row| row.waiting && row.end_reason.is_none())
            .map(|row| row.id)
            .collect();
        let Some(session) = chance.pick(&waiting).cloned() else { return "nobody waits".into() };
        let (_, phase) = self.world.session(&session).await;
        let person = somebody(chance);
        let author = || person.clone();
        let request = match phase {
            Phase::WaitingValidation { batch, .. } => {
                let open = batch.calls.iter().filter(|call| matches!(call.state, CallState::WaitingDecision));
                let decisions: Vec<MailDecision> = open
                    .map(|call| {
                        let verdict = if chance.percent(70) {
                            MailVerdict::Approve
                        } else {
                            MailVerdict::Reject { reason: chance.percent(50).then(|| "no".to_owned()) }
                        };
                        MailDecision {
                            call: call.id.clone(),
                            card: self.card_to_decide(chance, call),
                            verdict,
                        }
                    })
                    .collect();
                self.note_yes(&decisions);
                SessionRequest::from(DecideCallsRequest { author: author(), decisions, link: None })
            }
            Phase::WaitingCommunicationResponse { .. } => SessionRequest::from(AnswerQuestionRequest {
                author: author(),
                text: "yes".into(),
                question: None,
            }),
            _ => SessionRequest::from(ResumeSessionRequest { author: author() }),
        };
        self.post_request(MailRequest::session(session.clone(), request)).await;
        format!("an answer to {session}")
    }

    /// A person stops or interrupts a session that calls agents.
    pub(super) async fn halt_a_caller(&mut self, chance: &mut SeededRng) -> String {
        let mut callers = Vec::new();
        for row in self.world.sessions().await.into_iter().filter(|row| row.end_reason.is_none()) {
            let (facts, _) = self.world.session(&row.id).await;
            callers.extend((!facts.children.is_empty()).then_some(row.id));
        }
        let Some(session) = chance.pick(&callers).cloned() else { return "nobody calls".into() };
        let author = "bob".to_owned();
        let (word, request) = match chance.percent(70) {
            true => ("interrupt", SessionRequest::from(InterruptRoundRequest { author })),
            false => ("stop", SessionRequest::from(StopSessionRequest { author, end: chance.percent(50) })),
        };
        self.post_request(MailRequest::session(session.clone(), request)).await;
        format!("{word} {session}, which calls agents")
    }

    /// A person stops, interrupts, resumes, confirms or rejects.
    async fn steer(&mut self, chance: &mut SeededRng) -> String {
        let rows = self.world.sessions().await;
        let open: Vec<SessionId> = rows
            .into_iter()
            .filter(|row| row.end_reason.is_none() && row.kind != SessionKind::Seed)
            .map(|row| row.id)
            .collect();
        let Some(session) = chance.pick(&open).cloned() else { return "nobody to steer".into() };
        let author = || "bob".to_owned();
        let (word, request) = match chance.below(6) {
            0 => ("stop", SessionRequest::from(StopSessionRequest { author: author(), end: false })),
            1 => ("interrupt", SessionRequest::from(InterruptRoundRequest { author: author() })),
            2 => ("confirm", SessionRequest::from(ConfirmCompletionRequest { author: author() })),
            3 => ("reject", SessionRequest::from(RejectCompletionRequest { author: author(), reason: None })),
            _ => ("resume", SessionRequest::from(ResumeSessionRequest { author: author() })),
        };
        let answer = self.post_request(MailRequest::session(session.clone(), request)).await;
        let refused = matches!(answer, Some(MailAnswer::Refused { .. }));
        format!("{word} {session}{}", if refused { " (refused)" } else { "" })
    }
}

fn policies(chance: &mut SeededRng) -> AutomationPolicies {
    let window = chance.percent(60).then(|| Millis::hours(chance.between(1, 72)));
    let overlap = if chance.percent(50) { OverlapPolicy::Skip } else { OverlapPolicy::Queue };
    let unattended = match chance.below(4) {
        0 => Some(UnattendedPolicy::Refuse),
        1 => Some(UnattendedPolicy::Allow),
        _ => None,
    };
    AutomationPolicies {
        catch_up: CatchUpPolicy { window, latest_only: chance.percent(60) },
        overlap,
        run: RunPolicy {
            profile: chance.percent(30).then_some(LimitProfile::Strict),
            unattended,
            completion: None,
            mode: None,
        },
    }
}

/// A random line of a model.
fn line(chance: &mut SeededRng) -> FakeModelLine {
    let number = chance.below(1_000_000);
    match chance.below(20) {
        0..=5 => completed_line(),
        6..=8 => envelope_line("I think."),
        9..=11 => command_request_line("queries", &[("LOOK", json!({ "at": number }))]),
        12..=15 => command_request_line("actions", &[("SEND", json!({ "to": number }))]),
        16 => command_request_line(
            "actions",
            &[("SEND", json!({ "to": number })), ("CREATE_ZONE", json!({ "name": number.to_string() }))],
        ),
        17 => FakeModelLine::Says("no envelope".into()),
        18 => FakeModelLine::Says(
            r#"{"pre_text":"","question":{"type":"Validation","message":"Shall I?"}}"#.into(),
        ),
        _ => {
            let classes = FailureClass::ALL;
            FakeModelLine::Fails(classes[chance.below(classes.len())])
        }
    }
}
