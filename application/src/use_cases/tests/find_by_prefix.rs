use std::sync::Arc;

use entracte_domain::id::{CallId, SessionId};

use mockall::predicate::{always, eq};

use crate::kit::{CREATE, MachineSessionFixture, SEND, unavailable, workspace};
use crate::ports::{CallRow, MockLogReader, StoreError};
use crate::use_cases::*;

fn call_row(session: &str, id: &str) -> CallRow {
    let story = MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE, SEND]);
    CallRow { id: CallId::new(id), session: SessionId::new(session), ..story.calls[0].clone() }
}

/// A log with these sessions, each with its calls.
fn log(sessions: &'static [(&'static str, &'static [&'static str])]) -> FindByIdPrefix {
    let rows = |wanted: &str| {
        let (session, calls) = sessions.iter().find(|(session, _)| *session == wanted).unwrap();
        calls.iter().map(|id| call_row(session, id)).collect::<Vec<_>>()
    };
    let mut log = MockLogReader::new();
    log.expect_sessions_by_prefix().with(eq(workspace()), always()).returning(|_, prefix| {
        let found = sessions.iter().map(|(session, _)| *session).filter(|id| id.starts_with(prefix));
        Ok(found.map(SessionId::new).collect())
    });
    log.expect_calls()
        .with(eq(workspace()), always())
        .returning(move |_, session| Ok(rows(session.as_str())));
    log.expect_call().with(eq(workspace()), always()).returning(move |_, id| {
        let mut all = sessions.iter().flat_map(|(session, _)| rows(session));
        Ok(all.find(|row| row.id == *id))
    });
    FindByIdPrefix::new(Arc::new(log))
}

/// The found id, or the kind of error with its text.
fn told(found: Result<impl ToString, UseCaseError>) -> String {
    match found {
        Ok(id) => id.to_string(),
        Err(UseCaseError::NotFound(text)) => format!("not found: {text}"),
        Err(UseCaseError::Invalid(text)) => format!("invalid: {text}"),
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn session_is_found_by_id_or_prefix() {
    let find = log(&[("ses_ab", &[]), ("ses_abc", &[]), ("ses_xyz", &[])]);
    let cases = [
        ("ses_xyz", "ses_xyz"),
        ("ses_x", "ses_xyz"),
        ("xy", "ses_xyz"),
        // An id that is a prefix of another one still matches itself.
        ("ab", "ses_ab"),
        ("a", "invalid: a matches several sessions: ses_ab, ses_abc; write more of the id"),
        ("q", "not found: there is no session q"),
    ];
    for (named, expected) in cases {
        assert_eq!(told(find.find_session(&workspace(), named).await), expected, "{named}");
    }
}

/// A script with an empty variable must not control or decide on the only existing object.
#[tokio::test]
async fn empty_id_matches_nothing() {
    let find = log(&[("ses_xyz", &["cal_xyz_7_0"])]);
    for named in ["", "ses_"] {
        let expected = format!("invalid: “{named}” is not a valid session id");
        assert_eq!(told(find.find_session(&workspace(), named).await), expected, "{named}");
    }
    for named in ["", "apr_", "cal_", "apr__7_0"] {
        let expected = format!("invalid: “{named}” is not a valid call id");
        let found = find.find_call(&workspace(), named).await.map(|(_, call)| call);
        assert_eq!(told(found), expected, "{named}");
    }
}

#[tokio::test]
async fn call_is_found_by_id_approval_or_prefix() {
    let find = log(&[
        ("ses_abc", &["cal_abc_3_0", "cal_abc_3_1", "cal_abc_3_10"]),
        ("ses_abd", &["cal_abd_3_0"]),
        ("ses_xyz", &["cal_xyz_7_0"]),
    ]);
    let cases = [
        ("cal_abc_3_1", "cal_abc_3_1"),
        ("apr_abc_3_10", "cal_abc_3_10"),
        ("abc_3_0", "cal_abc_3_0"),
        // The session's part may be shortened, with the numbers after it …
        ("apr_x_7_0", "cal_xyz_7_0"),
        ("abd", "cal_abd_3_0"),
        // … and complete numbers are taken literally.
        ("abc_3_1", "cal_abc_3_1"),
        ("ab_3_1", "cal_abc_3_1"),
        (
            "apr_ab_3_0",
            "invalid: apr_ab_3_0 matches several calls: cal_abc_3_0, cal_abd_3_0; write more of the id",
        ),
        ("apr_x_8_0", "not found: there is no call apr_x_8_0"),
        ("q", "not found: there is no call q"),
    ];
    for (named, expected) in cases {
        let found = find.find_call(&workspace(), named).await.map(|(session, call)| {
            assert!(call.as_str().starts_with(&format!("cal_{}_", session.stem())), "{session} {call}");
            call
        });
        assert_eq!(told(found), expected, "{named}");
    }
}

#[tokio::test]
async fn errors_of_the_log_are_passed_on() {
    let mut log = MockLogReader::new();
    log.expect_sessions_by_prefix().returning(|_, _| Err(unavailable()));
    log.expect_call().returning(|_, _| Err(unavailable()));
    let find = FindByIdPrefix::new(Arc::new(log));
    let errors = [
        find.find_session(&workspace(), "a").await.unwrap_err(),
        find.find_call(&workspace(), "a").await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, UseCaseError::Store(StoreError::Unavailable(_))), "{error:?}");
    }
}
