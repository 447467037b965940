use std::sync::Arc;

use entracte_domain::call::{Call, CallOutcome, CallStatus};
use entracte_domain::command::{Command, CommandKind};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::localizable_text::sentences;
use entracte_domain::session::{ApprovalRecheck, CallLookup, IdenticalCall, Input, RequestedCall};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::validation::{ApprovalReason, ValidationLevel};
use entracte_domain::value::JsonValue;
use mockall::predicate::eq;

use crate::commands::{CallLookupContext, Catalog, CommandInvocation, CommandPipeline, edit_faults};
use crate::kit::{
    CREATE, LIST, MachineSessionFixture, SEND, arguments, catalog_of, command, create, executor, list,
    requested_call, send, session, unavailable, workspace,
};
use crate::ports::{ActionTarget, CallRow, CommandSpec, MockLogReader, MockResourceReader, StoreError};
use crate::settings::{Language, WorkspaceSettings};
use crate::system::sha256;
use crate::texts::LocalizedTexts;

/// The three commands; none of them touches a zone or a tool.
fn catalog_with(specs: Vec<CommandSpec>) -> Arc<Catalog> {
    let mut executor = executor(specs);
    executor.expect_target().returning(|_, _| Ok(ActionTarget::default()));
    catalog_of(executor)
}

fn pipeline(log: MockLogReader) -> CommandPipeline {
    pipeline_with(log, vec![list(), create(), send()])
}

fn pipeline_with(log: MockLogReader, specs: Vec<CommandSpec>) -> CommandPipeline {
    CommandPipeline {
        catalog: catalog_with(specs),
        log: Arc::new(log),
        rows: Arc::new(MockResourceReader::new()),
        has_policy_hook: false,
    }
}

/// A log without calls.
fn no_twins() -> MockLogReader {
    let mut log = MockLogReader::new();
    log.expect_calls_with_command_id().returning(|_, _, _, _| Ok(Vec::new()));
    log
}

/// Resolves a command in that list, in an open session.
async fn look_up(
    pipeline: &CommandPipeline,
    story: &MachineSessionFixture,
    last_action_at: Option<Timestamp>,
    command: Command,
    listed_as: Option<CommandKind>,
) -> Result<RequestedCall, StoreError> {
    let settings = WorkspaceSettings::default();
    let setting = CallLookupContext {
        facts: &story.facts,
        settings: &settings,
        rules: &[],
        asked_by: &story.facts.asked_by,
        acts_as: story.facts.asked_by.acts_as.as_deref(),
        last_action_at,
        ai_request: false,
        policy: None,
        now: story.now(),
    };
    let asked = CommandInvocation {
        provider_call_id: Some("toolu_1".into()),
        command,
        listed_as,
        wishes_approval: false,
    };
    let mut requested = pipeline.look_up(setting, vec![asked], None).await?;
    assert_eq!(requested.len(), 1);
    Ok(requested.remove(0))
}

/// The refusal of a command.
async fn refusal(command: Command, listed_as: Option<CommandKind>) -> (CallStatus, String, Option<String>) {
    let story = MachineSessionFixture::chat().with_model_called();
    let pipeline = pipeline(MockLogReader::new());
    match look_up(&pipeline, &story, None, command, listed_as).await.unwrap().lookup {
        CallLookup::Refused { status, message, path, .. } => (status, message, path),
        known @ CallLookup::Known { .. } => panic!("{known:?}"),
    }
}

#[tokio::test]
async fn command_requested_by_type_is_stored_by_name() {
    let story = MachineSessionFixture::chat().with_model_called();
    let pipeline = pipeline(no_twins());
    let asked = command("CREATE_ENTRY");
    let found = look_up(&pipeline, &story, None, asked, Some(CommandKind::Action)).await.unwrap();
    let expected =
        RequestedCall { provider_call_id: Some("toolu_1".into()), ..requested_call(CREATE, false) };
    assert_eq!(found, expected);
    assert_eq!(found.command_id, sha256(command(CREATE).canonical_bytes().as_bytes()));
}

#[tokio::test]
async fn unknown_command_refusal_lists_existing_ones() {
    let (status, message, path) = refusal(command("MAKE_TEA"), Some(CommandKind::Query)).await;
    assert_eq!(status, CallStatus::UnknownCommand);
    assert_eq!(
        message,
        "there is no command MAKE_TEA; the commands are CREATE_ENTRY, LIST_ENTRIES, SEND_MAIL"
    );
    assert_eq!(path, None);
}

#[tokio::test]
async fn unknown_command_has_kind_of_its_list() {
    let story = MachineSessionFixture::chat().with_model_called();
    let pipeline = pipeline(MockLogReader::new());
    let cases = [
        (Some(CommandKind::Query), CommandKind::Query),
        (Some(CommandKind::Action), CommandKind::Action),
        (None, CommandKind::Action),
    ];
    for (listed_as, expected) in cases {
        let found = look_up(&pipeline, &story, None, command("MAKE_TEA"), listed_as).await.unwrap();
        assert_eq!(found.kind, expected);
    }
}

#[tokio::test]
async fn command_in_wrong_list_is_refused() {
    let (status, message, _) = refusal(command(LIST), Some(CommandKind::Action)).await;
    assert_eq!(status, CallStatus::Malformed);
    assert_eq!(message, "LIST_ENTRIES is a query: put it in `queries`");
    let (status, message, _) = refusal(command(CREATE), Some(CommandKind::Query)).await;
    assert_eq!(status, CallStatus::Malformed);
    assert_eq!(message, "CREATE_ENTRY is an action: put it in `actions`");
}

#[tokio::test]
async fn invalid_arguments_are_refused_with_every_path() {
    let arguments = JsonValue::from([("tool", JsonValue::from(7)), ("kg", JsonValue::from("much"))]);
    let asked = Command { name: "CREATE_ENTRY".into(), arguments };
    let (status, message, path) = refusal(asked, None).await;
    assert_eq!(status, CallStatus::InvalidArguments);
    assert!(message.starts_with("the parameters of CREATE_ENTRY are not valid: "), "{message}");
    for place in [r#"/kg: "much" is not of type "number""#, r#"/tool: 7 is not of type "string""#] {
        assert!(message.contains(place), "{message}");
    }
    assert!(matches!(path.as_deref(), Some("/kg" | "/tool")), "{path:?}");

    let nothing = Command { name: CREATE.into(), arguments: JsonValue::Object(Vec::new()) };
    let (status, _, path) = refusal(nothing, None).await;
    assert_eq!((status, path), (CallStatus::InvalidArguments, None), "the whole is wrong, not a place in it");
}

#[tokio::test]
async fn action_lookup_has_approval_reasons() {
    let story = MachineSessionFixture::chat().with_model_called();
    let pipeline = pipeline(no_twins());
    let found = look_up(&pipeline, &story, None, command(SEND), None).await.unwrap();
    let CallLookup::Known { reasons, .. } = found.lookup else { panic!("{:?}", found.lookup) };
    let egress = ApprovalReason {
        level: ValidationLevel::Catalog,
        about: None,
        text: sentences::approval_egress(),
        approvers: None,
    };
    assert_eq!(reasons, [egress]);
}

/// A session in which `entries.list` succeeded a second ago.
fn answered() -> (MachineSessionFixture, Call) {
    let story = MachineSessionFixture::chat()
        .with_model_called()
        .with_reply(Default::default(), vec![requested_call(LIST, false)]);
    let call = story.phase.batch().unwrap().calls[0].clone();
    let outcome = CallOutcome::Succeeded { content: "[1]".into(), digest: sha256(b"[1]"), files: Vec::new() };
    (story.with_input(Input::CallFinished { call: call.id.clone(), attempt: 1, outcome }), call)
}

/// The log of a session in which these rows are the identical calls.
fn log_of(story: &MachineSessionFixture, twins: Vec<CallRow>) -> MockLogReader {
    let mut log = MockLogReader::new();
    let command_id = requested_call(LIST, false).command_id;
    log.expect_calls_with_command_id()
        .with(eq(workspace()), eq(session()), eq(command_id), eq(story.facts.exchange))
        .returning(move |_, _, _, _| Ok(twins.clone()));
    let rows = story.log();
    log.expect_entry().returning(move |key, seq| {
        assert_eq!(*key, workspace());
        Ok(rows.iter().find(|row| row.seq == seq).cloned())
    });
    log
}

/// The identical call found for `entries.list` with these ledger rows and this time of the last committed action.
async fn twin(
    story: &MachineSessionFixture,
    rows: Vec<CallRow>,
    last_action_at: Option<Timestamp>,
) -> Option<IdenticalCall> {
    let pipeline = pipeline(log_of(story, rows));
    let found = look_up(&pipeline, story, last_action_at, command(LIST), None).await.unwrap();
    match found.lookup {
        CallLookup::Known { twin, .. } => twin,
        refused @ CallLookup::Refused { .. } => panic!("{refused:?}"),
    }
}

#[tokio::test]
async fn identical_query_is_found_with_its_content() {
    let (story, call) = answered();
    let found = twin(&story, story.calls.clone(), None).await;
    let expected = IdenticalCall {
        call: call.id,
        finished_at: story.now(),
        content: "[1]".into(),
        files: Vec::new(),
        fresh: true,
    };
    assert_eq!(found, Some(expected));
}

#[tokio::test]
async fn answer_before_last_action_is_stale() {
    let (story, call) = answered();
    let fresh = async |at| twin(&story, story.calls.clone(), Some(at)).await.unwrap().fresh;
    assert!(fresh(call.requested_at.plus(Millis(-1))).await, "the action was before the query");
    assert!(fresh(call.requested_at).await, "the query ran after the turn that committed the action");
    assert!(!fresh(call.requested_at.plus(Millis(1))).await, "the action was after the query");
}

#[tokio::test]
async fn answer_of_uncacheable_command_is_stale() {
    let (story, _) = answered();
    let volatile = CommandSpec { cacheable: false, ..list() };
    let pipeline = pipeline_with(log_of(&story, story.calls.clone()), vec![volatile]);
    let found = look_up(&pipeline, &story, None, command(LIST), None).await.unwrap();
    let CallLookup::Known { twin: Some(twin), .. } = found.lookup else { panic!("{:?}", found.lookup) };
    assert!(!twin.fresh);
}

#[tokio::test]
async fn unsuccessful_calls_are_not_identical_calls() {
    let (story, _) = answered();
    let row = story.calls[0].clone();
    let with_state = |state: LedgerState| CallRow { state, ..row.clone() };
    assert_eq!(twin(&story, Vec::new(), None).await, None);
    use LedgerState::{Cached, Failed, SettledHappened, Started, Unknown};
    for state in [Failed, Unknown, Cached, SettledHappened] {
        assert_eq!(twin(&story, vec![with_state(state)], None).await, None, "{state:?}");
    }
    let running = CallRow { finished_at: None, result_seq: None, ..with_state(Started) };
    assert_eq!(twin(&story, vec![running.clone()], None).await, None);
    // The latest successful one counts.
    assert!(twin(&story, vec![running, with_state(Failed), row], None).await.is_some());
}

#[tokio::test]
async fn unreadable_ledger_is_an_error() {
    let mut log = MockLogReader::new();
    log.expect_calls_with_command_id().returning(|_, _, _, _| Err(unavailable()));
    let found = look_up(
        &pipeline(log),
        &MachineSessionFixture::chat().with_model_called(),
        None,
        command(LIST),
        None,
    )
    .await;
    assert!(matches!(found, Err(StoreError::Unavailable(_))), "{found:?}");
}

/// The changes for the session's calls with this catalog and these settings.
async fn recheck(
    story: &MachineSessionFixture,
    specs: Vec<CommandSpec>,
    settings: WorkspaceSettings,
) -> Vec<ApprovalRecheck> {
    let pipeline = pipeline_with(MockLogReader::new(), specs);
    let setting = CallLookupContext {
        facts: &story.facts,
        settings: &settings,
        rules: &[],
        asked_by: &story.facts.asked_by,
        acts_as: story.facts.asked_by.acts_as.as_deref(),
        last_action_at: None,
        ai_request: false,
        policy: None,
        now: story.now(),
    };
    pipeline.recheck(setting, &story.phase.batch().unwrap().calls).await.unwrap()
}

#[tokio::test]
async fn unchanged_calls_are_not_rechecked() {
    let story = MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE]);
    let same = recheck(&story, vec![create()], WorkspaceSettings::default()).await;
    assert_eq!(same, [], "the model's own request for approval is remembered");
}

#[tokio::test]
async fn newly_set_flag_adds_a_reason() {
    let story = MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE]);
    let settings = WorkspaceSettings { require_validation: true, ..WorkspaceSettings::default() };
    let changed = recheck(&story, vec![create()], settings).await;
    let [recheck] = changed.as_slice() else { panic!("{changed:?}") };
    let call = &story.phase.batch().unwrap().calls[0];
    assert_eq!(
        (&recheck.call, &recheck.version),
        (&call.id, &call.terms.as_ref().map(|t| t.version.clone()))
    );
    let levels: Vec<ValidationLevel> = recheck.reasons.iter().map(|reason| reason.level).collect();
    assert_eq!(levels, [ValidationLevel::App, ValidationLevel::AiRequest]);
}

#[tokio::test]
async fn changed_or_removed_command_is_rechecked() {
    let story = MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE]);
    let other = CommandSpec { effect: entracte_domain::command::EffectClass::Once, ..create() };
    let version = catalog_with(vec![other.clone()]).find(CREATE).unwrap().version.clone();
    let changed = recheck(&story, vec![other], WorkspaceSettings::default()).await;
    assert_eq!(changed.iter().map(|recheck| &recheck.version).collect::<Vec<_>>(), [&Some(version)]);

    let gone = recheck(&story, vec![list()], WorkspaceSettings::default()).await;
    let call = story.open_call_ids()[0].clone();
    assert_eq!(gone, [ApprovalRecheck { call, version: None, reasons: Vec::new(), now: None }]);
}

#[tokio::test]
async fn queries_and_finished_calls_are_not_rechecked() {
    let story = MachineSessionFixture::chat()
        .with_model_called()
        .with_reply(Default::default(), vec![requested_call(LIST, false)]);
    assert_eq!(recheck(&story, vec![create()], WorkspaceSettings::default()).await, []);
    // The command is gone as well, but its call has its result.
    let refused = RequestedCall {
        lookup: CallLookup::Refused {
            status: CallStatus::Forbidden,
            message: "no".into(),
            path: None,
            shows: None,
        },
        ..requested_call(CREATE, false)
    };
    let story = MachineSessionFixture::chat()
        .with_model_called()
        .with_reply(Default::default(), vec![refused, requested_call(LIST, false)]);
    assert_eq!(recheck(&story, Vec::new(), WorkspaceSettings::default()).await, []);
}

#[test]
fn edited_arguments_are_checked_like_model_arguments() {
    let catalog = catalog_with(vec![list(), create(), send()]);
    let english = LocalizedTexts::for_language(Language::En);
    assert_eq!(edit_faults(&catalog, CREATE, &arguments(), english), []);
    let faults = edit_faults(&catalog, CREATE, &JsonValue::from([("tool", JsonValue::from(7))]), english);
    assert_eq!(faults.iter().map(|fault| fault.path.as_str()).collect::<Vec<_>>(), ["/tool"]);
    let faults = edit_faults(&catalog, "entries.lost", &arguments(), english);
    assert_eq!(faults[0].sentence(), "the command entries.lost no longer exists");
}
