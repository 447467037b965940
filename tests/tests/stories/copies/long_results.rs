//! A result that is too long for the prompt: cut there, stored in the log, and readable by a query.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::commands::RESULT_MAX_CHARS;
use entracte_application::commands::ResultsExecutor;
use entracte_application::ports::CommandSpec;
use entracte_application::ports::{
    ActionDescription, CallRequest, CommandExecutor, ResourceReader, StoreError,
};
use entracte_application::system::sha256;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::restriction::Restriction;
use entracte_domain::session::Dialect;
use entracte_domain::time::Millis;
use serde_json::{Value, json};

use super::bilingual_model::{BilingualModel, BilingualModelStep};
use super::fixture::{SessionCopyFixture, all_stores, chat, gated_chat, memory, view};

/// Answers with a book.
struct BookExecutor;

/// 60,000 characters of two bytes each, in groups of six that contain their position.
fn book() -> String {
    (0..10_000).map(|number| format!("{number:05}é")).collect()
}

/// The rest of the line after a mark in a request.
fn after<'a>(request: &'a str, mark: &str) -> &'a str {
    let at = request.rfind(mark).unwrap_or_else(|| panic!("no {mark}")) + mark.len();
    request[at..].split("]").next().unwrap()
}

fn last(model: &BilingualModel) -> String {
    let request = model.last_request();
    let Some(entracte_application::ports::PromptTurn::User(parts)) = request.turns.last().map(|turn| &**turn)
    else {
        panic!("a user turn ends the request")
    };
    parts
        .iter()
        .map(|part| format!("{part:?}"))
        .collect::<String>()
        .replace("\\n", "\n")
        .replace("\\\"", "\"")
}

fn reads() -> BilingualModelStep {
    BilingualModelStep::Asks(vec![("BOOK", "shelf.book", json!({}), true)])
}

fn reads_on(arguments: Value) -> BilingualModelStep {
    BilingualModelStep::Asks(vec![("READ_RESULT", "results.read", arguments, true)])
}

fn stage(
    stores: entracte_tests::contracts::StoreFixture,
    lines: impl IntoIterator<Item = BilingualModelStep>,
) -> SessionCopyFixture {
    let results = ResultsExecutor::new(stores.log.clone(), RESULT_MAX_CHARS);
    SessionCopyFixture::with_stores(stores, lines)
        .with_executor(Arc::new(BookExecutor))
        .with_executor(Arc::new(results))
}

#[tokio::test(start_paused = true)]
async fn cut_result_is_read_to_its_end() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        for stores in all_stores() {
            let stage = stage(stores, [reads(), BilingualModelStep::Words("Long.")]);
            let life = stage.life().await;
            let session = chat(&life, dialect, false).await;
            life.send_and_wait(&session, "read the book").await;
            let command = if dialect == Dialect::Tools { "results_read" } else { "READ_RESULT" };
            let mut read = last(&stage.model);
            assert!(!read.contains(&book()), "it is cut");
            assert!(read.contains("[35000 characters left out; read on"), "{}", &read[read.len() - 400..]);

            let mut found: String = book().chars().take(RESULT_MAX_CHARS).collect();
            let mut arguments: Value = serde_json::from_str(after(&read, &format!("{command} "))).unwrap();
            assert_eq!(arguments["from"], RESULT_MAX_CHARS);
            loop {
                stage.model.push_steps([reads_on(arguments.clone()), BilingualModelStep::Words("More.")]);
                life.send_and_wait(&session, "go on").await;
                read = last(&stage.model);
                let from = arguments["from"].as_u64().unwrap();
                let until = (from + 25_000).min(60_000);
                let mark = format!("[characters {from} to {until} of 60000; ");
                let rest = after(&read, &mark);
                let text = &read[read.rfind(&mark).unwrap() + mark.len() + rest.len() + 2..];
                found.extend(text.chars().take(usize::try_from(until - from).unwrap()));
                if rest == "this is the end" {
                    break;
                }
                arguments["from"] =
                    rest.strip_prefix("continue reading from ").unwrap().parse::<u64>().unwrap().into();
            }
            assert_eq!(found, book(), "nothing of it is lost");
            life.verify(&session).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn only_results_of_the_same_session_are_read() {
    let stage = stage(memory(), [reads(), BilingualModelStep::Words("Long.")]);
    let life = stage.life().await;
    let mine = chat(&life, Dialect::Tools, false).await;
    life.send_and_wait(&mine, "read the book").await;
    let arguments: Value = serde_json::from_str(after(&last(&stage.model), "results_read ")).unwrap();
    let beyond = json!({ "call": arguments["call"], "from": 60_000 });
    stage.model.push_steps([reads_on(beyond), BilingualModelStep::Words("No.")]);
    life.send_and_wait(&mine, "go on").await;
    assert!(
        last(&stage.model).contains("NOT_FOUND: from is 60000, but the result has only 60000 characters")
    );

    let other = chat(&life, Dialect::Tools, false).await;
    stage.model.push_steps([reads_on(arguments.clone()), BilingualModelStep::Words("No.")]);
    life.send_and_wait(&other, "read his book").await;
    let told = last(&stage.model);
    let expected =
        format!("NOT_FOUND: this session has no result of a call {}", arguments["call"].as_str().unwrap());
    // The request itself is too long to be shown.
    assert!(told.contains(&expected));
}

#[tokio::test(start_paused = true)]
async fn permitted_command_permits_reading_its_result() {
    let stage = stage(memory(), [reads(), BilingualModelStep::Words("Long.")]);
    let life = stage.life().await;
    let restriction = Restriction::parse(["shelf.*"]).unwrap();
    let session = gated_chat(&life, Dialect::Tools, false, restriction).await.unwrap();
    life.send_and_wait(&session, "read the book").await;
    assert_eq!(
        view(&life, &session).await.facts.restriction,
        Restriction::parse(["shelf.*", "results.read"]).unwrap()
    );
    assert!(last(&stage.model).contains("results_read"));
}

#[tokio::test(start_paused = true)]
async fn without_the_command_the_cut_names_none() {
    let stage = SessionCopyFixture::with_stores(memory(), [reads(), BilingualModelStep::Words("Long.")])
        .with_executor(Arc::new(BookExecutor));
    let life = stage.life().await;
    let session = chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "read the book").await;
    assert!(
        last(&stage.model).contains("[35000 characters left out; ask for less or for the part you need]")
    );
}

#[async_trait]
impl CommandExecutor for BookExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        vec![CommandSpec {
            word: "BOOK".into(),
            name: "shelf.book".into(),
            kind: CommandKind::Query,
            effect: EffectClass::Read,
            schema: json!({ "type": "object" }).into(),
            cacheable: true,
            independent: true,
            state_scopes: Vec::new(),
            destructive: false,
            egress: false,
            asks: false,
            four_eyes: false,
            approvers: None,
            server: None,
            agent: None,
            target: serde_json::Value::Null,
            timeout: None,
            settle: Millis(0),
            key_lifetime: Millis(0),
            task: None,
            doc: String::new(),
            example: None,
        }]
    }

    async fn run(&self, _request: CallRequest) -> CallOutcome {
        CallOutcome::Succeeded { digest: sha256(book().as_bytes()), content: book(), files: Vec::new() }
    }

    async fn describe(
        &self,
        _request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        Ok(ActionDescription::default())
    }
}
