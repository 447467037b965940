//! Complete example replies, one per pattern, built from the available commands: each can be executed as it
//! stands.

use entracte_domain::command::CommandKind;
use entracte_domain::session::SessionKind;
use serde_json::{Map, Value};

use super::types::list_of;
use crate::ports::CommandSpec;
use crate::protocol::envelope::{
    Envelope, EnvelopeAsk, EnvelopeCommand, EnvelopeExit, EnvelopeQuestion, WHOM,
};
use crate::texts::{LocalizedTexts, say};

/// The examples for a session kind.
pub(super) fn text(texts: &LocalizedTexts, kind: SessionKind, catalog: &[CommandSpec]) -> String {
    patterns(texts, kind, catalog)
        .into_iter()
        .filter_map(|(title, example)| {
            let example = serde_json::to_string(&example).ok()?;
            Some(say!(texts, "prompt-example", title = say!(texts, title), example = example))
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// Title keys with their replies.
type ExampleEnvelopes = Vec<(&'static str, Envelope)>;

fn patterns(texts: &LocalizedTexts, kind: SessionKind, catalog: &[CommandSpec]) -> ExampleEnvelopes {
    let mut patterns = Vec::new();
    if kind == SessionKind::Chat {
        patterns.push(("prompt-example-answer", envelope_with_text(texts, "prompt-example-answer-says")));
    }
    if let Some(query) = first(catalog, CommandKind::Query) {
        let reads =
            Envelope { queries: Some(vec![query]), ..envelope_with_text(texts, "prompt-example-read-says") };
        patterns.push(("prompt-example-read", reads));
    }
    if let Some(action) = first(catalog, CommandKind::Action) {
        patterns.extend(acting(texts, kind, action));
    }
    patterns.extend(match kind {
        SessionKind::Chat => asking(texts),
        SessionKind::Automation | SessionKind::Seed => finishing(texts),
        SessionKind::Agent => ending(texts),
    });
    patterns
}

fn acting(texts: &LocalizedTexts, kind: SessionKind, action: EnvelopeCommand) -> ExampleEnvelopes {
    let act =
        Envelope { actions: Some(vec![action]), ..envelope_with_text(texts, "prompt-example-act-says") };
    let ends = Envelope { post_text: Some(say!(texts, "prompt-example-act-ends")), ..act.clone() };
    let mut patterns = vec![("prompt-example-act", ends)];
    if kind == SessionKind::Chat {
        let careful = Envelope { validation_request: Some(true), keep_control: Some(true), ..act };
        patterns.push(("prompt-example-act-with-approval", careful));
    }
    patterns
}

fn asking(texts: &LocalizedTexts) -> ExampleEnvelopes {
    let choice = EnvelopeQuestion::MultipleChoice {
        question: say!(texts, "prompt-example-choose-question"),
        options: vec![
            say!(texts, "prompt-example-choose-first"),
            say!(texts, "prompt-example-choose-second"),
        ],
        allow_other: Some(true),
    };
    let yes_no = EnvelopeQuestion::Validation { message: say!(texts, "prompt-example-yes-no-question") };
    let chooses =
        Envelope { question: Some(choice), ..envelope_with_text(texts, "prompt-example-choose-says") };
    vec![
        ("prompt-example-choose", chooses),
        ("prompt-example-yes-no", Envelope { question: Some(yes_no), ..Envelope::default() }),
    ]
}

fn finishing(texts: &LocalizedTexts) -> ExampleEnvelopes {
    let done = Envelope { completed: Some(true), ..envelope_with_text(texts, "prompt-example-finish-says") };
    vec![("prompt-example-finish", done)]
}

/// The examples of how an agent ends, and asks.
fn ending(texts: &LocalizedTexts) -> ExampleEnvelopes {
    let exit = EnvelopeExit {
        reason: say!(texts, "prompt-example-exit-reason"),
        result: Map::from_iter([("open".to_owned(), Value::from(3))]),
        conclusion: say!(texts, "prompt-example-exit-conclusion"),
    };
    let question = say!(texts, "prompt-example-ask-principal-question");
    let asks = EnvelopeAsk { question, whom: Some(WHOM[0]) };
    vec![
        ("prompt-example-exit", Envelope { exit: Some(exit), ..Envelope::default() }),
        ("prompt-example-ask-principal", Envelope { asks: Some(asks), ..Envelope::default() }),
    ]
}

fn envelope_with_text(texts: &LocalizedTexts, key: &str) -> Envelope {
    Envelope { pre_text: say!(texts, key), ..Envelope::default() }
}

/// The first command of that kind with a valid example.
fn first(catalog: &[CommandSpec], kind: CommandKind) -> Option<EnvelopeCommand> {
    catalog.iter().filter(|spec| spec.kind == kind).find_map(example_command)
}

/// A command with its example arguments, or with none if it requires none.
pub(super) fn example_command(spec: &CommandSpec) -> Option<EnvelopeCommand> {
    let params = match &spec.example {
        Some(Value::Object(params)) => params.clone(),
        Some(_) => return None,
        None if needs_arguments(spec) => return None,
        None => Map::new(),
    };
    Some(EnvelopeCommand { word: spec.word.clone(), params: Some(params) })
}

fn needs_arguments(spec: &CommandSpec) -> bool {
    list_of(&spec.schema, "required").is_some_and(|required| !required.is_empty())
}
