//! Refusals of model calls that could exceed a cap.

use entracte_domain::spending::{self as domain, SpendingScope};

use super::is_default;
use super::leaf::AmountV1;
use super::shape::shape;
use super::words::WordV1;

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum SpendingRefusalV1 = domain::SpendingRefusal {
        Cap(excess: SpendingExcessV1),
        UnknownPrice {
            #[serde(default, skip_serializing_if = "is_default")]
            asks: bool,
            message: String,
        },
    }
}

shape! {
    pub(super) struct SpendingExcessV1 = domain::SpendingExcess {
        scope: WordV1<SpendingScope>,
        numbers: SpendingNumbersV1,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum SpendingNumbersV1 = domain::SpendingExcessNumbers {
        Cost { cap: AmountV1, used: AmountV1, needed: AmountV1 },
        Tokens { cap: u64, used: u64, needed: u64 },
    }
}
