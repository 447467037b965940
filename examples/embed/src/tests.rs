//! Tests of the chat with a store in memory and mocked ports: no database, no model.

use std::sync::Arc;

use custom_provider::RuleClerk;
use entracte_application::ports::{
    ContextWindow, MockProvider, MockProviderRegistry, MockWorkspaceStore, ModelCallLimits, ModelReply,
    Provider, ProviderFailure, ReplyEnd, StoreError,
};
use entracte_application::runtime::{RuntimeServices, StorePorts};
use entracte_application::use_cases::TurnOutcome;
use entracte_domain::session::failure::FailureClass;
use entracte_tests::fakes::memory_store::MemoryStore;

use crate::chat;

/// A registry that returns this provider for every name.
fn providers(provider: MockProvider) -> Arc<MockProviderRegistry> {
    let provider: Arc<MockProvider> = Arc::new(provider);
    let mut providers = MockProviderRegistry::new();
    providers.expect_provider().returning(move |_| Ok(provider.clone()));
    providers.expect_names().return_const(vec!["mock".to_owned()]);
    Arc::new(providers)
}

/// A provider with its description; the test adds the expected calls.
fn provider() -> MockProvider {
    let mut provider = MockProvider::new();
    provider.expect_encoding().returning(|| "".into());
    provider.expect_limits().returning(|_| ModelCallLimits::default());
    provider.expect_window().returning(|_| ContextWindow::GUESS);
    provider.expect_learn_window().returning(|_| ContextWindow::GUESS);
    provider.expect_most_tools().return_const(None);
    provider.expect_info().return_const(RuleClerk::new("", &[]).info());
    provider
}

#[tokio::test]
async fn model_receives_message_and_its_answer_is_returned() {
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
    let services = RuntimeServices::new(Arc::new(MemoryStore::new()), providers(model), &[]).unwrap();
    let mut shown = String::new();
    let turn = chat(services, "mock", "When do you open?", |words| shown.push_str(words)).await.unwrap();
    assert_eq!(turn.outcome(), TurnOutcome::Done);
    assert_eq!(turn.reply.unwrap().text, "At nine.");
    assert_eq!(shown, "At nine.", "all of it was shown, once");
}

#[tokio::test]
async fn provider_failure_fails_turn_without_error() {
    let mut model = provider();
    model.expect_call().times(1).returning(|_, _| {
        Err(ProviderFailure {
            class: FailureClass::Misconfigured,
            message: "mock: no key".to_owned(),
            retry_after: None,
            usage: None,
        })
    });
    let services = RuntimeServices::new(Arc::new(MemoryStore::new()), providers(model), &[]).unwrap();
    let turn = chat(services, "mock", "When do you open?", |_| ()).await.unwrap();
    assert_eq!(turn.outcome(), TurnOutcome::Failed);
}

#[tokio::test]
async fn unreadable_store_is_an_error() {
    let mut store = MockWorkspaceStore::new();
    store.expect_workspaces().returning(|| Err(StoreError::Unavailable("the disk is gone".into())));
    store.expect_due().returning(|_| Err(StoreError::Unavailable("the disk is gone".into())));
    let shelf = StorePorts { store: Arc::new(store), ..Arc::new(MemoryStore::new()).into() };
    let services = RuntimeServices::new(shelf, providers(provider()), &[]).unwrap();
    let error = chat(services, "mock", "Hello", |_| ()).await.unwrap_err();
    assert_eq!(error.to_string(), "the database cannot be used: the disk is gone");
}
