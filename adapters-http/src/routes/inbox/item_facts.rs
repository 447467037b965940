//! What an item of the inbox is sought by. Pure.

use std::borrow::Cow;

use crate::shapes::card::{InboxShape, PlaceShape};

/// What an item is sought by.
pub(super) struct ItemFacts<'a> {
    pub(super) kind: &'static str,
    pub(super) session: &'a str,
    pub(super) session_name: &'a str,
    pub(super) automation: Option<&'a str>,
    pub(super) command: Option<&'a str>,
    pub(super) people: Vec<&'a str>,
    /// What it says.
    texts: Vec<&'a str>,
}

impl<'a> ItemFacts<'a> {
    pub(super) fn new(item: &'a InboxShape) -> Self {
        let of = |kind, place: &'a PlaceShape, command: Option<&'a str>, texts: Vec<&'a str>| Self {
            kind,
            session: &place.session,
            session_name: &place.session_name,
            automation: place.automation.as_deref(),
            command,
            people: place.requester.as_deref().into_iter().collect(),
            texts,
        };
        match item {
            InboxShape::Approval(card) => Self {
                kind: "approval",
                session: &card.session,
                session_name: &card.session_name,
                automation: card.automation.as_deref(),
                command: Some(&card.command),
                people: [card.requester.as_deref(), card.acts_as.as_deref()]
                    .into_iter()
                    .flatten()
                    .chain(card.asked_by.iter().map(String::as_str))
                    .collect(),
                texts: vec![&card.says, &card.arguments_text],
            },
            InboxShape::Question { place, question } => of("question", place, None, vec![&question.text]),
            InboxShape::Unsettled { place, command, .. } => of("unsettled", place, Some(command), Vec::new()),
            InboxShape::Parked { place, why, says, .. } => of("parked", place, None, vec![why, says]),
            InboxShape::Ended { place, why, end_reason, .. } => {
                of("ended", place, None, vec![why, end_reason])
            }
            InboxShape::Failed { place, command, approver, .. } => {
                of("failed", place, Some(command), vec![approver])
            }
            InboxShape::Task { place, command, question, .. } => {
                of("task", place, Some(command), question.as_deref().into_iter().collect())
            }
            InboxShape::Off { place, says, .. } => of("off", place, None, vec![says]),
            InboxShape::Tools { place, server, .. } => of("tools", place, None, vec![server]),
            InboxShape::Ungranted { place } => of("ungranted", place, None, Vec::new()),
        }
    }

    pub(super) fn have_words(&self, words: &[String]) -> bool {
        if words.is_empty() {
            return true;
        }
        let names = [Some(self.session_name), self.command, self.automation, Some(self.kind)];
        let all = names.into_iter().flatten().chain(self.people.iter().copied());
        let text: Vec<String> = all.chain(self.texts.iter().copied()).map(str::to_lowercase).collect();
        words.iter().all(|word| text.iter().any(|text| text.contains(word.as_str())))
    }
}

/// The arguments of an item as text, if it has some.
pub(super) fn arguments_of(item: &InboxShape) -> Option<Cow<'_, str>> {
    match item {
        InboxShape::Approval(card) => Some(card.arguments_text.as_str().into()),
        InboxShape::Unsettled { arguments, .. } => {
            arguments.as_ref().map(|arguments| arguments.0.to_json().into())
        }
        InboxShape::Question { .. }
        | InboxShape::Parked { .. }
        | InboxShape::Ended { .. }
        | InboxShape::Failed { .. }
        | InboxShape::Task { .. }
        | InboxShape::Off { .. }
        | InboxShape::Tools { .. }
        | InboxShape::Ungranted { .. } => None,
    }
}
