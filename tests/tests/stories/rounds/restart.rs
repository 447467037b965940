//! The state that a restarted process finds: unreadable rows, deadlines, missing outcomes.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use entracte_application::ports::{CallRequest, CommandExecutor, CommandSpec, WorkspaceCommit};
use entracte_application::use_cases::{ApprovalChoice, DecideApprovals};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Millis;
use entracte_tests::fakes::flaky_store::FlakyStore;
use entracte_tests::fakes::recording_executor::{ActionConfigVersion, RecordingExecutor};
use entracte_tests::runtime_fixture::{command_request_line, envelope_line};
use serde_json::json;

use super::RoundFixture;

/// Makes a session's row unreadable, and due at every start.
#[expect(clippy::unwrap_used, reason = "a test")]
async fn poison(stage: &RoundFixture, session: &SessionId) {
    let store = &stage.parts.stores.store;
    let home = WorkspaceKey::new("ann:home");
    let mut row = store.session(&home, session).await.unwrap().unwrap();
    let workspace = store.workspace(&row.workspace).await.unwrap().unwrap();
    row.body = b"no snapshot".to_vec();
    (row.working, row.placed) = (true, true);
    let (seq, sequence) = (workspace.seq, row.sequence);
    let commit = WorkspaceCommit {
        expected_seq: Some(seq),
        sessions: vec![(row, Some(sequence))],
        ..WorkspaceCommit::for_workspace(workspace)
    };
    store.commit(commit).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn unreadable_session_repeats_no_action_of_others() {
    let stage = RoundFixture::new([
        command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]),
        envelope_line("I do not know"),
    ]);
    stage.outside.hangs.store(true, Ordering::SeqCst);
    let first = stage.life().await;
    let broken = first.chat(false).await;
    let session = first.chat(false).await;
    first.send_message(&session, "write to bob").await;
    while stage.outside.recorded_effects().is_empty() {
        tokio::task::yield_now().await;
    }
    drop(first);
    poison(&stage, &broken).await;

    stage.outside.hangs.store(false, Ordering::SeqCst);
    let second = stage.life().await;
    second.send_message(&session, "what became of it?").await;
    second.follow().run_until_idle(&second.workspace, &session, 0).await.unwrap();
    assert_eq!(stage.outside.recorded_effects().len(), 1, "it was not sent again");
    assert_eq!(second.calls(&session).await, [("outside.send".into(), "unknown".to_owned())]);
    second.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn deadline_survives_restart() {
    let mut stage = RoundFixture::new([command_request_line("actions", &[("SEND", json!({ "to": "bob" }))])]);
    // Short: a process at rest renews its lease each few seconds, also on virtual time.
    stage.parts.rules.change(|_, rules| rules.validation_expires = Millis::hours(2));
    let first = stage.life().await;
    let session = first.chat(true).await;
    first.send_and_wait(&session, "write to bob").await;
    tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
    drop(first);
    let second = stage.life().await;
    tokio::time::sleep(std::time::Duration::from_secs(50 * 60)).await;
    assert_eq!(second.phase(&session).await, "WAITING_VALIDATION", "a restart does not shorten it");
    tokio::time::sleep(std::time::Duration::from_secs(20 * 60)).await;
    assert_eq!(second.phase(&session).await, "IDLE", "the approval request has expired");
    assert_eq!(second.calls(&session).await, [("outside.send".into(), "expired".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn unwritable_outcome_leaves_action_unknown() {
    let mut stage = RoundFixture::new([
        command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]),
        envelope_line("I do not know"),
    ]);
    let flaky = Arc::new(FlakyStore::new(stage.parts.stores.store.clone()));
    stage.parts.stores.store = flaky.clone();
    flaky.reject_inputs_with("\"done\"");
    let life = stage.life().await;
    let session = life.chat(false).await;
    life.send_message(&session, "write to bob").await;
    let follow = life.follow();
    let rests = follow.run_until_idle(&life.workspace, &session, 0);
    let rested = tokio::time::timeout(std::time::Duration::from_secs(600), rests).await;
    assert!(rested.is_ok(), "it waits for ever: {}", life.phase(&session).await);
    assert_eq!(stage.outside.recorded_effects().len(), 1);
    assert_eq!(life.calls(&session).await, [("outside.send".into(), "unknown".to_owned())]);
    life.verify(&session).await;
}

/// An executor of an idempotent action: the receiver recognizes a repetition by its key.
struct IdempotentActionExecutor(RecordingExecutor);

#[async_trait]
impl CommandExecutor for IdempotentActionExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let keyed = |spec: CommandSpec| match spec.kind {
            CommandKind::Action => CommandSpec { effect: EffectClass::Idempotent, ..spec },
            CommandKind::Query => spec,
        };
        self.0.commands().into_iter().map(keyed).collect()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        self.0.run(request).await
    }
}

/// Input: an approved idempotent action, a process that is killed while it runs, and the action's address in the
/// configuration of the next process; expected: it is repeated to the same address, but not to another one, which was
/// not approved: then its outcome is unknown.
#[tokio::test(start_paused = true)]
async fn what_was_approved_is_not_sent_again_to_another_address() {
    for (address, sent, state) in [(0, 2, "succeeded"), (1, 1, "unknown")] {
        let mut stage = RoundFixture::new([
            command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]),
            envelope_line("Nobody knows."),
        ]);
        let world = stage.outside.clone();
        let at =
            |address| world.with_config(ActionConfigVersion { address, ..ActionConfigVersion::default() });
        let hangs = at(0);
        hangs.hangs.store(true, Ordering::SeqCst);
        stage.parts.executors[0] = Arc::new(IdempotentActionExecutor(hangs));
        let first = stage.life().await;
        let session = first.chat(true).await;
        first.send_and_wait(&session, "write to bob").await;
        let decide = DecideApprovals::new(first.mail_sender.clone(), first.services.store.clone());
        let yes = decide.run_for_all(&first.workspace, &session, "ann".into(), &ApprovalChoice::Approve);
        yes.await.unwrap();
        while world.recorded_effects().is_empty() {
            tokio::task::yield_now().await;
        }
        drop((first, decide));

        stage.parts.executors[0] = Arc::new(IdempotentActionExecutor(at(address)));
        let next = stage.life().await;
        next.follow().run_until_idle(&next.workspace, &session, 0).await.unwrap();
        let seen: Vec<u8> = world.recorded_effects().iter().map(|effect| effect.configured.address).collect();
        assert_eq!(seen, vec![0; sent], "in the next process it is at {address}");
        assert_eq!(next.calls(&session).await, [("outside.send".into(), state.to_owned())]);
        next.verify(&session).await;
    }
}
