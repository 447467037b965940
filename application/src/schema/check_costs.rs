//! How often the parts of a schema can be applied to one value, at each depth of what is checked.
//!
//! A part is applied to a value because a part beside it is, or because a part above it was applied to what holds
//! the value. So what a value costs at a depth follows from what it costs one depth less deep within the parts
//! below: a schema that refers to itself twice for the same member doubles it with every depth, one that does so once
//! for each member does not. The numbers are upper bounds; they are known before anything is checked.

use super::graph::{SchemaEdgeTarget, SchemaGraph, SchemaNode};
use super::refusal::SchemaRefusal;
use crate::settings::SchemaBounds;

/// What a check costs, by the depth of the value that is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SchemaCheckCosts {
    /// Steps for one value at each depth.
    pub(super) steps: Vec<u64>,
    /// Regular expressions that one text at each depth is matched by.
    pub(super) patterns: Vec<u64>,
    /// The longest way through parts that are applied to the same value.
    pub(super) chain: usize,
    /// The longest way through all parts; none when they refer to themselves.
    pub(super) longest: Option<usize>,
}

impl SchemaCheckCosts {
    /// Weighs the parts of a schema.
    ///
    /// # Errors
    /// When it is too deep, too large with its references followed, or has a circle that no value ends.
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

    /// How many checks stand within one another at most for a value of this depth.
    pub(super) fn nesting(&self, depth: usize) -> usize {
        let by_value = self.chain.saturating_add(1).saturating_mul(depth.saturating_add(1));
        self.longest.map_or(by_value, |longest| by_value.min(longest))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EdgeSelection {
    /// Between parts that are applied to the same value.
    Beside,
    /// All.
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
            visits.visit(part, 0)?;
        }
        Ok(visits.order)
    }
}

impl SchemaGraphWalk<'_> {
    /// The longest way from a part. It stands no deeper within itself than a schema may go.
    fn visit(&mut self, part: usize, depth: usize) -> Result<usize, SchemaRefusal> {
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
            length = length.max(1 + self.visit(next, depth + 1)?);
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

/// The values of the whole with every reference replaced; a reference back into what is being replaced counts as
/// it is.
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

/// What one value at each depth costs at most.
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

/// Adds what the parts beside a part cost.
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

/// What one value costs within a value that each part is applied to: the member, or the item, that costs most. A
/// value is an object or a list, the same for all parts that are applied to it.
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

/// Where parts ask what others have looked at, each is looked at to check, to learn whether it counts, and to learn
/// what it covers.
fn factor(asks_back: bool) -> u64 {
    if asks_back { 3 } else { 1 }
}
