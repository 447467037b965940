//! Requests about snoozes and assignments of inbox items in the mail store.

use crate::mail::{AssignItemsRequest, ItemSnooze, SnoozeItemsRequest, TriageItem, WakeItemsRequest};

use super::shape::shape;

shape! {
    pub(super) struct SnoozeItemsV1 = SnoozeItemsRequest {
        author: String,
        items: Vec<ItemSnoozeV1>,
    }
}

shape! {
    pub(super) struct ItemSnoozeV1 = ItemSnooze {
        session: String,
        item: String,
        version: String,
        until: i64,
    }
}

shape! {
    pub(super) struct WakeItemsV1 = WakeItemsRequest {
        author: String,
        items: Vec<TriageItemV1>,
    }
}

shape! {
    pub(super) struct AssignItemsV1 = AssignItemsRequest {
        author: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        person: Option<String>,
        items: Vec<TriageItemV1>,
    }
}

shape! {
    pub(super) struct TriageItemV1 = TriageItem {
        session: String,
        item: String,
    }
}
