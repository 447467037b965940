//! The scope and the source of instructions.

use crate::instructions as domain;

use super::shape::shape;

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum InstructionsScopeV1 = domain::InstructionScope {
        Workspace,
        Automation(id: String),
        Session(id: String),
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum InstructionsSourceV1 = domain::InstructionSource {
        Written,
        File(name: String),
        Copy(session: String),
    }
}
