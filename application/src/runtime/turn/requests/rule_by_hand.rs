//! A rule that a person makes by hand, without a call that asks: an approval given in advance, or a refusal.

use entracte_domain::id::Digest;
use entracte_domain::plan::PlanCommand;
use entracte_domain::restriction::CommandPattern;
use entracte_domain::time::Deadline;
use entracte_domain::validation::{AlwaysRule, Scope, Uses};

use super::{refused, texts};
use crate::commands::CatalogEntry;
use crate::mail::{MailAnswer, NewRule};
use crate::runtime::draft::Draft;
use crate::runtime::turn::{Stop, Turn};
use crate::texts::{Texts, say};

impl Turn<'_> {
    /// Makes the rule. What waits is looked at again at once: a call that it refuses waits no longer.
    pub(super) fn add_rule(
        &self,
        draft: &mut Draft,
        author: &str,
        new: &NewRule,
    ) -> Result<MailAnswer, Stop> {
        let rule = match self.rule_by_hand(draft, author, new)? {
            Ok(rule) => rule,
            Err(refusal) => return Ok(refusal),
        };
        let id = rule.id.clone();
        self.keep_rules(draft, vec![rule]);
        self.recheck_waiting(draft)?;
        Ok(MailAnswer::Made { id })
    }

    fn rule_by_hand(
        &self,
        draft: &mut Draft,
        author: &str,
        new: &NewRule,
    ) -> Result<Result<AlwaysRule, MailAnswer>, Stop> {
        let texts = texts(draft);
        let invalid = |text: String| refused("invalid", &text);
        let known = self.memory.catalog.find(&new.command);
        let (command, version) = match (&new.denies, known) {
            (None, Some(known)) if known.spec.destructive => {
                let name = &known.spec.name;
                return Ok(Err(invalid(say!(texts, "request-rule-destructive", command = name))));
            }
            (None, Some(known)) if known.spec.asks => {
                let name = &known.spec.name;
                return Ok(Err(invalid(say!(texts, "request-rule-asks", command = name))));
            }
            (None, Some(known)) if PlanCommand::from_word(&known.spec.name).is_some() => {
                let name = &known.spec.name;
                return Ok(Err(invalid(say!(texts, "request-rule-plan", command = name))));
            }
            (_, Some(known)) => {
                if let Err(fault) = check_arguments(known, new, texts) {
                    return Ok(Err(invalid(fault)));
                }
                (known.spec.name.clone(), known.version.clone())
            }
            // All of a resource; nothing is known of its arguments.
            (Some(_), None) if new.arguments.is_empty() && self.is_any(&new.command) => {
                (new.command.clone(), Digest::new(""))
            }
            (_, None) => {
                let text = say!(texts, "request-rule-command", command = &new.command);
                return Ok(Err(refused("not_found", &text)));
            }
        };
        let usual = match &new.denies {
            // A refusal stands until it is revoked.
            Some(_) => AlwaysRule::FOR_EVER,
            None => self.memory.runtime.always_expires,
        };
        let lasts = new.lasts.unwrap_or(usual);
        if lasts.0 <= 0 {
            return Ok(Err(invalid(say!(texts, "request-rule-too-short"))));
        }
        let fits = |times: u32| new.denies.is_none() && (1..=Uses::MOST).contains(&times);
        if let Some(times) = new.times.filter(|times| !fits(*times)) {
            let text = say!(texts, "request-rule-times", given = times, most = Uses::MOST);
            return Ok(Err(invalid(text)));
        }
        let most = self.memory.runtime.always_max;
        let open = draft.body.rules.iter().filter(|rule| rule.is_open(draft.now)).count();
        if most > 0 && open >= most {
            return Ok(Err(invalid(say!(texts, "request-rules-too-many", most = most))));
        }
        Ok(Ok(AlwaysRule {
            id: self.new_rule(draft)?,
            command,
            version,
            arguments: new.arguments.clone(),
            scope: new.session.clone().map_or(Scope::Workspace, Scope::Session),
            author: author.to_owned(),
            expires: Deadline::after(draft.now, lasts),
            revoked: None,
            denies: new.denies.clone(),
            uses: new.times.map(Uses::of),
            agents: false,
        }))
    }

    fn is_any(&self, pattern: &str) -> bool {
        let pattern = CommandPattern::of(pattern);
        self.memory.catalog.all().any(|known| pattern.fits(&known.spec.name))
    }
}

/// An argument that the command does not have would never hold, and the rule would say nothing.
fn check_arguments(known: &CatalogEntry, new: &NewRule, texts: &Texts) -> Result<(), String> {
    let properties = known.spec.schema.get("properties").and_then(serde_json::Value::as_object);
    let names: Vec<&str> =
        properties.into_iter().flat_map(|properties| properties.keys()).map(String::as_str).collect();
    let is_unknown = |(name, _): &&(String, _)| !names.contains(&name.as_str());
    match new.arguments.iter().find(is_unknown) {
        None => Ok(()),
        Some((argument, _)) => {
            let command = &known.spec.name;
            Err(say!(
                texts,
                "request-rule-argument",
                command = command,
                argument = argument,
                arguments = names.join(", ")
            ))
        }
    }
}
