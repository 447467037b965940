//! Quantization of vectors to a quarter of their size: one byte per number, with a scale per vector. Pure.

use crate::ports::QuantizedVector;

/// The largest quantization step.
const STEPS: f32 = 127.0;

/// Quantizes a vector, normalised to length 1; `None` for one without a direction.
pub fn quantize_vector(vector: &[f32]) -> Option<QuantizedVector> {
    let unit = unit(vector)?;
    let (scale, steps) = steps(&unit, STEPS);
    // Rounded and within -127..=127, so nothing is truncated.
    let bytes = steps.map(|step| (step as i8).to_ne_bytes()[0]).collect();
    Some(QuantizedVector { scale, bytes })
}

/// Normalises the vector to length 1; `None` if it is 0 or not finite.
pub(super) fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    let has_direction = length.is_finite() && length > 0.0;
    has_direction.then(|| vector.iter().map(|number| (f64::from(*number) / length) as f32).collect())
}

/// The scale at which the largest number has `most` steps, and the steps of each number.
pub(super) fn steps(vector: &[f32], most: f32) -> (f32, impl Iterator<Item = f32>) {
    let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    let scale = largest / most;
    (scale, vector.iter().map(move |number| (number / scale).round().clamp(-most, most)))
}
