use tokio::sync::broadcast;

use crate::ports::{Feed, FeedEvent};

/// A feed for watchers in the same process. A slow watcher misses events and reads the log again.
pub struct BroadcastFeed {
    sender: broadcast::Sender<FeedEvent>,
}

impl BroadcastFeed {
    /// A feed that keeps the last `capacity` events for slow watchers.
    pub fn new(capacity: usize) -> Self {
        Self { sender: broadcast::Sender::new(capacity.max(1)) }
    }

    /// Watches from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<FeedEvent> {
        self.sender.subscribe()
    }
}

impl Feed for BroadcastFeed {
    fn publish(&self, event: FeedEvent) {
        // Nobody watching is fine.
        let _ = self.sender.send(event);
    }
}
