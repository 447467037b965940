//! What the policy hook reads, and what becomes of each end of a question.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_domain::command::Command;
use entracte_domain::id::Digest;
use entracte_domain::validation::{Approver, PolicyAnswer, PolicyDecision};
use entracte_domain::value::JsonValue;

use crate::kit::services;
use crate::ports::{
    PolicyHook, PolicyHookError, PolicyQuestion, PolicyReply, PolicyVerdict, Scrubber, SecretOwner,
    SecretScrubberFactory,
};
use crate::runtime::RuntimeServices;
use crate::runtime::policy_check::ask_policy;
use crate::samples;
use crate::settings::{ApprovalSettings, Language, PolicyHookSettings, RuntimeSettings};
use crate::texts::LocalizedTexts;

/// The secret of the tests.
const SECRET: &str = "sk-canary-1";

/// Removes the secret, and records whose secrets it was asked to remove.
#[derive(Default)]
struct RecordingScrubber(Mutex<Vec<String>>);

struct OneSecret;

impl Scrubber for OneSecret {
    fn scrub_text(&self, text: &str) -> String {
        text.replace(SECRET, "[secret]")
    }

    fn partial_secret_len(&self, _: &str) -> usize {
        0
    }
}

impl SecretScrubberFactory for RecordingScrubber {
    fn scrubber(&self, holders: &[SecretOwner]) -> Arc<dyn Scrubber> {
        self.0.lock().unwrap().extend(holders.iter().map(|owner| owner.person.clone()));
        Arc::new(OneSecret)
    }
}

/// A hook with one reply, which records its question; it panics without a reply.
struct OneReply {
    reply: Option<Result<PolicyReply, PolicyHookError>>,
    asked: Mutex<Option<PolicyQuestion>>,
}

#[async_trait]
impl PolicyHook for OneReply {
    async fn decide(
        &self,
        question: &PolicyQuestion,
        _: &LocalizedTexts,
    ) -> Result<PolicyReply, PolicyHookError> {
        *self.asked.lock().unwrap() = Some(question.clone());
        self.reply.clone().expect("there is no reply")
    }
}

/// The answer to a question about a command that has the secret in its arguments, and what the hook read.
async fn asked(
    reply: Option<Result<PolicyReply, PolicyHookError>>,
    scrubber: Arc<RecordingScrubber>,
) -> (PolicyAnswer, Option<PolicyQuestion>) {
    let hook = Arc::new(OneReply { reply, asked: Mutex::default() });
    let policy_hook = PolicyHookSettings { reason_max_chars: 20, ..PolicyHookSettings::default() };
    let services = RuntimeServices {
        secrets: scrubber,
        policy_hook: Some(hook.clone()),
        settings: RuntimeSettings { policy_hook, ..RuntimeSettings::default() },
        ..services()
    };
    let arguments = JsonValue::from([("to", format!("eve {SECRET}").into())]);
    let question = PolicyQuestion {
        command: Command { name: "mail.send".into(), arguments },
        asked_by: vec!["ann".into()],
        edited_by: Some("bob".into()),
        ..samples::policy_question()
    };
    let texts = LocalizedTexts::for_language(Language::En);
    let answer = ask_policy(&services, question, Digest::new("c1"), texts).await;
    let read = hook.asked.lock().unwrap().clone();
    (answer, read)
}

fn reply(verdict: PolicyVerdict, reason: &str) -> PolicyReply {
    PolicyReply { reason: Some(reason.into()), version: Some(" ".into()), ..PolicyReply::new(verdict) }
}

/// Input: a secret in the arguments, which the hook repeats; expected: the hook does not read it, nor does anybody in its
/// answer, whosever secret it may be.
#[tokio::test(start_paused = true)]
async fn policy_hook_reads_and_repeats_no_secret() {
    let scrubber = Arc::new(RecordingScrubber::default());
    let repeats = reply(PolicyVerdict::Deny, &format!("not\n{SECRET}"));
    let (answer, read) = asked(Some(Ok(repeats)), scrubber.clone()).await;
    let arguments = read.unwrap().command.arguments;
    assert_eq!(arguments, JsonValue::from([("to", "eve [secret]".into())]));
    assert_eq!(*scrubber.0.lock().unwrap(), ["ann", "ann", "bob"]);
    assert_eq!(answer.decision, PolicyDecision::Deny);
    assert_eq!(answer.reason.as_deref(), Some("not ↵ [secret]"), "it is one line");
    assert_eq!((answer.version, answer.command_id), (None, Digest::new("c1")));
}

/// Input: a hook that fails, panics or says too much; expected: no answer, with the reason.
#[tokio::test(start_paused = true)]
async fn unusable_reply_is_no_answer() {
    let cases = [
        (Some(Err(PolicyHookError("it is away".into()))), "it is away"),
        (None, "the policy hook failed because of an error inside Entracte"),
        (Some(Err(PolicyHookError("a\nb is no decision of a policy".into()))), "a ↵ b is no decision…"),
        (Some(Err(PolicyHookError(format!("it is a secret: {SECRET}")))), "it is a secret: [sec…"),
        (
            Some(Ok(reply(PolicyVerdict::Allow, &"long ".repeat(9)))),
            "its reason or its version is longer than 20 characters (policy.reason_max_chars)",
        ),
    ];
    for (said, why) in cases {
        let (answer, _) = asked(said, Arc::default()).await;
        assert_eq!((answer.decision, answer.reason.as_deref()), (PolicyDecision::NoAnswer, Some(why)));
    }
}

/// Input: a hook that names approvers whom no card could show, or a secret in place of a name; expected: no answer, and a name
/// without the secret.
#[tokio::test(start_paused = true)]
async fn approvers_of_a_hook_are_bounded() {
    let names = async |approvers: Vec<Approver>| {
        let ask = PolicyReply { approvers, ..PolicyReply::new(PolicyVerdict::Ask) };
        asked(Some(Ok(ask)), Arc::default()).await.0
    };
    let person = |name: &str| Approver::Person(name.into());
    let wrong = [
        vec![person("ann"); ApprovalSettings::LIST_MAX + 1],
        vec![person("bob"), person("ann\nand anybody")],
        vec![Approver::Role("finance of the north".into())],
    ];
    for approvers in wrong {
        let answer = names(approvers).await;
        assert_eq!((answer.decision, answer.approvers), (PolicyDecision::NoAnswer, Vec::new()));
    }
    let answer = names(vec![person("ann"), person(SECRET)]).await;
    assert_eq!(
        (answer.decision, answer.approvers),
        (PolicyDecision::Ask, vec![person("ann"), person("[secret]")])
    );
}
