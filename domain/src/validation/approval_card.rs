use crate::command::Command;
use crate::id::{CallId, Digest, SessionId};
use crate::value::JsonValue;

use super::{ApprovalReason, ApproverRequirement, ApproverSeat, StandIn};

/// The facts an approval is bound to: codes, ids and values. It contains no texts or relative times, so another
/// language or wording gives the same card; any other difference gives another card.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalCard<'a> {
    /// The session of the call.
    pub session: &'a SessionId,
    /// The call to approve.
    pub call: &'a CallId,
    /// Catalog version of the command: its whole meaning.
    pub version: &'a Digest,
    /// The command with its arguments.
    pub command: &'a Command,
    /// Reasons why approval is needed.
    pub reasons: &'a [ApprovalReason],
    /// The person whose rights the call has; `None` means the rights of the workspace.
    pub acts_as: Option<&'a str>,
    /// The agents between the person and the call, nearest to the person first; empty without agents.
    pub chain: &'a [AgentLink],
    /// The values that the call overwrites, by name.
    pub before: &'a [(String, JsonValue)],
}

/// One agent of the chain that leads to a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentLink {
    /// The session that called the agent; for the first link the person's session.
    pub from: SessionId,
    /// Name of the agent declaration.
    pub agent: String,
    /// Hash of the agent declaration.
    pub version: Digest,
    /// Hash of the agent's mission.
    pub mission: Digest,
}

impl ApprovalCard<'_> {
    /// The bytes whose hash is the card's digest: equal cards have equal bytes.
    pub fn canonical_bytes(&self) -> String {
        let text = |text: &str| JsonValue::from(text);
        let reason = |reason: &ApprovalReason| {
            let about = reason.about.as_deref().map_or(JsonValue::Null, text);
            let level = text(reason.level.word());
            // Cards without approvers keep the bytes of earlier versions.
            JsonValue::List(
                [level, about].into_iter().chain(reason.approvers.as_deref().map(approvers)).collect(),
            )
        };
        let link = |link: &AgentLink| {
            JsonValue::List(
                [link.from.as_str(), &link.agent, link.version.as_str(), link.mission.as_str()]
                    .map(text)
                    .to_vec(),
            )
        };
        let before = |(name, value): &(String, JsonValue)| JsonValue::List(vec![text(name), value.clone()]);
        JsonValue::from([
            ("session", text(self.session.as_str())),
            ("call", text(self.call.as_str())),
            ("version", text(self.version.as_str())),
            ("command", text(&self.command.name)),
            ("arguments", self.command.arguments.clone()),
            ("reasons", JsonValue::List(self.reasons.iter().map(reason).collect())),
            ("acts_as", self.acts_as.map_or(JsonValue::Null, text)),
            ("chain", JsonValue::List(self.chain.iter().map(link).collect())),
            ("before", JsonValue::List(self.before.iter().map(before).collect())),
        ])
        .canonical()
    }
}

/// A requirement as JSON: its approvers as written, the people that they stand for, and its quorum.
fn approvers(required: &ApproverRequirement) -> JsonValue {
    let text = |text: &str| JsonValue::from(text);
    let stand_in = |other: &StandIn| JsonValue::List(vec![text(&other.person), other.until.0.into()]);
    let seat = |seat: &ApproverSeat| {
        let stand_ins = seat.stand_ins.iter().map(stand_in).collect();
        JsonValue::List(vec![text(&seat.person), JsonValue::List(stand_ins), seat.after.0.into()])
    };
    JsonValue::from([
        ("named", JsonValue::List(required.named.iter().map(|named| text(&named.text())).collect())),
        ("seats", JsonValue::List(required.seats.iter().map(seat).collect())),
        ("quorum", i64::from(required.quorum).into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::localizable_text::sentences;
    use crate::validation::ValidationLevel;

    #[test]
    fn card_hash_covers_every_fact_but_no_text() {
        let (session, call) = (SessionId::new("ses_a"), CallId::new("cal_a_3_0"));
        let (version, other) = (Digest::new("v1"), Digest::new("v2"));
        let command = |n: &str| Command {
            name: "mail.send".into(),
            arguments: JsonValue::from([("n", JsonValue::Number(n.into())), ("to", JsonValue::from("bob"))]),
        };
        let zone = |id: &str, name: &str| {
            let text = sentences::approval_container(name);
            [ApprovalReason {
                level: ValidationLevel::Container,
                about: Some(id.to_owned()),
                text,
                approvers: None,
            }]
        };
        let (one, two) = (command("1"), command("2"));
        let (reasons, before) = (zone("zon_a", "Health"), [("max".to_owned(), JsonValue::from(200))]);
        let card = ApprovalCard {
            session: &session,
            call: &call,
            version: &version,
            command: &one,
            reasons: &reasons,
            acts_as: None,
            chain: &[],
            before: &before,
        };
        let base = card.canonical_bytes();
        let [renamed, another] = [zone("zon_a", "Santé"), zone("zon_b", "Health")];
        assert_eq!(
            ApprovalCard { reasons: &renamed, ..card }.canonical_bytes(),
            base,
            "words are no part of it"
        );
        let agent = AgentLink {
            from: SessionId::new("ses_p"),
            agent: "banker".into(),
            version: version.clone(),
            mission: other.clone(),
        };
        let (elsewhere, later) = (SessionId::new("ses_b"), CallId::new("cal_a_3_1"));
        let changed = [("max".to_owned(), JsonValue::from(210))];
        let others = [
            ApprovalCard { session: &elsewhere, ..card },
            ApprovalCard { call: &later, ..card },
            ApprovalCard { version: &other, ..card },
            ApprovalCard { command: &two, ..card },
            ApprovalCard { reasons: &another, ..card },
            ApprovalCard { reasons: &[], ..card },
            ApprovalCard { acts_as: Some("ann"), ..card },
            ApprovalCard { chain: std::slice::from_ref(&agent), ..card },
            ApprovalCard { before: &changed, ..card },
            ApprovalCard { before: &[], ..card },
        ];
        for other in others {
            assert_ne!(other.canonical_bytes(), base, "{other:?}");
        }
    }
}
