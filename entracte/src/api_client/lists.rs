//! Lists, page after page.

use entracte_adapters_http::api_transport::api_path::ApiPath;
use entracte_adapters_http::api_transport::{ApiAnswer, ApiRequest};
use http::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::ApiClient;
use crate::error::CliError;

/// Most items of a page; the API refuses more.
const PAGE: usize = 200;

/// Items of a page of which not all are wanted: a page of `most` items would take a request for each that is not.
const FILTERED_PAGE: usize = 20;

/// How much of a list is read.
#[derive(Clone, Copy)]
pub(super) struct ListExtent {
    /// The maximum number of items.
    most: usize,
    /// The maximum number of items of a page.
    page: usize,
}

impl ListExtent {
    /// All of it.
    pub(super) const ALL: Self = Self { most: usize::MAX, page: PAGE };

    /// The first items, at most this many, on pages that hold no more.
    fn first(most: usize) -> Self {
        Self { most, page: most.clamp(1, PAGE) }
    }
}

/// A page of a list.
#[derive(Deserialize)]
pub(super) struct ReceivedPage<T> {
    items: Vec<T>,
    next: Option<String>,
}

impl ApiClient<'_> {
    /// Reads a whole list, page after page.
    pub(crate) async fn list<T: DeserializeOwned>(&self, path: &ApiPath) -> Result<Vec<T>, CliError> {
        self.list_first(path, usize::MAX).await
    }

    /// Reads the first items of a list, at most this many, page after page.
    pub(crate) async fn list_first<T: DeserializeOwned>(
        &self,
        path: &ApiPath,
        most: usize,
    ) -> Result<Vec<T>, CliError> {
        self.list_parsed(path, ListExtent::first(most), |_| true, |answer| self.parse(answer)).await
    }

    /// Reads the first wanted items of a list, at most this many, page after page.
    pub(crate) async fn list_wanted<T: DeserializeOwned>(
        &self,
        path: &ApiPath,
        most: usize,
        is_wanted: impl Fn(&T) -> bool,
    ) -> Result<Vec<T>, CliError> {
        let extent = ListExtent { most, page: FILTERED_PAGE };
        self.list_parsed(path, extent, is_wanted, |answer| self.parse(answer)).await
    }

    pub(super) async fn list_parsed<T>(
        &self,
        path: &ApiPath,
        ListExtent { most, page }: ListExtent,
        is_wanted: impl Fn(&T) -> bool,
        parse: impl Fn(&ApiAnswer) -> Result<ReceivedPage<T>, CliError>,
    ) -> Result<Vec<T>, CliError> {
        let first = path.clone().with("limit", &page.to_string());
        let (mut all, mut next) = (Vec::new(), None::<String>);
        loop {
            let path = first.clone().with_some("after", next.as_deref());
            let page = parse(&self.call(ApiRequest::new(Method::GET, path.target())).await?)?;
            all.extend(page.items.into_iter().filter(|item| is_wanted(item)));
            all.truncate(most);
            next = page.next.filter(|_| all.len() < most);
            if next.is_none() {
                return Ok(all);
            }
        }
    }

    /// Reads all pages of a list whose pages say more than their items. `next` is where the page after one begins.
    pub(crate) async fn pages<P: DeserializeOwned>(
        &self,
        path: &ApiPath,
        next: impl Fn(&P) -> Option<&str>,
    ) -> Result<Vec<P>, CliError> {
        let first = path.clone().with("limit", &PAGE.to_string());
        let mut pages: Vec<P> = Vec::new();
        loop {
            let after = pages.last().and_then(&next);
            if after.is_none() && !pages.is_empty() {
                return Ok(pages);
            }
            let page = self.get(&first.clone().with_some("after", after)).await?;
            pages.push(page);
        }
    }
}
