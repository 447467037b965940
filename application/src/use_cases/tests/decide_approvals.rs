use std::sync::Arc;

use entracte_domain::id::{CallId, Digest};
use entracte_domain::value::JsonValue;
use mockall::predicate::eq;

use crate::codec::decode_snapshot;
use crate::kit::{CREATE, MachineSessionFixture, SEND, session, unavailable, workspace};
use crate::mail::{DecideCallsRequest, Mail, MailAnswer, MailDecision, MailRequest, MailVerdict};
use crate::ports::{MockMailSender, MockWorkspaceStore, SessionRow, StoreError};
use crate::use_cases::*;

/// Makes this decision on these calls (`None` = all open ones) of a session with that row; the mail must contain
/// exactly these decisions.
async fn decide(
    row: Result<Option<SessionRow>, StoreError>,
    calls: Option<&[CallId]>,
    choice: ApprovalChoice,
    expected: &[(CallId, MailVerdict)],
) -> Result<AcceptedRequest, UseCaseError> {
    let mut store = MockWorkspaceStore::new();
    let card = |call: &CallId| {
        let snapshot = decode_snapshot(&row.as_ref().ok()?.as_ref()?.body).ok()?;
        snapshot.phase.batch()?.call(call)?.card.clone()
    };
    let cards: Vec<Option<Digest>> = expected.iter().map(|(call, _)| card(call)).collect();
    store.expect_session().with(eq(workspace()), eq(session())).return_once(|_, _| row);
    let mut mail_sender = MockMailSender::new();
    if !expected.is_empty() {
        let decisions = expected.iter().zip(cards).map(|((call, verdict), card)| MailDecision {
            call: call.clone(),
            card,
            verdict: verdict.clone(),
        });
        let request = MailRequest::session(
            session(),
            DecideCallsRequest { author: "ann".into(), decisions: decisions.collect(), link: None },
        );
        mail_sender
            .expect_post()
            .with(eq(workspace()), eq(Mail::from_request(request)))
            .once()
            .return_once(|_, _| Ok(MailAnswer::accept_message(None, &session())));
    }
    let answer = DecideApprovals::new(Arc::new(mail_sender), Arc::new(store));
    match calls {
        Some(calls) => answer.run(&workspace(), &session(), "ann".into(), calls, &choice).await,
        None => answer.run_for_all(&workspace(), &session(), "ann".into(), &choice).await,
    }
}

fn accepted() -> AcceptedRequest {
    AcceptedRequest { session: session(), message: None, activation: None }
}

fn waiting() -> (MachineSessionFixture, Vec<CallId>) {
    let story =
        MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE, SEND, CREATE]);
    let open = story.open_call_ids();
    assert_eq!(open.len(), 3);
    (story, open)
}

#[tokio::test]
async fn one_call_is_approved() {
    let (story, open) = waiting();
    let expected = [(open[1].clone(), MailVerdict::Approve)];
    let taken = decide(Ok(Some(story.row())), Some(&open[1..2]), ApprovalChoice::Approve, &expected).await;
    assert_eq!(taken.unwrap(), accepted());
}

#[tokio::test]
async fn some_calls_are_rejected_each_with_the_reason() {
    let (story, open) = waiting();
    let no = MailVerdict::Reject { reason: Some("not today".into()) };
    let expected = [(open[0].clone(), no.clone()), (open[2].clone(), no)];
    let named = [open[0].clone(), open[2].clone()];
    let choice = ApprovalChoice::Reject(Some("not today".into()));
    let taken = decide(Ok(Some(story.row())), Some(&named), choice, &expected).await;
    assert_eq!(taken.unwrap(), accepted());
}

/// Input: a rejection with an empty reason; expected: a rejection without a reason, after which a chat rests.
#[tokio::test]
async fn an_empty_reason_is_none() {
    let (story, open) = waiting();
    for empty in ["", " \n"] {
        let expected = [(open[0].clone(), MailVerdict::Reject { reason: None })];
        let choice = ApprovalChoice::Reject(Some(empty.into()));
        let taken = decide(Ok(Some(story.row())), Some(&open[..1]), choice, &expected).await;
        assert_eq!(taken.unwrap(), accepted());
    }
}

#[tokio::test]
async fn one_choice_covers_every_open_call() {
    let (story, open) = waiting();
    let expected: Vec<_> = open.into_iter().map(|call| (call, MailVerdict::Approve)).collect();
    let taken = decide(Ok(Some(story.row())), None, ApprovalChoice::Approve, &expected).await;
    assert_eq!(taken.unwrap(), accepted());
}

#[tokio::test]
async fn new_arguments_are_posted_with_the_approval() {
    let (story, open) = waiting();
    let arguments = JsonValue::from([("tool", JsonValue::from("mood"))]);
    let expected = [(open[0].clone(), MailVerdict::Edit { arguments: arguments.clone() })];
    let choice = ApprovalChoice::ApproveEdited(arguments);
    let taken = decide(Ok(Some(story.row())), Some(&open[..1]), choice, &expected).await;
    assert_eq!(taken.unwrap(), accepted());
}

#[tokio::test]
async fn edited_arguments_for_several_calls_are_refused() {
    let (story, _) = waiting();
    let choice = ApprovalChoice::ApproveEdited(JsonValue::Object(Vec::new()));
    let error = decide(Ok(Some(story.row())), None, choice, &[]).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Invalid(_)), "{error:?}");
    assert_eq!(error.to_string(), "new arguments are for one call, but 3 calls were given; give one");
}

#[tokio::test]
async fn empty_selection_is_refused_before_posting() {
    let error = decide(Ok(None), Some(&[]), ApprovalChoice::Approve, &[]).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Invalid(_)), "{error:?}");
}

#[tokio::test]
async fn choice_for_all_without_calls_is_refused() {
    let resting = MachineSessionFixture::chat().with_model_called().with_text_reply("Noted.");
    let error = decide(Ok(Some(resting.row())), None, ApprovalChoice::Approve, &[]).await.unwrap_err();
    assert!(matches!(error, UseCaseError::NotApplicable(_)), "{error:?}");
}

#[tokio::test]
async fn all_of_an_unknown_session_is_not_found() {
    let error = decide(Ok(None), None, ApprovalChoice::Approve, &[]).await.unwrap_err();
    assert!(matches!(error, UseCaseError::NotFound(_)), "{error:?}");
}

#[tokio::test]
async fn unreadable_session_is_store_or_codec_error() {
    let error = decide(Err(unavailable()), None, ApprovalChoice::Approve, &[]).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Store(StoreError::Unavailable(_))), "{error:?}");
    let damaged = SessionRow { body: b"{".to_vec(), ..MachineSessionFixture::chat().row() };
    let error = decide(Ok(Some(damaged)), None, ApprovalChoice::Approve, &[]).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Codec(_)), "{error:?}");
}
