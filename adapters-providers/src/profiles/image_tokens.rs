//! How models count images, as their providers publish it.

use entracte_application::ports::{ImageTokenFormula, PatchFormula, PatchScaling, TileFormula};

/// The formula of the models whose names begin with one of these.
#[derive(Debug)]
pub(crate) struct ModelImageTokens {
    /// Prefixes of the names; an empty one is every model.
    pub(super) names: &'static [&'static str],
    /// The formula.
    pub(super) formula: ImageTokenFormula,
}

/// Claude: patches of 28 pixels. Models since Opus 4.7 look at larger images.
pub(super) const CLAUDE: &[ModelImageTokens] = &[
    ModelImageTokens {
        names: &[
            "claude-3",
            "claude-haiku-4",
            "claude-sonnet-4",
            "claude-opus-4-0",
            "claude-opus-4-1",
            "claude-opus-4-2",
            "claude-opus-4-5",
            "claude-opus-4-6",
        ],
        formula: ImageTokenFormula::Patches(PatchFormula::CLAUDE),
    },
    ModelImageTokens {
        names: &[""],
        formula: ImageTokenFormula::Patches(PatchFormula {
            longest: 2_576,
            most: 4_784,
            ..PatchFormula::CLAUDE
        }),
    },
];

/// OpenAI: tiles of 512 pixels up to gpt-5, with numbers for each family; patches of 32 pixels for small models and those
/// that came later.
pub(super) const OPENAI: &[ModelImageTokens] = &[
    ModelImageTokens {
        names: &["gpt-4.1-mini", "gpt-5-mini", "gpt-5.4-mini"],
        formula: ImageTokenFormula::Patches(PatchFormula { tokens_per_hundred: 162, ..PATCHES }),
    },
    ModelImageTokens {
        names: &["gpt-4.1-nano", "gpt-5-nano", "gpt-5.4-nano"],
        formula: ImageTokenFormula::Patches(PatchFormula { tokens_per_hundred: 246, ..PATCHES }),
    },
    ModelImageTokens {
        names: &["o4-mini"],
        formula: ImageTokenFormula::Patches(PatchFormula { tokens_per_hundred: 172, ..PATCHES }),
    },
    ModelImageTokens {
        names: &["gpt-4o-mini"],
        formula: ImageTokenFormula::Tiles(TileFormula { base: 2_833, tile: 5_667, ..TILES }),
    },
    ModelImageTokens { names: &["gpt-4"], formula: ImageTokenFormula::Tiles(TILES) },
    ModelImageTokens {
        names: &["o1", "o3"],
        formula: ImageTokenFormula::Tiles(TileFormula { base: 75, tile: 150, ..TILES }),
    },
    ModelImageTokens {
        names: &["gpt-5.4"],
        formula: ImageTokenFormula::Patches(PatchFormula { most: 2_500, longest: 2_048, ..PATCHES }),
    },
    ModelImageTokens {
        names: &["gpt-5.5", "gpt-5.6", "gpt-6"],
        formula: ImageTokenFormula::Patches(PatchFormula { most: 10_000, longest: 6_000, ..PATCHES }),
    },
    ModelImageTokens {
        names: &["gpt-5"],
        formula: ImageTokenFormula::Tiles(TileFormula { base: 70, tile: 140, ..TILES }),
    },
    ModelImageTokens {
        names: &[""],
        formula: ImageTokenFormula::Patches(PatchFormula { most: 10_000, longest: 6_000, ..PATCHES }),
    },
];

/// Gemini since version 3, in the resolution that it chooses by itself.
pub(super) const GEMINI: &[ModelImageTokens] =
    &[ModelImageTokens { names: &[""], formula: ImageTokenFormula::Constant(1_120) }];

/// The patches of the small models of OpenAI.
const PATCHES: PatchFormula = PatchFormula {
    side: 32,
    longest: u64::MAX,
    most: 1_536,
    scaling: PatchScaling::WholePatches,
    tokens_per_hundred: 100,
};

/// The tiles of gpt-4o.
const TILES: TileFormula = TileFormula { base: 85, tile: 170, side: 512, longest: 2_048, shorter: 768 };

#[cfg(test)]
mod tests {
    use entracte_domain::file::{FileReference, PixelDimensions};
    use entracte_domain::id::Digest;

    use crate::profiles::ProviderProfile;
    use crate::provider_kind::ProviderKind;

    /// Input: images of published examples, for models of several kinds; expected: the published numbers.
    #[test]
    fn models_count_images_as_published() {
        for (kind, model, width, height, expected) in [
            (ProviderKind::Claude, "claude-opus-4-6", 1_092, 1_092, 1_521),
            (ProviderKind::Claude, "claude-sonnet-4-6", 3_840, 2_160, 1_560),
            (ProviderKind::Claude, "claude-opus-5-5", 1_920, 1_080, 2_691),
            (ProviderKind::Openai, "gpt-4o-2024-11-20", 1_024, 1_024, 765),
            (ProviderKind::Openai, "gpt-4o", 2_048, 4_096, 1_105),
            (ProviderKind::Openai, "ft:gpt-4o-mini:acme", 1_024, 1_024, 25_501),
            (ProviderKind::Openai, "gpt-4.1-mini", 1_024, 1_024, 1_659),
            (ProviderKind::Openai, "gpt-5", 1_024, 1_024, 630),
            (ProviderKind::Openai, "gpt-6-sol", 1_920, 1_080, 2_040),
            (ProviderKind::Gemini, "gemini-3-flash", 1_920, 1_080, 1_120),
            (ProviderKind::Openrouter, "anthropic/claude-opus-5-5", 1_092, 1_092, 1_521),
        ] {
            let profile = ProviderProfile::of_kind(kind).unwrap();
            let file = FileReference {
                digest: Digest::new("d1"),
                media_type: "image/png".into(),
                name: "shot.png".into(),
                bytes: 48_211,
                dimensions: Some(PixelDimensions { width, height }),
                pages: None,
                model_form: None,
            };
            assert_eq!(profile.file_tokens(model).tokens(&file), expected, "{model}, {width} x {height}");
        }
    }
}
