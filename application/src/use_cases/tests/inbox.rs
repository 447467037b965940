use std::collections::BTreeSet;
use std::sync::Arc;

use entracte_domain::automation::AutomationGrant;
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::message::AiMessage;
use entracte_domain::question::Question;
use entracte_domain::session::{ParkReason, Phase, UnattendedPolicy};
use mockall::predicate::eq;

use crate::codec::encode_automation;
use crate::commands::Catalog;
use crate::kit::{
    CREATE, MachineSessionFixture, NOON, SEND, catalog, catalog_of, create, executor, send, session,
    unavailable, workspace,
};
use crate::ports::*;
use crate::use_cases::*;

/// The inbox of a workspace with this one waiting session, and these calls of unknown outcome.
async fn inbox(
    waits: Option<&MachineSessionFixture>,
    unsettled: Vec<CallRow>,
    catalog: Arc<Catalog>,
) -> Vec<InboxItem> {
    let filter = SessionFilter { workspace: Some(workspace()), waiting: true, open: false, limit: 0 };
    let listed: Vec<SessionListRow> = waits.map(|story| story.row().into()).into_iter().collect();
    let row = waits.map_or_else(|| MachineSessionFixture::chat().row(), MachineSessionFixture::row);
    let mut store = MockWorkspaceStore::new();
    store.expect_session().with(eq(workspace()), eq(session())).returning(move |_, _| Ok(Some(row.clone())));
    store.expect_workspace().with(eq(workspace())).returning(|_| Ok(None));
    let mut log = MockLogReader::new();
    log.expect_session_list().with(eq(filter)).return_once(|_| Ok(listed));
    log.expect_calls_with_unknown_outcome().with(eq(workspace())).return_once(|_| Ok(unsettled));
    log.expect_entries_since().returning(|_, _, _, _| Ok(vec![]));
    let mut clock = MockClock::new();
    clock.expect_now().return_const(NOON);
    let rows = Arc::new(MockResourceReader::new());
    let inbox = ReadInbox::new(Arc::new(store), Arc::new(log), rows, catalog, Arc::new(clock));
    let items = inbox.run(&workspace()).await.unwrap();
    let is_of_session = |item: &&InboxItem| !matches!(item.kind, InboxKind::Unsettled(_));
    let ids: BTreeSet<String> = items.iter().filter(is_of_session).map(InboxItem::id).collect();
    let rows = waits.map(|story| InboxRow::of_session(&story.facts, &story.phase)).unwrap_or_default();
    let rows: BTreeSet<String> = rows.into_iter().map(|row| row.item).collect();
    assert_eq!(rows, ids, "the rows tell what waits");
    items
}

/// The kinds of these items.
fn kinds(items: Vec<InboxItem>) -> Vec<InboxKind> {
    let is_ours = |item: &InboxItem| item.session == session() && item.name == "weight";
    assert!(items.iter().all(is_ours), "{items:?}");
    items.into_iter().map(|item| item.kind).collect()
}

#[tokio::test]
async fn an_empty_inbox_is_empty() {
    assert_eq!(inbox(None, Vec::new(), catalog()).await, []);
}

#[tokio::test]
async fn each_waiting_call_is_one_described_item() {
    let story = MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE, SEND]);
    let mut executor = executor(vec![create(), send()]);
    executor.expect_target().returning(|_, _| Ok(ActionTarget::default()));
    executor.expect_describe().returning(|request, _| {
        Ok(ActionDescription { says: format!("Do {}", request.command.name), ..ActionDescription::default() })
    });
    let items = inbox(Some(&story), Vec::new(), catalog_of(executor)).await;
    let told: Vec<_> = items
        .iter()
        .map(|item| match &item.kind {
            InboxKind::Approval(approval) => (approval.id.clone(), approval.description.says.as_str()),
            other => panic!("{other:?}"),
        })
        .collect();
    let open = story.open_call_ids();
    assert_eq!(told, [(open[0].approval_id(), "Do entries.create"), (open[1].approval_id(), "Do mail.send")]);
}

#[tokio::test]
async fn a_question_is_an_item() {
    let question = Question::Validation { message: "Shall I go on?".into() };
    let said = AiMessage { question: Some(question.clone()), ..AiMessage::default() };
    let story = MachineSessionFixture::chat().with_model_called().with_reply(said, Vec::new());
    let items = inbox(Some(&story), Vec::new(), catalog()).await;
    assert_eq!(kinds(items), [InboxKind::Question(question)]);
}

#[tokio::test]
async fn parked_run_is_item_with_reason() {
    let mut story = MachineSessionFixture::chat();
    story.phase = Phase::Parked(ParkReason::Exhausted("the credit is used up".into()));
    let items = inbox(Some(&story), Vec::new(), catalog()).await;
    assert_eq!(kinds(items), [InboxKind::Parked(ParkReason::Exhausted("the credit is used up".into()))]);
}

#[tokio::test]
async fn unknown_outcome_is_item_of_idle_session() {
    let row =
        MachineSessionFixture::chat().with_model_called().with_approval_requests(&[SEND]).calls[0].clone();
    let row = CallRow { state: LedgerState::Unknown, ..row };
    let items = inbox(None, vec![row.clone()], catalog()).await;
    assert_eq!(kinds(items), [InboxKind::Unsettled(Box::new(row))]);
}

/// Input: an automation of an earlier version with `allow` but no grant, and one with `park`; expected: the first is
/// in the inbox, with the note that its actions wait, until it is granted.
#[tokio::test]
async fn allow_without_grant_is_in_inbox() {
    let automation = |unattended, grant| {
        let mut automation = crate::samples::automation();
        automation.policies.run.unattended = Some(unattended);
        automation.grant = grant;
        automation
    };
    let grant = AutomationGrant {
        author: "ann".into(),
        at: NOON,
        seed: crate::samples::automation().seed,
        instructions: Vec::new(),
        allows: true,
        frees: false,
    };
    let cases = [
        (automation(UnattendedPolicy::Allow, None), 1),
        (automation(UnattendedPolicy::Park, None), 0),
        (automation(UnattendedPolicy::Allow, Some(grant)), 0),
    ];
    for (automation, expected) in cases {
        let row = encode_automation(&workspace(), &automation, 1).unwrap();
        let mut automations = MockAutomationReader::new();
        automations.expect_automations().returning(move |_| Ok(vec![row.clone()]));
        let mut log = MockLogReader::new();
        log.expect_session_list().returning(|_| Ok(vec![]));
        log.expect_calls_with_unknown_outcome().returning(|_| Ok(vec![]));
        let (store, rows, clock) = (MockWorkspaceStore::new(), MockResourceReader::new(), MockClock::new());
        let inbox =
            ReadInbox::new(Arc::new(store), Arc::new(log), Arc::new(rows), catalog(), Arc::new(clock));
        let items = inbox.with_automations(Arc::new(automations)).run(&workspace()).await.unwrap();
        let kinds: Vec<_> = items.into_iter().map(|item| item.kind).collect();
        let ungranted = InboxKind::Ungranted { automation: automation.id };
        assert_eq!(kinds, vec![ungranted; expected], "{:?}", automation.policies.run);
    }
}

#[tokio::test]
async fn errors_of_the_log_are_passed_on() {
    let mut log = MockLogReader::new();
    log.expect_session_list().returning(|_| Err(unavailable()));
    let (store, rows, clock) = (MockWorkspaceStore::new(), MockResourceReader::new(), MockClock::new());
    let inbox = ReadInbox::new(Arc::new(store), Arc::new(log), Arc::new(rows), catalog(), Arc::new(clock));
    let error = inbox.run(&workspace()).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Store(StoreError::Unavailable(_))), "{error:?}");
}
