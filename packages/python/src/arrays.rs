//! Arrays of numpy.

use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// A number that numpy knows.
pub trait Element: Copy {
    /// The name of its type.
    const NAME: &'static str;

    /// Adds its bytes.
    fn write(self, bytes: &mut Vec<u8>);
}

macro_rules! elements {
    ($($number:ty => $name:literal),*) => {
        $(impl Element for $number {
            const NAME: &'static str = $name;

            fn write(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
        })*
    };
}

elements!(f32 => "<f4", i8 => "|i1");

impl Element for bool {
    const NAME: &'static str = "|b1";

    fn write(self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self));
    }
}

/// Returns an array of this shape.
pub fn array<'py, T: Element>(py: Python<'py>, numbers: &[T], shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let mut bytes = Vec::with_capacity(size_of_val(numbers));
    numbers.iter().for_each(|number| number.write(&mut bytes));
    let array = py.import("numpy")?.call_method1("frombuffer", (PyByteArray::new(py, &bytes), T::NAME))?;
    array.call_method1("reshape", (shape.to_vec(),))
}
