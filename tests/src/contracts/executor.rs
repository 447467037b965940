//! The suite of [`CommandExecutor`]: what is run twice, dropped in its midst, left to itself, asked about and described.
//!
//! `open` is an `async fn() -> ExecutorFixture`; each check has a fresh world outside:
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
use entracte_application::settings::WorkspaceLocale;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::{Command, CommandKind, EffectClass};
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use entracte_domain::value::JsonValue;

/// An executor, calls of its commands, and what can be seen of the world outside.
pub struct ExecutorFixture {
    /// The executor.
    pub executor: Arc<dyn CommandExecutor>,
    /// A query that is answered; none where there is no query.
    pub query: Option<CallRequest>,
    /// An external action that is done at once; none where there is none.
    pub action: Option<CallRequest>,
    /// A call that the world outside does not answer until it is broken off; none where there is none.
    pub unanswered: Option<CallRequest>,
    /// A call that the world outside refuses; none where there is none.
    pub refused: Option<CallRequest>,
    /// The rows that it may read.
    pub rows: Arc<dyn ResourceReader>,
    /// The world outside.
    pub world: Box<dyn ExternalEffectsProbe>,
    /// Whatever must live as long: a server, a directory.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// What can be seen of the world outside.
pub trait ExternalEffectsProbe: Send + Sync {
    /// How often it was changed.
    fn changes(&self) -> usize;

    /// How often it was asked for anything.
    fn request_count(&self) -> usize;

    /// How much goes on there now for calls that were not answered yet.
    fn running_calls(&self) -> usize;
}

/// A call of a command with these arguments, of a first attempt.
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
    }
}

/// Rows of a workspace that has none.
pub fn no_rows() -> Arc<dyn ResourceReader> {
    let mut rows = MockResourceReader::new();
    rows.expect_resources().returning(|_, _| Ok(Vec::new()));
    rows.expect_resource().returning(|_, _, _| Ok(None));
    rows.expect_count().returning(|_, _| Ok(0));
    rows.expect_versions().returning(|_, _| Ok(Vec::new()));
    Arc::new(rows)
}

/// How long a check lets pass, on a clock that passes by itself; longer than any limit of a call.
const LONG: Duration = Duration::from_secs(24 * 3600);
/// How often others may go on before something is looked at.
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

    /// Begins the call that is not answered, and returns once it goes on outside.
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

/// Each has a name and a word of its own, says what it does, and takes an object of which it names every part.
pub async fn commands_are_declared_once_and_whole(commands: ExecutorFixture) {
    let specs = commands.executor.commands();
    assert!(!specs.is_empty(), "it has commands");
    let names: BTreeSet<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    let words: BTreeSet<&str> = specs.iter().map(|spec| spec.word.as_str()).collect();
    assert_eq!((names.len(), words.len()), (specs.len(), specs.len()), "one name, one command");
    assert_eq!(commands.executor.commands(), specs, "they are the same whenever they are asked for");
    for spec in &specs {
        assert!(!spec.doc.trim().is_empty(), "{} does not say what it does", spec.name);
        let closed = spec.schema["additionalProperties"] == serde_json::Value::Bool(false);
        assert!(spec.schema["type"] == "object" && closed, "{} takes anything: {}", spec.name, spec.schema);
        assert!(spec.kind == CommandKind::Query || spec.effect != EffectClass::Read, "{} acts", spec.name);
    }
    let catalog =
        Catalog::new(std::slice::from_ref(&commands.executor)).unwrap_or_else(|error| panic!("{error}"));
    assert!(catalog.refused_commands().is_empty(), "{:?}", catalog.refused_commands());
}

/// It may be asked again at any time: it changes nothing, and answers the same to the same.
pub async fn a_query_run_twice_changes_nothing(commands: ExecutorFixture) {
    let Some(query) = &commands.query else { return };
    assert_eq!(commands.spec(query).kind, CommandKind::Query);
    let first = commands.executor.run(query.clone()).await;
    assert!(matches!(first, CallOutcome::Succeeded { .. }), "{first:?}");
    let again = CallRequest { attempt: 2, ..query.clone() };
    assert_eq!(commands.executor.run(again).await, first);
    assert_eq!(commands.world.changes(), 0);
}

/// Once for each call that the ledger shows as started; an idempotent one once for its key, however often it is called.
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
        // A child is no call of an executor.
        EffectClass::Child => 0,
        EffectClass::Read | EffectClass::Local | EffectClass::Probe | EffectClass::Once => 2,
    };
    assert_eq!(commands.world.changes(), expected, "as an action of class {effect:?}");
}

/// Whoever breaks a call off stops the work for real, and nothing of it shows later.
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

/// How long a call may take is decided outside. Left alone it waits, or says that nobody knows: what was sent may have been
/// carried out, so it is neither done nor failed. In any case the work stops with it.
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

/// What was refused is told, and not tried again: whether it may be is in the ledger.
pub async fn a_failure_is_one_attempt(commands: ExecutorFixture) {
    let Some(request) = &commands.refused else { return };
    let outcome = commands.executor.run(request.clone()).await;
    let CallOutcome::Failed(failure) = &outcome else { panic!("it was refused, and is {outcome:?}") };
    assert!(!failure.code.is_empty() && !failure.message.trim().is_empty(), "{failure:?}");
    assert_eq!((commands.world.request_count(), commands.world.changes()), (1, 0));
}

/// An action that can be asked about says whether it happened, and asking does nothing; of any other nobody knows.
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

/// A person reads what would be done, with the values of this call, before anything is done.
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

/// What changes the outside has no plan: a plan is committed, and nothing outside is a row.
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

/// A command of somebody else, or of a later version, is told and not guessed.
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

/// The behaviours of an executor, given to another macro.
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
                an_action_is_described_before_it_is_done,
                an_action_outside_has_no_plan,
                what_it_does_not_know_is_failed,
            ]
        }
    };
}
