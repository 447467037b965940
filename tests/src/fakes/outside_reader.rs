//! Somebody outside who is told things.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use entracte_application::ports::{Delivery, Notification, NotificationSender, Way};
use entracte_application::texts::Texts;

/// Takes what it is told, unless it was told to say something else.
#[derive(Debug, Default)]
pub struct OutsideReader {
    told: Mutex<Vec<Notification>>,
    says: Mutex<Vec<Delivery>>,
    hangs: Mutex<bool>,
}

impl OutsideReader {
    /// All that it was told, in order.
    pub fn told(&self) -> Vec<Notification> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The ids of all that it was told.
    pub fn ids(&self) -> Vec<String> {
        self.told().into_iter().map(|told| told.id).collect()
    }

    /// What it says next time.
    pub fn will_say(&self, delivery: Delivery) {
        self.says.lock().unwrap_or_else(PoisonError::into_inner).push(delivery);
    }

    /// From now on it hears and never answers, or answers again.
    pub fn hang(&self, hangs: bool) {
        *self.hangs.lock().unwrap_or_else(PoisonError::into_inner) = hangs;
    }
}

#[async_trait]
impl NotificationSender for OutsideReader {
    async fn check(&self, _: &Way, _: &Texts) -> Result<(), String> {
        Ok(())
    }

    async fn send(&self, _: &Way, notification: &Notification) -> Delivery {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).push(notification.clone());
        if *self.hangs.lock().unwrap_or_else(PoisonError::into_inner) {
            std::future::pending::<()>().await;
        }
        self.says.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or(Delivery::Taken)
    }
}
