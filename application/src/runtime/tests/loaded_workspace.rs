use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use entracte_domain::call::CallOutcome;
use entracte_domain::id::{CallId, MessageId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::session::{Effect, Input, PhaseLabel};
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{Decision, DecisionVerdict};
use entracte_domain::workspace::ActivationResult;
use tokio::sync::oneshot;

use crate::codec::WorkspaceBody;
use crate::codec::{decode_entry, encode_mail_answer};
use crate::commands::CurrentCatalog;
use crate::kit::{
    CREATE, MachineSessionFixture, NOON, catalog_of, create, executor, owner, send, services, session,
    unavailable, workspace,
};
use crate::mail::{
    ChangeSettingsRequest, DecideCallsRequest, DeleteSessionRequest, Mail, MailAnswer, MailDecision,
    MailRequest, MailVerdict, MarkReadRequest, RefusalCode, SendMessageRequest, SessionRequest,
};
use crate::ports::CommandSpec;
use crate::ports::*;
use crate::runtime::{EffectOutcome, LoadedWorkspace, RuntimeServices, TurnError, WorkspaceInput};
use crate::system::sha256;
use crate::texts::RefusalTopic;

/// A database with one session and scripted results of its commits.
struct FakeWorkspaceStore {
    row: WorkspaceRow,
    session: SessionRow,
    calls: Vec<CallRow>,
    /// Errors of the next commits; those after them succeed.
    will: VecDeque<CommitError>,
    /// The commits it was asked to write.
    tried: Vec<WorkspaceCommit>,
    /// Its answers to the query for due sessions.
    due: VecDeque<Result<Vec<SessionId>, StoreError>>,
    next_wake: Option<Timestamp>,
    /// Mail that was not withdrawn.
    mail: Vec<MailRow>,
    /// Number of entries published to watchers.
    published: usize,
    /// Number of ledger queries for identical calls.
    asked_for_twins: usize,
}

type SharedFakeWorkspaceStore = Arc<Mutex<FakeWorkspaceStore>>;

fn base(story: &MachineSessionFixture) -> SharedFakeWorkspaceStore {
    let row = WorkspaceRow {
        key: workspace(),
        seq: 100 + story.facts.sequence,
        body: WorkspaceBody::default().encode().unwrap(),
        created_at: NOON,
        epoch: 0,
    };
    Arc::new(Mutex::new(FakeWorkspaceStore {
        row,
        session: story.row(),
        calls: story.calls.clone(),
        will: VecDeque::new(),
        tried: Vec::new(),
        due: VecDeque::new(),
        next_wake: None,
        mail: Vec::new(),
        published: 0,
        asked_for_twins: 0,
    }))
}

/// Simulates another process that writes to this database.
fn somebody_writes(base: &SharedFakeWorkspaceStore) -> CommitError {
    base.lock().unwrap().row.seq += 4;
    CommitError::Conflict("the workspace ann:home".into())
}

/// Returns `$result` computed from `$base`, whatever the arguments of the port.
macro_rules! reads {
    ($base:ident, |$held:ident| $result:expr) => {{
        let base = $base.clone();
        move || {
            let $held = &mut *base.lock().unwrap();
            $result
        }
    }};
}

async fn open(base: &SharedFakeWorkspaceStore) -> LoadedWorkspace {
    let mut store = MockWorkspaceStore::new();
    let (row, session_row) = (reads!(base, |b| b.row.clone()), reads!(base, |b| b.session.clone()));
    let (placed, due) = (reads!(base, |b| b.session.clone()), reads!(base, |b| b.due.pop_front()));
    let next_wake = reads!(base, |b| b.next_wake);
    store.expect_workspace().returning(move |_| Ok(Some(row())));
    store.expect_session().returning(move |_, id| Ok((*id == session()).then(&session_row)));
    store.expect_sessions_with_slot_demand().returning(move |_| Ok(vec![placed()]));
    store.expect_next_wake().returning(move |_| Ok(next_wake()));
    store.expect_due_sessions_in().returning(move |_, _| due().unwrap_or(Ok(Vec::new())));
    let committed = base.clone();
    store.expect_commit().returning(move |commit| {
        let held = &mut *committed.lock().unwrap();
        held.tried.push(commit.clone());
        if let Some(error) = held.will.pop_front() {
            return Err(error);
        }
        held.row = commit.workspace;
        if let Some((row, _)) = commit.sessions.into_iter().next() {
            held.session = row;
        }
        Ok(())
    });
    let mut log = MockLogReader::new();
    let calls = reads!(base, |b| b.calls.clone());
    let twins = reads!(base, |b| b.asked_for_twins += 1);
    log.expect_calls_with_command_id().returning(move |_, _, _, _| {
        twins();
        Ok(Vec::new())
    });
    log.expect_sessions().returning(|_| Ok(SessionRows::default()));
    log.expect_session_list().returning(|_| Ok(Vec::new()));
    // The session's prefix is a hash without bytes, so the session begins a generation first.
    log.expect_blob().returning(|_, _, _| Ok(None));
    log.expect_instructions().returning(|_, _| Ok(Vec::new()));
    let all = reads!(base, |b| b.calls.clone());
    log.expect_calls().returning(move |_, _| Ok(all()));
    log.expect_call().returning(move |_, id| Ok(calls().into_iter().find(|row| row.id == *id)));
    let mut mail_store = MockMailStore::new();
    let mail = reads!(base, |b| b.mail.clone());
    mail_store.expect_unanswered().returning(move || Ok(mail()));
    let mut feed = MockEventFeed::new();
    let publish = reads!(base, |b| b.published += 1);
    feed.expect_publish().returning(move |_| publish());
    let post = CommandSpec { egress: false, ..send() };
    let mut executor = executor(vec![create(), post]);
    executor.expect_target().returning(|_, _| Ok(ActionTarget::default()));
    executor.expect_plan().returning(|_, _| Ok(ActionPlan { changes: Vec::new(), content: "{}".into() }));
    let services = RuntimeServices {
        store: Arc::new(store),
        log: Arc::new(log),
        mail_store: Arc::new(mail_store),
        feed: Arc::new(feed),
        catalog: CurrentCatalog::new(catalog_of(executor)),
        ..services()
    };
    let owner = owner(&services).await;
    LoadedWorkspace::open(Arc::new(services), owner, workspace()).await.unwrap()
}

fn message_to(session: SessionId) -> Mail {
    let message = UserMessage::text("And now?");
    let request =
        MailRequest::session(session, SendMessageRequest { author: "ann".into(), message, client_key: None });
    Mail::from_request(request)
}

fn message() -> Mail {
    message_to(session())
}

/// A request of this process, and the receiver of its answer.
fn asked(mail: Mail) -> (WorkspaceInput, oneshot::Receiver<Result<MailAnswer, MailPostError>>) {
    let (reply, answer) = oneshot::channel();
    (WorkspaceInput::Request { mail, reply: Some(reply), row: None }, answer)
}

/// A request of another process.
fn mailed(id: i64) -> WorkspaceInput {
    WorkspaceInput::Request { mail: message(), reply: None, row: Some(MailId(id)) }
}

fn labels(commit: &WorkspaceCommit) -> Vec<&str> {
    commit.log.iter().map(|row| row.label.as_str()).collect()
}

/// The inputs of a message to a chat: its new prompt generation, the message, and the slot.
const MESSAGE: [&str; 3] = ["RulesChanged", "UserMessageSent", "StandingChanged"];

/// The answer of a session that wants a slot.
fn with_slot(message: Option<MessageId>, activation: ActivationResult) -> MailAnswer {
    MailAnswer::Accepted { message, session: session(), activation: Some(activation) }
}

#[tokio::test(start_paused = true)]
async fn turn_commits_once_then_updates_memory_and_watchers() {
    let base = base(&MachineSessionFixture::chat());
    let mut workspace = open(&base).await;
    let (item, mut answer) = asked(message());
    let mut incoming = vec![item];
    let turn = workspace.handle(&mut incoming).await.unwrap();

    let held = base.lock().unwrap();
    let [commit] = held.tried.as_slice() else { panic!("{:?}", held.tried) };
    assert_eq!(labels(commit), MESSAGE);
    assert_eq!((commit.expected_seq, commit.workspace.seq), (Some(101), 104));
    assert_eq!(
        commit.sessions.iter().map(|(row, was)| (row.sequence, *was)).collect::<Vec<_>>(),
        [(4, Some(1))]
    );
    assert_eq!(held.published, 3);
    assert!(incoming.is_empty());
    let accepted = with_slot(Some(session().message_id(3, 0)), ActivationResult::Activated);
    assert_eq!(answer.try_recv(), Ok(Ok(accepted)));
    let effect = Effect::CallModel { round: 1, attempt: 1, closing: false, words_only: false };
    assert_eq!(turn.touched, [(session(), vec![effect])]);
}

#[tokio::test(start_paused = true)]
async fn conflict_repeats_turn_from_reloaded_rows() {
    let base = base(&MachineSessionFixture::chat());
    let mut workspace = open(&base).await;
    let conflict = somebody_writes(&base);
    base.lock().unwrap().will.push_back(conflict);
    let (item, mut answer) = asked(message());
    workspace.handle(&mut vec![item]).await.unwrap();

    let held = base.lock().unwrap();
    let expected: Vec<_> = held.tried.iter().map(|commit| commit.expected_seq).collect();
    assert_eq!(expected, [Some(101), Some(105)]);
    assert_eq!(labels(&held.tried[1]), MESSAGE);
    assert_eq!(held.published, 3, "what was not committed is not told");
    assert!(answer.try_recv().is_ok());
}

#[tokio::test(start_paused = true)]
async fn third_conflict_fails_and_keeps_mail() {
    let base = base(&MachineSessionFixture::chat());
    let mut workspace = open(&base).await;
    for _ in 0..3 {
        let conflict = somebody_writes(&base);
        base.lock().unwrap().will.push_back(conflict);
    }
    let (item, mut answer) = asked(message());
    let mut incoming = vec![item];
    let fault = workspace.handle(&mut incoming).await.unwrap_err();

    assert!(matches!(fault, TurnError::Conflict(_)), "{fault:?}");
    assert_eq!(fault.to_string(), "the workspace ann:home; another process writes to this database");
    let held = base.lock().unwrap();
    assert_eq!((held.tried.len(), held.published, incoming.len()), (3, 0, 1));
    assert!(answer.try_recv().is_err(), "nobody was answered");
}

#[tokio::test(start_paused = true)]
async fn failed_commit_leaves_mail_and_memory_unchanged() {
    let base = base(&MachineSessionFixture::chat());
    let mut workspace = open(&base).await;
    base.lock().unwrap().will.push_back(unavailable().into());
    let (item, mut answer) = asked(message());
    let mut incoming = vec![item];
    let fault = workspace.handle(&mut incoming).await.unwrap_err();
    assert!(matches!(fault, TurnError::Store(StoreError::Unavailable(_))), "{fault:?}");
    assert_eq!((incoming.len(), base.lock().unwrap().published), (1, 0));
    assert!(answer.try_recv().is_err());

    workspace.handle(&mut incoming).await.unwrap();
    let held = base.lock().unwrap();
    let [failed, done] = held.tried.as_slice() else { panic!("{:?}", held.tried) };
    assert_eq!(failed, done, "the same turn, made from the same memory");
    assert!(answer.try_recv().is_ok());
}

#[tokio::test(start_paused = true)]
async fn commit_answers_the_mail_it_handles() {
    let base = base(&MachineSessionFixture::chat());
    let mut workspace = open(&base).await;
    workspace.handle(&mut vec![mailed(7)]).await.unwrap();
    let held = base.lock().unwrap();
    assert_eq!(labels(&held.tried[0]), MESSAGE);
    let accepted = with_slot(Some(session().message_id(3, 0)), ActivationResult::Activated);
    assert_eq!(held.tried[0].answers, [(MailId(7), encode_mail_answer(&accepted).unwrap())]);
}

#[tokio::test(start_paused = true)]
async fn withdrawn_mail_is_dropped_and_rest_is_handled() {
    let base = base(&MachineSessionFixture::chat());
    let mut workspace = open(&base).await;
    {
        let mut held = base.lock().unwrap();
        // The commit cannot answer mail 7, because its poster withdrew it; mail 8 is still there.
        held.will.push_back(CommitError::Conflict("mail 7".into()));
        let workspace = crate::kit::workspace();
        held.mail.push(MailRow { id: MailId(8), workspace, body: Vec::new(), posted_at: NOON });
    }
    let mut incoming = vec![mailed(7), mailed(8)];
    workspace.handle(&mut incoming).await.unwrap();
    let held = base.lock().unwrap();
    let answered = |commit: &WorkspaceCommit| commit.answers.iter().map(|(id, _)| id.0).collect::<Vec<_>>();
    assert_eq!(held.tried.iter().map(answered).collect::<Vec<_>>(), [vec![7, 8], vec![8]]);
    assert_eq!(labels(&held.tried[1]), MESSAGE, "one message, not two");
    assert!(incoming.is_empty());
}

#[tokio::test(start_paused = true)]
async fn turn_of_withdrawn_mail_writes_nothing() {
    let base = base(&MachineSessionFixture::chat());
    let mut workspace = open(&base).await;
    base.lock().unwrap().will.push_back(CommitError::Conflict("mail 7".into()));
    let mut incoming = vec![mailed(7)];
    workspace.handle(&mut incoming).await.unwrap();
    assert_eq!(base.lock().unwrap().tried.len(), 1);
    assert!(incoming.is_empty());
}

#[tokio::test(start_paused = true)]
async fn unknown_session_request_is_refused_without_commit() {
    let base = base(&MachineSessionFixture::chat());
    let mut workspace = open(&base).await;
    let unknown = SessionId::new("ses_lost");
    let (item, mut answer) = asked(message_to(unknown));
    workspace.handle(&mut vec![item]).await.unwrap();
    let text = "there is no session ses_lost".to_owned();
    let values = vec![("session".to_owned(), "ses_lost".to_owned())];
    let topic = Some(RefusalTopic { key: "request-no-session".to_owned(), values });
    assert_eq!(answer.try_recv(), Ok(Ok(MailAnswer::Refused { code: RefusalCode::NotFound, text, topic })));
    assert_eq!(base.lock().unwrap().tried.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn deadline_is_cleared_by_its_own_turn() {
    let base = base(&MachineSessionFixture::chat());
    base.lock().unwrap().next_wake = Some(NOON);
    let mut workspace = open(&base).await;
    base.lock().unwrap().due.push_back(Err(unavailable()));
    let mut incoming = vec![WorkspaceInput::Wake];
    workspace.handle(&mut incoming).await.unwrap_err();
    assert_eq!(incoming.len(), 1);
    assert_eq!(workspace.handle(&mut Vec::new()).await.unwrap().wake_at, Some(NOON));
    assert_eq!(workspace.handle(&mut incoming).await.unwrap().wake_at, None);
}

/// A chat in which one action was approved and done, and another one waits for approval; the ids of both.
fn decided_and_open() -> (MachineSessionFixture, CallId, CallId) {
    let story = MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE]);
    let first = story.open_call_ids()[0].clone();
    let (card, verdict) = (story.card(&first), DecisionVerdict::Approve { edited: None });
    let yes = Decision { call: first.clone(), card, verdict, rule: None };
    let outcome = CallOutcome::Succeeded { content: "{}".into(), digest: sha256(b"{}"), files: Vec::new() };
    let story = story
        .with_input(Input::ValidationReceived { author: "ann".into(), decisions: vec![yes] })
        .with_input(Input::CallFinished { call: first.clone(), attempt: 0, outcome })
        .with_user_message()
        .with_approval_requests(&[CREATE]);
    let second = story.open_call_ids()[0].clone();
    (story, first, second)
}

/// The answer to this verdict on these calls, and the committed decisions.
async fn decide(
    story: &MachineSessionFixture,
    calls: &[CallId],
    verdict: MailVerdict,
) -> (MailAnswer, Vec<CallId>) {
    let base = base(story);
    let mut workspace = open(&base).await;
    let decisions = calls
        .iter()
        .map(|call| MailDecision { call: call.clone(), card: story.card(call), verdict: verdict.clone() })
        .collect();
    let request =
        MailRequest::session(session(), DecideCallsRequest { author: "ann".into(), decisions, link: None });
    let (item, mut answer) = asked(Mail::from_request(request));
    workspace.handle(&mut vec![item]).await.unwrap();
    let held = base.lock().unwrap();
    let rows = held.tried.iter().flat_map(|commit| &commit.log);
    let taken = rows.filter_map(|row| match decode_entry(row).unwrap().input {
        Input::ValidationReceived { decisions, .. } => Some(decisions),
        _ => None,
    });
    let taken = taken.flatten().map(|decision| decision.call).collect();
    (answer.try_recv().unwrap().unwrap(), taken)
}

#[tokio::test(start_paused = true)]
async fn repeated_decision_decides_only_the_open_call() {
    let (story, first, second) = decided_and_open();
    let accepted = with_slot(None, ActivationResult::AlreadyActive);
    let both = [first.clone(), second.clone()];
    assert_eq!(decide(&story, &both, MailVerdict::Approve).await, (accepted.clone(), vec![second]));
    assert_eq!(decide(&story, &[first], MailVerdict::Approve).await, (accepted, Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn contradicting_decision_conflicts_and_decides_nothing() {
    let (story, first, second) = decided_and_open();
    let no = MailVerdict::Reject { reason: None };
    let text = format!(
        "the call {first} is no longer open: it was decided by ann (approved), and its state is succeeded"
    );
    let (answer, committed) = decide(&story, &[second, first], no).await;
    let MailAnswer::Refused { code, text: said, .. } = answer else { panic!("{answer:?}") };
    assert_eq!((code, said, committed), (RefusalCode::Conflict, text, Vec::new()));
}

/// The model's reply in a round: it sends a mail.
fn sends(round: u32) -> WorkspaceInput {
    let action = r#"{"type": "SEND_MAIL", "params": {"tool": "weight"}}"#;
    let reply = ModelReply {
        text: format!(r#"{{"pre_text": "I send it.", "actions": [{action}]}}"#),
        calls: Vec::new(),
        end: ReplyEnd::Done,
        usage: None,
        model: None,
        raw: None,
        request_id: None,
        body_digest: None,
    };
    let outcome = EffectOutcome::Model { round, attempt: 1, result: Ok(reply) };
    WorkspaceInput::Outcome { session: session(), outcome }
}

#[tokio::test(start_paused = true)]
async fn ledger_is_queried_only_for_possible_repeats() {
    let base = base(&MachineSessionFixture::chat());
    let mut workspace = open(&base).await;
    let (item, _) = asked(message());
    workspace.handle(&mut vec![item]).await.unwrap();
    let turn = workspace.handle(&mut vec![sends(1)]).await.unwrap();
    assert_eq!(base.lock().unwrap().asked_for_twins, 0, "the message began an exchange without calls");

    let [(_, effects)] = turn.touched.as_slice() else { panic!("{:?}", turn.touched) };
    let [Effect::RunCall { call, attempt }] = effects.as_slice() else { panic!("{effects:?}") };
    let outcome = CallOutcome::Succeeded { content: "{}".into(), digest: sha256(b"{}"), files: Vec::new() };
    let outcome = EffectOutcome::Call { call: call.clone(), attempt: *attempt, outcome };
    workspace.handle(&mut vec![WorkspaceInput::Outcome { session: session(), outcome }]).await.unwrap();
    workspace.handle(&mut vec![sends(2)]).await.unwrap();
    assert_eq!(base.lock().unwrap().asked_for_twins, 1, "the same call is in the ledger now");
}

#[tokio::test(start_paused = true)]
async fn setting_applies_to_reply_of_same_turn() {
    let base = base(&MachineSessionFixture::chat());
    let mut workspace = open(&base).await;
    let (item, _) = asked(message());
    workspace.handle(&mut vec![item]).await.unwrap();

    let changes = vec![("require_validation".into(), Some("true".into()))];
    let request = MailRequest::workspace(ChangeSettingsRequest { author: "ann".into(), changes });
    let (setting, mut answer) = asked(Mail::from_request(request));
    let mut incoming = vec![setting, sends(1)];
    let turn = workspace.handle(&mut incoming).await.unwrap();
    assert_eq!(answer.try_recv(), Ok(Ok(MailAnswer::Done)));
    assert_eq!(turn.touched, [(session(), Vec::new())], "nothing starts without approval");
    assert_eq!(base.lock().unwrap().session.phase, PhaseLabel::WaitingValidation);
}

#[tokio::test(start_paused = true)]
async fn session_can_be_written_and_deleted_together() {
    let base = base(&MachineSessionFixture::chat());
    let mut workspace = open(&base).await;
    let before = base.lock().unwrap().row.clone();
    let mail =
        |request: SessionRequest| asked(Mail::from_request(MailRequest::session(session(), request))).0;
    let mut incoming = vec![
        mail(MarkReadRequest { reader: "ann".into(), sequence: 1 }.into()),
        mail(DeleteSessionRequest { author: "ann".into() }.into()),
    ];
    workspace.handle(&mut incoming).await.unwrap();
    let held = base.lock().unwrap();
    held.tried[0].check(Some(&before)).unwrap();
    assert_eq!(held.tried[0].deleted, [(session(), 1)]);
    assert_eq!(held.published, 1, "that it is gone is told, and nothing of what it was");
}
