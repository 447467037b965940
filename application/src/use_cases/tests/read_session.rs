use std::sync::Arc;

use entracte_domain::call::CallOutcome;
use entracte_domain::message::MessageBody;
use entracte_domain::session::{Input, Standing};
use mockall::predicate::eq;

use crate::kit::{
    CREATE, LIST, MachineSessionFixture, catalog_of, executor, requested_call, session, unavailable,
    workspace,
};
use crate::ports::{
    ColumnWord, LogRow, MockLogReader, MockProvider, MockProviderRegistry, MockWorkspaceStore, SessionFilter,
    SessionListRow, SessionRow, SessionRows, StoreError, UnreadableSession,
};
use crate::system::sha256;
use crate::use_cases::*;

/// A store whose workspace was never committed to.
fn services() -> Arc<MockWorkspaceStore> {
    let mut store = MockWorkspaceStore::new();
    store.expect_session().returning(|_, _| Ok(Some(MachineSessionFixture::chat().row())));
    store.expect_workspace().returning(|_| Ok(None));
    Arc::new(store)
}

/// A log that returns these rows, at most `page` per read.
fn log(rows: Vec<LogRow>, page: usize) -> MockLogReader {
    let mut log = MockLogReader::new();
    log.expect_entries().returning(move |key, id, after, _| {
        assert_eq!((key, id), (&workspace(), &session()));
        Ok(rows.iter().filter(|row| row.seq > after).take(page).cloned().collect())
    });
    log
}

#[tokio::test]
async fn sessions_are_listed_as_the_log_gives_them() {
    let filter = SessionFilter { workspace: Some(workspace()), open: true, ..SessionFilter::default() };
    let row = MachineSessionFixture::chat().row();
    let listed = row.clone();
    let mut log = MockLogReader::new();
    log.expect_sessions().with(eq(filter.clone())).return_once(|_| Ok(vec![listed].into()));
    assert_eq!(ListSessions::new(Arc::new(log)).run(&filter).await.unwrap().rows, [row]);
}

/// A session that a later version wrote is found by searches and reported by the doctor, and hides no other.
#[tokio::test]
async fn unreadable_session_hides_no_other() {
    let row = MachineSessionFixture::chat().row();
    let line = SessionListRow { phase: ColumnWord::Unknown("DREAMING".into()), ..row.clone().into() };
    let unreadable = UnreadableSession { line: line.clone(), why: "sessions, ses_b, phase".into() };
    let found = SessionRows { rows: vec![row.clone()], unreadable: vec![unreadable] };
    let (listed, every) = (found.clone(), found.clone());
    let mut log = MockLogReader::new();
    log.expect_sessions().times(2).returning(move |_| Ok(listed.clone()));
    let list = ListSessions::new(Arc::new(log));
    let searched = |text: &str| SessionSearch { text: text.into(), kind: None };
    let filter = SessionFilter::default();
    assert_eq!(list.search(&filter, &searched(&line.name)).await.unwrap(), found);
    assert_eq!(list.search(&filter, &searched("no such name")).await.unwrap(), SessionRows::default());

    let mut log = MockLogReader::new();
    log.expect_sessions().return_once(|_| Ok(every));
    let mut providers = MockProviderRegistry::new();
    providers.expect_provider().returning(|_| Ok(Arc::new(MockProvider::new())));
    let examine = ExamineSessions::new(Arc::new(log), catalog_of(executor(Vec::new())), Arc::new(providers));
    let (count, findings) = examine.run(9).await.unwrap();
    let ailment = SessionDefect::Unreadable("sessions, ses_b, phase".into());
    assert_eq!((count, findings), (2, vec![SessionFinding { session: line.id, ailment }]));
}

async fn show(row: Result<Option<SessionRow>, StoreError>) -> Result<SessionView, UseCaseError> {
    let mut store = MockWorkspaceStore::new();
    store.expect_session().with(eq(workspace()), eq(session())).return_once(|_, _| row);
    ShowSession::new(Arc::new(store)).run(&workspace(), &session()).await
}

#[tokio::test]
async fn a_session_is_shown_as_it_is_committed() {
    let story = MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE]);
    let view = show(Ok(Some(story.row()))).await.unwrap();
    let expected = SessionView {
        facts: story.facts.clone(),
        phase: story.phase.clone(),
        standing: Standing::Active,
        wake_at: story.row().wake_at,
    };
    assert_eq!(view, expected);
    assert!(view.wake_at.is_some(), "the approval expires");
}

#[tokio::test]
async fn missing_or_unreadable_session_is_error() {
    let error = show(Ok(None)).await.unwrap_err();
    assert!(matches!(error, UseCaseError::NotFound(_)), "{error:?}");
    assert_eq!(error.to_string(), "there is no session ses_k1");
    let error = show(Err(unavailable())).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Store(_)), "{error:?}");
    let damaged = SessionRow { body: b"{".to_vec(), ..MachineSessionFixture::chat().row() };
    let error = show(Ok(Some(damaged))).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Codec(_)), "{error:?}");
}

#[tokio::test]
async fn log_is_read_page_by_page() {
    let story = MachineSessionFixture::chat().with_model_called().with_text_reply("Noted.");
    let read = ReadLog::new(Arc::new(log(story.log(), 2)));
    assert_eq!(read.entries(&workspace(), &session(), 0).await.unwrap(), story.entries);
    let after = story.entries[1].seq;
    assert_eq!(read.entries(&workspace(), &session(), after).await.unwrap(), story.entries[2..]);
}

#[tokio::test]
async fn the_messages_of_a_log_come_in_order() {
    let story = MachineSessionFixture::chat().with_model_called().with_text_reply("Noted.");
    let messages =
        ReadLog::new(Arc::new(log(story.log(), 500))).conversation(&workspace(), &session()).await.unwrap();
    let texts: Vec<String> = messages
        .into_iter()
        .map(|described| match described.message.body {
            MessageBody::Rich(said) => said.linear_text(),
            MessageBody::Ai(said) => said.pre_text,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(texts, ["I weigh 72.5 kg.", "Noted."]);
}

#[tokio::test]
async fn unreadable_log_is_store_or_codec_error() {
    let mut broken = MockLogReader::new();
    broken.expect_entries().returning(|_, _, _, _| Err(unavailable()));
    let error = ReadLog::new(Arc::new(broken)).entries(&workspace(), &session(), 0).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Store(_)), "{error:?}");
    let damaged =
        MachineSessionFixture::chat().log().into_iter().map(|row| LogRow { body: b"{".to_vec(), ..row });
    let error = ReadLog::new(Arc::new(log(damaged.collect(), 500)))
        .entries(&workspace(), &session(), 0)
        .await
        .unwrap_err();
    assert!(matches!(error, UseCaseError::Codec(_)), "{error:?}");
}

#[tokio::test]
async fn calls_are_shown_with_what_they_answered() {
    let story = MachineSessionFixture::chat()
        .with_model_called()
        .with_reply(Default::default(), vec![requested_call(LIST, false)]);
    let call = story.phase.batch().unwrap().calls[0].id.clone();
    let content = r#"["72.5 kg"]"#.to_owned();
    let outcome = CallOutcome::Succeeded {
        digest: sha256(content.as_bytes()),
        content: content.clone(),
        files: Vec::new(),
    };
    let story = story.with_input(Input::CallFinished { call: call.clone(), attempt: 1, outcome });

    let mut log = log(story.log(), 500);
    let rows = story.calls.clone();
    log.expect_calls().with(eq(workspace()), eq(session())).return_once(|_, _| Ok(rows));
    let views = ReadCalls::new(services(), Arc::new(log)).run(&workspace(), &session()).await.unwrap();

    let [view] = views.as_slice() else { panic!("{views:?}") };
    assert_eq!((&view.call.id, view.state.as_str()), (&call, "succeeded"));
    assert_eq!(view.finished_at, Some(story.now()));
    assert_eq!(view.content, Some(content));
}

#[tokio::test]
async fn waiting_call_has_no_answer_refused_has_reason() {
    let story = MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE]);
    let calls = story.calls.clone();
    let mut unanswered = log(story.log(), 500);
    unanswered.expect_calls().return_once(|_, _| Ok(calls));
    let views = ReadCalls::new(services(), Arc::new(unanswered)).run(&workspace(), &session()).await.unwrap();
    assert_eq!((views[0].state.as_str(), &views[0].content), ("waiting_decision", &None));

    let decisions = vec![entracte_domain::validation::Decision {
        call: story.open_call_ids()[0].clone(),
        card: story.card(&story.open_call_ids()[0]),
        verdict: entracte_domain::validation::DecisionVerdict::Reject { reason: Some("not today".into()) },
        rule: None,
    }];
    let story = story.with_input(Input::ValidationReceived { author: "ann".into(), decisions });
    let calls = story.calls.clone();
    let mut refused = log(story.log(), 500);
    refused.expect_calls().return_once(|_, _| Ok(calls));
    let views = ReadCalls::new(services(), Arc::new(refused)).run(&workspace(), &session()).await.unwrap();
    assert_eq!(views[0].state, "rejected");
    assert_eq!(views[0].content.as_deref(), Some("the user said no: not today"));
}
