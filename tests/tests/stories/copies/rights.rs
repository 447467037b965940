//! A copy brings no rights: its rights come from its workspace, and a stricter restriction stays.

use std::sync::atomic::Ordering;

use entracte_application::use_cases::{
    ApprovalChoice, AutomationParams, ChangeSettings, CreateAutomation, DecideApprovals, ExportSession,
    ImportSession, MeasureSession, ReadApprovalRules, RunAutomation, UseCaseError,
};
use entracte_domain::automation::{AutomationPolicies, RunPolicy, Trigger};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{
    CompletionCheck, Dialect, EndReason, LimitProfile, ModelSelection, UnattendedPolicy,
};
use entracte_tests::runtime_fixture::RuntimeFixture;
use entracte_tests::test_scale;

use super::bilingual_model::{BilingualModelStep, send_step};
use super::fixture::{SessionCopyFixture, all_stores, chat, fork, gated_chat, view};

/// The parts of a file that would be rights.
const CASES: [&str; 7] = [
    "unattended allow",
    "limits raised",
    "validation off",
    "a standing approval",
    "an approval that waits",
    "a started action",
    "stricter than the workspace",
];

const DIALECTS: [Dialect; 2] = [Dialect::Envelope, Dialect::Tools];

/// A run under this policy, ended or waiting for a person.
pub(crate) async fn run(
    stage: &SessionCopyFixture,
    life: &RuntimeFixture,
    policy: RunPolicy,
    dialect: Dialect,
) -> SessionId {
    let plan = AutomationParams {
        name: "Nightly".into(),
        trigger: Trigger::Manual,
        policies: AutomationPolicies { run: policy, ..AutomationPolicies::default() },
        enabled: true,
        message: UserMessage::text("Tell bob."),
        voice: ModelSelection { provider: "fake".into(), model: "fake-1".into(), dialect },
        require_validation: true,
        restriction: Restriction::Open,
    };
    let create = CreateAutomation::new(life.mail_sender.clone(), life.services.ids.clone());
    let automation = create.run(&life.workspace, "ann".into(), plan).await.unwrap();
    stage.model.push_steps([
        send_step("bob"),
        BilingualModelStep::Words("Done."),
        BilingualModelStep::Words("Done."),
        BilingualModelStep::Words("Done."),
    ]);
    let begin = RunAutomation::new(life.mail_sender.clone(), life.services.ids.clone());
    let session = begin.run(&life.workspace, "ann".into(), &automation, None).await.unwrap().session;
    life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    session
}

/// Creates the session of a case.
async fn made(stage: &SessionCopyFixture, life: &RuntimeFixture, case: &str, dialect: Dialect) -> SessionId {
    match case {
        "unattended allow" => {
            let policy = RunPolicy { unattended: Some(UnattendedPolicy::Allow), ..RunPolicy::default() };
            let session = run(stage, life, policy, dialect).await;
            assert_eq!(stage.effects(), 1, "it acted without approval where that was allowed");
            session
        }
        "limits raised" => {
            let policy = RunPolicy {
                profile: Some(LimitProfile::Autonomous),
                unattended: Some(UnattendedPolicy::Allow),
                completion: Some(CompletionCheck::Trust),
                mode: None,
            };
            run(stage, life, policy, dialect).await
        }
        "stricter than the workspace" => {
            let policy = RunPolicy {
                profile: Some(LimitProfile::Strict),
                unattended: Some(UnattendedPolicy::Refuse),
                completion: Some(CompletionCheck::AskOnce),
                mode: None,
            };
            run(stage, life, policy, dialect).await
        }
        "validation off" => {
            let session = chat(life, dialect, false).await;
            stage.model.push_steps([send_step("bob"), BilingualModelStep::Words("Done.")]);
            life.send_and_wait(&session, "tell bob").await;
            session
        }
        "a standing approval" => {
            let session = chat(life, dialect, true).await;
            stage.model.push_steps([send_step("mallory"), BilingualModelStep::Words("Done.")]);
            life.send_and_wait(&session, "tell mallory").await;
            life.decide_and_wait(
                &session,
                ApprovalChoice::Always { in_session: false, lasts: None, agents: false, width: None },
            )
            .await;
            session
        }
        "an approval that waits" => {
            let session = chat(life, dialect, true).await;
            stage.model.push_steps([send_step("mallory")]);
            life.send_and_wait(&session, "tell mallory").await;
            assert_eq!(life.phase(&session).await, "WAITING_VALIDATION");
            session
        }
        "a started action" => {
            let session = chat(life, dialect, true).await;
            stage.outside.hangs.store(true, Ordering::SeqCst);
            stage.model.push_steps([send_step("mallory")]);
            life.send_and_wait(&session, "tell mallory").await;
            let decide = DecideApprovals::new(life.mail_sender.clone(), life.services.store.clone());
            let all =
                decide.run_for_all(&life.workspace, &session, "ann".into(), &ApprovalChoice::Approve).await;
            all.unwrap();
            while stage.effects() == 0 {
                tokio::task::yield_now().await;
            }
            session
        }
        other => panic!("no case {other}"),
    }
}

async fn import(life: &RuntimeFixture, from: &RuntimeFixture, session: &SessionId) -> SessionId {
    let export = ExportSession::new(from.services.store.clone(), from.services.log.clone());
    let file = export.run(&from.workspace, session).await.unwrap().encode().unwrap();
    let import = ImportSession::new(life.mail_sender.clone(), life.services.ids.clone());
    import.run(&life.workspace, "bob".into(), file, false).await.unwrap().session
}

async fn set(life: &RuntimeFixture, key: &str, value: &str) {
    let change = ChangeSettings::new(life.mail_sender.clone());
    change.run(&life.workspace, "bob".into(), vec![(key.into(), Some(value.into()))]).await.unwrap();
}

/// The copy requests approval before it acts, whatever was allowed at its origin.
async fn asks_before_it_acts(
    stage: &SessionCopyFixture,
    life: &RuntimeFixture,
    copy: &SessionId,
    case: &str,
) {
    let before = stage.effects();
    stage.model.push_steps([send_step("mallory")]);
    life.send_and_wait(copy, "go on").await;
    assert_eq!(life.phase(copy).await, "WAITING_VALIDATION", "{case}");
    assert_eq!(stage.effects(), before, "{case}: it acted without approval");
    life.verify(copy).await;
}

#[tokio::test(start_paused = true)]
async fn an_import_brings_no_rights() {
    for (number, case) in CASES.into_iter().enumerate() {
        // The short form takes one of the dialects, and one of the directions between databases, in turns.
        for dialect in
            DIALECTS.into_iter().skip(test_scale::scaled(number % 2, 0)).take(test_scale::scaled(1, 2))
        {
            // Each database once on each side; the memory store adds nothing here.
            let pairs = all_stores().into_iter().skip(1).zip(all_stores().into_iter().skip(1).rev());
            let pairs: Vec<_> = pairs.collect();
            let first = test_scale::scaled(number / 2 % pairs.len(), 0);
            for (here, there) in pairs.into_iter().skip(first).take(test_scale::scaled(1, usize::MAX)) {
                check(
                    case,
                    &SessionCopyFixture::with_stores(here, []),
                    &SessionCopyFixture::with_stores(there, []),
                    dialect,
                )
                .await;
            }
        }
    }
}

async fn check(case: &str, stage: &SessionCopyFixture, other: &SessionCopyFixture, dialect: Dialect) {
    let life = stage.life().await;
    let session = made(stage, &life, case, dialect).await;
    let mut away = other.life().await;
    away.workspace = WorkspaceKey::new("bob:away");
    set(&away, "require_validation", "true").await;
    set(&away, "limits_profile", "strict").await;

    let copy = import(&away, &life, &session).await;
    let facts = view(&away, &copy).await.facts;
    match case {
        "stricter than the workspace" => {
            let kept = RunPolicy {
                profile: Some(LimitProfile::Strict),
                unattended: Some(UnattendedPolicy::Refuse),
                completion: Some(CompletionCheck::AskOnce),
                mode: None,
            };
            assert_eq!(facts.policy, kept, "what is stricter stays");
            other.model.push_steps([
                send_step("mallory"),
                BilingualModelStep::Words("I may not."),
                BilingualModelStep::Words("I may not."),
            ]);
            away.send_and_wait(&copy, "go on").await;
            assert_eq!(other.effects(), 0);
        }
        _ => {
            assert_eq!(facts.policy, RunPolicy::default(), "{case}: the policies are the workspace's");
            let entries = away.entries(&copy).await;
            asks_before_it_acts(other, &away, &copy, case).await;
            // The entries after the import ran under the rules of this workspace, and none of the file's.
            let last = away.entries(&copy).await.pop().unwrap();
            let strict = away.services.rules.with_profile(view_profile(&away).await);
            assert_eq!(
                last.rules,
                strict.encoded_rules_for_session(&view(&away, &copy).await.facts).unwrap().digest,
                "{case}"
            );
            assert!(entries.len() < away.entries(&copy).await.len());
        }
    }
    assert_eq!(other.effects(), 0, "{case}");
    let rules = ReadApprovalRules::new(
        away.services.store.clone(),
        away.services.log.clone(),
        away.services.clock.clone(),
    );
    assert_eq!(
        rules.run(&away.workspace, true).await.unwrap(),
        [],
        "{case}: no standing approval came along"
    );
    // An approval that was requested there is decided there.
    let calls = life.services.log.calls(&life.workspace, &session).await.unwrap();
    if let Some(call) = calls.last() {
        let answer = DecideApprovals::new(away.mail_sender.clone(), away.services.store.clone());
        let given = answer
            .run(
                &away.workspace,
                &copy,
                "bob".into(),
                std::slice::from_ref(&call.id),
                &ApprovalChoice::Approve,
            )
            .await;
        let refused = matches!(given, Err(UseCaseError::NotFound(_) | UseCaseError::Conflict(_)));
        // A repeated decision on a call that was decided in the original is the same answer, and starts nothing.
        assert!(refused || other.effects() == 0, "{case}: {given:?}");
    }
    assert_eq!(other.effects(), 0, "{case}");
}

async fn view_profile(life: &RuntimeFixture) -> Option<entracte_application::settings::LimitsProfile> {
    let store = &*life.services.store;
    entracte_application::use_cases::settings_of(store, &life.workspace).await.unwrap().limits_profile
}

#[tokio::test(start_paused = true)]
async fn a_fork_brings_no_rights() {
    for stores in all_stores() {
        let stage = SessionCopyFixture::with_stores(stores, []);
        let life = stage.life().await;
        let session = made(&stage, &life, "unattended allow", Dialect::Tools).await;
        let at = view(&life, &session).await.facts.sequence;
        let forked = fork(&life, &session, at).await.session;
        assert_eq!(view(&life, &forked).await.facts.policy, RunPolicy::default());
        asks_before_it_acts(&stage, &life, &forked, "fork").await;
    }
}

/// The restriction stays as narrow as it was.
#[tokio::test(start_paused = true)]
async fn a_restriction_comes_along() {
    let [here, there] = [all_stores().remove(0), all_stores().remove(1)]
        .map(|stores| SessionCopyFixture::with_stores(stores, []));
    let (life, away) = (here.life().await, there.life().await);
    let only = Restriction::parse(["outside.look"]).unwrap();
    let session = gated_chat(&life, Dialect::Tools, false, only).await.unwrap();
    here.model.push_steps([BilingualModelStep::Words("Hello.")]);
    life.send_and_wait(&session, "hello").await;
    let copy = import(&away, &life, &session).await;
    assert_eq!(view(&away, &copy).await.facts.restriction, view(&life, &session).await.facts.restriction);
    there.model.push_steps([send_step("mallory"), BilingualModelStep::Words("I may not.")]);
    away.send_and_wait(&copy, "go on").await;
    assert_eq!(there.effects(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_imported_finished_run_says_how_it_ended() {
    let [here, there] = [all_stores().remove(0), all_stores().remove(1)]
        .map(|stores| SessionCopyFixture::with_stores(stores, []));
    let (life, away) = (here.life().await, there.life().await);
    let policy = RunPolicy { unattended: Some(UnattendedPolicy::Allow), ..RunPolicy::default() };
    let session = run(&here, &life, policy, Dialect::Tools).await;
    let ended = view(&life, &session).await.phase.end_reason();
    assert_eq!(
        ended,
        Some(EndReason::Completed),
        "its model said in words that it is done, and said it again"
    );
    let copy = import(&away, &life, &session).await;
    let measure = MeasureSession::new(away.services.store.clone(), away.services.log.clone());
    let copied = measure.run(&away.workspace, &copy).await.unwrap().copied.unwrap();
    assert_eq!((copied.session, copied.ended), (session, ended));
}
