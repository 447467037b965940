//! Which document is read next. Pure: it decides, and [`ReadingPlaces`](super::reading_places::ReadingPlaces) waits.

use std::collections::{BTreeMap, VecDeque};

use entracte_domain::id::WorkspaceKey;

/// How many documents a queue takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadingQueueLimits {
    /// The most documents that are read at once; 0 counts as 1.
    pub(super) places: usize,
    /// The most documents that wait.
    pub(super) waiting: usize,
}

/// The documents that are read and those that wait, by workspace. Workspaces take turns: the next document is of the
/// workspace whose last turn is the longest ago.
pub(super) struct ReadingQueue<W> {
    limits: ReadingQueueLimits,
    running: usize,
    /// The number of turns and arrivals so far, which orders them.
    ticks: u64,
    /// Only workspaces of which something is read or waits.
    lines: BTreeMap<WorkspaceKey, WorkspaceLine<W>>,
}

/// The documents of one workspace.
struct WorkspaceLine<W> {
    running: usize,
    /// When its last document began to be read; for a workspace that comes new, when it came: one that comes again and
    /// again is not read before those that wait.
    last_turn: u64,
    /// Each with the tick of its arrival.
    waiting: VecDeque<(u64, W)>,
}

/// What happens to a document that arrives.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum QueueEntry<W> {
    /// It is read now.
    Begins(W),
    /// It waits for its turn.
    Waits,
    /// It waits for its turn, in place of this one of the workspace with the most that wait.
    Displaces(W),
    /// It is refused: the queue is full.
    Refused(W),
}

impl<W> ReadingQueue<W> {
    /// An empty queue.
    pub(super) fn new(limits: ReadingQueueLimits) -> Self {
        Self { limits, running: 0, ticks: 0, lines: BTreeMap::new() }
    }

    /// Decides on a document that arrives.
    pub(super) fn enter(&mut self, workspace: &WorkspaceKey, waiter: W) -> QueueEntry<W> {
        if self.running < self.limits.places.max(1) {
            self.begin(workspace);
            return QueueEntry::Begins(waiter);
        }
        let mut displaced = None;
        if self.waiting() >= self.limits.waiting {
            displaced = self.take_newest_of_longest_line(workspace);
            if displaced.is_none() {
                return QueueEntry::Refused(waiter);
            }
        }
        self.ticks += 1;
        let arrived = self.ticks;
        self.line(workspace).waiting.push_back((arrived, waiter));
        displaced.map_or(QueueEntry::Waits, QueueEntry::Displaces)
    }

    /// Ends a reading, and begins the next one, if any waits.
    pub(super) fn end(&mut self, workspace: &WorkspaceKey) -> Option<(WorkspaceKey, W)> {
        self.running = self.running.saturating_sub(1);
        if let Some(line) = self.lines.get_mut(workspace) {
            line.running = line.running.saturating_sub(1);
        }
        let first = |line: &WorkspaceLine<W>| line.waiting.front().map(|(arrived, _)| *arrived);
        let next = self
            .lines
            .iter()
            .filter_map(|(workspace, line)| Some(((line.last_turn, first(line)?), workspace)))
            .min()
            .map(|(_, workspace)| workspace.clone());
        let waiter = next.as_ref().and_then(|next| self.lines.get_mut(next)?.waiting.pop_front());
        if let Some(next) = &next {
            self.begin(next);
        }
        self.forget_idle();
        Some((next?, waiter?.1))
    }

    /// Removes the waiting documents whose requests were cancelled.
    pub(super) fn retain_waiting(&mut self, is_wanted: impl Fn(&W) -> bool) {
        for line in self.lines.values_mut() {
            line.waiting.retain(|(_, waiter)| is_wanted(waiter));
        }
        self.forget_idle();
    }

    fn begin(&mut self, workspace: &WorkspaceKey) {
        self.ticks += 1;
        self.running += 1;
        let ticks = self.ticks;
        let line = self.line(workspace);
        line.running += 1;
        line.last_turn = ticks;
    }

    fn line(&mut self, workspace: &WorkspaceKey) -> &mut WorkspaceLine<W> {
        let last_turn = self.ticks;
        let new = || WorkspaceLine { running: 0, last_turn, waiting: VecDeque::new() };
        self.lines.entry(workspace.clone()).or_insert_with(new)
    }

    fn waiting(&self) -> usize {
        self.lines.values().map(|line| line.waiting.len()).sum()
    }

    /// Makes room for a document of this workspace, if that leaves it no longer a line than another has. So one
    /// workspace cannot keep others out by filling the queue.
    fn take_newest_of_longest_line(&mut self, workspace: &WorkspaceKey) -> Option<W> {
        let own = self.lines.get(workspace).map_or(0, |line| line.waiting.len());
        let longest = self.lines.values_mut().max_by_key(|line| line.waiting.len())?;
        if longest.waiting.len() <= own.saturating_add(1) {
            return None;
        }
        longest.waiting.pop_back().map(|(_, waiter)| waiter)
    }

    fn forget_idle(&mut self) {
        self.lines.retain(|_, line| line.running > 0 || !line.waiting.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(name: &str) -> WorkspaceKey {
        WorkspaceKey::new(name)
    }

    /// The documents that begin, in order, when those of these workspaces end one after the other.
    fn begun(queue: &mut ReadingQueue<&'static str>, ends: &[&str]) -> Vec<&'static str> {
        ends.iter().filter_map(|name| queue.end(&workspace(name)).map(|(_, document)| document)).collect()
    }

    /// Input: Ann's workspace reads two documents and waits with three, then Bob's and Eve's arrive; expected: each
    /// workspace has its turn, and documents of one workspace stay in order.
    #[test]
    fn workspaces_take_turns() {
        let mut queue = ReadingQueue::new(ReadingQueueLimits { places: 2, waiting: 10 });
        let (ann, bob, eve) = (workspace("ann"), workspace("bob"), workspace("eve"));
        for document in ["a1", "a2"] {
            assert_eq!(queue.enter(&ann, document), QueueEntry::Begins(document));
        }
        for (who, document) in
            [(&ann, "a3"), (&ann, "a4"), (&ann, "a5"), (&bob, "b1"), (&bob, "b2"), (&eve, "e1")]
        {
            assert_eq!(queue.enter(who, document), QueueEntry::Waits);
        }
        let order = begun(&mut queue, &["ann", "ann", "ann", "bob", "eve", "ann", "bob", "ann"]);
        assert_eq!(order, ["a3", "b1", "e1", "a4", "b2", "a5"]);
        assert!(queue.lines.is_empty(), "nothing is remembered of workspaces without documents");
        assert_eq!(queue.enter(&ann, "a6"), QueueEntry::Begins("a6"));
    }

    /// Input: Ann waits with a second document, while Bob and Eve come again each time that one of theirs is read;
    /// expected: Ann's has its turn.
    #[test]
    fn workspaces_that_come_again_starve_nobody() {
        let mut queue = ReadingQueue::new(ReadingQueueLimits { places: 1, waiting: 10 });
        let (ann, bob, eve) = (workspace("ann"), workspace("bob"), workspace("eve"));
        assert_eq!(queue.enter(&ann, "a1"), QueueEntry::Begins("a1"));
        assert_eq!(queue.enter(&ann, "a2"), QueueEntry::Waits);
        assert_eq!(queue.enter(&bob, "b1"), QueueEntry::Waits);
        let mut order = begun(&mut queue, &["ann"]);
        for (ends, comes, document) in [("bob", &eve, "e1"), ("eve", &bob, "b2"), ("bob", &eve, "e2")] {
            queue.enter(comes, document);
            let next = queue.end(&workspace(ends)).map(|(_, document)| document);
            order.extend(next);
            if next == Some("a2") {
                break;
            }
        }
        assert!(order.contains(&"a2"), "{order:?}");
    }

    /// Input: a queue that Ann filled; expected: her next document is refused, Bob's takes the place of her newest, as
    /// long as his line stays shorter than hers.
    #[test]
    fn full_queue_keeps_room_for_other_workspaces() {
        let mut queue = ReadingQueue::new(ReadingQueueLimits { places: 1, waiting: 3 });
        let (ann, bob) = (workspace("ann"), workspace("bob"));
        assert_eq!(queue.enter(&ann, "a0"), QueueEntry::Begins("a0"));
        for document in ["a1", "a2", "a3"] {
            assert_eq!(queue.enter(&ann, document), QueueEntry::Waits);
        }
        assert_eq!(queue.enter(&ann, "a4"), QueueEntry::Refused("a4"));
        assert_eq!(queue.enter(&bob, "b1"), QueueEntry::Displaces("a3"));
        assert_eq!(
            queue.enter(&bob, "b2"),
            QueueEntry::Refused("b2"),
            "two and one are as even as three can be"
        );
        assert_eq!(begun(&mut queue, &["ann", "ann", "bob"]), ["a1", "b1", "a2"]);
    }

    /// Input: waiting documents whose requests were cancelled; expected: they hold no room and are never read.
    #[test]
    fn unwanted_documents_leave_the_queue() {
        let mut queue = ReadingQueue::new(ReadingQueueLimits { places: 1, waiting: 2 });
        let ann = workspace("ann");
        assert_eq!(queue.enter(&ann, "a0"), QueueEntry::Begins("a0"));
        for document in ["a1", "a2"] {
            assert_eq!(queue.enter(&ann, document), QueueEntry::Waits);
        }
        queue.retain_waiting(|document| *document != "a1");
        assert_eq!(queue.enter(&ann, "a3"), QueueEntry::Waits);
        assert_eq!(begun(&mut queue, &["ann", "ann", "ann"]), ["a2", "a3"]);
    }

    /// Input: no room to wait; expected: a document is read or refused.
    #[test]
    fn queue_without_room_refuses() {
        let mut queue = ReadingQueue::new(ReadingQueueLimits { places: 1, waiting: 0 });
        let ann = workspace("ann");
        assert_eq!(queue.enter(&ann, "a0"), QueueEntry::Begins("a0"));
        assert_eq!(queue.enter(&ann, "a1"), QueueEntry::Refused("a1"));
        assert_eq!(queue.enter(&workspace("bob"), "b1"), QueueEntry::Refused("b1"));
    }
}
