use entracte_domain::automation::{Automation, Cause, Skip};
use entracte_domain::id::{AutomationId, SessionId};
use proptest::prelude::*;
use proptest::sample::select;

use super::leaves::*;
use super::mail::{policies, trigger};
use crate::journal::{Became, Occurrence};

pub(in crate::codec) fn automation() -> impl Strategy<Value = Automation> {
    let made = (text(), text(), text(), trigger(), policies());
    let state = (any::<bool>(), any::<u32>(), some(text()), some(time()), time(), time());
    (made, state).prop_map(|(made, state)| Automation {
        id: AutomationId::new(made.0),
        name: made.1,
        seed: SessionId::new(made.2),
        trigger: made.3,
        policies: made.4,
        enabled: state.0,
        version: state.1,
        attention: state.2,
        next_at: state.3,
        created_at: state.4,
        updated_at: state.5,
    })
}

pub(in crate::codec) fn occurrence() -> impl Strategy<Value = Occurrence> {
    let outcome = prop_oneof![
        text().prop_map(|session| Became::Run(SessionId::new(session))),
        select(Skip::ALL.to_vec()).prop_map(Became::Skipped),
    ];
    (text(), time(), select(Cause::ALL.to_vec()), any::<u32>(), time(), outcome).prop_map(
        |(automation, at, cause, version, decided_at, outcome)| Occurrence {
            automation: AutomationId::new(automation),
            at,
            cause,
            version,
            decided_at,
            outcome,
        },
    )
}
