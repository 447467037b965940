//! The list of models that a server offers, read page by page.
//!
//! Servers agree on the path and on `data`, and on little else: the size of a context window has many names.
//! [`ModelListPage::read`] parses a page and is pure.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use entracte_application::ports::{ModelList, OfferedModel};
use reqwest::Method;
use secrecy::SecretString;
use serde_json::Value;

use crate::api_key::scrub_key;
use crate::failure::{FailureSubject, WireFailure};
use crate::network_provider::NetworkProvider;
use crate::transport::PendingResponse;

impl NetworkProvider {
    /// The models that the server lists, at most `most`; `None` if it has no list.
    pub(crate) async fn list_models(
        &self,
        key: Option<&SecretString>,
        most: usize,
    ) -> Result<Option<ModelList>, WireFailure> {
        let mut listing = ModelListBuilder::new(most);
        let mut after = None;
        loop {
            let mut answer = self.ask_for_models(key, after.as_deref()).await?;
            match answer.status() {
                200 => {}
                404 | 405 | 501 if after.is_none() => return Ok(None),
                _ => return Err(self.error_answer(answer, key).await),
            }
            let body = answer.body(PAGE_LIMIT_BYTES).await?;
            WireFailure::require_utf8(&body)?;
            let page = ModelListPage::read(&scrub_key(&String::from_utf8_lossy(&body), key))?;
            after = listing.add_page(page);
            if after.is_none() {
                let mut offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
                offered.clone_from(&listing.list.models);
                drop(offered);
                return Ok(Some(listing.list));
            }
        }
    }

    /// Whether the server's list names the model of the entry; false if there is no list.
    pub(crate) async fn lists_model(&self, key: Option<&SecretString>) -> Result<bool, WireFailure> {
        let model = &self.info.default_model;
        match self.list_models(key, MODELS_MOST).await {
            Ok(listed) => {
                Ok(listed.is_some_and(|list| list.models.iter().any(|one| one.matches_name(model))))
            }
            // Servers without a list respond in many different forms: only a call can tell.
            Err(trouble) if trouble.status == Some(400) => Ok(false),
            Err(trouble) if trouble.status.is_none() && trouble.about == FailureSubject::Address => Ok(false),
            Err(trouble) => Err(trouble),
        }
    }

    async fn ask_for_models(
        &self,
        key: Option<&SecretString>,
        after: Option<&str>,
    ) -> Result<PendingResponse, WireFailure> {
        let dialect = self.settings.dialect();
        let mut url = self.url(dialect.models_path());
        let asked =
            dialect.models_query().iter().copied().chain(after.map(|id| (dialect.models_after(), id)));
        let asked: Vec<(&str, &str)> = asked.collect();
        if !asked.is_empty() {
            url.query_pairs_mut().extend_pairs(asked);
        }
        let patience = self.config.call_timeouts(&self.info.default_model);
        self.transport.send(Method::GET, url, self.headers(key)?, Vec::new(), patience).await
    }
}

/// Collects the models of all pages.
struct ModelListBuilder {
    list: ModelList,
    seen: BTreeSet<String>,
    most: usize,
}

impl ModelListBuilder {
    fn new(most: usize) -> Self {
        Self { list: ModelList::default(), seen: BTreeSet::new(), most }
    }

    /// Adds a page; returns the model after which the next one begins. A page without new models is the last, whatever
    /// it claims, so that a server cannot cause endless requests.
    fn add_page(&mut self, page: ModelListPage) -> Option<String> {
        let before = self.seen.len();
        for model in page.models {
            if self.seen.contains(&model.id) {
                continue;
            }
            if self.list.models.len() == self.most {
                self.list.is_cut = true;
                return None;
            }
            self.seen.insert(model.id.clone());
            self.list.models.push(model);
        }
        let next = page.next.filter(|_| self.seen.len() > before)?;
        if self.list.models.len() == self.most {
            self.list.is_cut = true;
            return None;
        }
        Some(next)
    }
}

/// One page of a model list.
#[derive(Debug, PartialEq, Eq)]
struct ModelListPage {
    models: Vec<OfferedModel>,
    /// The model after which the next page begins; `None` at the end.
    next: Option<String>,
}

impl ModelListPage {
    fn read(text: &str) -> Result<Self, WireFailure> {
        let body: Value = serde_json::from_str(text).map_err(|error| WireFailure::unreadable(&error))?;
        let list = body.get("data").unwrap_or(&body).as_array();
        let list = list.ok_or_else(|| WireFailure::foreign("it is not a list of models"))?;
        let models: Vec<OfferedModel> = list.iter().filter_map(model).collect();
        let last = || models.last().map(|model| model.id.clone());
        let next = (body["has_more"] == true).then(|| text_of(&body["last_id"]).or_else(last)).flatten();
        Ok(Self { models, next })
    }
}

fn model(value: &Value) -> Option<OfferedModel> {
    let first = |names: &[&str]| names.iter().find_map(|name| value.get(name)?.as_u64());
    let name = text_of(&value["display_name"]).or_else(|| text_of(&value["name"]));
    let id = text_of(&value["id"])?;
    Some(OfferedModel {
        name: name.filter(|name| *name != id),
        id,
        context_tokens: first(WINDOWS),
        max_output_tokens: first(OUTPUTS),
    })
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Field names for the context window, in tokens.
const WINDOWS: &[&str] =
    &["context_length", "context_window", "max_input_tokens", "max_context_length", "max_model_len"];

/// Field names for the most output tokens.
const OUTPUTS: &[&str] = &["max_output_tokens", "max_completion_tokens", "max_tokens"];

/// Most models that a check searches for its own.
pub(crate) const MODELS_MOST: usize = 1_000;

/// Most bytes of a page (16 MiB).
const PAGE_LIMIT_BYTES: usize = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(list: &ModelList) -> Vec<&str> {
        list.models.iter().map(|model| model.id.as_str()).collect()
    }

    #[test]
    fn page_is_parsed_with_any_field_names() {
        for (text, window, output) in [
            (r#"{"data":[{"id":"m","context_window":8}]}"#, Some(8), None),
            (r#"{"data":[{"id":"m","max_input_tokens":9,"max_tokens":4}]}"#, Some(9), Some(4)),
            (r#"[{"id":"m","max_model_len":7}]"#, Some(7), None),
            (
                r#"{"object":"list","data":[{"id":"m","context_length":"?"},{"id":""},{"name":"x"},3]}"#,
                None,
                None,
            ),
        ] {
            let page = ModelListPage::read(text).unwrap();
            let expected = OfferedModel {
                id: "m".into(),
                name: None,
                context_tokens: window,
                max_output_tokens: output,
            };
            assert_eq!(page, ModelListPage { models: vec![expected], next: None }, "{text}");
        }
        let named =
            ModelListPage::read(r#"{"data":[{"id":"a","display_name":"A"}],"has_more":true,"last_id":"a"}"#);
        let named = named.unwrap();
        assert_eq!((named.models[0].name.as_deref(), named.next.as_deref()), (Some("A"), Some("a")));
        for wrong in ["{}", "\"x\"", r#"{"data":{}}"#] {
            assert!(ModelListPage::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn pages_end_at_limit_or_without_news() {
        let page = |text: &str| ModelListPage::read(text).unwrap();
        let more = r#"{"data":[{"id":"a"},{"id":"b"}],"has_more":true}"#;
        let mut listing = ModelListBuilder::new(3);
        assert_eq!(listing.add_page(page(more)), Some("b".into()));
        assert_eq!(listing.add_page(page(more)), None, "the same page again is the end");
        assert_eq!((ids(&listing.list), listing.list.is_cut), (vec!["a", "b"], false));
        let mut listing = ModelListBuilder::new(2);
        assert_eq!(listing.add_page(page(more)), None);
        assert!(listing.list.is_cut, "there are more than were asked for");
        let mut listing = ModelListBuilder::new(1);
        assert_eq!(listing.add_page(page(more)), None);
        assert_eq!((ids(&listing.list), listing.list.is_cut), (vec!["a"], true));
    }
}
