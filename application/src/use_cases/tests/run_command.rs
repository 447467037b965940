use std::sync::Arc;

use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::command::Command;
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::time::{Deadline, Millis};
use entracte_domain::validation::{RuleScope, StandingApprovalRule};
use entracte_domain::value::JsonValue;
use mockall::predicate::eq;

use crate::codec::WorkspaceBody;
use crate::commands::Catalog;
use crate::kit::{
    HangingExecutor, LIST, NOON, PausedClock, arguments, catalog_of, create, executor, list, workspace,
};
use crate::ports::CommandSpec;
use crate::ports::*;
use crate::settings::WorkspaceLocale;
use crate::system::sha256;
use crate::use_cases::*;

/// Runs that command manually; the executor gives this outcome, if it is reached.
async fn run(name: &str, arguments: JsonValue, outcome: Option<CallOutcome>) -> Result<String, UseCaseError> {
    let mut executor = executor(vec![list(), create()]);
    if let Some(outcome) = outcome {
        let expected = CallRequest {
            workspace: workspace(),
            session: SessionId::new("ses_key"),
            call: CallId::new("cal_key_0_0"),
            command: Command { name: LIST.into(), arguments: arguments.clone() },
            acts_as: None,
            via: Vec::new(),
            key: "key".into(),
            task: None,
            attempt: 1,
            now: NOON,
            reference: NOON,
            locale: WorkspaceLocale::default(),
            naming: crate::command_naming::CommandNaming::Types,
            restriction: entracte_domain::restriction::Restriction::Open,
            progress: crate::ports::CallProgressSink::default(),
        };
        executor.expect_run().with(eq(expected)).once().return_once(|_| outcome);
    }
    let mut clock = MockClock::new();
    clock.expect_now().return_const(NOON);
    over(catalog_of(executor), Arc::new(clock)).run(&workspace(), name, arguments).await
}

fn over(catalog: Arc<Catalog>, clock: Arc<dyn Clock>) -> RunQueryCommand {
    let mut ids = MockIdGenerator::new();
    ids.expect_key().return_const("key".to_owned());
    let mut store = MockWorkspaceStore::new();
    store.expect_workspace().returning(|_| Ok(None));
    RunQueryCommand::new(catalog, Arc::new(store), clock, Arc::new(ids))
}

#[tokio::test]
async fn query_runs_by_name_or_word() {
    for name in [LIST, "LIST_ENTRIES"] {
        let outcome =
            CallOutcome::Succeeded { content: "[]".into(), digest: sha256(b"[]"), files: Vec::new() };
        assert_eq!(run(name, arguments(), Some(outcome)).await.unwrap(), "[]");
    }
}

#[tokio::test]
async fn an_unknown_command_is_not_found() {
    let error = run("entries.lost", arguments(), None).await.unwrap_err();
    assert!(matches!(error, UseCaseError::NotFound(_)), "{error:?}");
}

/// Input: a rule that denies the query; expected: it is not run manually either, and the error names the rule.
#[tokio::test]
async fn denied_query_is_not_run_manually() {
    let rule = StandingApprovalRule {
        id: "rul_1".into(),
        command: LIST.into(),
        version: sha256(b"v1"),
        arguments: Vec::new(),
        scope: RuleScope::Workspace,
        author: "ann".into(),
        expires: Deadline::after(NOON, Millis::hours(1)),
        revoked: None,
        denies: Some("closed".into()),
        uses: None,
        agents: false,
        people: None,
    };
    let body = WorkspaceBody { rules: vec![rule], ..WorkspaceBody::default() }.encode().unwrap();
    let row = WorkspaceRow { key: workspace(), seq: 1, body, created_at: NOON, epoch: 1 };
    let mut store = MockWorkspaceStore::new();
    store.expect_workspace().returning(move |_| Ok(Some(row.clone())));
    let (mut clock, mut ids) = (MockClock::new(), MockIdGenerator::new());
    clock.expect_now().return_const(NOON);
    ids.expect_key().return_const("key".to_owned());
    let catalog = catalog_of(executor(vec![list()]));
    let run = RunQueryCommand::new(catalog, Arc::new(store), Arc::new(clock), Arc::new(ids));
    let error = run.run(&workspace(), LIST, arguments()).await.unwrap_err();
    assert!(matches!(&error, UseCaseError::NotApplicable(text) if text.contains("rul_1")), "{error:?}");
}

#[tokio::test]
async fn action_is_not_run_manually() {
    let error = run("CREATE_ENTRY", arguments(), None).await.unwrap_err();
    assert!(matches!(error, UseCaseError::NotApplicable(_)), "{error:?}");
}

#[tokio::test]
async fn invalid_arguments_are_refused_with_paths() {
    let wrong = JsonValue::from([("tool", JsonValue::from(7))]);
    let error = run(LIST, wrong, None).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Invalid(_)), "{error:?}");
    assert_eq!(
        error.to_string(),
        "the parameters of entries.list are not valid: /tool: 7 is not of type \"string\""
    );
}

#[tokio::test]
async fn failed_query_has_code_message_and_kind() {
    let failure = |code: &str| CallFailure {
        code: code.into(),
        message: "there is no tool weight".into(),
        path: None,
        retryable: false,
    };
    let missing = run(LIST, arguments(), Some(CallOutcome::Failed(failure("NOT_FOUND")))).await.unwrap_err();
    assert!(matches!(missing, UseCaseError::NotFound(_)), "{missing:?}");
    assert_eq!(missing.to_string(), "entries.list: NOT_FOUND: there is no tool weight");
    let invalid = run(LIST, arguments(), Some(CallOutcome::Failed(failure("INVALID")))).await.unwrap_err();
    assert!(matches!(invalid, UseCaseError::Invalid(_)), "{invalid:?}");
}

#[tokio::test]
async fn query_with_lost_answer_may_be_retried() {
    let lost = CallOutcome::Lost { found_by_start: None, lands_by: None };
    let error = run(LIST, arguments(), Some(lost)).await.unwrap_err();
    assert_eq!(error.to_string(), "entries.list did not answer; try again");
}

#[tokio::test(start_paused = true)]
async fn hanging_query_is_cancelled_after_timeout() {
    let cases = [(None, 15), (Some(Millis::seconds(3)), 3)];
    for (timeout, seconds) in cases {
        let catalog = catalog_of(HangingExecutor::new(vec![CommandSpec { timeout, ..list() }]));
        let began = tokio::time::Instant::now();
        let command = over(catalog, Arc::new(PausedClock::default()));
        let error = command.run(&workspace(), LIST, arguments()).await.unwrap_err();
        let expected = format!("entries.list did not answer within {seconds} s and was cancelled; try again");
        assert_eq!(error.to_string(), expected);
        assert_eq!(began.elapsed().as_secs(), seconds);
    }
}
