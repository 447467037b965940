//! Problems as pages, for people who open an address that a browser cannot show. Programs get the problem as JSON.

use axum::response::{IntoResponse, Response};
use entracte_application::settings::Language;
use entracte_application::texts::{LocalizedTexts, say};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use crate::problem::{Problem, ProblemCode};
use crate::reader_language::language_of;

/// A browser's wish to see an address as a page.
#[derive(Clone, Debug)]
pub(crate) struct PageRequest {
    language: Language,
    /// Prefix of every path of the server.
    base_path: String,
}

impl PageRequest {
    /// The wish in the head of a request; `None` for programs, which do not prefer HTML, and for scripts of a page.
    pub(crate) fn read(method: &Method, headers: &HeaderMap, base_path: &str) -> Option<Self> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let prefers_html = text(header::ACCEPT).trim_start().starts_with("text/html");
        (*method == Method::GET && prefers_html)
            .then(|| Self { language: language_of(headers), base_path: base_path.to_owned() })
    }

    /// The page of a problem: what is wrong, and the way back.
    pub(crate) fn render(&self, problem: Problem, request_id: &str) -> Response {
        let texts = LocalizedTexts::for_language(self.language);
        let problem = problem.localize(texts);
        let code = problem.code();
        let (title, detail) = match code {
            ProblemCode::NotFound => (say!(texts, "page-missing"), say!(texts, "page-missing-says")),
            ProblemCode::Unauthorized => (say!(texts, "page-login"), say!(texts, "page-login-says")),
            _ => (say!(texts, "page-problem"), problem.detail().to_string()),
        };
        let (title, detail, id) = (escaped(&title), escaped(&detail), escaped(request_id));
        let (base, home) = (escaped(&self.base_path), escaped(&say!(texts, "page-home")));
        let language = self.language.word();
        let page = format!(
            "<!doctype html>\n<html lang=\"{language}\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"robots\" content=\"noindex\">\n<title>{title} – Entracte</title>\n\
             <link rel=\"stylesheet\" href=\"{base}/pages.css\">\n<h1>{title}</h1>\n<p>{detail}</p>\n\
             <p><a href=\"{base}/\">{home}</a></p>\n<p><small>{id}</small></p>\n</html>\n"
        );
        let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let kind = HeaderValue::from_static("text/html; charset=utf-8");
        (status, [(header::CONTENT_TYPE, kind)], page).into_response()
    }
}

/// Text for HTML.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(accept: &'static str, language: &'static str) -> HeaderMap {
        HeaderMap::from_iter([
            (header::ACCEPT, HeaderValue::from_static(accept)),
            (header::ACCEPT_LANGUAGE, HeaderValue::from_static(language)),
        ])
    }

    /// Input: heads as browsers, scripts and programs send them; expected: only a browser that opens an address gets a page.
    #[test]
    fn only_browsers_get_pages() {
        let asks = |method: Method, accept| PageRequest::read(&method, &head(accept, "en"), "").is_some();
        assert!(asks(Method::GET, "text/html,application/xhtml+xml,*/*;q=0.8"));
        assert!(!asks(Method::GET, "*/*"));
        assert!(!asks(Method::GET, "application/json, text/html"));
        assert!(!asks(Method::POST, "text/html"));
    }

    #[test]
    fn pages_are_in_language_of_the_browser() {
        let page =
            |language| PageRequest::read(&Method::GET, &head("text/html", language), "").unwrap().language;
        assert_eq!(["fr-CA,fr;q=0.9", "de", ""].map(page), [Language::Fr, Language::En, Language::En]);
    }

    #[test]
    fn text_of_problems_is_no_html() {
        assert_eq!(escaped("<b>&\"'"), "&lt;b&gt;&amp;&quot;&#39;");
    }
}
