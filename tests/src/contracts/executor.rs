//! The contract suite of [`CommandExecutor`]: repeated, dropped, unanswered, queried and described calls.
//!
//! `open` is an `async fn() -> ExecutorFixture`; each check has fresh external effects:
//!
//! ```ignore
//! entracte_tests::executor_contracts!(open);
//! ```

use std::any::Any;
use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use entracte_application::command_naming::CommandNaming;
use entracte_application::commands::Catalog;
use entracte_application::ports::{
    ActionPlanError, CallRequest, CommandExecutor, CommandSpec, MockResourceReader, ResourceReader,
};
use entracte_application::schema::Schema;
use entracte_application::settings::SchemaBounds;
use entracte_application::settings::WorkspaceLocale;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::{Command, CommandKind, EffectClass};
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

use super::time_limit::unblocked;

/// An executor, calls of its commands, and a probe of their external effects.
pub struct ExecutorFixture {
    /// The executor.
    pub executor: Arc<dyn CommandExecutor>,
    /// A query that is answered; `None` if there is no query.
    pub query: Option<CallRequest>,
    /// An external action that completes at once; `None` if there is none.
    pub action: Option<CallRequest>,
    /// A call that the external system does not answer until it is dropped; `None` if there is none.
    pub unanswered: Option<CallRequest>,
    /// A call that the external system refuses; `None` if there is none.
    pub refused: Option<CallRequest>,
    /// The rows that it may read.
    pub rows: Arc<dyn ResourceReader>,
    /// The probe of external effects.
    pub world: Box<dyn ExternalEffectsProbe>,
    /// Resources that must outlive the executor: a server, a directory.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// Observes the external system.
pub trait ExternalEffectsProbe: Send + Sync {
    /// How often it was changed.
    fn changes(&self) -> usize;

    /// How many requests it received.
    fn request_count(&self) -> usize;

    /// Number of unanswered calls that are running there now.
    fn running_calls(&self) -> usize;
}

/// The first attempt of a call with these arguments.
pub fn request(command: &str, arguments: JsonValue) -> CallRequest {
    let now = Timestamp(1_795_176_000_000_000);
    CallRequest {
        workspace: WorkspaceKey::new("ann:home"),
        session: SessionId::new("ses_kit"),
        call: CallId::new("cal_kit_1_0"),
        command: Command { name: command.to_owned(), arguments },
        acts_as: Some("ann".to_owned()),
        via: Vec::new(),
        key: "key-of-the-kit".to_owned(),
        task: None,
        attempt: 1,
        now,
        reference: now,
        locale: WorkspaceLocale::default(),
        naming: CommandNaming::Types,
        restriction: entracte_domain::restriction::Restriction::Open,
        progress: entracte_application::ports::CallProgressSink::default(),
    }
}

/// A reader for a workspace without rows.
pub fn no_rows() -> Arc<dyn ResourceReader> {
    let mut rows = MockResourceReader::new();
    rows.expect_resources().returning(|_, _| Ok(Vec::new()));
    rows.expect_resources_named().returning(|_, _, _| Ok(Vec::new()));
    rows.expect_resource().returning(|_, _, _| Ok(None));
    rows.expect_count().returning(|_, _| Ok(0));
    rows.expect_versions().returning(|_, _| Ok(Vec::new()));
    Arc::new(rows)
}

/// The time that a check advances the automatic clock; longer than any limit of a call.
const LONG: Duration = Duration::from_secs(24 * 3600);
/// How often other tasks may run before a check looks.
const TURNS: u32 = 200;

impl ExecutorFixture {
    fn spec(&self, request: &CallRequest) -> CommandSpec {
        let specs = self.executor.commands();
        let found = specs.into_iter().find(|spec| spec.name == request.command.name);
        found.unwrap_or_else(|| panic!("{} is not declared", request.command.name))
    }

    async fn settle(&self) {
        for _ in 0..TURNS {
            tokio::task::yield_now().await;
        }
    }

    /// Starts the unanswered call, and returns once it is running externally.
    async fn begun(&self, request: &CallRequest) -> Pin<Box<dyn Future<Output = CallOutcome> + Send + '_>> {
        let mut call = self.executor.run(request.clone());
        for _ in 0..TURNS * TURNS {
            if let Poll::Ready(outcome) = call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                panic!("it is not answered, and ended: {outcome:?}");
            }
            if self.world.running_calls() > 0 {
                return call;
            }
            tokio::task::yield_now().await;
        }
        panic!("nothing was begun outside");
    }
}

/// Every command has a unique name and word, a description, and an object schema that describes every member.
pub async fn commands_are_declared_once_and_whole(commands: ExecutorFixture) {
    let specs = commands.executor.commands();
    assert!(!specs.is_empty(), "it has commands");
    let names: BTreeSet<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let words: BTreeSet<&str> = specs.iter().map(|spec| spec.word.as_str()).collect();
    assert_eq!((names.len(), words.len()), (specs.len(), specs.len()), "one name, one command");
    assert_eq!(commands.executor.commands(), specs, "they are the same whenever they are asked for");
    for spec in &specs {
        assert!(!spec.doc.trim().is_empty(), "{} does not say what it does", spec.name);
        let closed = spec.schema.get("additionalProperties") == Some(&JsonValue::Bool(false));
        let is_object = spec.schema.get("type").and_then(JsonValue::as_text) == Some("object");
        assert!(is_object && closed, "{} takes anything: {}", spec.name, spec.schema);
        assert!(spec.kind == CommandKind::Query || spec.effect != EffectClass::Read, "{} acts", spec.name);
    }
    let catalog =
        Catalog::new(std::slice::from_ref(&commands.executor)).unwrap_or_else(|error| panic!("{error}"));
    assert!(catalog.refused_commands().is_empty(), "{:?}", catalog.refused_commands());
    // Those that are said to be tested are compiled by nobody else before their first check.
    for spec in &specs {
        let schema = Schema::new(&spec.schema, &SchemaBounds::default());
        assert!(schema.is_ok(), "the schema of {}: {schema:?}", spec.name);
    }
}

/// It is repeatable at any time: it changes nothing, and the same arguments give the same answer.
pub async fn a_query_run_twice_changes_nothing(commands: ExecutorFixture) {
    let Some(query) = &commands.query else { return };
    assert_eq!(commands.spec(query).kind, CommandKind::Query);
    let first = commands.executor.run(query.clone()).await;
    assert!(matches!(first, CallOutcome::Succeeded { .. }), "{first:?}");
    let again = CallRequest { attempt: 2, ..query.clone() };
    assert_eq!(commands.executor.run(again).await, first);
    assert_eq!(commands.world.changes(), 0);
}

/// Once per call that the ledger shows as started; an idempotent action once per key, however often it is called.
pub async fn an_action_run_twice_is_done_as_its_class_says(commands: ExecutorFixture) {
    let Some(action) = &commands.action else { return };
    let effect = commands.spec(action).effect;
    let first = commands.executor.run(action.clone()).await;
    assert!(matches!(first, CallOutcome::Succeeded { .. } | CallOutcome::Accepted { .. }), "{first:?}");
    assert_eq!(commands.world.changes(), 1, "what it says was done was done");
    let again = CallRequest { attempt: 2, ..action.clone() };
    commands.executor.run(again).await;
    let expected = match effect {
        EffectClass::Idempotent => 1,
        // A child session is no call of an executor.
        EffectClass::Child => 0,
        EffectClass::Read | EffectClass::Local | EffectClass::Probe | EffectClass::Once => 2,
    };
    assert_eq!(commands.world.changes(), expected, "as an action of class {effect:?}");
}

/// Dropping a call really stops its work, and no effect of it appears later.
pub async fn a_dropped_call_stops_its_work(commands: ExecutorFixture) {
    let Some(request) = &commands.unanswered else { return };
    let call = commands.begun(request).await;
    drop(call);
    for _ in 0..TURNS {
        if commands.world.running_calls() == 0 {
            break;
        }
        commands.settle().await;
    }
    assert_eq!((commands.world.running_calls(), commands.world.changes()), (0, 0));
}

/// The caller decides how long a call may take. Without a limit the call waits, or ends as unknown: the sent request
/// may have been executed, so it is neither done nor failed. In any case the work stops with the call.
pub async fn no_answer_is_no_outcome(commands: ExecutorFixture) {
    let Some(request) = &commands.unanswered else { return };
    let call = commands.begun(request).await;
    tokio::time::pause();
    let ended = tokio::time::timeout(LONG, call).await;
    tokio::time::resume();
    assert!(
        matches!(ended, Err(_) | Ok(CallOutcome::TimedOut | CallOutcome::Lost { .. })),
        "there was no answer, and it is {ended:?}"
    );
    for _ in 0..TURNS {
        if commands.world.running_calls() == 0 {
            break;
        }
        commands.settle().await;
    }
    assert_eq!((commands.world.running_calls(), commands.world.changes()), (0, 0));
}

/// A refusal is reported and not retried: the ledger decides about retries.
pub async fn a_failure_is_one_attempt(commands: ExecutorFixture) {
    let Some(request) = &commands.refused else { return };
    let outcome = commands.executor.run(request.clone()).await;
    let CallOutcome::Failed(failure) = &outcome else { panic!("it was refused, and is {outcome:?}") };
    assert!(!failure.code.is_empty() && !failure.message.trim().is_empty(), "{failure:?}");
    assert_eq!((commands.world.request_count(), commands.world.changes()), (1, 0));
}

/// The outcome of a `probe` action can be queried without any effect; any other action stays unknown.
pub async fn asking_tells_whether_it_happened(commands: ExecutorFixture) {
    let Some(action) = &commands.action else { return };
    let effect = commands.spec(action).effect;
    let before = commands.executor.probe_outcome(action.clone()).await;
    assert_eq!(commands.world.changes(), 0, "it was only asked");
    commands.executor.run(action.clone()).await;
    let after = commands.executor.probe_outcome(action.clone()).await;
    assert_eq!(commands.world.changes(), 1, "it was only asked");
    let happened = |outcome: &CallOutcome| match outcome {
        CallOutcome::Probed { happened, .. } => Ok(*happened),
        other => Err(format!("{other:?}")),
    };
    if effect == EffectClass::Probe {
        assert_eq!((happened(&before), happened(&after)), (Ok(Some(false)), Ok(Some(true))));
    } else {
        assert!(matches!(after, CallOutcome::Lost { .. }), "{after:?}");
    }
}

/// A look-up is about its own call: the effect of another call, with the same arguments and another key, is none of it.
pub async fn a_look_up_finds_only_its_own_effect(commands: ExecutorFixture) {
    let Some(action) = &commands.action else { return };
    if commands.spec(action).effect != EffectClass::Probe {
        return;
    }
    commands.executor.run(action.clone()).await;
    let other = CallRequest {
        call: CallId::new("cal_kit_2_0"),
        key: "another-key-of-the-kit".to_owned(),
        ..action.clone()
    };
    let found = commands.executor.probe_outcome(other).await;
    let is_taken_for_it = matches!(&found, CallOutcome::Probed { happened: Some(true), .. });
    assert!(!is_taken_for_it, "the effect of another call was found: {found:?}");
}

/// Nothing that an executor is asked keeps the thread of the runtime, on which everything else of the process runs.
pub async fn calls_of_an_executor_block_no_other_task(commands: ExecutorFixture) {
    let executor = &commands.executor;
    for request in commands.query.iter().chain(&commands.action) {
        unblocked("a call", executor.run(request.clone())).await;
    }
    if let Some(action) = &commands.action {
        unblocked("a look-up", executor.probe_outcome(action.clone())).await;
        let described = unblocked("a description", executor.describe(action.clone(), commands.rows.clone()));
        described.await.unwrap_or_else(|error| panic!("it is described: {error}"));
        unblocked("a check before approval", executor.precheck(action.clone())).await;
    }
}

/// A person reads the effect, with the values of this call, before it happens.
pub async fn an_action_is_described_before_it_is_done(commands: ExecutorFixture) {
    let Some(action) = &commands.action else { return };
    let described = || commands.executor.describe(action.clone(), commands.rows.clone());
    let first = described().await.unwrap_or_else(|error| panic!("it is described: {error}"));
    assert_eq!(described().await.ok().as_ref(), Some(&first), "the same call, the same words");
    let shown = format!("{} {:?} {:?} {:?}", first.says, first.before, first.after, first.warnings);
    for value in texts(&action.command.arguments) {
        assert!(shown.contains(&value), "“{value}” is not in what is shown: {shown}");
    }
    commands.executor.target(action.clone(), commands.rows.clone()).await.expect("its target is told");
    commands.executor.overwrites(action.clone(), commands.rows.clone()).await.expect("it is told");
    commands.executor.schema(action.clone(), commands.rows.clone()).await.expect("it is told");
    assert_eq!((commands.world.changes(), commands.world.running_calls()), (0, 0), "it was only described");
}

/// Every text that a person would look for.
fn texts(value: &JsonValue) -> Vec<String> {
    match value {
        JsonValue::Text(text) => vec![text.clone()],
        JsonValue::List(items) => items.iter().flat_map(texts).collect(),
        JsonValue::Object(members) => members.iter().flat_map(|(_, member)| texts(member)).collect(),
        JsonValue::Null | JsonValue::Bool(_) | JsonValue::Number(_) => Vec::new(),
    }
}

/// A check before an approval only reads, and a fault that it reports has its reason.
pub async fn a_call_is_checked_without_being_done(commands: ExecutorFixture) {
    for request in commands.action.iter().chain(&commands.refused).chain(&commands.query) {
        if let Some(failure) = commands.executor.precheck(request.clone()).await {
            assert!(!failure.code.is_empty() && !failure.message.trim().is_empty(), "{failure:?}");
        }
    }
    assert_eq!((commands.world.changes(), commands.world.running_calls()), (0, 0), "it was only checked");
}

/// An external change has no plan: plans are committed, and external state is no row.
pub async fn an_action_outside_has_no_plan(commands: ExecutorFixture) {
    let Some(action) = &commands.action else { return };
    if commands.spec(action).effect == EffectClass::Local {
        return;
    }
    match commands.executor.plan(action.clone(), commands.rows.clone()).await {
        Err(ActionPlanError::Refused(failure)) => assert!(!failure.message.trim().is_empty()),
        Err(ActionPlanError::Store(error)) => {
            panic!("it is refused, and not a failure of the store: {error}")
        }
        Ok(plan) => panic!("it was planned: {plan:?}"),
    }
    assert_eq!(commands.world.changes(), 0);
}

/// A command of another executor, or of a later version, fails instead of being guessed.
pub async fn what_it_does_not_know_is_failed(commands: ExecutorFixture) {
    let unknown = request("nobody.knows_this", JsonValue::Object(Vec::new()));
    let outcome = commands.executor.run(unknown).await;
    assert!(matches!(outcome, CallOutcome::Failed(_)), "{outcome:?}");
    assert_eq!(commands.world.changes(), 0);
}

/// One test per behaviour of an executor. Takes the name of an `async fn() -> ExecutorFixture`.
#[macro_export]
macro_rules! executor_contracts {
    ($open:ident) => {
        $crate::executor_suite!(contract_cases, $open);
    };
}

/// Passes the behaviours of an executor to another macro.
#[macro_export]
macro_rules! executor_suite {
    ($with:ident $(, $open:ident)?) => {
        $crate::$with! {
            executor,
            $($open,)?
            [
                commands_are_declared_once_and_whole,
                a_query_run_twice_changes_nothing,
                an_action_run_twice_is_done_as_its_class_says,
                a_dropped_call_stops_its_work,
                no_answer_is_no_outcome,
                a_failure_is_one_attempt,
                asking_tells_whether_it_happened,
                a_look_up_finds_only_its_own_effect,
                an_action_is_described_before_it_is_done,
                a_call_is_checked_without_being_done,
                an_action_outside_has_no_plan,
                what_it_does_not_know_is_failed,
                calls_of_an_executor_block_no_other_task,
            ]
        }
    };
}
