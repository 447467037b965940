//! A rule that a person makes by hand, without a call that asks: an approval given in advance, or a refusal.

use entracte_domain::id::Digest;
use entracte_domain::plan::PlanCommand;
use entracte_domain::restriction::CommandPattern;
use entracte_domain::time::Deadline;
use entracte_domain::validation::{AlwaysRule, Scope, Uses};

use crate::commands::CatalogEntry;
use crate::mail::{MailAnswer, NewRule, Refusal};
use crate::runtime::draft::Draft;
use crate::runtime::turn::{Turn, Untaken};
use crate::texts::saying;

impl Turn<'_> {
    /// Makes the rule. What waits is looked at again at once: a call that it refuses waits no longer.
    pub(super) fn add_rule(
        &self,
        draft: &mut Draft,
        author: &str,
        new: &NewRule,
    ) -> Result<MailAnswer, Untaken> {
        let rule = self.rule_by_hand(draft, author, new)?;
        let id = rule.id.clone();
        self.keep_rules(draft, vec![rule]);
        self.recheck_waiting(draft)?;
        Ok(MailAnswer::Made { id })
    }

    fn rule_by_hand(&self, draft: &mut Draft, author: &str, new: &NewRule) -> Result<AlwaysRule, Untaken> {
        let invalid = |what| Err(Untaken::from(Refusal::Invalid(what)));
        let known = self.memory.catalog.find(&new.command);
        let (command, version) = match (&new.denies, known) {
            (None, Some(known)) if known.spec.destructive => {
                let name = &known.spec.name;
                return invalid(saying!("request-rule-destructive", command = name));
            }
            (None, Some(known)) if known.spec.asks => {
                let name = &known.spec.name;
                return invalid(saying!("request-rule-asks", command = name));
            }
            (None, Some(known)) if PlanCommand::from_word(&known.spec.name).is_some() => {
                let name = &known.spec.name;
                return invalid(saying!("request-rule-plan", command = name));
            }
            (_, Some(known)) => {
                check_arguments(known, new)?;
                (known.spec.name.clone(), known.version.clone())
            }
            // All of a resource; nothing is known of its arguments.
            (Some(_), None) if new.arguments.is_empty() && self.is_any(&new.command) => {
                (new.command.clone(), Digest::new(""))
            }
            (_, None) => {
                let unknown = saying!("request-rule-command", command = &new.command);
                return Err(Refusal::NotFound(unknown).into());
            }
        };
        let usual = match &new.denies {
            // A refusal stands until it is revoked.
            Some(_) => AlwaysRule::FOR_EVER,
            None => self.memory.runtime.always_expires,
        };
        let lasts = new.lasts.unwrap_or(usual);
        if lasts.0 <= 0 {
            return invalid(saying!("request-rule-too-short"));
        }
        let fits = |times: u32| new.denies.is_none() && (1..=Uses::MOST).contains(&times);
        if let Some(times) = new.times.filter(|times| !fits(*times)) {
            return invalid(saying!("request-rule-times", given = times, most = Uses::MOST));
        }
        if new.agents && (new.denies.is_some() || new.session.is_some()) {
            return invalid(saying!("request-rule-agents"));
        }
        let most = self.memory.runtime.always_max;
        let open = draft.body.rules.iter().filter(|rule| rule.is_open(draft.now)).count();
        if most > 0 && open >= most {
            return invalid(saying!("request-rules-too-many", most = most));
        }
        Ok(AlwaysRule {
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
            agents: new.agents,
        })
    }

    fn is_any(&self, pattern: &str) -> bool {
        let pattern = CommandPattern::of(pattern);
        self.memory.catalog.all().any(|known| pattern.fits(&known.spec.name))
    }
}

/// An argument that the command does not have would never hold, and the rule would say nothing.
fn check_arguments(known: &CatalogEntry, new: &NewRule) -> Result<(), Refusal> {
    let properties = known.spec.schema.get("properties").and_then(serde_json::Value::as_object);
    let names: Vec<&str> =
        properties.into_iter().flat_map(|properties| properties.keys()).map(String::as_str).collect();
    let is_unknown = |(name, _): &&(String, _)| !names.contains(&name.as_str());
    match new.arguments.iter().find(is_unknown) {
        None => Ok(()),
        Some((argument, _)) => {
            let command = &known.spec.name;
            let arguments = names.join(", ");
            Err(Refusal::Invalid(saying!(
                "request-rule-argument",
                command = command,
                argument = argument,
                arguments = arguments
            )))
        }
    }
}
