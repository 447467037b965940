//! Renders messages with their links, and sends them.

use std::collections::BTreeMap;

use entracte_domain::id::ApprovalId;
use entracte_domain::time::{Millis, Timestamp};
use futures_util::future::join_all;

use super::{Notifier, NotifierWorkspaceState};
use crate::codec::decode_target;
use crate::failpoints::{FailpointOperation, run_between_failpoints};
use crate::notify::{
    NotificationBatch, NotificationCard, NotificationItem, NotificationTarget, NotificationWording, message,
    rows_after_attempt,
};
use crate::ports::{
    DeliveryOutcome, LinkRow, Notification, OutboxWriteBatch, RuntimeObservation, TARGET_GONE,
};
use crate::settings::NotifySettings;
use crate::system::sha256;
use crate::use_cases::UseCaseError;

/// The prefix of a link's secret, so that leaked ones are recognised.
const PREFIX: &str = "lnk_";

/// A message, its target, and its text.
pub(super) type AddressedNotification<'a> = (NotificationBatch, &'a NotificationTarget, Notification);

impl Notifier {
    /// Renders a message with its links. Each attempt has links of its own, because only the hash of a secret is
    /// stored.
    pub(super) fn prepare_notification(
        &self,
        id: &str,
        target: &NotificationTarget,
        items: &[NotificationItem],
        place: &NotifierWorkspaceState,
        now: Timestamp,
    ) -> (Notification, Vec<LinkRow>) {
        let (mut links, mut rows) = (BTreeMap::new(), Vec::new());
        for item in items {
            if let Some((approval, url, row)) = self.link(target, item, now) {
                links.insert(approval, url);
                rows.push(row);
            }
        }
        let speaks = NotificationWording {
            texts: place.texts,
            calendar: &place.calendar,
            public_url: self.public_url.as_deref(),
            links: &links,
            named: self.settings.named.max(1),
        };
        (message(id, target, items, speaks, now), rows)
    }

    /// A link for deciding on the card of an item, if the target may have one.
    fn link(
        &self,
        target: &NotificationTarget,
        item: &NotificationItem,
        now: Timestamp,
    ) -> Option<(ApprovalId, String, LinkRow)> {
        let url = self.public_url.as_ref().filter(|_| target.wants.has_links)?;
        let card: &NotificationCard = item.card.as_ref().filter(|card| card.is_plain)?;
        let secret = format!("{PREFIX}{}", self.ports.ids.secret());
        let lasts = self.settings.link_lasts.clamp(Millis(0), NotifySettings::LINK_LASTS_MAX);
        let row = LinkRow {
            hash: sha256(secret.as_bytes()),
            workspace: target.workspace.clone(),
            target: target.id.clone(),
            person: target.person.clone(),
            is_private: target.wants.is_private,
            session: item.session.clone()?,
            approval: card.approval.clone(),
            digest: card.digest.clone()?,
            created_at: now,
            expires_at: now.plus(lasts).min(card.expires_at),
            used_at: None,
        };
        // In the fragment, so that no server or log receives it.
        Some((card.approval.clone(), format!("{url}/a#{secret}"), row))
    }

    /// Sends these messages, those of one target in sequence, and records each result.
    pub(super) async fn send_all(
        &self,
        messages: Vec<AddressedNotification<'_>>,
    ) -> Result<(), UseCaseError> {
        let mut lanes: BTreeMap<String, Vec<AddressedNotification<'_>>> = BTreeMap::new();
        for worded in messages {
            lanes.entry(worded.1.id.clone()).or_default().push(worded);
        }
        let lanes = lanes.into_values().map(|lane| self.send_lane(lane));
        join_all(lanes).await.into_iter().collect()
    }

    async fn send_lane(&self, lane: Vec<AddressedNotification<'_>>) -> Result<(), UseCaseError> {
        for (message, target, notification) in lane {
            // Its attempt is recorded, so another process sends it later.
            if !(self.may_send)() || !self.is_target_unchanged(target).await? {
                break;
            }
            let delivery = self.try_once(target, &notification).await;
            if let DeliveryOutcome::Refused(why) = &delivery {
                tracing::info!(target = target.id, notification = notification.id, why, "not taken");
            }
            let outcome = rows_after_attempt(message, &delivery, self.ports.clock.now(), &self.settings);
            let mut write = OutboxWriteBatch { changed: outcome.rows, ..OutboxWriteBatch::default() };
            if outcome.is_gone {
                write.disabled.push((target.id.clone(), TARGET_GONE.to_owned()));
            }
            self.ports.outbox.write(write).await?;
            if outcome.is_gone {
                break;
            }
        }
        Ok(())
    }

    /// Whether a target is unchanged since its message was rendered: its person may have been removed, or may have
    /// disabled it or made it less private, while other messages were sent. If changed, nothing is sent, and the next
    /// step renders it again or drops it.
    async fn is_target_unchanged(&self, target: &NotificationTarget) -> Result<bool, UseCaseError> {
        let rows = self.ports.outbox.targets(Some(target.workspace.clone())).await?;
        let told = rows.iter().find(|row| row.id == target.id && row.disabled.is_none());
        Ok(told.and_then(|row| decode_target(row).ok()).as_ref() == Some(target))
    }

    /// Makes one attempt, within the time limit.
    pub(super) async fn try_once(
        &self,
        target: &NotificationTarget,
        notification: &Notification,
    ) -> DeliveryOutcome {
        let owner = target.owner();
        let sent = run_between_failpoints(
            FailpointOperation::Notify,
            self.ports.sender.send(&owner, &target.way, notification),
        );
        let delivery = tokio::select! {
            biased;
            delivery = sent => delivery,
            () = self.ports.clock.sleep(self.settings.timeout) => {
                DeliveryOutcome::Refused(format!("no answer within {} s", self.settings.timeout.0 / 1000))
            }
        };
        let outcome = match &delivery {
            DeliveryOutcome::Taken => "taken",
            DeliveryOutcome::Refused(_) => "refused",
            DeliveryOutcome::Gone => "gone",
        };
        self.ports.observer.observe(RuntimeObservation::Notified { outcome });
        match delivery {
            // The server's message may repeat the data it was sent.
            DeliveryOutcome::Refused(why) => {
                DeliveryOutcome::Refused(self.ports.secrets.scrubber(&[]).scrub_text(&why))
            }
            DeliveryOutcome::Taken | DeliveryOutcome::Gone => delivery,
        }
    }
}
