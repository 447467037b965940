//! `approve --where`, `reject --where`: one decision on every open approval that fits the filters. It is bound to the
//! cards of the preview: what came after it, or became another card, is not decided.

use std::collections::{BTreeMap, BTreeSet};

use entracte_adapters_http::api_transport::api_path::ApiPath;
use entracte_adapters_http::shapes::card::{
    AllDecidedShape, CardShape, DecidedShape, DecisionShape, InboxShape, folded_approvals,
};
use entracte_adapters_http::shapes::inbox_filter::InboxFilterName;
use entracte_adapters_http::shapes::{instant, iso};
use entracte_application::system::sha256;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::id::Digest;
use entracte_domain::time::Timestamp;
use entracte_domain::validation::ValidationLevel;

use super::card_decisions::{bound, cards_by_session, decide_one, decide_together};
use super::confirmation::is_yes;
use crate::api_client::ApiClient;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::{FilteredDecisionObject, LeftItem, LeftItemReason, UndecidedItem};
use crate::line_reader::{LineInput, LineReader};
use crate::render::approval::{full_card_text, hidden_part_count};
use crate::render::inbox::approval;
use crate::render::text::{name_of, one_line};
use crate::user_text::{UserText, message};

/// A decision on all that fits the filters of a command.
pub(super) struct FilteredDecision<'a> {
    /// An approval or a rejection.
    pub(super) decision: DecisionShape,
    /// Filters as `NAME=VALUE`, all of which an approval fits.
    pub(super) filters: &'a [String],
    /// Whether the person does not want to be asked.
    pub(super) is_sure: bool,
    /// How many approvals have to fit.
    pub(super) expected: Option<usize>,
    /// Beginnings of the digest of the preview that the person saw.
    pub(super) seen: &'a [String],
}

/// The fewest characters of a shortened digest.
pub(super) const SEEN_MIN_CHARS: usize = 16;

impl FilteredDecision<'_> {
    fn approves(&self) -> bool {
        matches!(self.decision, DecisionShape::Approve)
    }

    /// The name of the command.
    fn verb(&self) -> &'static str {
        if self.approves() { "approve" } else { "reject" }
    }
}

/// Runs `approve --where` and `reject --where`.
pub(super) async fn decide_filtered(
    context: &CommandContext,
    request: &FilteredDecision<'_>,
) -> Result<CliExitCode, CliError> {
    let api = ApiClient::open(context).await?;
    let texts = api.texts().await?;
    let preview = FilteredPreview::read(&api, request, texts).await?;
    preview.show(context, request, texts);
    preview.check(context, request)?;
    if !confirm(context, &preview, request, texts).await? {
        context.out.write_notice(&say!(texts, "where-not"));
        return Ok(CliExitCode::Interrupted);
    }
    let mut outcome = FilteredOutcome::default();
    let decided = decide_sessions(&api, &preview, &request.decision, texts, &mut outcome).await;
    // A fault ends the command, but must not interrupt the work that this process took up as the owner.
    api.drain().await?;
    let exit = if outcome.undecided.is_empty() { CliExitCode::Done } else { CliExitCode::Conflict };
    report(context, preview, request, outcome, texts)?;
    decided.map(|()| exit)
}

/// The approvals that a filtered decision covers, and the matching items that it leaves open.
struct FilteredPreview {
    cards: Vec<CardShape>,
    left: Vec<LeftItem>,
}

impl FilteredPreview {
    async fn read(
        api: &ApiClient<'_>,
        request: &FilteredDecision<'_>,
        texts: &LocalizedTexts,
    ) -> Result<Self, CliError> {
        let items: Vec<InboxShape> = api.list(&filtered_path(api, request)?).await?;
        // An approval may stand on the card of a server, which need not fit itself.
        let servers = api.path(&["inbox"]).with(InboxFilterName::Kind.word(), "tools");
        let folded = folded_approvals(&api.list::<InboxShape>(&servers).await?);
        let mut preview = Self { cards: Vec::new(), left: Vec::new() };
        for item in &items {
            match covered_card(item, &folded, request.approves(), texts) {
                Ok(card) => preview.cards.push(card.clone()),
                Err(why) => preview.left.push(LeftItem { id: item.id().to_owned(), why }),
            }
        }
        Ok(preview)
    }

    fn show(&self, context: &CommandContext, request: &FilteredDecision<'_>, texts: &LocalizedTexts) {
        let drawn = |card: &CardShape| match request.approves() {
            true => whole_card(card, texts),
            false => card_line(card, texts),
        };
        let mut lines: Vec<String> = self.cards.iter().map(drawn).collect();
        let mut counts: BTreeMap<LeftItemReason, usize> = BTreeMap::new();
        for item in &self.left {
            *counts.entry(item.why).or_default() += 1;
        }
        lines.extend(
            counts.iter().map(|(why, count)| {
                say!(texts, "where-left", count = *count, why = reason_text(*why, texts))
            }),
        );
        for line in lines {
            // What a person is asked about is always shown.
            if request.is_sure { context.out.write_notice(&line) } else { context.out.write_warning(&line) }
        }
    }

    /// What a preview showed: all its approvals, each with its card. Their order does not count.
    fn digest(&self) -> Digest {
        let shown: BTreeSet<(&str, &str)> =
            self.cards.iter().map(|card| (&*card.id, card.digest.as_deref().unwrap_or_default())).collect();
        let lines: Vec<String> = shown.into_iter().map(|(id, digest)| format!("{id} {digest}\n")).collect();
        sha256(lines.concat().as_bytes())
    }

    /// Whether every digest of `--seen` is that of this preview; true if none was given.
    fn was_seen(&self, seen: &[String]) -> bool {
        let digest = self.digest();
        seen.iter().all(|seen| digest.as_str().starts_with(seen.as_str()))
    }

    /// Refuses what is not meant: nothing, another number than expected, other cards than seen, an approval of different
    /// commands.
    fn check(&self, context: &CommandContext, request: &FilteredDecision<'_>) -> Result<(), CliError> {
        let count = self.cards.len();
        let conflict =
            |text: UserText| Err(CliError::with_next(CliExitCode::Conflict, text, "entracte inbox"));
        if count == 0 {
            return conflict(message!("where-nothing"));
        }
        if let Some(expected) = request.expected.filter(|expected| *expected != count) {
            return conflict(message!("where-expected", count = count, expected = expected));
        }
        if !self.was_seen(request.seen) {
            let (text, next) = (message!("where-seen-other"), self.next_command(context, request));
            return Err(CliError::with_next(CliExitCode::Conflict, text, next));
        }
        let commands: BTreeSet<&str> = self.cards.iter().map(|card| card.command.as_str()).collect();
        if request.approves() && commands.len() > 1 {
            let commands = commands.into_iter().collect::<Vec<_>>().join(", ");
            let text = message!("where-one-command", commands = commands);
            return Err(CliError::with_next(CliExitCode::Usage, text, "entracte inbox"));
        }
        Ok(())
    }

    /// The command that decides on what is shown here, and on nothing that comes later.
    fn next_command(&self, context: &CommandContext, request: &FilteredDecision<'_>) -> String {
        let mut words = vec!["entracte".to_owned(), request.verb().to_owned()];
        // Without them it would decide elsewhere.
        if let Some(server) = &context.server {
            words.extend(["--server".to_owned(), shell_word(server.as_str())]);
        }
        if let Some(workspace) = context.flags.workspace() {
            words.extend(["--workspace".to_owned(), shell_word(workspace)]);
        }
        let last = InboxFilterName::AskedBefore.word();
        let latest = self.cards.iter().filter_map(|card| instant(&card.asked_at)).max();
        let until = latest.map(|Timestamp(at)| format!("{last}={}", iso(Timestamp(at.saturating_add(1)))));
        let is_open =
            !request.filters.iter().any(|filter| filter_name(filter) == Some(InboxFilterName::AskedBefore));
        for filter in request.filters.iter().cloned().chain(until.filter(|_| is_open)) {
            words.extend(["--where".to_owned(), shell_word(&filter)]);
        }
        if let DecisionShape::Reject { reason: Some(reason) } = &request.decision {
            words.extend(["--reason".to_owned(), shell_word(reason)]);
        }
        words.extend(["--yes".to_owned(), "--expect".to_owned(), self.cards.len().to_string()]);
        if request.approves() {
            words
                .extend(["--seen".to_owned(), self.digest().as_str().chars().take(SEEN_MIN_CHARS).collect()]);
        }
        words.join(" ")
    }
}

/// Whether a person agrees to what is shown: at a terminal by a word, elsewhere by `--yes` and the number, for an approval
/// also by the digest of the preview.
async fn confirm(
    context: &CommandContext,
    preview: &FilteredPreview,
    request: &FilteredDecision<'_>,
    texts: &LocalizedTexts,
) -> Result<bool, CliError> {
    let count = preview.cards.len();
    let refused = |text: UserText| {
        Err(CliError::with_next(CliExitCode::Usage, text, preview.next_command(context, request)))
    };
    if request.is_sure {
        return match request.expected {
            Some(_) if request.approves() && request.seen.is_empty() => {
                refused(message!("where-seen-missing", count = count))
            }
            Some(_) => Ok(true),
            None => refused(message!("where-expect-missing", count = count)),
        };
    }
    if !context.environment.stdin_terminal || context.out.json {
        return refused(message!("where-without-terminal", count = count));
    }
    let ask = match request.approves() {
        true => say!(texts, "where-ask-approve", count = count),
        false => say!(texts, "where-ask-reject", count = count),
    };
    match LineReader::new(true).read_message_line(&ask).await? {
        LineInput::Line(text) => Ok(is_yes(&text)),
        LineInput::Interrupted | LineInput::End => Ok(false),
    }
}

/// What became of the cards of a preview.
#[derive(Default)]
struct FilteredOutcome {
    decided: Vec<String>,
    undecided: Vec<UndecidedItem>,
}

/// Decides on the cards of a preview, session by session.
async fn decide_sessions(
    api: &ApiClient<'_>,
    preview: &FilteredPreview,
    decision: &DecisionShape,
    texts: &LocalizedTexts,
    outcome: &mut FilteredOutcome,
) -> Result<(), CliError> {
    for (session, cards) in cards_by_session(&preview.cards) {
        let asked = decide_together(api, session, cards.iter().copied().map(bound), decision);
        match api.send::<AllDecidedShape>(asked).await {
            Ok(_) => outcome.decided.extend(cards.iter().map(|card| card.id.clone())),
            // The batch was refused as a whole. Each card is decided by itself; those that changed stay open.
            Err(error) if is_refusal(&error) => {
                for card in cards {
                    decide_alone(api, card, decision, texts, outcome).await?;
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

async fn decide_alone(
    api: &ApiClient<'_>,
    card: &CardShape,
    decision: &DecisionShape,
    texts: &LocalizedTexts,
    outcome: &mut FilteredOutcome,
) -> Result<(), CliError> {
    match api.send::<DecidedShape>(decide_one(api, card, decision)).await {
        Ok(_) => outcome.decided.push(card.id.clone()),
        Err(error) if is_refusal(&error) => {
            let why = error.localized(texts).message;
            outcome.undecided.push(UndecidedItem { id: card.id.clone(), why });
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Whether a card is not as it was shown, or gone.
fn is_refusal(error: &CliError) -> bool {
    matches!(error.exit, CliExitCode::Conflict | CliExitCode::NotFound)
}

fn report(
    context: &CommandContext,
    preview: FilteredPreview,
    request: &FilteredDecision<'_>,
    outcome: FilteredOutcome,
    texts: &LocalizedTexts,
) -> Result<(), CliError> {
    let FilteredOutcome { decided, undecided } = outcome;
    let (done, count) = (decided.len(), preview.cards.len());
    for UndecidedItem { id, why } in &undecided {
        context.out.write_warning(&one_line(&say!(texts, "where-undecided", id = id, why = why)));
    }
    context.out.write_notice(&match request.approves() {
        true => say!(texts, "where-approved", done = done, count = count),
        false => say!(texts, "where-rejected", done = done, count = count),
    });
    if context.out.json {
        let left = preview.left;
        context.out.write_json_line(&FilteredDecisionObject::new(decided, undecided, left))?;
    }
    Ok(())
}

/// The inbox, as far as it fits the filters.
fn filtered_path(api: &ApiClient<'_>, request: &FilteredDecision<'_>) -> Result<ApiPath, CliError> {
    let usage = |text: UserText| {
        Err(CliError::with_next(CliExitCode::Usage, text, format!("entracte {} --help", request.verb())))
    };
    let mut known: Vec<InboxFilterName> = Vec::new();
    let mut path = api.path(&["inbox"]);
    for filter in request.filters {
        let value = filter.split_once('=').map(|(_, value)| value.trim()).unwrap_or_default();
        let Some(name) = filter_name(filter).filter(|_| !value.is_empty()) else {
            let names = InboxFilterName::ALL.map(InboxFilterName::word).join(", ");
            return usage(message!("where-invalid", given = filter, names = names));
        };
        if known.contains(&name) {
            return usage(message!("where-twice", name = name.word()));
        }
        known.push(name);
        path = path.with(name.word(), value);
    }
    Ok(path)
}

fn filter_name(filter: &str) -> Option<InboxFilterName> {
    InboxFilterName::from_word(filter.split_once('=')?.0.trim())
}

/// The card of an item that a decision by filters covers, or why it is left for a decision of its own. An approval covers
/// less: what the console does not approve together with others either.
fn covered_card<'a>(
    item: &'a InboxShape,
    folded: &BTreeSet<String>,
    approves: bool,
    texts: &LocalizedTexts,
) -> Result<&'a CardShape, LeftItemReason> {
    let card = approval(item).ok_or(LeftItemReason::OtherKind)?;
    let is_folded = || folded.contains(&card.id) || hidden_part_count(card, texts) > 0;
    let why = if card.destructive {
        LeftItemReason::Destroys
    } else if card.four_eyes {
        LeftItemReason::FourEyes
    } else if card.changed || card.digest.is_none() {
        LeftItemReason::Changed
    } else if is_folded() {
        LeftItemReason::Folded
    } else if approves && card.egress {
        LeftItemReason::Outside
    } else if approves && card.irreversible {
        LeftItemReason::Irreversible
    } else if approves && needs_own_decision(card) {
        LeftItemReason::OwnDecision
    } else if approves && has_marks(card) {
        LeftItemReason::Marked
    } else {
        return Ok(card);
    };
    Err(why)
}

/// Whether each call of the command needs a decision of its own, or people are named who must approve. Actions that
/// destroy something or leave the workspace, which the catalog asks about too, were left out by an earlier check.
fn needs_own_decision(card: &CardShape) -> bool {
    // One of several approvers looks at what the others will.
    !card.approvers.is_empty()
        || card.reasons.iter().any(|reason| reason.level == ValidationLevel::Catalog.word())
}

/// The marked characters that a card shows as they are: tabs and line ends.
const VISIBLE_MARKS: [&str; 3] = ["U+0009", "U+000A", "U+000D"];

/// Whether a card has a warning, or characters that are not seen.
fn has_marks(card: &CardShape) -> bool {
    !card.warnings.is_empty() || card.marks.iter().any(|mark| !VISIBLE_MARKS.contains(&mark.as_str()))
}

/// A card with all that an approval covers, as `approve ID` shows it.
fn whole_card(card: &CardShape, texts: &LocalizedTexts) -> String {
    let session = name_of(&card.session_name, texts);
    format!("{}\n{}", one_line(&format!("{} {session}", card.id)), full_card_text(card, texts))
}

/// A card in one line.
fn card_line(card: &CardShape, texts: &LocalizedTexts) -> String {
    let session = name_of(&card.session_name, texts);
    let (id, says, command) = (&card.id, &card.says, &card.command);
    one_line(&say!(texts, "where-line", id = id, session = session, says = says, command = command))
}

fn reason_text(why: LeftItemReason, texts: &LocalizedTexts) -> String {
    match why {
        LeftItemReason::OtherKind => say!(texts, "where-why-kind"),
        LeftItemReason::Destroys => say!(texts, "where-why-destroys"),
        LeftItemReason::FourEyes => say!(texts, "where-why-four-eyes"),
        LeftItemReason::Changed => say!(texts, "where-why-changed"),
        LeftItemReason::Folded => say!(texts, "where-why-folded"),
        LeftItemReason::Outside => say!(texts, "where-why-outside"),
        LeftItemReason::Irreversible => say!(texts, "where-why-irreversible"),
        LeftItemReason::OwnDecision => say!(texts, "where-why-own"),
        LeftItemReason::Marked => say!(texts, "where-why-marked"),
    }
}

/// A word as a shell reads it.
fn shell_word(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_-.:=/@".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;
    use serde_json::json;

    use super::*;

    /// A card of a command on the workspace's own data, which this level asks about.
    fn card_asked_by(command: &str, level: ValidationLevel) -> InboxShape {
        let card = json!({
            "kind": "approval", "id": "apr_abc_4_0", "digest": "d1", "changed": false, "session": "ses_abc",
            "session_name": "Notes", "call": "cal_abc_4_0", "effect": "local", "destructive": false,
            "egress": false, "irreversible": false, "says": "Publish it", "command": command, "target": null,
            "arguments": {}, "arguments_text": "{}", "before": {}, "after": {}, "read_at": "", "marks": [],
            "warnings": [], "reasons": [{ "level": level.word(), "text": "It is asked." }], "levels": [],
            "waits_for": [], "then": [], "always": null, "requester": null, "asked_by": [], "acts_as": null,
            "four_eyes": false, "automation": null, "chain": [], "asked_at": "2026-01-01T00:00:00Z",
            "expires_at": "2026-01-02T00:00:00Z",
        });
        serde_json::from_value(card).unwrap()
    }

    /// Input: a plan and a text that is published, which ask for a decision each time, and a new zone that a setting asks
    /// about; expected: an approval by filters leaves the first two, a rejection covers all.
    #[test]
    fn approval_by_filters_leaves_what_needs_its_own_decision() {
        let texts = LocalizedTexts::for_language(Language::En);
        let cases = [
            ("plan.propose", ValidationLevel::Catalog, Some(LeftItemReason::OwnDecision)),
            ("shared_texts.publish", ValidationLevel::Catalog, Some(LeftItemReason::OwnDecision)),
            ("zones.create", ValidationLevel::Session, None),
        ];
        for (command, level, left) in cases {
            let item = card_asked_by(command, level);
            let why = |approves| covered_card(&item, &BTreeSet::new(), approves, texts).err();
            assert_eq!((why(true), why(false)), (left, None), "{command}");
        }
    }

    /// Input: filters with blanks, quotes and neither; expected: each is one word of a shell.
    #[test]
    fn filter_is_one_word_of_a_shell() {
        assert_eq!(shell_word("command=zones.create"), "command=zones.create");
        assert_eq!(shell_word("session=year 1985"), "'session=year 1985'");
        assert_eq!(shell_word("q=Ann's"), r"'q=Ann'\''s'");
        assert_eq!(shell_word("q=$HOME"), "'q=$HOME'");
    }

    #[test]
    fn filter_name_stands_before_its_value() {
        assert_eq!(filter_name("age=3d"), Some(InboxFilterName::Age));
        assert_eq!(filter_name("argument=a=b"), Some(InboxFilterName::Argument));
        assert_eq!(filter_name("limit=3"), None);
        assert_eq!(filter_name("age"), None);
    }
}
