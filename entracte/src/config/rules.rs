//! The limits and policies of a session as settings: every field of [`SessionRules`] under its own name.

use std::collections::BTreeMap;

use entracte_domain::keyword_enum::KeywordEnum;
use entracte_domain::plan::PlanMode;
use entracte_domain::session::{
    ActionFailurePolicy, CompletionCheck, EmptyReplyPolicy, LimitProfile, NetworkPolicy, PlanOnlyReplyPolicy,
    RelaunchCommandPolicy, SessionRules, TextOnlyEndPolicy, UnattendedPolicy, UnknownOutcomePolicy,
};
use entracte_domain::time::Millis;

use super::value::{SettingValue, SettingValueKind};

/// A field of [`SessionRules`].
pub(crate) struct RulesField {
    /// Its name in `[limits]`.
    pub(crate) name: &'static str,
    /// The kind of its value.
    pub(crate) kind: SettingValueKind,
    /// Reads its value.
    pub(crate) get: fn(&SessionRules) -> SettingValue,
    /// Sets its value; a value of another kind is ignored.
    pub(crate) set: fn(&mut SessionRules, &SettingValue),
}

/// A type of a field.
trait RulesFieldType: Sized {
    const KIND: SettingValueKind;
    fn show(&self) -> SettingValue;
    fn read(value: &SettingValue) -> Option<Self>;
}

impl RulesFieldType for u32 {
    const KIND: SettingValueKind = SettingValueKind::Count(u32::MAX as u64);

    fn show(&self) -> SettingValue {
        SettingValue::Count(u64::from(*self))
    }

    fn read(value: &SettingValue) -> Option<Self> {
        match value {
            SettingValue::Count(count) => u32::try_from(*count).ok(),
            SettingValue::Text(_) | SettingValue::Flag(_) | SettingValue::Span(_) => None,
        }
    }
}

impl RulesFieldType for Millis {
    const KIND: SettingValueKind = SettingValueKind::Span;

    fn show(&self) -> SettingValue {
        SettingValue::Span(*self)
    }

    fn read(value: &SettingValue) -> Option<Self> {
        match value {
            SettingValue::Span(span) => Some(*span),
            SettingValue::Text(_) | SettingValue::Flag(_) | SettingValue::Count(_) => None,
        }
    }
}

/// Policies have a word for each value.
macro_rules! worded {
    ($($type:ty),+) => {$(
        impl RulesFieldType for $type {
            const KIND: SettingValueKind = SettingValueKind::Word(<$type as KeywordEnum>::WORDS);

            fn show(&self) -> SettingValue {
                SettingValue::Text(self.word().to_owned())
            }

            fn read(value: &SettingValue) -> Option<Self> {
                match value {
                    SettingValue::Text(text) => Self::from_word(text),
                    SettingValue::Flag(_) | SettingValue::Count(_) | SettingValue::Span(_) => None,
                }
            }
        }
    )+};
}

worded!(
    LimitProfile,
    ActionFailurePolicy,
    CompletionCheck,
    UnattendedPolicy,
    NetworkPolicy,
    UnknownOutcomePolicy,
    TextOnlyEndPolicy,
    EmptyReplyPolicy,
    PlanOnlyReplyPolicy,
    PlanMode,
    RelaunchCommandPolicy
);

fn kind_of<T: RulesFieldType>(_: fn(&SessionRules) -> &T) -> SettingValueKind {
    T::KIND
}

macro_rules! fields {
    ($($name:ident),+) => {
        /// All fields. Those of `[validation]` are separate, in [`validation`]; a field that only records how earlier
        /// versions decided is not a setting.
        pub(crate) fn fields() -> Vec<RulesField> {
            vec![$(field!($name)),+].into_iter().map(named_apart).collect()
        }

        /// Fails to compile when a field is missing.
        #[expect(dead_code, reason = "it is there to be compiled")]
        fn none_is_forgotten(rules: &SessionRules) {
            let SessionRules { $($name: _,)+ unattended: _, allow_covers: _, validation_expires: _, own_crash: _, set_back: _, end_cause: _, failure_notice: _, run_report: _, lost_read: _ } = rules;
        }
    };
}

/// The round limit of an agent tree has another name, because its variable would clash with that of
/// `limits.agent.rounds`.
fn named_apart(field: RulesField) -> RulesField {
    let name = if field.name == "agent_rounds" { "rounds_in_tree" } else { field.name };
    RulesField { name, ..field }
}

macro_rules! field {
    ($name:ident) => {
        RulesField {
            name: stringify!($name),
            kind: kind_of(|rules| &rules.$name),
            get: |rules| rules.$name.show(),
            set: |rules, value| {
                if let Some(value) = RulesFieldType::read(value) {
                    rules.$name = value;
                }
            },
        }
    };
}

fields!(
    rounds,
    query_rounds,
    failed_action_rounds,
    format_errors,
    equal_failures,
    relaunches,
    relaunch_commands,
    plan_alone,
    mode,
    without_progress,
    run_duration,
    calls_per_reply,
    calls_per_session,
    call_timeout,
    call_retries,
    call_retry_delay,
    queries_parallel,
    actions_on_failure,
    message_queue,
    context_tokens,
    history_messages,
    output_tokens,
    model_time,
    agent_depth,
    agents_at_once,
    agents_in_tree,
    agent_rounds,
    agent_rest,
    completion_check,
    words_end_run,
    empty_reply,
    completion_delay,
    closing_delay,
    question_expires,
    network,
    network_retry,
    chat_wait,
    chat_waits,
    cache_window,
    anti_loop_window,
    on_unknown,
    watchdog,
    quarantine_after
);

/// The fields that `[validation]` sets, under their names there.
pub(crate) fn validation() -> Vec<RulesField> {
    let named = |name, field: RulesField| RulesField { name, ..field };
    vec![named("expires", field!(validation_expires)), named("unattended", field!(unattended))]
}

/// Every limit and policy under its setting's name, with its value as a person writes it.
pub(crate) fn limits(rules: &SessionRules) -> BTreeMap<String, String> {
    let tables = [("limits", fields()), ("validation", validation())];
    let named = tables.into_iter().flat_map(|(table, fields)| {
        fields.into_iter().map(move |field| {
            let value = (field.get)(rules).to_string();
            (format!("{table}.{}", field.name), value.trim_matches('"').to_owned())
        })
    });
    named.collect()
}

/// The values of `limits.profile`.
pub(crate) const PROFILE: SettingValueKind = <LimitProfile as RulesFieldType>::KIND;

/// The profile of that name.
pub(crate) fn profile(value: &SettingValue) -> Option<LimitProfile> {
    RulesFieldType::read(value)
}

#[cfg(test)]
mod tests {
    use entracte_domain::session::SessionKind;

    use super::*;

    #[test]
    fn every_field_round_trips() {
        let rules = SessionRules::new(SessionKind::Chat, LimitProfile::Strict);
        let mut copy = SessionRules::new(SessionKind::Automation, LimitProfile::Autonomous);
        for field in fields().into_iter().chain(validation()) {
            let value = (field.get)(&rules);
            let shown = value.to_string();
            let text = shown.trim_matches('"');
            assert_eq!(field.kind.read(text), Some(value.clone()), "{}", field.name);
            (field.set)(&mut copy, &value);
        }
        assert_eq!(copy, rules);
    }
}
