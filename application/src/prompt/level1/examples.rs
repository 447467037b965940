//! Whole answers, one per pattern, made of the commands that there are: each can be executed as it stands.

use entracte_domain::command::CommandKind;
use entracte_domain::session::SessionKind;
use serde_json::{Map, Value};

use crate::commands::CommandSpec;
use crate::protocol::envelope::{CommandShape, Envelope, QuestionShape};

/// The examples that the kind of session needs.
pub(super) fn text(kind: SessionKind, catalog: &[CommandSpec]) -> String {
    patterns(kind, catalog)
        .into_iter()
        .filter_map(|(title, example)| {
            let example = serde_json::to_string(&example).ok()?;
            Some(format!("{title}:\n{example}"))
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn patterns(kind: SessionKind, catalog: &[CommandSpec]) -> Vec<(&'static str, Envelope)> {
    let mut patterns = Vec::new();
    if kind == SessionKind::Chat {
        patterns.push(("To answer", say("Here is what I found.")));
    }
    if let Some(query) = first(catalog, CommandKind::Query) {
        patterns.push(("To read", Envelope { queries: Some(vec![query]), ..say("I look it up.") }));
    }
    if let Some(action) = first(catalog, CommandKind::Action) {
        patterns.extend(acting(kind, &action));
    }
    patterns.extend(match kind {
        SessionKind::Chat => asking(),
        SessionKind::Automation | SessionKind::Seed | SessionKind::Agent => {
            vec![("To finish", Envelope { completed: Some(true), ..say("All of it is done.") })]
        }
    });
    patterns
}

fn acting(kind: SessionKind, action: &CommandShape) -> Vec<(&'static str, Envelope)> {
    let act = Envelope { actions: Some(vec![action.clone()]), ..say("I do it now.") };
    let mut patterns = vec![("To act", Envelope { post_text: Some("Done.".into()), ..act.clone() })];
    if kind == SessionKind::Chat {
        let careful = Envelope { validation_request: Some(true), keep_control: Some(true), ..act };
        patterns.push(("To act after the user agreed, and go on", careful));
    }
    patterns
}

fn asking() -> Vec<(&'static str, Envelope)> {
    let choice = QuestionShape::MultipleChoice {
        question: "Which week do you mean?".into(),
        options: vec!["This week".into(), "Last week".into()],
        allow_other: Some(true),
    };
    let yes_no = QuestionShape::Validation { message: "Shall I go on?".into() };
    vec![
        ("To let the user choose", Envelope { question: Some(choice), ..say("I need to know one thing.") }),
        ("To ask yes or no", Envelope { question: Some(yes_no), ..say("") }),
    ]
}

fn say(text: &str) -> Envelope {
    Envelope { pre_text: text.to_owned(), ..Envelope::default() }
}

/// The first command of that kind that can be shown with arguments that are right.
fn first(catalog: &[CommandSpec], kind: CommandKind) -> Option<CommandShape> {
    catalog.iter().filter(|spec| spec.kind == kind).find_map(shown)
}

/// A command with the arguments of its example, or with none when it needs none.
pub(super) fn shown(spec: &CommandSpec) -> Option<CommandShape> {
    let params = match &spec.example {
        Some(Value::Object(params)) => params.clone(),
        Some(_) => return None,
        None if needs_arguments(spec) => return None,
        None => Map::new(),
    };
    Some(CommandShape { word: spec.word.clone(), params: Some(params) })
}

fn needs_arguments(spec: &CommandSpec) -> bool {
    spec.schema["required"].as_array().is_some_and(|required| !required.is_empty())
}
