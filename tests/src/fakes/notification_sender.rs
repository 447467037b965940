//! A fake recipient of notifications.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use entracte_application::ports::{
    DeliveryChannel, DeliveryChannelOwner, DeliveryOutcome, Notification, NotificationSender,
};
use entracte_application::texts::{LocalizedMessage, LocalizedTexts};
use tokio::sync::watch;

/// The push key of the fake recipient, which no browser checks.
const PUSH_KEY: &str = "BPush";

/// Accepts every notification, unless another outcome is set.
#[derive(Debug, Default)]
pub struct FakeNotificationSender {
    told: Mutex<Vec<Notification>>,
    says: Mutex<Vec<DeliveryOutcome>>,
    hangs: watch::Sender<bool>,
    checked: Mutex<usize>,
    holds: watch::Sender<bool>,
}

impl FakeNotificationSender {
    /// All received notifications, in order.
    pub fn received_notifications(&self) -> Vec<Notification> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The ids of all received notifications.
    pub fn ids(&self) -> Vec<String> {
        self.received_notifications().into_iter().map(|told| told.id).collect()
    }

    /// Sets the outcome of the next delivery.
    pub fn set_next_delivery(&self, delivery: DeliveryOutcome) {
        self.says.lock().unwrap_or_else(PoisonError::into_inner).push(delivery);
    }

    /// Whether deliveries hang; releasing them also completes the hanging ones.
    pub fn hang(&self, hangs: bool) {
        self.hangs.send_replace(hangs);
    }

    /// Whether reachability checks hang; releasing them also completes the hanging ones.
    pub fn hold_checks(&self, holds: bool) {
        self.holds.send_replace(holds);
    }

    /// Number of reachability checks.
    pub fn checked(&self) -> usize {
        *self.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl NotificationSender for FakeNotificationSender {
    fn push_key(&self) -> Result<String, LocalizedMessage> {
        Ok(PUSH_KEY.to_owned())
    }

    fn refusal(&self, _: &DeliveryChannelOwner, _: &DeliveryChannel) -> Option<LocalizedMessage> {
        None
    }

    async fn check(
        &self,
        _: &DeliveryChannelOwner,
        _: &DeliveryChannel,
        _: &LocalizedTexts,
    ) -> Result<(), String> {
        *self.checked.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        wait_until_released(&self.holds).await;
        Ok(())
    }

    async fn send(
        &self,
        _: &DeliveryChannelOwner,
        _: &DeliveryChannel,
        notification: &Notification,
    ) -> DeliveryOutcome {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).push(notification.clone());
        wait_until_released(&self.hangs).await;
        self.says.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or(DeliveryOutcome::Taken)
    }
}

/// Waits until deliveries or checks no longer hang.
async fn wait_until_released(held: &watch::Sender<bool>) {
    let mut held = held.subscribe();
    // It fails only if the sender is dropped, but the sender is borrowed here.
    drop(held.wait_for(|held| !*held).await);
}
