use std::borrow::Cow;
use std::collections::BTreeMap;

use entracte_domain::dollars::Dollars;
use entracte_domain::file::{FileReference, ModelForm, PixelDimensions};
use entracte_domain::id::{CallId, Digest, MessageId, TaskId};
use entracte_domain::localizable_text::{
    LocalizableSentence, LocalizableText, LocalizableTextPart, SentenceValue,
};
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::time::{Deadline, Millis, Timestamp};
use entracte_domain::usage::Usage;
use entracte_domain::value::JsonValue;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::string::string_regex;

/// A strategy that is part of hundreds of others: made once a thread, and shared by all of them.
macro_rules! shared {
    ($value:ty, $strategy:expr) => {{
        thread_local! {
            static STRATEGY: BoxedStrategy<$value> = $strategy.boxed();
        }
        STRATEGY.with(BoxedStrategy::clone)
    }};
}

/// Generates texts of a pattern. It is read here once; a bare `&str` is a strategy, too, but is read for each value.
pub(super) fn matching(pattern: &str) -> BoxedStrategy<String> {
    string_regex(pattern).unwrap().boxed()
}

/// Strategies are boxed where they are combined: unboxed they exceed a test's stack.
///
/// Generates texts that are difficult to store, and texts that are JSON.
pub(super) fn text() -> BoxedStrategy<String> {
    shared!(
        String,
        prop_oneof![
            6 => matching("[a-zA-Z0-9 .]{0,10}"),
            2 => matching("\\PC{0,8}"),
            1 => any::<String>(),
            2 => value().prop_map(|value| value.to_json()),
            1 => value().prop_map(|value| format!(" {}\n", value.to_json())),
            1 => select(vec!["", "{", "[1,", "{ \"a\" : 1.50 }", "\"\"", "null", "[\"\\ud800\"]", "{}x"])
                .prop_map(str::to_owned),
        ]
    )
}

/// Plain text, and localisable sentences of all shapes, nested.
pub(super) fn speech() -> BoxedStrategy<LocalizableText> {
    shared!(LocalizableText, any_speech())
}

fn any_speech() -> impl Strategy<Value = LocalizableText> {
    let words = text().prop_map(LocalizableText::from_words);
    // Made outside: a recursive strategy is put together for each value.
    let (member, key) = (matching("[a-z_]{1,6}"), matching("[a-z-]{1,12}"));
    let said = words.clone().prop_recursive(2, 8, 3, move |inner| {
        let value =
            prop_oneof![any::<i64>().prop_map(SentenceValue::Number), inner.prop_map(SentenceValue::Speech),];
        let values = proptest::collection::btree_map(member.clone().prop_map(Cow::Owned), value, 0..3);
        let sentence = (key.clone(), values).prop_map(|(key, values)| {
            LocalizableTextPart::Sentence(LocalizableSentence { key: Cow::Owned(key), values })
        });
        vec(prop_oneof![sentence, text().prop_map(LocalizableTextPart::Words)], 0..4)
            .prop_map(LocalizableText::from_parts)
    });
    prop_oneof![2 => words, 1 => said]
}

/// JSON numbers, some beyond the range of any machine type.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        matching("-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,5})?"),
        matching("-?(0|[1-9])(\\.[0-9]{1,3})?[eE][+-]?[0-9]{1,2}"),
    ]
}

pub(crate) fn value() -> BoxedStrategy<JsonValue> {
    shared!(JsonValue, any_value())
}

fn any_value() -> impl Strategy<Value = JsonValue> {
    let leaf = prop_oneof![
        Just(JsonValue::Null),
        any::<bool>().prop_map(JsonValue::Bool),
        number().prop_map(JsonValue::Number),
        any::<String>().prop_map(JsonValue::Text),
        matching("[a-z]{0,6}").prop_map(JsonValue::Text),
    ];
    let member = matching("\\PC{0,4}");
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(JsonValue::List),
            proptest::collection::btree_map(member.clone(), inner, 0..4).prop_map(reversed),
        ]
    })
}

/// Orders the members so that they are not sorted.
fn reversed(members: BTreeMap<String, JsonValue>) -> JsonValue {
    JsonValue::Object(members.into_iter().rev().collect())
}

pub(super) fn restriction() -> BoxedStrategy<Restriction> {
    let patterns = vec(matching("[a-z]{1,4}(\\.[a-z_]{1,4}|\\.\\*)?"), 0..3);
    let only = patterns.prop_map(|words| {
        Restriction::Only(words.iter().map(|word| CommandPattern::from_text(word)).collect())
    });
    prop_oneof![Just(Restriction::Open), only].boxed()
}

pub(super) fn some<S: Strategy + 'static>(inner: S) -> BoxedStrategy<Option<S::Value>> {
    option::of(inner.boxed()).boxed()
}

pub(super) fn few<S: Strategy + 'static>(inner: S) -> BoxedStrategy<Vec<S::Value>> {
    vec(inner.boxed(), 0..3).boxed()
}

pub(super) fn digest() -> BoxedStrategy<Digest> {
    shared!(
        Digest,
        prop_oneof![
            5 => matching("[0-9a-f]{64}"),
            1 => text(),
            1 => matching("[0-9A-F]{64}"),
            1 => matching("[0-9a-f]{40,90}"),
        ]
        .prop_map(Digest::new)
    )
}

pub(super) fn file() -> BoxedStrategy<FileReference> {
    let dimensions =
        (any::<u32>(), any::<u32>()).prop_map(|(width, height)| PixelDimensions { width, height });
    let form = (digest(), text(), any::<u64>(), dimensions.clone(), any::<bool>()).prop_map(
        |(digest, media_type, bytes, dimensions, is_first_frame)| ModelForm {
            digest,
            media_type,
            bytes,
            dimensions,
            is_first_frame,
        },
    );
    (digest(), text(), text(), any::<u64>(), some(dimensions), some(any::<u32>()), some(form))
        .prop_map(|(digest, media_type, name, bytes, dimensions, pages, model_form)| FileReference {
            digest,
            media_type,
            name,
            bytes,
            dimensions,
            pages,
            model_form,
        })
        .boxed()
}

pub(super) fn call_id() -> impl Strategy<Value = CallId> {
    shared!(CallId, matching("cal_[a-z0-9]{4}_[0-9]_[0-9]").prop_map(CallId::new))
}

pub(super) fn message_id() -> impl Strategy<Value = MessageId> {
    shared!(MessageId, matching("msg_[a-z0-9]{4}_[0-9]_[0-9]").prop_map(MessageId::new))
}

pub(super) fn task_id() -> impl Strategy<Value = TaskId> {
    text().prop_map(TaskId::new)
}

pub(super) fn time() -> impl Strategy<Value = Timestamp> {
    any::<i64>().prop_map(Timestamp)
}

pub(super) fn span() -> impl Strategy<Value = Millis> {
    any::<i64>().prop_map(Millis)
}

pub(super) fn deadline() -> impl Strategy<Value = Deadline> {
    (time(), time()).prop_map(|(armed_at, due_at)| Deadline { armed_at, due_at })
}

pub(super) fn dollars() -> impl Strategy<Value = Dollars> {
    let amount = matching("[0-9]{1,9}\\.[0-9]{1,12}").prop_map(|text| text.parse().unwrap());
    prop_oneof![Just(Dollars::ZERO), amount]
}

pub(super) fn usage() -> impl Strategy<Value = Usage> {
    let count = || prop_oneof![Just(0), any::<u64>()];
    let lost = prop_oneof![Just(0), any::<u32>()];
    (count(), count(), count(), count(), lost, dollars(), count()).prop_map(
        |(input, cache_read, cache_write, output, unknown_attempts, cost, priced)| Usage {
            input,
            cache_read,
            cache_write,
            output,
            unknown_attempts,
            cost,
            priced,
        },
    )
}
