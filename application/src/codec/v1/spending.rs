//! Refusals of model calls that could exceed a cap, and the questions and answers at its soft line.

use entracte_domain::spending::{self as domain, SpendingScope};

use super::is_default;
use super::leaf::AmountV1;
use super::shape::shape;
use super::words::WordV1;

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum SpendingRefusalV1 = domain::SpendingRefusal {
        Cap(excess: SpendingExcessV1),
        SoftLine(question: SpendingQuestionV1),
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

shape! {
    pub(super) struct SpendingQuestionV1 = domain::SpendingQuestion {
        excess: SpendingExcessV1,
        extra: SpendingAmountV1,
        #[serde(default, skip_serializing_if = "is_default")]
        since: i64,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        spent_for: Vec<SpendingShareV1>,
    }
}

shape! {
    struct SpendingShareV1 = domain::SpendingShare {
        #[serde(default, skip_serializing_if = "is_default")]
        command: String,
        amount: SpendingAmountV1,
    }
}

shape! {
    pub(super) struct SpendingAmountV1 = domain::SpendingAmount {
        #[serde(default, skip_serializing_if = "is_default")]
        tokens: u64,
        #[serde(default, rename = "usd", skip_serializing_if = "is_default")]
        cost: AmountV1,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum SpendingAnswerV1 = domain::SpendingAnswer {
        Continue(extra: SpendingAmountV1),
        Stop,
    }
}

shape! {
    pub(crate) struct RaisedSpendingLineV1 = domain::RaisedSpendingLine {
        scope: WordV1<SpendingScope>,
        #[serde(default, skip_serializing_if = "is_default")]
        subject: String,
        #[serde(default, skip_serializing_if = "is_default")]
        since: i64,
        line: SpendingAmountV1,
    }
}
