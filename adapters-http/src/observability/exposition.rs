//! The text formats of the metrics.

use http::{HeaderMap, header};

/// A text format that monitoring systems read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpositionFormat {
    /// OpenMetrics 1.0.
    OpenMetrics,
    /// The format of Prometheus before it, version 0.0.4, which every reader knows.
    Prometheus,
}

/// The media type by which a reader asks for OpenMetrics.
const OPEN_METRICS: &str = "application/openmetrics-text";

impl ExpositionFormat {
    /// The format that a request asks for: OpenMetrics for who names it in `Accept` with a weight above 0, else that of
    /// Prometheus.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(header::ACCEPT).iter().filter_map(|line| line.to_str().ok());
        let asks = lines.flat_map(|line| line.split(',')).any(|choice| {
            let mut parts = choice.split(';').map(str::trim);
            let is_named = parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case(OPEN_METRICS));
            let weight = parts.find_map(|part| part.strip_prefix("q=")).map(str::parse);
            is_named && !matches!(weight, Some(Ok(0.0_f64)))
        });
        if asks { Self::OpenMetrics } else { Self::Prometheus }
    }

    /// The media type of an answer.
    pub(crate) const fn media_type(self) -> &'static str {
        match self {
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
            Self::Prometheus => "text/plain; version=0.0.4; charset=utf-8",
        }
    }

    /// Writes a text of OpenMetrics in this format.
    pub(crate) fn write(self, open_metrics: String) -> String {
        match self {
            Self::OpenMetrics => open_metrics,
            Self::Prometheus => open_metrics.lines().fold(Rewriter::default(), Rewriter::line).text,
        }
    }
}

/// Rewrites OpenMetrics as the format of Prometheus, where a counter is declared under the name of its samples, and there is
/// no mark of the end.
#[derive(Default)]
struct Rewriter {
    text: String,
    /// The `HELP` line before the `TYPE` line, which decides the name in both.
    help: Option<(String, String)>,
}

impl Rewriter {
    fn line(mut self, line: &str) -> Self {
        let mut words = line.splitn(4, ' ');
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("#"), Some("HELP"), Some(name), says) => {
                self.help = Some((name.to_owned(), says.unwrap_or_default().to_owned()));
            }
            (Some("#"), Some("TYPE"), Some(name), Some(kind)) => {
                let shown = if kind == "counter" { format!("{name}_total") } else { name.to_owned() };
                if let Some((_, says)) = self.help.take().filter(|(of, _)| of == name) {
                    self.push(&format!("# HELP {shown} {says}"));
                }
                self.push(&format!("# TYPE {shown} {kind}"));
            }
            (Some("#"), ..) => {}
            _ => self.push(line),
        }
        self
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_follows_the_accept_header() {
        let asked = |accept: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(header::ACCEPT, accept.parse().unwrap());
            }
            ExpositionFormat::from_headers(&headers)
        };
        let prometheus_3 = "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
                            text/plain;version=0.0.4;q=0.3,*/*;q=0.2";
        assert_eq!(asked(Some(prometheus_3)), ExpositionFormat::OpenMetrics);
        for accept in [
            None,
            Some("*/*"),
            Some("text/plain;version=0.0.4"),
            Some("application/openmetrics-text; q=0, text/plain"),
        ] {
            assert_eq!(asked(accept), ExpositionFormat::Prometheus, "{accept:?}");
        }
    }

    #[test]
    fn counters_of_prometheus_are_declared_as_their_samples_are_named() {
        let open = "# HELP entracte_calls Results of calls.\n# TYPE entracte_calls counter\n\
                    entracte_calls_total{status=\"done\"} 2\n# HELP entracte_up Whether.\n\
                    # TYPE entracte_up gauge\n# UNIT entracte_up things\nentracte_up 1\n# EOF\n";
        let classic = "# HELP entracte_calls_total Results of calls.\n# TYPE entracte_calls_total counter\n\
                       entracte_calls_total{status=\"done\"} 2\n# HELP entracte_up Whether.\n\
                       # TYPE entracte_up gauge\nentracte_up 1\n";
        assert_eq!(ExpositionFormat::Prometheus.write(open.to_owned()), classic);
        assert_eq!(ExpositionFormat::OpenMetrics.write(open.to_owned()), open);
    }
}
