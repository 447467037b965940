//! Shown and approved cards, while the configuration changes between card and decision.

use std::sync::Arc;

use entracte_application::codec::decode_snapshot;
use entracte_application::mail::{MailDecision, MailVerdict};
use entracte_domain::call::Call;
use entracte_domain::id::Digest;

use super::rng::SeededRng;
use super::workspace::SimulatedWorkspace;
use crate::fakes::recording_executor::ActionConfigVersion;

impl SimulatedWorkspace {
    /// The external action changes its address, program or schema: in a restarted process, or in one that takes over
    /// from a frozen process.
    pub(super) async fn reconfigure(&mut self, chance: &mut SeededRng) -> String {
        // The current cards were configured before the change.
        self.view_open_cards().await;
        let mut to = self.configured;
        match chance.below(3) {
            0 => to.address = (to.address + 1) % 3,
            1 => to.program = (to.program + 1) % 2,
            _ => to.schema = (to.schema + 1) % 3,
        }
        self.configured = to;
        let outside = Arc::new(self.outside.with_config(to));
        let executors = self.executors(outside);
        self.world.configure(&executors);
        if chance.percent(30) {
            self.world.freeze_and_replace_owner().await;
            return format!("another process takes over with {to:?}");
        }
        self.world.crash();
        self.world.start().await;
        format!("started again with {to:?}")
    }

    /// A person views every open card, and remembers its first content.
    pub(super) async fn view_open_cards(&mut self) {
        for row in self.world.sessions().await {
            let phase = decode_snapshot(&row.body).unwrap().phase;
            let Some(batch) = phase.batch() else { continue };
            for call in batch.undecided() {
                let Some(card) = call.card.clone() else { continue };
                let command = &call.command;
                let says = what(&command.name, &command.arguments.canonical(), self.configured);
                let shown = self.shown.entry(call.id.clone()).or_default();
                if !shown.iter().any(|(known, _)| *known == card) {
                    shown.push((card, says));
                }
            }
        }
    }

    /// The card that a decision is for: the open one, or one that the person saw before.
    pub(super) fn card_to_decide(&self, chance: &mut SeededRng, call: &Call) -> Option<Digest> {
        let late = chance.percent(30);
        let seen = self.shown.get(&call.id).filter(|_| late).and_then(|shown| chance.pick(shown));
        seen.map(|(card, _)| card.clone()).or_else(|| call.card.clone())
    }

    /// Records the approved content of these decisions.
    pub(super) fn note_yes(&mut self, decisions: &[MailDecision]) {
        for decision in decisions.iter().filter(|decision| matches!(decision.verdict, MailVerdict::Approve)) {
            let shown = self.shown.get(&decision.call).into_iter().flatten();
            let said = shown.filter(|(card, _)| decision.card.as_ref() == Some(card));
            self.approved.extend(said.map(|(_, says)| (decision.call.clone(), says.clone())));
        }
    }

    /// Every action that needed approval ran as a card said that a person approved.
    pub(super) fn check_only_approved_ran(&self) -> Result<(), String> {
        for effect in self.outside.recorded_effects() {
            if !self.shown.contains_key(&effect.call) {
                continue;
            }
            let done = what(&effect.command, &effect.arguments, effect.configured);
            if !self.approved.contains(&(effect.call.clone(), done.clone())) {
                return Err(format!("{} did what was not shown: {done}", effect.call));
            }
        }
        Ok(())
    }
}

/// The effect of a call as a person reads it.
fn what(command: &str, arguments: &str, configured: ActionConfigVersion) -> String {
    format!("{command} {arguments} with {configured:?}")
}
