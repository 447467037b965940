//! Earlier messages are found again in the session's own log.

use std::sync::Arc;

use entracte_application::commands::HistoryExecutor;
use entracte_application::ports::{PromptTurn, UserTurnPart};
use entracte_domain::restriction::Restriction;
use entracte_domain::session::Dialect;
use serde_json::json;

use super::bilingual_model::{BilingualModel, BilingualModelStep};
use super::fixture::{SessionCopyFixture, all_stores, chat, gated_chat, memory, view};

/// The content of the last turn of the last request.
fn last(model: &BilingualModel) -> String {
    let request = model.last_request();
    let Some(PromptTurn::User(parts)) = request.turns.last().map(|turn| &**turn) else {
        panic!("a user turn ends the request")
    };
    let text = |part: &UserTurnPart| match part {
        UserTurnPart::Text(text)
        | UserTurnPart::System(text)
        | UserTurnPart::Result { content: text, .. } => text.clone(),
        UserTurnPart::File(file) => file.line(),
    };
    parts.iter().map(text).collect::<Vec<_>>().join("\n")
}

fn looks_for(text: &str) -> BilingualModelStep {
    BilingualModelStep::Asks(vec![("FIND_HISTORY", "history.find", json!({ "text": text }), true)])
}

fn stage(
    stores: entracte_tests::contracts::StoreFixture,
    lines: impl IntoIterator<Item = BilingualModelStep>,
) -> SessionCopyFixture {
    let history = HistoryExecutor::new(stores.log.clone());
    SessionCopyFixture::with_stores(stores, lines).with_executor(Arc::new(history))
}

#[tokio::test(start_paused = true)]
async fn history_search_finds_message() {
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        for stores in all_stores() {
            let stage = stage(stores, [BilingualModelStep::Words("I will check INV-42.")]);
            let life = stage.life().await;
            let session = chat(&life, dialect, false).await;
            life.send_and_wait(&session, "please pay inv-42 by Friday").await;
            for number in 0..12 {
                stage.model.push_steps([BilingualModelStep::Words("Yes.")]);
                life.send_and_wait(&session, &format!("and number {number}")).await;
            }
            stage.model.push_steps([looks_for("Inv-42"), BilingualModelStep::Words("Found.")]);
            life.send_and_wait(&session, "what was it?").await;
            let read = last(&stage.model);
            assert!(read.contains("2 messages say it; the latest 2, newest first:"), "{read}");
            let model = read.find("you): I will check INV-42.").unwrap_or_else(|| panic!("{read}"));
            let person = read.find("please pay inv-42 by Friday").unwrap_or_else(|| panic!("{read}"));
            assert!(model < person, "the newest first: {read}");
            assert!(read.contains(&format!("msg_{}_", session.stem())), "{read}");

            stage.model.push_steps([looks_for("number"), BilingualModelStep::Words("Found.")]);
            life.send_and_wait(&session, "again").await;
            let read = last(&stage.model);
            assert!(read.contains("12 messages say it; the latest 10, newest first:"), "{read}");
            assert!(read.contains("and number 2") && !read.contains("and number 1\n"), "{read}");

            stage.model.push_steps([looks_for("nobody said that"), BilingualModelStep::Words("No.")]);
            life.send_and_wait(&session, "and that?").await;
            assert!(last(&stage.model).contains("Nobody has said “nobody said that”"));
            life.verify(&session).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn only_the_same_session_is_searched() {
    let stage = stage(memory(), [BilingualModelStep::Words("Noted.")]);
    let life = stage.life().await;
    let other = chat(&life, Dialect::Tools, false).await;
    life.send_and_wait(&other, "the key is under the mat").await;
    let restriction = Restriction::parse(["outside.*"]).unwrap();
    let mine = gated_chat(&life, Dialect::Tools, false, restriction).await.unwrap();
    assert_eq!(
        view(&life, &mine).await.facts.restriction,
        Restriction::parse(["outside.*", "history.find"]).unwrap()
    );
    stage.model.push_steps([looks_for("under the mat"), BilingualModelStep::Words("No.")]);
    life.send_and_wait(&mine, "where is it?").await;
    assert!(last(&stage.model).contains("Nobody has said"), "{}", last(&stage.model));
}
