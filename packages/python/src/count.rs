//! Whole numbers as callers give them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

/// Returns a whole number from 0 on.
///
/// # Errors
/// Returns an error that says what was expected if it is negative, too large, a truth value or no number.
pub fn count<T: TryFrom<i128>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    if value.is_instance_of::<PyBool>() {
        return Err(PyValueError::new_err(format!("{value} is no number; expected a whole number from 0 on")));
    }
    let number: i128 = value.extract()?;
    let expected = |what| PyValueError::new_err(format!("{number} is {what}; expected a whole number from 0 on"));
    if number < 0 {
        return Err(expected("negative"));
    }
    T::try_from(number).map_err(|_| expected("too large"))
}

/// Returns a whole number from 0 on, or `None`.
///
/// # Errors
/// Those of [`count`].
pub fn optional_count<T: TryFrom<i128>>(value: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
    if value.is_none() { Ok(None) } else { count(value).map(Some) }
}
