//! What enrichments refer to, and the queries they become. Never an action: nothing here can name one.

use crate::message::EnrichmentKind;
use crate::period::Period;

/// What an enrichment refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EnrichmentReference {
    /// Points at a zone or a tool.
    Pointer(PointerTarget),
    /// Uses a tool: configuration, schemas, data and statistics.
    Use {
        /// The tool.
        tool: String,
        /// The time its data is of; all when absent.
        period: Option<Period>,
    },
    /// Creates a tool of a type.
    Create {
        /// The type.
        tool_type: String,
        /// The zone it is for.
        zone: Option<String>,
    },
    /// Changes the configuration of a tool.
    ModifyConfig {
        /// The tool.
        tool: String,
    },
}

impl EnrichmentReference {
    /// The kind and id of the row that it names; none when it names none.
    pub fn named_row(&self) -> Option<(&'static str, &str)> {
        match self {
            EnrichmentReference::Pointer(PointerTarget::Zone { id }) => Some(("zone", id)),
            EnrichmentReference::Pointer(PointerTarget::Tool { id, .. })
            | EnrichmentReference::Use { tool: id, .. }
            | EnrichmentReference::ModifyConfig { tool: id } => Some(("tool", id)),
            EnrichmentReference::Create { zone, .. } => zone.as_deref().map(|zone| ("zone", zone)),
        }
    }
}

/// What a pointer points at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PointerTarget {
    /// A zone. It has no data of its own, so there is no period.
    Zone {
        /// Its id.
        id: String,
    },
    /// A tool.
    Tool {
        /// Its id.
        id: String,
        /// The time of the data that is meant; none of it when absent.
        period: Option<Period>,
    },
}

/// What an enrichment asks for before the model is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EnrichmentQuery {
    /// A zone and the tools in it.
    Zone {
        /// The zone.
        zone: String,
    },
    /// A tool with its configuration.
    Tool {
        /// The tool.
        tool: String,
    },
    /// The schemas of a tool's configuration and entries.
    ToolSchemas {
        /// The tool.
        tool: String,
    },
    /// The schemas of a tool type's configuration and entries.
    TypeSchemas {
        /// The type.
        tool_type: String,
    },
    /// The entries of a tool.
    Data {
        /// The tool.
        tool: String,
        /// Of which time; of any when absent.
        period: Option<Period>,
    },
    /// What the entries of a tool come to.
    Stats {
        /// The tool.
        tool: String,
        /// Of which time; of any when absent.
        period: Option<Period>,
    },
}

impl EnrichmentReference {
    /// Which of the four kinds.
    pub const fn kind(&self) -> EnrichmentKind {
        match self {
            EnrichmentReference::Pointer(_) => EnrichmentKind::Pointer,
            EnrichmentReference::Use { .. } => EnrichmentKind::Use,
            EnrichmentReference::Create { .. } => EnrichmentKind::Create,
            EnrichmentReference::ModifyConfig { .. } => EnrichmentKind::ModifyConfig,
        }
    }

    /// The time it is about.
    pub const fn period(&self) -> Option<Period> {
        match self {
            EnrichmentReference::Pointer(PointerTarget::Tool { period, .. })
            | EnrichmentReference::Use { period, .. } => *period,
            EnrichmentReference::Pointer(PointerTarget::Zone { .. })
            | EnrichmentReference::Create { .. }
            | EnrichmentReference::ModifyConfig { .. } => None,
        }
    }

    /// The same about another time; what is about no time stays as it is.
    #[must_use]
    pub fn with_period(mut self, time: Period) -> Self {
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

    /// What it asks for, in order.
    pub fn queries(&self) -> Vec<EnrichmentQuery> {
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
    fn a_period_asks_a_pointer_for_data_and_nothing_of_a_zone() {
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
