//! The policy hook over the adapters of this process.

use std::sync::Arc;

use entracte_adapters_commands::egress::{EgressClient, EgressSettings};
use entracte_adapters_commands::policy::{ConfiguredPolicyHook, PolicyHookSource};
use entracte_application::ports::PolicyHook;

use crate::config::{AppSettings, PolicySource};
use crate::secrets::secrets;

/// The hook that the configuration names; `None` if it names none. It may reach only its own hosts.
pub(crate) fn policy_hook(settings: &AppSettings) -> Option<Arc<dyn PolicyHook>> {
    let (parts, limits) = (&settings.parts, settings.runtime.policy_hook);
    let source = match settings.policy.as_ref()? {
        PolicySource::Program { program, arguments } => PolicyHookSource::Program {
            launcher: parts.document_reader.clone(),
            program: program.clone(),
            arguments: arguments.clone(),
        },
        PolicySource::Rego { place, query } => {
            PolicyHookSource::Rego { place: place.clone(), query: query.clone() }
        }
        PolicySource::Http { url, token, allowed } => {
            let reach = EgressSettings {
                allowed: allowed.clone(),
                size_max_bytes: limits.answer_bytes,
                redirects_max: 0,
                ..EgressSettings::default()
            };
            PolicyHookSource::Http {
                url: url.to_string(),
                token: token.clone(),
                egress: Arc::new(EgressClient::new(reach, parts.crypto())),
                secrets: secrets(parts),
            }
        }
    };
    Some(Arc::new(ConfiguredPolicyHook::new(source, limits)))
}
