//! What enrichments refer to, and the queries they become. Never an action: nothing here can name one.

use crate::message::EnrichmentKind;
use crate::period::Period;

/// What an enrichment refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// Points at a zone or a tool.
    Pointer(Target),
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

impl Reference {
    /// The kind and id of the row that it names; none when it names none.
    pub fn named(&self) -> Option<(&'static str, &str)> {
        match self {
            Reference::Pointer(Target::Zone { id }) => Some(("zone", id)),
            Reference::Pointer(Target::Tool { id, .. })
            | Reference::Use { tool: id, .. }
            | Reference::ModifyConfig { tool: id } => Some(("tool", id)),
            Reference::Create { zone, .. } => zone.as_deref().map(|zone| ("zone", zone)),
        }
    }
}

/// What a pointer points at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
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
pub enum Query {
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

impl Reference {
    /// Which of the four kinds.
    pub const fn kind(&self) -> EnrichmentKind {
        match self {
            Reference::Pointer(_) => EnrichmentKind::Pointer,
            Reference::Use { .. } => EnrichmentKind::Use,
            Reference::Create { .. } => EnrichmentKind::Create,
            Reference::ModifyConfig { .. } => EnrichmentKind::ModifyConfig,
        }
    }

    /// The time it is about.
    pub const fn period(&self) -> Option<Period> {
        match self {
            Reference::Pointer(Target::Tool { period, .. }) | Reference::Use { period, .. } => *period,
            Reference::Pointer(Target::Zone { .. })
            | Reference::Create { .. }
            | Reference::ModifyConfig { .. } => None,
        }
    }

    /// The same about another time; what is about no time stays as it is.
    #[must_use]
    pub fn during(mut self, time: Period) -> Self {
        match &mut self {
            Reference::Pointer(Target::Tool { period, .. }) | Reference::Use { period, .. } => {
                *period = Some(time);
            }
            Reference::Pointer(Target::Zone { .. })
            | Reference::Create { .. }
            | Reference::ModifyConfig { .. } => {}
        }
        self
    }

    /// What it asks for, in order.
    pub fn queries(&self) -> Vec<Query> {
        match self.clone() {
            Reference::Pointer(Target::Zone { id }) => vec![Query::Zone { zone: id }],
            Reference::Pointer(Target::Tool { id, period: None }) => vec![Query::Tool { tool: id }],
            Reference::Pointer(Target::Tool { id, period }) => {
                vec![Query::Tool { tool: id.clone() }, Query::Data { tool: id, period }]
            }
            Reference::Use { tool, period } => vec![
                Query::Tool { tool: tool.clone() },
                Query::ToolSchemas { tool: tool.clone() },
                Query::Data { tool: tool.clone(), period },
                Query::Stats { tool, period },
            ],
            Reference::Create { tool_type, .. } => vec![Query::TypeSchemas { tool_type }],
            Reference::ModifyConfig { tool } => {
                vec![Query::ToolSchemas { tool: tool.clone() }, Query::Tool { tool }]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_asks_a_pointer_for_data_and_nothing_of_a_zone() {
        let tool = Reference::Pointer(Target::Tool { id: "t".into(), period: None });
        assert_eq!(tool.queries(), [Query::Tool { tool: "t".into() }]);
        let period = Period::relative("-1_WEEK").ok();
        let with_time = period.map(|period| tool.clone().during(period));
        assert_eq!(
            with_time.map(|reference| reference.queries()),
            Some(vec![Query::Tool { tool: "t".into() }, Query::Data { tool: "t".into(), period }])
        );
        let zone = Reference::Pointer(Target::Zone { id: "z".into() });
        assert_eq!(period.map(|period| zone.clone().during(period)), Some(zone));
    }
}
