//! Composes a message from a text and enrichments.

use entracte_domain::message::{Enrichment, Segment, UserMessage};

/// The message: each enrichment replaces its number in braces, `{1}` for the first; enrichments without a
/// placeholder follow, one per line.
pub fn compose_message(text: &str, enrichments: Vec<Enrichment>) -> UserMessage {
    let mut waiting: Vec<Option<Enrichment>> = enrichments.into_iter().map(Some).collect();
    let mut segments = Vec::new();
    let mut rest = text;
    while let Some((before, index, after)) = next_place(rest, &waiting) {
        segments.push(Segment::Text(before.to_owned()));
        segments.extend(waiting[index].take().map(Segment::Enrichment));
        rest = after;
    }
    segments.push(Segment::Text(rest.to_owned()));
    for enrichment in waiting.into_iter().flatten() {
        segments.extend([Segment::Text("\n".to_owned()), Segment::Enrichment(enrichment)]);
    }
    segments.retain(|segment| !matches!(segment, Segment::Text(text) if text.is_empty()));
    UserMessage { segments }
}

/// The first placeholder of an unplaced enrichment in the text: the text before it, its index, and the text after
/// it.
fn next_place<'a>(text: &'a str, waiting: &[Option<Enrichment>]) -> Option<(&'a str, usize, &'a str)> {
    let places = waiting.iter().enumerate().filter(|(_, enrichment)| enrichment.is_some());
    let found = places.filter_map(|(index, _)| Some((text.find(&format!("{{{}}}", index + 1))?, index)));
    let (at, index) = found.min()?;
    let (before, from) = text.split_at(at);
    let after = from.split_once('}').map_or("", |(_, after)| after);
    Some((before, index, after))
}

#[cfg(test)]
mod tests {
    use entracte_domain::message::EnrichmentKind;
    use entracte_domain::value::JsonValue;

    use super::*;

    fn said(text: &str) -> String {
        let enrichment = |id: &str| Enrichment {
            kind: EnrichmentKind::Use,
            config: JsonValue::from([("id", JsonValue::from(id))]),
            summary: String::new(),
        };
        let message = compose_message(text, vec![enrichment("a"), enrichment("b")]);
        let part = |segment: &Segment| match segment {
            Segment::Text(text) => text.clone(),
            Segment::Enrichment(enrichment) => format!("<{}>", enrichment.config.to_json()),
            Segment::File(file) => file.line(),
        };
        message.segments.iter().map(part).collect()
    }

    #[test]
    fn enrichments_fill_placeholders_or_follow_in_order() {
        let (a, b) = (r#"<{"id":"a"}>"#, r#"<{"id":"b"}>"#);
        assert_eq!(said("Compare them."), format!("Compare them.\n{a}\n{b}"));
        assert_eq!(said("Is {2} above {1}?"), format!("Is {b} above {a}?"));
        assert_eq!(said("{1} and {1}, {3}"), format!("{a} and {{1}}, {{3}}\n{b}"));
    }
}
