//! Tables laid over others.

use toml::{Table, Value};

/// Lays one table over another.
pub(super) fn merge(base: &mut Table, layer: Table) {
    for (key, value) in layer {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(layer)) => merge(inner, layer),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}
