//! Values of options: times and sizes.

use std::time::Duration;

/// Parses a number of seconds.
pub(crate) fn parse_seconds(text: &str) -> Result<Duration, String> {
    parse_duration(text, "seconds", 1.0)
}

/// Parses a number of units, each of which is so many seconds.
pub(crate) fn parse_duration(text: &str, unit: &str, seconds: f64) -> Result<Duration, String> {
    let duration = text.parse().ok().and_then(|number: f64| Duration::try_from_secs_f64(seconds * number).ok());
    duration.ok_or_else(|| format!("it must be a number of {unit}, 0 or more"))
}

/// Parses a number of bytes, as in 65536, 512M or 12G.
pub(crate) fn parse_size(text: &str) -> Result<usize, String> {
    let expected = "it must be a number of bytes (as in 65536, 512M or 12G)";
    let (digits, shift) = match text.char_indices().last() {
        Some((end, 'K' | 'k')) => (&text[..end], 10),
        Some((end, 'M' | 'm')) => (&text[..end], 20),
        Some((end, 'G' | 'g')) => (&text[..end], 30),
        _ => (text, 0),
    };
    let number: usize = digits.parse().map_err(|_| expected)?;
    // More than a terabyte is likely a mistake.
    let bytes = number.checked_mul(1 << shift).filter(|bytes| (1 << 12..=1 << 40).contains(bytes));
    bytes.ok_or_else(|| "it must be 4K to 1024G bytes".into())
}
