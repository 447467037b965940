//! Entracte's providers fulfil the contract of the provider port.

#![expect(clippy::unwrap_used, reason = "a test that cannot make its provider has failed")]

use std::sync::Arc;

use entracte_adapters_providers::rehearsal::RehearsalProvider;
use entracte_application::ports::Provider;
use entracte_domain::session::failure::FailureClass;
use entracte_tests::contracts::provider::{FailingCallFixture, ProviderFixture, request};
use entracte_tests::runtime_fixture::{FakeModel, FakeModelLine, TokioClock};

mod rehearsal {
    use super::*;

    const SCRIPT: &str = "
        [[turn]]
        expect = \"Hello\"
        text = \"Hello to you, in several words.\"
    ";

    fn provider() -> Arc<dyn Provider> {
        Arc::new(RehearsalProvider::from_script(SCRIPT, Arc::new(TokioClock::default())).unwrap())
    }

    async fn open() -> ProviderFixture {
        ProviderFixture {
            provider: provider(),
            again: provider(),
            answered: request("Hello."),
            failing: FailingCallFixture {
                provider: provider(),
                request: request("Good bye."),
                class: FailureClass::Misconfigured,
            },
            received: None,
            keep: Box::new(()),
        }
    }

    entracte_tests::provider_contracts!(open);
}

mod fake_model {
    use super::*;

    async fn open() -> ProviderFixture {
        let model = Arc::new(FakeModel::default());
        model.push_lines((0..4).map(|_| FakeModelLine::Says("Hello to you.".into())));
        let failing = Arc::new(FakeModel::default());
        failing.push_lines([FakeModelLine::Fails(FailureClass::Throttled)]);
        ProviderFixture {
            provider: model,
            again: Arc::new(FakeModel::default()),
            answered: request("Hello."),
            failing: FailingCallFixture {
                provider: failing,
                request: request("Hello."),
                class: FailureClass::Throttled,
            },
            received: None,
            keep: Box::new(()),
        }
    }

    entracte_tests::provider_contracts!(open);
}
