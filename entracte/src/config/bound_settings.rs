//! The settings of `[bounds]`: size limits of schemas and arguments.

use entracte_application::settings::SchemaBounds;

use super::layers::ConfigLayer;
use super::value::SettingValueKind;

/// A setting of `[bounds]`.
pub(super) struct BoundSetting {
    /// Its full name, including the table.
    pub(super) name: &'static str,
    of: fn(&mut SchemaBounds) -> &mut usize,
}

macro_rules! bounds {
    ($($name:ident),+) => {
        /// All settings of `[bounds]`.
        pub(super) const BOUNDS: &[BoundSetting] =
            &[$(BoundSetting { name: concat!("bounds.", stringify!($name)), of: |bounds| &mut bounds.$name }),+];

        /// Fails to compile when a field has no setting.
        #[expect(dead_code, reason = "it is there to be compiled")]
        fn none_is_forgotten(bounds: SchemaBounds) {
            let SchemaBounds { $($name: _),+ } = bounds;
        }
    };
}

bounds!(
    schema_bytes,
    schema_depth,
    schema_nodes,
    schema_patterns,
    pattern_chars,
    pattern_bytes,
    argument_bytes,
    argument_depth,
    argument_elements,
    argument_digits,
    check_steps
);

impl BoundSetting {
    /// The kind of its value.
    pub(super) fn kind(&self) -> SettingValueKind {
        SettingValueKind::Count(self.value(&SchemaBounds::WIDEST))
    }

    /// Its value in `bounds`.
    pub(super) fn value(&self, bounds: &SchemaBounds) -> u64 {
        let mut bounds = *bounds;
        u64::try_from(*(self.of)(&mut bounds)).unwrap_or(u64::MAX)
    }
}

/// The bounds of a configuration.
pub(super) fn bounds(set: &ConfigLayer) -> SchemaBounds {
    let mut bounds = SchemaBounds::default();
    for bound in BOUNDS {
        let place = (bound.of)(&mut bounds);
        *place = set.size(bound.name, *place);
    }
    bounds
}
