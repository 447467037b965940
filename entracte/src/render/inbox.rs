//! Draws what waits for a person.

use entracte_adapters_http::shapes::card::{CardShape, InboxShape, PlaceShape};
use entracte_adapters_http::shapes::cost::SpendingQuestionShape;
use entracte_adapters_http::shapes::rule_width::{OfferedWidthShape, RuleReach};
use entracte_adapters_http::shapes::tool_server::ToolCountsShape;
use entracte_adapters_http::shapes::triage::{AssignmentShape, ItemTriageShape};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::time::Millis;

use super::approval::{card, question};
use super::chain::line;
use super::rule::{chosen_width, width};
use super::stored_words;
use super::text::{block, name_of, one_line};
use super::time::{TimeFormatter, shown_instant};
use crate::colour::paint;

/// How items are drawn.
#[derive(Clone, Copy)]
pub(crate) struct InboxRenderer<'a> {
    /// The texts of the workspace.
    pub(crate) texts: &'a LocalizedTexts,
    /// Whether colours are used.
    pub(crate) colour: bool,
    /// How instants are written.
    pub(crate) dial: TimeFormatter<'a>,
    /// How long a standing approval lasts that says nothing else.
    pub(crate) always_expires: Millis,
}

impl InboxRenderer<'_> {
    /// An item with the commands that answer it.
    pub(crate) fn draw(self, item: &InboxShape, all: &[InboxShape]) -> String {
        let (body, commands) = (self.noted_body(item, all), self.commands(item));
        match self.head(item) {
            Some(head) => format!("{head}\n{body}{commands}\n"),
            None => format!("{body}{commands}\n"),
        }
    }

    /// An item without the commands that answer it, because its keys are shown below.
    pub(crate) fn content(self, item: &InboxShape) -> String {
        let body = self.noted_body(item, &[]);
        self.head(item).map_or(body.clone(), |head| format!("{head}\n{body}"))
    }

    /// The session of an item, with its name; `None` for items of no session.
    fn head(self, item: &InboxShape) -> Option<String> {
        let (session, name) = match item {
            InboxShape::Approval(card) => (&card.session, &card.session_name),
            InboxShape::Off { .. } | InboxShape::Tools { .. } => return None,
            InboxShape::Question { place, .. }
            | InboxShape::Unsettled { place, .. }
            | InboxShape::Parked { place, .. }
            | InboxShape::Ended { place, .. }
            | InboxShape::Failed { place, .. }
            | InboxShape::Task { place, .. }
            | InboxShape::Ungranted { place } => (&place.session, &place.session_name),
        };
        let head = say!(self.texts, "inbox-session", session = session, name = name_of(name, self.texts));
        Some(paint(&head, "2", self.colour))
    }

    /// The item, and below it to whom it is assigned and until when it is snoozed.
    fn noted_body(self, item: &InboxShape, all: &[InboxShape]) -> String {
        let mut body = self.body(item, all);
        let Some(ItemTriageShape { snoozed_until, assigned }) = item.triage() else { return body };
        if let Some(AssignmentShape { person, author, .. }) = assigned {
            let (person, author) = (one_line(person), one_line(author));
            let says = say!(self.texts, "inbox-assigned-by", person = person, author = author);
            body = format!("{body}\n  {says}");
        }
        if let Some(until) = snoozed_until {
            let until = shown_instant(until, |at| self.dial.with_relative_time(at, self.texts));
            body = format!("{body}\n  {}", say!(self.texts, "inbox-snoozed-until", until = until));
        }
        body
    }

    fn body(self, item: &InboxShape, all: &[InboxShape]) -> String {
        let texts = self.texts;
        match item {
            InboxShape::Approval(approval) => {
                let card = card(approval, texts, self.colour, self.dial).text;
                match rule_suggestion(approval, texts) {
                    Some(says) => format!("{card}\n  {says}"),
                    None => card,
                }
            }
            InboxShape::Question { place, question: asked } => {
                format!("{}{}", self.chain(place), question(asked, self.colour, texts))
            }
            InboxShape::Unsettled { command, .. } => format!(
                "{} {}",
                paint(&say!(texts, "inbox-unknown"), "31;1", self.colour),
                say!(texts, "inbox-unknown-settle", command = one_line(command))
            ),
            InboxShape::Parked { why, says, .. } => format!(
                "{} {}",
                paint(&stored_words::word("standing", "parked", texts), "33;1", self.colour),
                one_line(&parked(why, says, texts))
            ),
            InboxShape::Ended { why, end_reason, expired, .. } => {
                format!(
                    "{} {}",
                    paint(&ended(why, texts), "31;1", self.colour),
                    how(end_reason, expired, texts)
                )
            }
            InboxShape::Failed { command, approver, code, .. } => {
                let (command, approver) = (one_line(command), one_line(approver));
                let says = say!(texts, "inbox-call-failed-says", command = command, person = approver);
                let code = code.as_deref().map(|code| format!(" ({})", one_line(code))).unwrap_or_default();
                let head = paint(&say!(texts, "inbox-call-failed"), "31;1", self.colour);
                format!("{head} {says}{code}")
            }
            InboxShape::Task { why, command, state, contradicted, question, .. } => {
                let command = one_line(command);
                let (head, says) = match (&**why, question) {
                    ("asks", asked) => {
                        let question = block(asked.as_deref().unwrap_or_default());
                        let head = paint(&say!(texts, "inbox-task-asks"), "33;1", self.colour);
                        let says = say!(texts, "inbox-task-asks-says", command = command);
                        return format!("{head} {says}\n{question}");
                    }
                    ("contradicted", _) => (
                        say!(texts, "inbox-task-contradicted"),
                        say!(texts, "inbox-task-contradicted-says", command = command, count = *contradicted),
                    ),
                    _ => {
                        let state = texts.render(&format!("task-state-{state}"), &[]);
                        let says =
                            say!(texts, "inbox-task-undelivered-says", command = command, state = state);
                        (say!(texts, "inbox-task-undelivered"), says)
                    }
                };
                format!("{} {says}", paint(&head, "31;1", self.colour))
            }
            InboxShape::Off { place, what, says } => {
                let (name, person) =
                    (one_line(&place.session_name), one_line(place.requester.as_deref().unwrap_or_default()));
                let head = match &**what {
                    "secret" => say!(texts, "inbox-off-secret", name = name, person = person),
                    _ => say!(texts, "inbox-off-target", name = name, person = person),
                };
                format!("{} {}", paint(&head, "31;1", self.colour), one_line(says))
            }
            InboxShape::Tools { server, counts, waiting, .. } => {
                let ToolCountsShape { undecided_queries: queries, undecided_actions: actions, .. } = *counts;
                let head = paint(&say!(texts, "inbox-tools", server = one_line(server)), "33;1", self.colour);
                let says = say!(texts, "inbox-tools-says", queries = queries, actions = actions);
                let head = format!("{head} {}", one_line(&says).trim());
                let mut lines = vec![head, tool_commands(server, waiting)];
                lines.extend(self.waiting_queries(waiting, all));
                lines.join("\n")
            }
            InboxShape::Ungranted { .. } => format!(
                "{} {}",
                paint(&say!(texts, "inbox-ungranted"), "33;1", self.colour),
                say!(texts, "inbox-ungranted-says")
            ),
        }
    }

    /// The chain to the asking agent on its own line; empty if no agent asks.
    fn chain(self, place: &PlaceShape) -> String {
        let people: Vec<String> = place.requester.iter().cloned().collect();
        line(&people, &place.chain, self.texts).map(|chain| format!("  {chain}\n")).unwrap_or_default()
    }

    /// The queries of a server that wait until somebody decides about its tools.
    fn waiting_queries(self, waiting: &[String], all: &[InboxShape]) -> Vec<String> {
        if waiting.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![format!("  {}", say!(self.texts, "inbox-tools-waiting", count = waiting.len()))];
        let cards = all.iter().filter_map(approval).filter(|card| waiting.contains(&card.id));
        lines.extend(cards.map(|card| {
            let (id, says) = (&card.id, one_line(&card.says));
            format!("    {id} {} — {says}", name_of(&card.session_name, self.texts))
        }));
        lines
    }

    /// The commands that answer an item, each on its own line.
    fn commands(self, item: &InboxShape) -> String {
        let text = say!(self.texts, "placeholder-text");
        match item {
            InboxShape::Approval(card) => {
                let id = &card.id;
                let always = width(card, self.texts, false, false, self.always_expires)
                    .map(|width| format!("\n  entracte approve {id} --always\n    {}", width.trim_start()));
                let always = always.unwrap_or_default();
                let narrower = |(index, offered): (usize, &OfferedWidthShape)| {
                    let says = chosen_width(
                        card,
                        &offered.width,
                        RuleReach::default(),
                        self.texts,
                        self.always_expires,
                    );
                    format!(
                        "\n  entracte approve {id} --always --width {}\n    {}",
                        index + 1,
                        says.trim_start()
                    )
                };
                let narrower: String = card.widths.iter().enumerate().map(narrower).collect();
                format!("\n  entracte approve {id}\n  entracte reject {id} --reason {text}{narrower}{always}")
            }
            InboxShape::Question { place, .. } => format!("\n  entracte answer {} {text}", place.session),
            InboxShape::Unsettled { call, .. } => format!(
                "\n  entracte settle {call} happened\n  entracte settle {call} did-not-happen\n  entracte settle {call} again"
            ),
            InboxShape::Parked { place, spending: Some(question), .. } => spending_commands(place, question),
            InboxShape::Parked { place, .. } => format!("\n  entracte session resume {}", place.session),
            InboxShape::Ended { place, .. } => {
                let session = &place.session;
                format!("\n  entracte session messages {session}\n  entracte inbox seen {session}")
            }
            InboxShape::Failed { place, call, .. } => {
                let session = &place.session;
                format!("\n  entracte session calls {session} {call}\n  entracte inbox seen {session}")
            }
            InboxShape::Task { why, task, .. } if why == "asks" => {
                let answer = say!(self.texts, "inbox-task-answer");
                format!("\n  entracte task answer {task} {answer}\n  entracte task show {task}")
            }
            InboxShape::Task { task, .. } => {
                format!("\n  entracte task show {task}\n  entracte inbox seen {task}")
            }
            InboxShape::Off { place, what, .. } => {
                let name = one_line(&place.session_name);
                match &**what {
                    "secret" => format!("\n  entracte secret set {name}"),
                    _ => format!("\n  entracte notify remove {name}"),
                }
            }
            // They stand before the queries that wait.
            InboxShape::Tools { .. } => String::new(),
            InboxShape::Ungranted { place } => {
                let automation = place.automation.as_deref().unwrap_or_default();
                format!(
                    "\n  entracte automation edit {automation} --unattended allow\n  entracte automation edit {automation} --unattended park"
                )
            }
        }
    }
}

/// The commands that answer whether a session may use more of a cap.
fn spending_commands(place: &PlaceShape, question: &SpendingQuestionShape) -> String {
    let (session, least) = (&place.session, &question.least);
    let less = if question.extra.tokens > 0 {
        format!("--tokens {}", least.tokens)
    } else {
        format!("--usd {}", least.cost_usd)
    };
    format!(
        "\n  entracte cost extend {session}\n  entracte cost extend {session} {less}\n  entracte cost decline {session}"
    )
}

/// The suggestion to approve such calls from now on; `None` if nothing suggests it.
fn rule_suggestion(card: &CardShape, texts: &LocalizedTexts) -> Option<String> {
    let count = card.approved_before?;
    Some(say!(texts, "inbox-suggests-rule", count = count, command = one_line(&card.command)))
}

/// The commands that decide about the tools of a server.
fn tool_commands(server: &str, waiting: &[String]) -> String {
    let (name, approve) = (one_line(server), if waiting.is_empty() { "" } else { " --approve-waiting" });
    format!(
        "  entracte mcp tools {name}\n  entracte mcp trust {name}{approve}\n  entracte mcp keep {name}\n  entracte mcp ask {name}"
    )
}

/// The card of an item, if it is an approval.
pub(crate) fn approval(item: &InboxShape) -> Option<&CardShape> {
    match item {
        InboxShape::Approval(card) => Some(card),
        InboxShape::Question { .. }
        | InboxShape::Unsettled { .. }
        | InboxShape::Parked { .. }
        | InboxShape::Ended { .. }
        | InboxShape::Failed { .. }
        | InboxShape::Task { .. }
        | InboxShape::Off { .. }
        | InboxShape::Tools { .. }
        | InboxShape::Ungranted { .. } => None,
    }
}

/// Why a session rests until somebody does something.
fn parked(why: &str, says: &str, texts: &LocalizedTexts) -> String {
    match why {
        "interrupted" => say!(texts, "parked-interrupted"),
        "quarantined" => say!(texts, "parked-quarantined"),
        _ => says.to_owned(),
    }
}

fn ended(why: &str, texts: &LocalizedTexts) -> String {
    match why {
        "limited" => say!(texts, "inbox-ended-limited"),
        "expired" => say!(texts, "inbox-ended-expired"),
        _ => say!(texts, "inbox-ended-failed"),
    }
}

/// How a run ended, and its actions whose approvals expired.
fn how(reason: &str, expired: &[String], texts: &LocalizedTexts) -> String {
    if expired.is_empty() {
        return say!(texts, "inbox-ended-how", reason = reason);
    }
    say!(texts, "inbox-ended-calls", calls = one_line(&expired.join(", ")))
}
