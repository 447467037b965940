//! Retention never touches what is open: what works, waits for a person, a task or an agent, or has a call of unknown
//! outcome. That of a session with a task is in the stories of tasks.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use entracte_application::retention::{check_results_removable, check_session_removable};
use entracte_application::use_cases::{AnswerQuestion, EndSession};
use entracte_domain::automation::RunPolicy;
use entracte_domain::session::{Dialect, PhaseLabel, SessionKind, UnattendedPolicy};
use entracte_domain::time::Timestamp;
use entracte_tests::machine::one_of_each_phase;

use super::bilingual_model::{BilingualModelStep, look_step, send_step};
use super::fixture::{all_stores, chat};
use super::retention_fixture::{later, run, stage_with_limits};
use super::rights;

/// Input: a session of each kind in each phase, older than every limit; expected: only ended ones go whole, and only
/// ended and resting ones lose results.
#[test]
fn retention_skips_open_phases() {
    let late = Timestamp(i64::MAX);
    for kind in [SessionKind::Chat, SessionKind::Automation, SessionKind::Agent, SessionKind::Seed] {
        let (mut whole, mut without_results) = (BTreeSet::new(), BTreeSet::new());
        for (_, run) in one_of_each_phase(kind) {
            if check_session_removable(&run.facts, &run.phase, &[], late).is_ok() {
                whole.insert(run.phase.label().word());
            }
            if check_results_removable(&run.facts, &run.phase, &[], late).is_ok() {
                without_results.insert(run.phase.label().word());
            }
        }
        let ended = PhaseLabel::Completed.word();
        let expected = match kind {
            SessionKind::Seed => (vec![], vec![]),
            SessionKind::Chat | SessionKind::Automation | SessionKind::Agent => {
                (vec![ended], vec![ended, PhaseLabel::Idle.word()])
            }
        };
        let found = (Vec::from_iter(whole), Vec::from_iter(without_results));
        assert_eq!(found, expected, "{kind:?}");
    }
}

/// Input: an ended chat with an action of unknown outcome, a run and a chat that wait for an approval, and a chat that
/// waits for an answer, all older than every limit; expected: nothing of them goes, and they go on.
#[tokio::test(start_paused = true)]
async fn retention_skips_open_work() {
    for stores in all_stores() {
        let stage = stage_with_limits(stores, "chats=1s, automations=1s, agents=1s, results=1s, ledger=1s");
        stage.outside.hangs.store(true, Ordering::SeqCst);
        let life = stage.life().await;
        let unsettled = chat(&life, Dialect::Tools, false).await;
        stage.model.push_steps([send_step("eve")]);
        life.send_message(&unsettled, "write to eve").await;
        while stage.effects() == 0 {
            tokio::task::yield_now().await;
        }
        drop(life);
        stage.outside.hangs.store(false, Ordering::SeqCst);
        stage.model.push_steps([BilingualModelStep::Words("I do not know.")]);
        let life = stage.life().await;
        life.follow().run_until_idle(&life.workspace, &unsettled, 0).await.unwrap();
        assert_eq!(life.calls(&unsettled).await, [("outside.send".into(), "unknown".to_owned())]);
        let end = EndSession::new(life.mail_sender.clone());
        end.run(&life.workspace, &unsettled, "ann".into()).await.unwrap();

        let parks = RunPolicy { unattended: Some(UnattendedPolicy::Park), ..RunPolicy::default() };
        let waiting = rights::run(&stage, &life, parks, Dialect::Tools).await;
        assert_eq!(life.phase(&waiting).await, "WAITING_VALIDATION");
        stage.model.clear_steps();
        let gated = chat(&life, Dialect::Tools, true).await;
        stage.model.push_steps([look_step("weight"), send_step("bob")]);
        life.send_and_wait(&gated, "tell bob what I weigh").await;
        let asking = chat(&life, Dialect::Envelope, false).await;
        stage.model.push_steps([look_step("height"), BilingualModelStep::Question("In cm?")]);
        life.send_and_wait(&asking, "how tall am I?").await;

        let all = [&unsettled, &waiting, &gated, &asking];
        let mut before = Vec::new();
        for session in all {
            before.push(life.entries(session).await);
        }
        later(&life).await;
        let removed = run(&life).await;
        assert!(removed.is_empty(), "{removed:?}");
        for (session, before) in all.into_iter().zip(before) {
            assert_eq!(life.entries(session).await, before);
            life.verify(session).await;
        }
        stage.model.push_steps([BilingualModelStep::Words("180 cm.")]);
        let answer = AnswerQuestion::new(life.mail_sender.clone());
        answer.run(&life.workspace, &asking, "ann".into(), "yes".into(), None).await.unwrap();
        life.follow().run_until_idle(&life.workspace, &asking, 0).await.unwrap();
        life.verify(&asking).await;
    }
}
