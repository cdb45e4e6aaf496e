//! What machines say to each other: the connection, subjects, messages and orders.

pub(crate) mod connection;
pub(crate) mod messages;
pub(crate) mod orders_store;
pub mod subjects;
