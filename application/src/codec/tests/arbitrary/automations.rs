use entracte_domain::automation::{Automation, AutomationGrant, RunCause, SkipReason};
use entracte_domain::id::{AutomationId, SessionId};
use proptest::prelude::*;
use proptest::sample::select;

use super::mail::{policies, trigger};
use super::scalars::*;
use crate::journal::{Occurrence, OccurrenceOutcome};

pub(in crate::codec) fn automation() -> impl Strategy<Value = Automation> {
    let made = (text(), text(), text(), trigger(), policies());
    let grant = (text(), time(), text(), proptest::collection::vec((text(), any::<u64>()), 0..3));
    let grant = (grant, any::<bool>(), any::<bool>());
    let grant = grant.prop_map(|((author, at, seed, instructions), allows, frees)| AutomationGrant {
        author,
        at,
        seed: SessionId::new(seed),
        instructions,
        allows,
        frees,
    });
    let state = (any::<bool>(), any::<u32>(), some(text()), some(time()), time(), time(), some(grant));
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
        grant: state.6,
    })
}

pub(in crate::codec) fn occurrence() -> impl Strategy<Value = Occurrence> {
    let outcome = prop_oneof![
        text().prop_map(|session| OccurrenceOutcome::Run(SessionId::new(session))),
        select(SkipReason::ALL.to_vec()).prop_map(OccurrenceOutcome::Skipped),
    ];
    let blocked_by = some(text().prop_map(SessionId::new));
    (text(), time(), select(RunCause::ALL.to_vec()), any::<u32>(), time(), outcome, blocked_by).prop_map(
        |(automation, at, cause, version, decided_at, outcome, blocked_by)| Occurrence {
            automation: AutomationId::new(automation),
            at,
            cause,
            version,
            decided_at,
            outcome,
            blocked_by,
        },
    )
}
