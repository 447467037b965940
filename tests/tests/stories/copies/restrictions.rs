//! A session with a restricted catalog: from its creation, or later.

use entracte_application::ports::ModelRequest;
use entracte_application::use_cases::{SessionUpdate, UseCaseError};
use entracte_domain::id::SessionId;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::Dialect;
use entracte_tests::runtime_fixture::RuntimeFixture;

use super::bilingual_model::{BilingualModelStep, look_step, send_step};
use super::changes::set;
use super::fixture::{SessionCopyFixture, all_stores, chat, gated_chat, memory, view};

const DIALECTS: [Dialect; 2] = [Dialect::Envelope, Dialect::Tools];

fn only(patterns: &[&str]) -> Restriction {
    Restriction::parse(patterns.iter().copied()).unwrap()
}

fn restriction(restriction: Restriction) -> SessionUpdate {
    SessionUpdate { restriction: Some(restriction), ..SessionUpdate::default() }
}

/// The text that the model reads before the conversation.
fn frozen(request: &ModelRequest) -> String {
    format!("{:?} {:?} {:?}", request.system, request.tools, request.output)
}

async fn states(life: &RuntimeFixture, session: &SessionId) -> Vec<String> {
    life.calls(session).await.into_iter().map(|(name, state)| format!("{name} {state}")).collect()
}

#[tokio::test(start_paused = true)]
async fn gated_command_is_forbidden() {
    for dialect in DIALECTS {
        for stores in all_stores() {
            let stage = SessionCopyFixture::with_stores(
                stores,
                [look_step("weight"), send_step("bob"), BilingualModelStep::Words("I may not.")],
            );
            let life = stage.life().await;
            // The word of the envelope names the command too.
            let session = gated_chat(&life, dialect, false, only(&["LOOK", "zones.*"])).await.unwrap();
            life.send_and_wait(&session, "tell bob").await;

            assert_eq!(states(&life, &session).await, ["outside.look succeeded", "outside.send forbidden"]);
            assert_eq!(stage.effects(), 1, "nothing was sent");
            let request = stage.model.last_request();
            let (words, tools) = (["LOOK", "ZONES", "SEND"], ["outside_look", "zones_list", "outside_send"]);
            let names = if dialect == Dialect::Tools { tools } else { words };
            let shown = names.map(|name| frozen(&request).contains(&format!("{name}\"")));
            assert_eq!(shown, [true, true, false], "the prompt shows what is allowed: {}", frozen(&request));
            let read = format!("{:?}", request.turns);
            let refused = format!("{} is not allowed in this session", names[2]);
            assert!(read.contains("FORBIDDEN") && read.contains(&refused), "{read}");
            life.verify(&session).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn changed_restriction_starts_new_generation() {
    for dialect in DIALECTS {
        let stage = SessionCopyFixture::with_stores(
            memory(),
            [BilingualModelStep::Words("Hello."), send_step("bob"), BilingualModelStep::Words("No.")],
        );
        let life = stage.life().await;
        let session = chat(&life, dialect, false).await;
        life.send_and_wait(&session, "hello").await;
        let before = view(&life, &session).await.facts;
        set(&life, &session, restriction(only(&["outside.look"]))).await.unwrap();
        set(&life, &session, restriction(only(&["outside.look"]))).await.unwrap();
        life.send_and_wait(&session, "tell bob").await;
        let after = view(&life, &session).await.facts;
        assert_eq!(after.generation, before.generation + 1);
        assert_eq!(after.restriction, only(&["outside.look"]));
        assert_eq!(states(&life, &session).await, ["outside.send forbidden"]);

        // Opened again, the call runs.
        set(&life, &session, restriction(Restriction::Open)).await.unwrap();
        stage.model.push_steps([send_step("bob"), BilingualModelStep::Words("Done.")]);
        life.send_and_wait(&session, "tell bob").await;
        assert_eq!(stage.effects(), 1);
        assert_eq!(view(&life, &session).await.facts.generation, before.generation + 2);
        life.verify(&session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_call_does_not_start_once_forbidden() {
    for dialect in DIALECTS {
        let stage = SessionCopyFixture::with_stores(
            memory(),
            [send_step("bob"), BilingualModelStep::Words("Then not.")],
        );
        let life = stage.life().await;
        let session = chat(&life, dialect, true).await;
        life.send_and_wait(&session, "tell bob").await;
        assert_eq!(life.phase(&session).await, "WAITING_VALIDATION");
        set(&life, &session, restriction(only(&["outside.look"]))).await.unwrap();
        life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
        assert_eq!(states(&life, &session).await, ["outside.send forbidden"]);
        let read = format!("{:?}", stage.model.last_request().turns);
        assert!(read.contains("The commands available in this session have changed"), "{read}");
        assert_eq!(stage.effects(), 0);
        life.verify(&session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_restriction_that_nothing_fits_is_refused() {
    let stage = SessionCopyFixture::with_stores(memory(), []);
    let life = stage.life().await;
    let refused = gated_chat(&life, Dialect::Tools, false, only(&["outside.look", "file.*"])).await;
    let Err(UseCaseError::Invalid(why)) = refused else { panic!("{refused:?}") };
    assert_eq!(&*why, "no command matches file.*");
    let session = chat(&life, Dialect::Tools, false).await;
    assert!(matches!(
        set(&life, &session, restriction(only(&["nothing"]))).await,
        Err(UseCaseError::Invalid(_))
    ));
}
