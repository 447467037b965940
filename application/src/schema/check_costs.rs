//! Upper bounds of how often the parts of a schema can be applied to one value, by depth of the value.
//!
//! A part is applied to a value because an adjacent part is, or because a part above it was applied to the containing
//! value. So the cost of a value at a depth follows from its cost one depth less within the parts below: a schema that
//! refers to itself twice for the same member doubles the cost with every depth, one that does so once per member does
//! not. The bounds are known before any check.

use super::graph::{SchemaEdgeTarget, SchemaGraph, SchemaNode};
use super::refusal::SchemaRefusal;
use crate::settings::SchemaBounds;

/// The cost of a check, by the depth of the checked value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SchemaCheckCosts {
    /// Steps for one value at each depth.
    pub(super) steps: Vec<u64>,
    /// The number of regular expressions matched against one text at each depth.
    pub(super) patterns: Vec<u64>,
    /// The longest path through parts that are applied to the same value.
    pub(super) chain: usize,
    /// The longest path through all parts; `None` if they are recursive.
    pub(super) longest: Option<usize>,
}

impl SchemaCheckCosts {
    /// Computes the costs of a schema.
    ///
    /// # Errors
    /// When it is too deep, too large with its references expanded, or has a cycle that no value ends.
    pub(super) fn from_graph(graph: &SchemaGraph, bounds: &SchemaBounds) -> Result<Self, SchemaRefusal> {
        let beside = TopologicalOrder::of(graph, EdgeSelection::Beside, bounds)?;
        if beside.has_circle {
            return Err(SchemaRefusal::Endless);
        }
        let all = TopologicalOrder::of(graph, EdgeSelection::All, bounds)?;
        let nodes = expanded(graph, &all);
        if nodes > bounds.schema_nodes as u64 {
            return Err(SchemaRefusal::Nodes { most: bounds.schema_nodes });
        }
        let weigh = |own| by_depth(graph, &beside, bounds.argument_depth, own);
        let (steps, patterns) = (weigh(|part| part.own), weigh(|part| part.patterns));
        let longest = (!all.has_circle).then_some(all.longest);
        Ok(Self { steps, patterns, chain: beside.longest, longest })
    }

    /// The maximum nesting of checks for a value of this depth.
    pub(super) fn nesting(&self, depth: usize) -> usize {
        let by_value = self.chain.saturating_add(1).saturating_mul(depth.saturating_add(1));
        self.longest.map_or(by_value, |longest| by_value.min(longest))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EdgeSelection {
    /// Edges between parts that are applied to the same value.
    Beside,
    /// All edges.
    All,
}

impl EdgeSelection {
    fn from(self, part: &SchemaNode) -> impl Iterator<Item = usize> + '_ {
        let below = part.below.iter().filter(move |_| self == EdgeSelection::All).map(|below| below.part);
        part.beside.iter().copied().chain(below)
    }
}

/// The parts, each after those it leads to.
struct TopologicalOrder {
    parts: Vec<usize>,
    longest: usize,
    has_circle: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeVisitState {
    Not,
    Under,
    Done,
}

/// A step of the walk.
#[derive(Clone, Copy)]
struct NodeVisit {
    /// Index of the part in the graph.
    part: usize,
    /// Number of parts on the path before it.
    depth: usize,
}

struct SchemaGraphWalk<'a> {
    graph: &'a SchemaGraph,
    edges: EdgeSelection,
    most: usize,
    visits: Vec<NodeVisitState>,
    lengths: Vec<usize>,
    order: TopologicalOrder,
}

impl TopologicalOrder {
    fn of(graph: &SchemaGraph, edges: EdgeSelection, bounds: &SchemaBounds) -> Result<Self, SchemaRefusal> {
        let count = graph.parts.len();
        let order = TopologicalOrder { parts: Vec::with_capacity(count), longest: 0, has_circle: false };
        let (visits, lengths) = (vec![NodeVisitState::Not; count], vec![0; count]);
        let mut visits = SchemaGraphWalk { graph, edges, most: bounds.schema_depth, visits, lengths, order };
        for part in 0..count {
            visits.visit(NodeVisit { part, depth: 0 })?;
        }
        Ok(visits.order)
    }
}

impl SchemaGraphWalk<'_> {
    /// The longest path from a part. Its nesting is limited like that of a schema.
    fn visit(&mut self, visit: NodeVisit) -> Result<usize, SchemaRefusal> {
        let NodeVisit { part, depth } = visit;
        match self.visits.get(part) {
            Some(NodeVisitState::Not) => {}
            Some(NodeVisitState::Under) => {
                self.order.has_circle = true;
                return Ok(0);
            }
            Some(NodeVisitState::Done) | None => return Ok(self.lengths.get(part).copied().unwrap_or(0)),
        }
        let deep = SchemaRefusal::Depth { most: self.most };
        if depth > self.most {
            return Err(deep);
        }
        self.mark(part, NodeVisitState::Under);
        let (graph, edges) = (self.graph, self.edges);
        let mut length = 0;
        for next in graph.parts.get(part).into_iter().flat_map(|known| edges.from(known)) {
            length = length.max(1 + self.visit(NodeVisit { part: next, depth: depth + 1 })?);
        }
        if length > self.most {
            return Err(deep);
        }
        self.mark(part, NodeVisitState::Done);
        if let Some(known) = self.lengths.get_mut(part) {
            *known = length;
        }
        self.order.longest = self.order.longest.max(length);
        self.order.parts.push(part);
        Ok(length)
    }

    fn mark(&mut self, part: usize, visit: NodeVisitState) {
        if let Some(known) = self.visits.get_mut(part) {
            *known = visit;
        }
    }
}

/// The number of values after expanding every reference; a recursive reference is counted once.
fn expanded(graph: &SchemaGraph, order: &TopologicalOrder) -> u64 {
    let mut sizes = vec![1_u64; graph.parts.len()];
    for number in &order.parts {
        let Some(part) = graph.parts.get(*number) else { continue };
        let inner = EdgeSelection::All.from(part).map(|next| sizes.get(next).copied().unwrap_or(1));
        let size = inner.fold(part.own, u64::saturating_add);
        if let Some(known) = sizes.get_mut(*number) {
            *known = size;
        }
    }
    sizes.first().copied().unwrap_or(0)
}

/// The maximum cost of one value at each depth.
fn by_depth(
    graph: &SchemaGraph,
    beside: &TopologicalOrder,
    depth_max: usize,
    own: fn(&SchemaNode) -> u64,
) -> Vec<u64> {
    let whole = |costs: &[u64]| costs.first().copied().unwrap_or(0);
    let mut costs: Vec<u64> = graph.parts.iter().map(own).collect();
    with_beside(graph, beside, &mut costs);
    let mut by_depth = vec![whole(&costs)];
    while by_depth.len() <= depth_max && costs.iter().any(|cost| *cost > 0) {
        costs = above(graph, beside, &costs);
        by_depth.push(whole(&costs));
    }
    by_depth
}

/// Adds the costs of adjacent parts.
fn with_beside(graph: &SchemaGraph, beside: &TopologicalOrder, costs: &mut [u64]) {
    let times = factor(graph.asks_back);
    for number in &beside.parts {
        let Some(part) = graph.parts.get(*number) else { continue };
        let others = part.beside.iter().filter_map(|next| costs.get(*next));
        let sum = others.fold(0_u64, |sum, cost| sum.saturating_add(cost.saturating_mul(times)));
        if let Some(known) = costs.get_mut(*number) {
            *known = known.saturating_add(sum);
        }
    }
}

/// The cost of one value within the value that each part is applied to: that of the most expensive member or item. A
/// value is either an object or a list, for all parts that are applied to it.
fn above(graph: &SchemaGraph, beside: &TopologicalOrder, below: &[u64]) -> Vec<u64> {
    let (mut objects, mut lists) = (Vec::new(), Vec::new());
    for part in &graph.parts {
        let [mut member, mut any_member, mut item, mut any_item] = [0_u64; 4];
        for edge in &part.below {
            let times = factor(graph.asks_back && edge.again);
            let cost = below.get(edge.part).copied().unwrap_or(0).saturating_mul(times);
            match edge.which {
                SchemaEdgeTarget::Member => member = member.max(cost),
                SchemaEdgeTarget::AnyMember => any_member = any_member.saturating_add(cost),
                SchemaEdgeTarget::Item => item = item.max(cost),
                SchemaEdgeTarget::AnyItem => any_item = any_item.saturating_add(cost),
            }
        }
        objects.push(member.saturating_add(any_member));
        lists.push(item.saturating_add(any_item));
    }
    with_beside(graph, beside, &mut objects);
    with_beside(graph, beside, &mut lists);
    objects.into_iter().zip(lists).map(|(object, list)| object.max(list)).collect()
}

/// If parts depend on the evaluation of others, each is evaluated three times: to check, to learn whether it applies,
/// and to learn what it covers.
fn factor(asks_back: bool) -> u64 {
    if asks_back { 3 } else { 1 }
}
