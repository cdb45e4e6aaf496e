//! Who may connect to a fleet's server: its folder, keys, certificates and permissions.

pub(crate) mod certificates;
pub(crate) mod folder;
pub(crate) mod key;
pub(crate) mod machine;
pub(crate) mod server_config;
