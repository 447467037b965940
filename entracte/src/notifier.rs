//! The notifier over the adapters of this process.

use std::sync::Arc;
use std::time::Duration;

use entracte_adapters_commands::egress::{EgressClient, EgressSettings};
use entracte_adapters_commands::notify::{NotificationSenders, PushPolicy, TargetPolicy};
use entracte_application::notifier::{Notifier, NotifierPorts};
use entracte_application::ports::NotificationSender;
use entracte_application::use_cases::ReadDisabledItems;

use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::config::{AppSettings, PushKeyFile};
use crate::secrets::secrets;
use crate::tools::person_secrets;

/// The sender of notifications; it may reach only the hosts allowed for targets, not those of tools.
pub(crate) fn sender(context: &CommandContext) -> Arc<dyn NotificationSender> {
    let settings = &context.settings;
    if let Some(given) = &settings.parts.sender {
        return given.clone();
    }
    let allowed = settings.notify_allow.clone();
    let reach = EgressSettings { allowed: allowed.clone(), ..EgressSettings::default() };
    let egress = EgressClient::new(reach, settings.parts.crypto());
    let terms =
        TargetPolicy { declared: settings.declared.clone(), allowed, of_tools: settings.tools.allow.clone() };
    let timeout = Duration::from_millis(settings.notify.timeout.0.max(1).unsigned_abs());
    let senders = NotificationSenders::new(Arc::new(egress), secrets(&settings.parts), terms, timeout);
    Arc::new(senders.with_push(push(&context.settings)))
}

/// How messages go to browsers. Unless a contact is set, it is the page of this server, if others can open it.
fn push(settings: &AppSettings) -> PushPolicy {
    let page = settings.server.public_url.as_ref().filter(|url| url.scheme() == "https");
    PushPolicy {
        keys: Arc::new(PushKeyFile::new(&settings.push)),
        contact: settings.push.contact.clone().or_else(|| page.map(ToString::to_string)),
        ttl: Duration::from_millis(settings.notify.push_ttl.0.max(0).unsigned_abs()),
    }
}

/// Builds the notifier.
pub(crate) fn build_notifier(context: &CommandContext, services: &Arc<AppServices>) -> Notifier {
    let ports = NotifierPorts {
        outbox: services.outbox.clone(),
        store: services.store.clone(),
        log: services.log.clone(),
        rows: services.rows.clone(),
        automations: services.automations.clone(),
        tasks: services.tasks.clone(),
        catalog: services.current_catalog(),
        sender: sender(context),
        secrets: services.known.clone(),
        clock: services.clock.clone(),
        ids: services.ids.clone(),
        observer: services.meters.clone(),
    };
    Notifier::new(ports, context.settings.notify.clone(), context.settings.server.public_address())
}

/// The use case that reads disabled targets and secrets.
pub(crate) fn read_switched_off(context: &CommandContext, services: &AppServices) -> ReadDisabledItems {
    let people = person_secrets(&context.settings);
    let (outbox, store) = (services.outbox.clone(), services.store.clone());
    ReadDisabledItems::new(outbox, store, sender(context), people, services.clock.clone())
}
