use std::sync::{Arc, Mutex};

use entracte_application::ports::{
    AssistantTurn, MockClock, ModelReply, ModelRequest, PromptTurn, Provider, ProviderFailure, ReplyEnd,
    ReplySink,
};
use entracte_domain::id::SessionId;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;

use super::{RehearsalProvider, RehearsalScript};
use crate::testing::request;

const STORY: &str = r#"
[[turn]]
expect = ["weigh", "Level 1"]
text = "I look  it up. "
calls = [{ name = "tool_data_read", arguments = { tool = "weight", limit = 3 } }]
usage = { input = 10, output = 5 }

[[turn]]
envelope = { pre_text = "Done", actions = [{ name = "a", at = 2026-11-20 }] }

[[turn]]
fail = "throttled"
retry_after_ms = 1500
times = 2
text = "At last"

[[turn]]
text = "Been cut off here"
cut = 8

[[turn]]
malformed = "{ not json"
end = "cut"

[[turn]]
fail = "unreachable"
"#;

#[derive(Default)]
struct CollectingReplySink(Mutex<Vec<String>>);

impl ReplySink for CollectingReplySink {
    fn text(&self, piece: &str) {
        self.0.lock().unwrap().push(piece.to_owned());
    }
}

fn rehearsal(script: &str) -> RehearsalProvider {
    RehearsalProvider::from_script(script, Arc::new(MockClock::new())).unwrap()
}

/// The request of a session after `answers` assistant turns.
fn after(answers: usize, session: &str) -> ModelRequest {
    let mut asked = request(None);
    asked.session = SessionId::new(session);
    let user = Arc::clone(&asked.turns[0]);
    let said = AssistantTurn { text: "said".to_owned(), calls: Vec::new(), raw: None };
    asked.turns = vec![Arc::clone(&user)];
    for _ in 0..answers {
        asked.turns.push(Arc::new(PromptTurn::Assistant(said.clone())));
        asked.turns.push(Arc::clone(&user));
    }
    asked
}

async fn play(
    rehearsal: &RehearsalProvider,
    answers: usize,
    session: &str,
) -> (Result<ModelReply, ProviderFailure>, Vec<String>) {
    let heard = Arc::new(CollectingReplySink::default());
    let outcome = rehearsal.call(after(answers, session), heard.clone()).await;
    let heard = heard.0.lock().unwrap().clone();
    (outcome, heard)
}

#[tokio::test]
async fn turn_is_chosen_by_answer_count_and_streamed() {
    for _restart in 0..2 {
        let story = rehearsal(STORY);
        let (reply, heard) = play(&story, 0, "ses_1").await;
        let reply = reply.unwrap();
        assert_eq!(heard, ["I ", "look ", " ", "it ", "up. "]);
        assert_eq!((reply.text.as_str(), &reply.end), ("I look  it up. ", &ReplyEnd::Done));
        assert_eq!(reply.calls[0].arguments, r#"{"limit":3,"tool":"weight"}"#);
        assert_eq!(reply.calls[0].provider_call_id, "call_1_1");
        assert_eq!(reply.usage.unwrap().output, 5);
        let (again, _) = play(&story, 0, "ses_1").await;
        assert_eq!(again.unwrap(), reply);
        let envelope = play(&story, 1, "ses_1").await.0.unwrap();
        let expected = r#"{"actions":[{"at":"2026-11-20","name":"a"}],"pre_text":"Done"}"#;
        assert_eq!(serde_json::from_str::<serde_json::Value>(&envelope.text).unwrap().to_string(), expected);
        let malformed = play(&story, 4, "ses_1").await.0.unwrap();
        assert_eq!(
            (malformed.text.as_str(), malformed.end),
            ("{ not json", ReplyEnd::OutputLimit { limit: None })
        );
    }
}

#[tokio::test]
async fn turn_failures_are_counted_per_session() {
    let story = rehearsal(STORY);
    for session in ["ses_1", "ses_2"] {
        for _ in 0..2 {
            let failure = play(&story, 2, session).await.0.unwrap_err();
            assert_eq!((failure.class, failure.retry_after), (FailureClass::Throttled, Some(Millis(1500))));
        }
        for _ in 0..2 {
            assert_eq!(play(&story, 2, session).await.0.unwrap().text, "At last");
        }
        let (cut, heard) = play(&story, 3, session).await;
        assert_eq!((cut.unwrap_err().class, heard.concat().as_str()), (FailureClass::Lost, "Been cut"));
        assert_eq!(play(&story, 3, session).await.0.unwrap().text, "Been cut off here");
        for _ in 0..5 {
            assert_eq!(play(&story, 5, session).await.0.unwrap_err().class, FailureClass::Unreachable);
        }
    }
}

#[tokio::test]
async fn exhausted_or_unexpected_script_is_misconfigured() {
    let story = rehearsal(STORY).with_name("stage", None);
    let out = play(&story, 6, "ses_1").await.0.unwrap_err();
    assert_eq!(out.class, FailureClass::Misconfigured);
    assert_eq!(
        out.message,
        "stage (rehearsal): the script has run out after 6 turns. Add a [[turn]] to the script."
    );
    let strict = rehearsal("[[turn]]\nexpect = \"height\"\ntext = \"a\"");
    let other = play(&strict, 0, "ses_1").await.0.unwrap_err();
    assert_eq!(other.class, FailureClass::Misconfigured);
    assert!(other.message.contains("turn 1 of the script expects “height”"), "{}", other.message);
    assert!(other.message.contains("I weigh 71 kg"), "{}", other.message);
}

#[tokio::test]
async fn delays_use_the_clock() {
    let mut clock = MockClock::new();
    let mut waits = Vec::from([Millis(20), Millis(20), Millis(300)]);
    clock.expect_sleep().times(3).returning(move |span| {
        assert_eq!(Some(span), waits.pop());
    });
    let script = "[[turn]]\ntext = \"a b c\"\ndelay_ms = 300\nword_delay_ms = 20";
    let story = RehearsalProvider::from_script(script, Arc::new(clock)).unwrap();
    assert_eq!(play(&story, 0, "ses_1").await.0.unwrap().text, "a b c");
}

#[test]
fn script_errors_name_their_line() {
    let cases = [
        ("[[turn]]\ntext = \"a\"\n\n[[turn]]\n", "line 4, turn 2: it is empty"),
        ("[[turn]]\ntext = \"a\"\ntimes = 2", "line 1, turn 1: times is only for a turn that fails"),
        (
            "# c\n[[turn]]\nfail = \"lost\"\ntimes = 2",
            "line 2, turn 1: it fails 2 times and then has no answer",
        ),
        ("[[turn]]\ncut = 3", "line 1, turn 1: cut needs something to cut"),
        ("[[turn]]\ntext = \"a\"\nenvelope = {}", "line 1, turn 1: it has more than one of"),
        ("[[turn]]\nenvelope = \"{\"", "line 1, turn 1: envelope is a string but not JSON"),
        ("[[turn]]\ntext = \"a\"\ncut = 1\nfail = \"lost\"", "line 1, turn 1: it has both fail and cut"),
        ("[[turn]]\ntext = \"a\"\nretry_after_ms = 1", "line 1, turn 1: retry_after_ms is only for"),
        ("[[turn]]\ntxt = \"a\"", "line 2, column 1: unknown field `txt`"),
        ("[[turn]]\nfail = \"sometimes\"", "line 2, column 8: unknown variant `sometimes`"),
        ("[turn", "line 1, column 6: "),
        ("[[turn]]\ntext = \"é\" x", "line 2, column 12: "),
    ];
    for (script, expected) in cases {
        let error = RehearsalScript::parse(script).unwrap_err().to_string();
        assert!(error.contains(expected), "{script}\n→ {error}");
    }
}

#[test]
fn script_file_error_names_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for (script, expected) in
        [("[[turn]]\ntext = ", "line 2, column 8: "), ("[[turn]]", "line 1, turn 1: it is empty")]
    {
        std::fs::write(file.path(), script).unwrap();
        let error = RehearsalScript::read(file.path()).unwrap_err().to_string();
        let expected = format!("the script {}, {expected}", file.path().display());
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[tokio::test]
async fn plain_text_becomes_envelope_in_envelope_session() {
    use entracte_application::ports::OutputShape;
    let played = rehearsal(
        "[[turn]]\ntext = \"Hello \\\"you\\\"\"\n[[turn]]\ntext = \"hm\"\ncalls = [{ name = \"a\" }]",
    );
    let asked = |answers| ModelRequest {
        output: OutputShape::Json { name: "reply".into(), schema: Arc::new(serde_json::json!({}).into()) },
        ..after(answers, "ses_1")
    };
    let said = played.call(asked(0), Arc::new(CollectingReplySink::default())).await.unwrap();
    assert_eq!(said.text, r#"{"pre_text":"Hello \"you\""}"#);
    let refused = played.call(asked(1), Arc::new(CollectingReplySink::default())).await.unwrap_err();
    assert_eq!(refused.class, FailureClass::Misconfigured);
    assert!(refused.message.contains("turn 2"), "{}", refused.message);
}
