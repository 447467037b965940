//! Cycles in a graph, and those that are allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A cycle that is allowed for a while.
pub(crate) struct AllowedCycle {
    /// The folder that all of it is in: `application/src/ports`.
    pub(crate) folder: &'static str,
    /// What is in the cycle, by its path in the folder; sorted, with spaces between.
    pub(crate) members: &'static str,
    pub(crate) reason: &'static str,
    /// What ends it.
    pub(crate) end: &'static str,
}

impl fmt::Display for AllowedCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, members, reason, end } = self;
        write!(f, "{folder}: {members} ({reason}; {end})")
    }
}

/// The sets of nodes, of two at least, that reach one another.
pub(crate) fn cycles<Node: Clone + Ord>(edges: &BTreeSet<(Node, Node)>) -> Vec<BTreeSet<Node>> {
    let (mut forwards, mut backwards) = (BTreeMap::new(), BTreeMap::new());
    for (from, to) in edges {
        forwards.entry(from).or_insert_with(Vec::new).push(to);
        backwards.entry(to).or_insert_with(Vec::new).push(from);
    }
    let mut seen = BTreeSet::new();
    let finished: Vec<&Node> =
        forwards.keys().flat_map(|&start| newly_reached(start, &forwards, &mut seen)).collect();
    // Whatever still reaches the node that was finished last is in a cycle with it.
    let mut seen = BTreeSet::new();
    let sets = finished.iter().rev().map(|&start| newly_reached(start, &backwards, &mut seen));
    sets.filter(|set| set.len() > 1).map(|set| set.into_iter().cloned().collect()).collect()
}

/// The nodes that a node reaches and that were not seen yet, each after those that it reaches.
fn newly_reached<'a, Node: Ord>(
    start: &'a Node,
    edges: &BTreeMap<&'a Node, Vec<&'a Node>>,
    seen: &mut BTreeSet<&'a Node>,
) -> Vec<&'a Node> {
    let mut finished = Vec::new();
    if !seen.insert(start) {
        return finished;
    }
    let targets = |node: &Node| edges.get(node).into_iter().flatten();
    let mut open = vec![(start, targets(start))];
    while let Some((node, rest)) = open.last_mut() {
        match rest.find(|to| !seen.contains(**to)) {
            Some(next) => {
                seen.insert(next);
                open.push((next, targets(next)));
            }
            None => {
                finished.push(*node);
                open.pop();
            }
        }
    }
    finished
}

#[test]
fn cycles_of_a_graph_are_found() {
    let edges = BTreeSet::from([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 4), (6, 1), (5, 7), (8, 8)]);
    let mut found = cycles(&edges);
    found.sort();
    assert_eq!(found, [BTreeSet::from([1, 2, 3]), BTreeSet::from([4, 5])]);
}
