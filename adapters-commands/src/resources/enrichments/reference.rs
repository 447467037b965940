//! References of enrichments, and the queries they become. They can never name an action.

use entracte_domain::message::EnrichmentKind;
use entracte_domain::period::Period;

use crate::resources::resource_kinds::{TOOL, ZONE};

/// The reference of an enrichment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EnrichmentReference {
    /// Points at a zone or a tool.
    Pointer(PointerTarget),
    /// Uses a tool: configuration, schemas, data and statistics.
    Use {
        /// Id of the tool.
        tool: String,
        /// Period of the data; `None` means all data.
        period: Option<Period>,
    },
    /// Creates a tool of a type.
    Create {
        /// The tool type.
        tool_type: String,
        /// Id of the zone for the new tool.
        zone: Option<String>,
    },
    /// Changes the configuration of a tool.
    ModifyConfig {
        /// Id of the tool.
        tool: String,
    },
}

impl EnrichmentReference {
    /// Kind and id of the referenced row; `None` if the enrichment references no row.
    pub(crate) fn named_row(&self) -> Option<(&'static str, &str)> {
        match self {
            EnrichmentReference::Pointer(PointerTarget::Zone { id }) => Some((ZONE, id)),
            EnrichmentReference::Pointer(PointerTarget::Tool { id, .. })
            | EnrichmentReference::Use { tool: id, .. }
            | EnrichmentReference::ModifyConfig { tool: id } => Some((TOOL, id)),
            EnrichmentReference::Create { zone, .. } => zone.as_deref().map(|zone| (ZONE, zone)),
        }
    }
}

/// The target of a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PointerTarget {
    /// A zone. It has no data of its own, and therefore no period.
    Zone {
        /// Id of the zone.
        id: String,
    },
    /// A tool.
    Tool {
        /// Id of the tool.
        id: String,
        /// Period of the data to include; `None` includes no data.
        period: Option<Period>,
    },
}

/// A query that runs before the model is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EnrichmentQuery {
    /// A zone and the tools in it.
    Zone {
        /// Id of the zone.
        zone: String,
    },
    /// A tool with its configuration.
    Tool {
        /// Id of the tool.
        tool: String,
    },
    /// The schemas of a tool's configuration and entries.
    ToolSchemas {
        /// Id of the tool.
        tool: String,
    },
    /// The schemas of a tool type's configuration and entries.
    TypeSchemas {
        /// The tool type.
        tool_type: String,
    },
    /// The entries of a tool.
    Data {
        /// Id of the tool.
        tool: String,
        /// Period of the entries; `None` means any time.
        period: Option<Period>,
    },
    /// Statistics over the entries of a tool.
    Stats {
        /// Id of the tool.
        tool: String,
        /// Period of the entries; `None` means any time.
        period: Option<Period>,
    },
}

impl EnrichmentReference {
    /// The kind of the enrichment.
    pub(crate) const fn kind(&self) -> EnrichmentKind {
        match self {
            EnrichmentReference::Pointer(_) => EnrichmentKind::Pointer,
            EnrichmentReference::Use { .. } => EnrichmentKind::Use,
            EnrichmentReference::Create { .. } => EnrichmentKind::Create,
            EnrichmentReference::ModifyConfig { .. } => EnrichmentKind::ModifyConfig,
        }
    }

    /// The period of the reference, if any.
    pub(crate) const fn period(&self) -> Option<Period> {
        match self {
            EnrichmentReference::Pointer(PointerTarget::Tool { period, .. })
            | EnrichmentReference::Use { period, .. } => *period,
            EnrichmentReference::Pointer(PointerTarget::Zone { .. })
            | EnrichmentReference::Create { .. }
            | EnrichmentReference::ModifyConfig { .. } => None,
        }
    }

    /// Replaces the period; references without one stay unchanged.
    #[must_use]
    pub(crate) fn with_period(mut self, time: Period) -> Self {
        match &mut self {
            EnrichmentReference::Pointer(PointerTarget::Tool { period, .. })
            | EnrichmentReference::Use { period, .. } => {
                *period = Some(time);
            }
            EnrichmentReference::Pointer(PointerTarget::Zone { .. })
            | EnrichmentReference::Create { .. }
            | EnrichmentReference::ModifyConfig { .. } => {}
        }
        self
    }

    /// The queries that the reference becomes, in order.
    pub(crate) fn queries(&self) -> Vec<EnrichmentQuery> {
        match self.clone() {
            EnrichmentReference::Pointer(PointerTarget::Zone { id }) => {
                vec![EnrichmentQuery::Zone { zone: id }]
            }
            EnrichmentReference::Pointer(PointerTarget::Tool { id, period: None }) => {
                vec![EnrichmentQuery::Tool { tool: id }]
            }
            EnrichmentReference::Pointer(PointerTarget::Tool { id, period }) => {
                vec![EnrichmentQuery::Tool { tool: id.clone() }, EnrichmentQuery::Data { tool: id, period }]
            }
            EnrichmentReference::Use { tool, period } => vec![
                EnrichmentQuery::Tool { tool: tool.clone() },
                EnrichmentQuery::ToolSchemas { tool: tool.clone() },
                EnrichmentQuery::Data { tool: tool.clone(), period },
                EnrichmentQuery::Stats { tool, period },
            ],
            EnrichmentReference::Create { tool_type, .. } => vec![EnrichmentQuery::TypeSchemas { tool_type }],
            EnrichmentReference::ModifyConfig { tool } => {
                vec![EnrichmentQuery::ToolSchemas { tool: tool.clone() }, EnrichmentQuery::Tool { tool }]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointer_with_period_queries_tool_data_only() {
        let tool = EnrichmentReference::Pointer(PointerTarget::Tool { id: "t".into(), period: None });
        assert_eq!(tool.queries(), [EnrichmentQuery::Tool { tool: "t".into() }]);
        let period = Period::relative("-1_WEEK").ok();
        let with_time = period.map(|period| tool.clone().with_period(period));
        assert_eq!(
            with_time.map(|reference| reference.queries()),
            Some(vec![
                EnrichmentQuery::Tool { tool: "t".into() },
                EnrichmentQuery::Data { tool: "t".into(), period }
            ])
        );
        let zone = EnrichmentReference::Pointer(PointerTarget::Zone { id: "z".into() });
        assert_eq!(period.map(|period| zone.clone().with_period(period)), Some(zone));
    }
}
