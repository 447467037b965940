//! The clerk fulfils the contract of the provider port, checked by the suite that Entracte exports.

use std::sync::Arc;

use custom_provider::RuleClerk;
use entracte_application::ports::{ModelRequest, Provider};
use entracte_domain::session::failure::FailureClass;
use entracte_tests::contracts::provider::{FailingCallFixture, ProviderFixture, request};

fn clerk() -> Arc<RuleClerk> {
    Arc::new(RuleClerk::new("Dear Ann", &[("open", "we open at nine.")]))
}

async fn open() -> ProviderFixture {
    ProviderFixture {
        provider: clerk(),
        again: clerk(),
        answered: request("When do you open?"),
        failing: FailingCallFixture {
            provider: clerk(),
            request: request("Do you close?"),
            class: FailureClass::Refused,
        },
        received: None,
        keep: Box::new(()),
    }
}

entracte_tests::provider_contracts!(open);

/// A conversation keeps its encoding when the clerk's settings change.
#[test]
fn an_encoding_outlives_a_change_of_the_settings() {
    let frozen = ModelRequest { encoding: clerk().encoding(), ..request("When do you open?") };
    let before = clerk().body(&frozen).unwrap();
    let changed = RuleClerk { courtesy: "Hi".into(), ..RuleClerk::new("", &[]) };
    assert_eq!(changed.body(&frozen).unwrap(), before);
    assert_ne!(changed.body(&request("When do you open?")).unwrap(), before);
}
