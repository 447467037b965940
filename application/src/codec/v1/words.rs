//! Enums without data, stored as words.

use std::borrow::Cow;

use entracte_domain::call::{CallStatus, CallStep};
use entracte_domain::keyword_enum::KeywordEnum;
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{
    AllowPolicyCoverage, ClockSetbackPolicy, CrashRecoveryPolicy, EmptyReplyPolicy, EndCausePolicy,
    FailureNoticePolicy, LostReadPolicy, PlanOnlyReplyPolicy, RelaunchCommandPolicy, RunReportPolicy,
    TextOnlyEndPolicy,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::shape::ShapeV1;

/// A keyword enum in a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordV1<T>(pub(super) T);

impl<T: Copy> From<&T> for WordV1<T> {
    fn from(value: &T) -> Self {
        Self(*value)
    }
}

impl<T: Copy> ShapeV1<T> for WordV1<T> {
    fn of(value: &T) -> Self {
        Self(*value)
    }

    fn domain(self) -> T {
        self.0
    }
}

impl<T: KeywordEnum> Serialize for WordV1<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

impl<'de, T: KeywordEnum> Deserialize<'de> for WordV1<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Cow::<str>::deserialize(deserializer)?;
        T::from_word(&word)
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom(format!("“{word}” is not a valid {}", T::NAME)))
    }
}

/// Defines the value of an absent word: usually the behaviour before there was a choice.
macro_rules! absent {
    ($($type:ty: $word:expr),* $(,)?) => { $(
        impl Default for WordV1<$type> {
            fn default() -> Self {
                Self($word)
            }
        }
    )* };
}

absent! {
    AllowPolicyCoverage: AllowPolicyCoverage::Anything,
    CallStep: CallStep::Run,
    CallStatus: CallStatus::Succeeded,
    EmptyReplyPolicy: EmptyReplyPolicy::Rest,
    PlanMode: PlanMode::Free,
    CrashRecoveryPolicy: CrashRecoveryPolicy::IsLost,
    EndCausePolicy: EndCausePolicy::Omits,
    FailureNoticePolicy: FailureNoticePolicy::Omits,
    LostReadPolicy: LostReadPolicy::TimesOut,
    PlanOnlyReplyPolicy: PlanOnlyReplyPolicy::Rest,
    RunReportPolicy: RunReportPolicy::Omits,
    RelaunchCommandPolicy: RelaunchCommandPolicy::Always,
    ClockSetbackPolicy: ClockSetbackPolicy::EndsWaits,
    TextOnlyEndPolicy: TextOnlyEndPolicy::Never,
}
