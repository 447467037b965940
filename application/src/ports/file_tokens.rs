use entracte_domain::file::{FileKind, FileReference, PixelDimensions};

/// How many tokens the files of a request have for a model, by the formula that its provider publishes. Each answer
/// replaces what it says of the files before it by what the provider counted.
///
/// ```
/// use entracte_application::ports::FileTokenFormula;
/// use entracte_domain::file::{FileReference, PixelDimensions};
/// use entracte_domain::id::Digest;
///
/// let shot = FileReference {
///     digest: Digest::new("d1"),
///     media_type: "image/png".into(),
///     name: "shot.png".into(),
///     bytes: 48_211,
///     dimensions: Some(PixelDimensions { width: 1280, height: 720 }),
///     pages: None,
///     model_form: None,
/// };
/// assert_eq!(FileTokenFormula::UNPUBLISHED.tokens(&shot), 1_196);
/// assert_eq!(FileTokenFormula { image: None, pdf_page: None }.tokens(&shot), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileTokenFormula {
    /// Tokens of an image; `None` if the model reads none, so that a request has only the line that names it.
    pub image: Option<ImageTokenFormula>,
    /// Tokens of a page of a PDF, of its text and of its image together; `None` if the model reads no PDF.
    pub pdf_page: Option<u64>,
}

/// The tokens of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageTokenFormula {
    /// As many for every image.
    Constant(u64),
    /// Tokens for each square patch, of an image that is scaled down until it has few enough.
    Patches(PatchFormula),
    /// Tokens for the image and for each square tile.
    Tiles(TileFormula),
}

/// Tokens for square patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatchFormula {
    /// Pixels of a side of a patch.
    pub side: u64,
    /// Most pixels of the longer side of an image; a longer one is scaled down.
    pub longest: u64,
    /// Most patches of an image; one with more is scaled down.
    pub most: u64,
    /// How an image with too many patches is scaled.
    pub scaling: PatchScaling,
    /// Tokens of a hundred patches.
    pub tokens_per_hundred: u64,
}

/// How an image with too many patches is scaled down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchScaling {
    /// To the largest size that has few enough.
    Largest,
    /// To whole patches in one direction.
    WholePatches,
}

/// Tokens for square tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileFormula {
    /// Tokens of every image.
    pub base: u64,
    /// Tokens of a tile.
    pub tile: u64,
    /// Pixels of a side of a tile.
    pub side: u64,
    /// Most pixels of the longer side of an image; a longer one is scaled down.
    pub longest: u64,
    /// Most pixels of the shorter side after that.
    pub shorter: u64,
}

impl FileTokenFormula {
    /// For models whose provider publishes none: that of Claude for images, and the most that providers name for a page.
    pub const UNPUBLISHED: Self =
        Self { image: Some(ImageTokenFormula::Patches(PatchFormula::CLAUDE)), pdf_page: Some(3_000) };

    /// The tokens of a file.
    pub fn tokens(&self, file: &FileReference) -> u64 {
        match file.kind() {
            FileKind::Image => self.image.map_or(0, |formula| formula.tokens(file.model_view().dimensions)),
            FileKind::Pdf => {
                let pages = u64::from(file.pages.unwrap_or(1));
                self.pdf_page.map_or(0, |tokens| tokens.saturating_mul(pages))
            }
            FileKind::Other => 0,
        }
    }
}

impl ImageTokenFormula {
    /// The tokens of an image of this size; the most that an image can have if its size is unknown.
    pub fn tokens(self, dimensions: Option<PixelDimensions>) -> u64 {
        let sides = dimensions.map(|PixelDimensions { width, height }| {
            let (width, height) = (u64::from(width).max(1), u64::from(height).max(1));
            ImageSides { long: width.max(height), short: width.min(height) }
        });
        match (self, sides) {
            (Self::Constant(tokens), _) => tokens,
            (Self::Patches(formula), Some(sides)) => formula.tokens_of_patches(formula.patches(sides)),
            (Self::Patches(formula), None) => formula.tokens_of_patches(formula.most),
            (Self::Tiles(formula), Some(sides)) => formula.tokens(sides),
            (Self::Tiles(formula), None) => {
                formula.tokens(ImageSides { long: formula.longest, short: formula.shorter })
            }
        }
    }
}

/// The sides of an image in pixels, each at least 1.
#[derive(Clone, Copy, Debug)]
struct ImageSides {
    long: u64,
    short: u64,
}

impl ImageSides {
    /// The sides of the same image with this longer side; parts of a pixel count as one.
    fn with_long(self, long: u64) -> Self {
        Self { long, short: self.short.saturating_mul(long).div_ceil(self.long) }
    }

    /// Squares of this side that cover the image.
    fn squares(self, side: u64) -> u64 {
        self.long.div_ceil(side).saturating_mul(self.short.div_ceil(side))
    }
}

impl PatchFormula {
    /// The formula of Claude up to version 4.6.
    pub const CLAUDE: Self = Self {
        side: 28,
        longest: 1_568,
        most: 1_568,
        scaling: PatchScaling::Largest,
        tokens_per_hundred: 100,
    };

    fn tokens_of_patches(self, patches: u64) -> u64 {
        patches.saturating_mul(self.tokens_per_hundred).div_ceil(100)
    }

    fn patches(self, sides: ImageSides) -> u64 {
        let sides = sides.with_long(sides.long.min(self.longest));
        let all = sides.squares(self.side);
        match self.scaling {
            _ if all <= self.most => all,
            PatchScaling::Largest => self.patches_of_largest(sides),
            PatchScaling::WholePatches => self.whole_patches(sides),
        }
    }

    /// The patches of the largest image with these proportions that has few enough.
    fn patches_of_largest(self, sides: ImageSides) -> u64 {
        let patches = |long: u64| sides.with_long(long).squares(self.side);
        let (mut fits, mut end) = (1, sides.long);
        while fits < end {
            let long = fits.midpoint(end) + 1;
            if patches(long) <= self.most {
                fits = long;
            } else {
                end = long - 1;
            }
        }
        patches(fits)
    }

    /// The patches of the image with these proportions that has few enough, and a whole number of them in the direction
    /// that is cut more.
    fn whole_patches(self, ImageSides { long, short }: ImageSides) -> u64 {
        let columns = (self.most.saturating_mul(long) / short).isqrt().max(1);
        let rows = (self.most.saturating_mul(short) / long).isqrt().max(1);
        if columns.saturating_mul(short) <= rows.saturating_mul(long) {
            columns.saturating_mul(columns.saturating_mul(short).div_ceil(long))
        } else {
            rows.saturating_mul(rows.saturating_mul(long).div_ceil(short))
        }
    }
}

impl TileFormula {
    fn tokens(self, sides: ImageSides) -> u64 {
        let ImageSides { long, short } = sides.with_long(sides.long.min(self.longest));
        let shorter = short.min(self.shorter);
        let scaled = ImageSides { long: long.saturating_mul(shorter).div_ceil(short), short: shorter };
        self.base.saturating_add(self.tile.saturating_mul(scaled.squares(self.side)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(formula: ImageTokenFormula, width: u32, height: u32) -> u64 {
        formula.tokens(Some(PixelDimensions { width, height }))
    }

    /// Input: the largest images of each shape that the documentation of Claude says are not scaled, and larger ones;
    /// expected: their patches of 28 pixels, and never more than 1,568.
    #[test]
    fn largest_patches_are_those_of_documentation() {
        let claude = ImageTokenFormula::Patches(PatchFormula::CLAUDE);
        for (width, height, expected) in [
            (200, 200, 64),
            (1_092, 1_092, 1_521),
            (951, 1_268, 1_564),
            (784, 1_568, 1_568),
            (1_280, 720, 1_196),
            (2_184, 2_184, 1_521),
            (1_902, 2_536, 1_564),
            (1, 8_000, 56),
            (0, 0, 1),
        ] {
            assert_eq!(tokens(claude, width, height), expected, "{width} x {height}");
        }
        assert_eq!(claude.tokens(None), 1_568);
    }

    /// Input: the examples of OpenAI's documentation; expected: its numbers.
    #[test]
    fn patches_and_tiles_are_those_of_documentation() {
        let patches = PatchFormula {
            side: 32,
            longest: u64::MAX,
            most: 1_536,
            scaling: PatchScaling::WholePatches,
            tokens_per_hundred: 100,
        };
        let tiles = TileFormula { base: 85, tile: 170, side: 512, longest: 2_048, shorter: 768 };
        let (patches, tiles) = (ImageTokenFormula::Patches(patches), ImageTokenFormula::Tiles(tiles));
        assert_eq!([tokens(patches, 1_024, 1_024), tokens(patches, 1_800, 2_400)], [1_024, 1_452]);
        assert_eq!([tokens(tiles, 1_024, 1_024), tokens(tiles, 2_048, 4_096)], [765, 1_105]);
        assert_eq!(tiles.tokens(None), 85 + 8 * 170);
    }

    /// Input: every size in steps, and extreme ones; expected: a formula never gives more than its most.
    #[test]
    fn no_image_has_more_than_most() {
        for scaling in [PatchScaling::Largest, PatchScaling::WholePatches] {
            let formula = ImageTokenFormula::Patches(PatchFormula { scaling, ..PatchFormula::CLAUDE });
            let sides = (1..9_000).step_by(97).chain([u32::MAX]);
            for (width, height) in
                sides.clone().flat_map(|width| sides.clone().map(move |height| (width, height)))
            {
                let found = tokens(formula, width, height);
                assert!((1..=1_568).contains(&found), "{scaling:?}, {width} x {height}: {found}");
            }
        }
    }

    #[test]
    fn pages_count_where_pdf_is_read() {
        let mut report = FileReference {
            digest: entracte_domain::id::Digest::new("d1"),
            media_type: "application/pdf".into(),
            name: "report.pdf".into(),
            bytes: 9,
            dimensions: None,
            pages: Some(12),
            model_form: None,
        };
        let formula =
            FileTokenFormula { image: Some(ImageTokenFormula::Constant(1_120)), pdf_page: Some(560) };
        assert_eq!(formula.tokens(&report), 6_720);
        assert_eq!(FileTokenFormula { pdf_page: None, ..formula }.tokens(&report), 0);
        report.media_type = "audio/wav".into();
        assert_eq!(formula.tokens(&report), 0);
        report.media_type = "image/webp".into();
        assert_eq!(formula.tokens(&report), 1_120);
    }
}
