//! All text for a model names the commands as the model got them: by the types of the envelope, or by the names of its
//! native tools.

use std::collections::BTreeSet;

use entracte_application::command_naming::tool_name;
use entracte_application::mail::NewRuleRequest;
use entracte_application::ports::{ModelRequest, PromptTurn, UserTurnPart};
use entracte_application::rule_book::RuleBook;
use entracte_application::texts::Language;
use entracte_application::use_cases::{AddApprovalRule, ApprovalChoice, ChangeSession, SessionUpdate};
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::session::Dialect;
use entracte_domain::validation::{RuleScope, UseLimits};
use entracte_tests::fakes::strict_model::{self, calls, says};
use entracte_tests::strict::StrictApi;
use serde_json::{Value, json};

use super::fixture::NativeToolFixture;

/// A refused call: type, name, arguments, whether it only reads, and a command that the answer points to.
type RefusedCallCase = (&'static str, &'static str, Value, bool, Option<(&'static str, &'static str)>);

const SEND: (&str, &str) = ("SEND", "outside.send");
const ZONES: (&str, &str) = ("ZONES", "zones.list");
const TOOLS: (&str, &str) = ("TOOL_INSTANCES", "tools.list");
const ENTRIES: (&str, &str) = ("TOOL_DATA", "tool_data.get");
const CREATE_ZONE: (&str, &str) = ("CREATE_ZONE", "zones.create");

/// One of each kind of refusal.
fn refused() -> Vec<RefusedCallCase> {
    let entry = |tool: &str| json!({ "tool_id": tool, "entries": [{ "data": { "value": 1 } }] });
    vec![
        ("MAKE_TEA", "tea.make", json!({}), true, Some(ZONES)),
        ("ZONE_CONFIG", "zones.get", json!({ "zone_id": "none" }), true, Some(ZONES)),
        ("TOOL_CONFIG", "tools.get", json!({ "tool_id": "none" }), true, Some(TOOLS)),
        ("UPDATE_DATA", "tool_data.update", json!({ "entry_id": "none", "name": "a" }), false, Some(ENTRIES)),
        ("DELETE_DATA", "tool_data.delete", json!({ "entry_ids": ["none"] }), false, Some(ENTRIES)),
        ("CREATE_ZONE", "zones.create", json!({}), false, Some(CREATE_ZONE)),
        ("CREATE_DATA", "tool_data.batch_create", entry("none"), false, Some(TOOLS)),
        ("SEND", "outside.send", json!({ "to": "bob" }), false, Some(SEND)),
    ]
}

fn reply(dialect: Dialect, number: usize, call: &RefusedCallCase) -> strict_model::StrictModelStep {
    let (word, name, arguments, reads, _) = call;
    match dialect {
        Dialect::Tools => calls(&[(&format!("c{number}"), &tool_name(name), arguments.clone())]),
        Dialect::Envelope => {
            let list = if *reads { "queries" } else { "actions" };
            let command = json!({ "type": word, "params": arguments });
            says(&json!({ "pre_text": "So.", list: [command] }).to_string())
        }
    }
}

fn words(dialect: Dialect, text: &str) -> strict_model::StrictModelStep {
    match dialect {
        Dialect::Tools => says(text),
        Dialect::Envelope => says(&json!({ "pre_text": text }).to_string()),
    }
}

/// All texts of Entracte that the model reads: prefix, tools, results, marks.
fn read(request: &ModelRequest) -> Vec<String> {
    let mut texts: Vec<String> = request.system.iter().map(|block| block.to_string()).collect();
    texts.extend(request.tools.iter().flat_map(|tool| [tool.description.clone(), tool.schema.to_string()]));
    for turn in &request.turns {
        let PromptTurn::User(parts) = turn.as_ref() else { continue };
        texts.extend(parts.iter().filter_map(|part| match part {
            UserTurnPart::System(text) | UserTurnPart::Result { content: text, .. } => Some(text.clone()),
            UserTurnPart::Text(_) | UserTurnPart::File(_) => None,
        }));
    }
    texts
}

/// The tokens of a text that could be command names.
fn tokens(text: &str) -> BTreeSet<&str> {
    let ends = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == '.');
    text.split(ends).map(|token| token.trim_matches('.')).filter(|token| !token.is_empty()).collect()
}

/// A chat in which everything is refused once, and the requests to its model.
async fn chat(dialect: Dialect, language: &str) -> (NativeToolFixture, Vec<ModelRequest>) {
    let scene = NativeToolFixture::with(StrictApi::Messages, RuleBook::default(), dialect).await;
    scene.set(&[("language", language), ("prompt_app_state", "true")]).await;
    let denied = NewRuleRequest {
        command: "outside.send".into(),
        arguments: Vec::new(),
        scope: RuleScope::Workspace,
        denies: Some("no".into()),
        lasts: None,
        limits: UseLimits::default(),
        agents: false,
        people: Vec::new(),
    };
    let (workspace, sender) = (&scene.life.workspace, &scene.life.mail_sender);
    AddApprovalRule::new(sender.clone()).run(workspace, "ann".into(), denied).await.unwrap();
    for (number, call) in refused().into_iter().enumerate() {
        scene.model.push_steps([reply(dialect, number, &call), words(dialect, "Then not.")]);
        scene.turn("do").await;
        // Deletions are approved first.
        for card in scene.cards().await {
            scene.decides(&card, &ApprovalChoice::Approve).await.unwrap();
        }
        // The answer points to the command that helps.
        if let Some((word, name)) = call.4 {
            let expected = match dialect {
                Dialect::Envelope => word.to_owned(),
                Dialect::Tools => tool_name(name),
            };
            let (request, _) = scene.model.requests().pop().unwrap();
            let said = format!("{:?}", request.turns.last().unwrap()).replace("\\n", " ");
            assert!(tokens(&said).contains(expected.as_str()), "{dialect:?} {language} {call:?}: {said}");
        }
    }
    // The same failure repeatedly, until a limit names it.
    let missing = json!({ "zone_id": "none", "name": "a" });
    let again: RefusedCallCase = ("UPDATE_ZONE", "zones.update", missing, false, None);
    scene.model.push_steps((10..13).map(|number| reply(dialect, number, &again)));
    scene.model.push_steps([words(dialect, "It does not work.")]);
    scene.turn("insist").await;
    // Fewer commands, and one that is no longer allowed.
    let only = Restriction::Only(vec![CommandPattern::from_text("zones.list")]);
    let change = SessionUpdate { restriction: Some(only), ..SessionUpdate::default() };
    let store = scene.life.services.store.clone();
    let changes = ChangeSession::new(sender.clone(), store);
    changes.run(workspace, &scene.chat, "ann".into(), change).await.unwrap();
    let create = refused().swap_remove(5);
    scene.model.replace_steps([reply(dialect, 20, &create), words(dialect, "I may not.")]);
    scene.turn("and now").await;
    let requests = scene.model.requests().into_iter().map(|(request, _)| request).collect();
    (scene, requests)
}

/// Input: every kind of refusal, a limit that names a failure, data that is always sent, news of fewer commands, in
/// both dialects and languages; expected: the model reads no command names except those it was given.
#[tokio::test(start_paused = true)]
async fn tools_are_named_as_the_model_got_them() {
    for (dialect, language) in [Dialect::Envelope, Dialect::Tools]
        .into_iter()
        .flat_map(|dialect| Language::ALL.map(|language| (dialect, language.word())))
    {
        let (scene, requests) = chat(dialect, language).await;
        let specs = scene.life.services.catalog.get().specs();
        let foreign: BTreeSet<String> = match dialect {
            Dialect::Envelope => specs.iter().map(|spec| tool_name(&spec.name)).collect(),
            Dialect::Tools => specs.iter().flat_map(|spec| [spec.word.clone(), spec.name.clone()]).collect(),
        };
        for text in requests.iter().flat_map(read) {
            let wrong: Vec<&str> =
                tokens(&text).into_iter().filter(|token| foreign.contains(*token)).collect();
            assert_eq!(wrong, [""; 0], "{dialect:?} {language}: {text}");
        }
        let all = requests.iter().flat_map(read).collect::<String>();
        let (limit, state) = match dialect {
            Dialect::Envelope => ("zones.update NOT_FOUND", "## app.state"),
            Dialect::Tools => ("zones_update NOT_FOUND", "## app_state"),
        };
        assert!(all.contains(limit) && all.contains(state), "{dialect:?} {language}: {all}");
    }
}
