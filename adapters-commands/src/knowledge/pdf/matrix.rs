//! Affine transformations of the plane, as PDF writes them.

/// The six numbers of a PDF matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PdfMatrix(pub(super) [f64; 6]);

impl PdfMatrix {
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) const fn translation(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// The transformation that applies `self` first and `next` second.
    pub(super) fn followed_by(self, next: Self) -> Self {
        let [a, b, c, d, e, f] = self.0;
        let [g, h, i, j, k, l] = next.0;
        Self([
            a * g + b * i,
            a * h + b * j,
            c * g + d * i,
            c * h + d * j,
            e * g + f * i + k,
            e * h + f * j + l,
        ])
    }

    pub(super) fn apply(self, x: f64, y: f64) -> (f64, f64) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// The length of what is one unit high.
    pub(super) fn vertical_scale(self) -> f64 {
        let [_, _, c, d, _, _] = self.0;
        c.hypot(d)
    }
}
