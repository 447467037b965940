//! The stored shapes of approver requirements, and of the approvals that a call has.

use entracte_domain::validation as domain;

use super::is_default;
use super::shape::shape;

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum ApproverV1 = domain::Approver {
        Role(name: String),
        Person(name: String),
    }
}

shape! {
    struct StandInV1 = domain::StandIn[person: String, until: i64]
}

shape! {
    struct ApproverSeatV1 = domain::ApproverSeat {
        person: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        stand_ins: Vec<StandInV1>,
        #[serde(default, skip_serializing_if = "is_default")]
        after: i64,
    }
}

shape! {
    pub(super) struct ApproverRequirementV1 = domain::ApproverRequirement {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        named: Vec<ApproverV1>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        seats: Vec<ApproverSeatV1>,
        quorum: u32,
    }
}

shape! {
    pub(super) struct GivenApprovalV1 = domain::GivenApproval[author: String, at: i64]
}
