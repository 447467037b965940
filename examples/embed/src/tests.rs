//! The chat with its ports mocked: no database, no model.

use std::sync::Arc;

use custom_provider::Clerk;
use custom_store::Shelf;
use entracte_application::ports::{
    CallLimits, MockProvider, MockProviderRegistry, MockWorkspaceStore, ModelReply, Provider, ProviderFailure,
    ReplyEnd, StoreError, Window,
};
use entracte_application::runtime::{Services, StorePorts};
use entracte_application::use_cases::TurnOutcome;
use entracte_domain::session::failure::FailureClass;

use crate::chat;

/// A registry that gives this provider, whatever is asked for.
fn providers(provider: MockProvider) -> Arc<MockProviderRegistry> {
    let provider: Arc<MockProvider> = Arc::new(provider);
    let mut providers = MockProviderRegistry::new();
    providers.expect_provider().returning(move |_| Ok(provider.clone()));
    providers.expect_names().return_const(vec!["mock".to_owned()]);
    Arc::new(providers)
}

/// A provider that says what it is, and expects calls as a test says.
fn provider() -> MockProvider {
    let mut provider = MockProvider::new();
    provider.expect_encoding().returning(|| "".into());
    provider.expect_limits().returning(|_| CallLimits::default());
    provider.expect_window().returning(|_| Window::GUESS);
    provider.expect_info().return_const(Clerk::new("", &[]).info());
    provider
}

#[tokio::test]
async fn the_model_hears_the_message_and_its_answer_comes_back() {
    let mut model = provider();
    model
        .expect_call()
        .times(1)
        .withf(|request, _| format!("{:?}", request.turns).contains("When do you open?"))
        .returning(|_, sink| {
            let text = r#"{"pre_text":"At nine."}"#.to_owned();
            sink.text(&text);
            Ok(ModelReply {
                text,
                calls: Vec::new(),
                end: ReplyEnd::Done,
                usage: None,
                model: None,
                raw: None,
                request_id: None,
                body_digest: None,
            })
        });
    let services = Services::new(Arc::new(Shelf::default()), providers(model), &[]).unwrap();
    let mut shown = String::new();
    let turn = chat(services, "mock", "When do you open?", |words| shown.push_str(words)).await.unwrap();
    assert_eq!(turn.outcome(), TurnOutcome::Done);
    assert_eq!(turn.reply.unwrap().text, "At nine.");
    assert_eq!(shown, "At nine.", "all of it was shown, once");
}

#[tokio::test]
async fn a_provider_that_fails_is_a_failed_turn_and_no_error() {
    let mut model = provider();
    model.expect_call().times(1).returning(|_, _| {
        Err(ProviderFailure {
            class: FailureClass::Misconfigured,
            message: "mock: no key".to_owned(),
            retry_after: None,
            usage: None,
        })
    });
    let services = Services::new(Arc::new(Shelf::default()), providers(model), &[]).unwrap();
    let turn = chat(services, "mock", "When do you open?", |_| ()).await.unwrap();
    assert_eq!(turn.outcome(), TurnOutcome::Failed);
}

#[tokio::test]
async fn a_store_that_cannot_be_read_is_an_error() {
    let mut store = MockWorkspaceStore::new();
    store.expect_workspaces().returning(|| Err(StoreError::Unavailable("the disk is gone".into())));
    store.expect_due().returning(|_| Err(StoreError::Unavailable("the disk is gone".into())));
    let shelf = StorePorts { store: Arc::new(store), ..Arc::new(Shelf::default()).into() };
    let services = Services::new(shelf, providers(provider()), &[]).unwrap();
    let error = chat(services, "mock", "Hello", |_| ()).await.unwrap_err();
    assert_eq!(error.to_string(), "the database cannot be used: the disk is gone");
}
