//! Orders on the server: in pieces, each the one message of a subject of its own.
//!
//! A piece is written once, since the server can be made to send its own answers to any subject: what
//! stands there cannot be replaced, and orders are named by their checksum.

use async_nats::jetstream::Context;
use async_nats::jetstream::stream::Stream;

use crate::coordinator::streams::StoredSet;
use crate::protocol::messages::{Id, PIECE_BYTES, Pieces, read, write};
use crate::protocol::subjects;
use crate::store;
use doublecross_core::net::checksum;
use doublecross_proof::Books;
use doublecross_selfplay::{Orders, SealedOrders};

/// The subject of the message that says how many pieces there are.
fn head(id: Id) -> String {
    subjects::orders(&format!("{id}.head"))
}

fn piece(id: Id, number: usize) -> String {
    subjects::orders(&format!("{id}.{number}"))
}

/// A filter that passes all of the orders' messages.
fn all(id: Id) -> String {
    subjects::orders(&format!("{id}.*"))
}

/// Returns the messages of orders.
pub fn stored_set(orders: &SealedOrders) -> StoredSet {
    let id = Id(orders.id);
    let pieces = (0..orders.bytes.chunks(PIECE_BYTES).len()).map(|number| piece(id, number));
    StoredSet { filter: all(id), subjects: pieces.chain([head(id)]).collect() }
}

/// Puts orders on the server. What says how many pieces there are comes last.
///
/// # Errors
/// Returns an error if the server does not take them.
pub async fn publish(context: &Context, orders: &SealedOrders) -> Result<(), String> {
    let id = Id(orders.id);
    let stream = context.get_stream_no_info(subjects::ORDERS).await.map_err(|error| error.to_string())?;
    let put = |subject: String, bytes: Vec<u8>| put(context, &stream, subject, bytes);
    let pieces = orders.bytes.chunks(PIECE_BYTES);
    let head_message = write(&Pieces { bytes: orders.bytes.len(), pieces: pieces.len() });
    for (number, bytes) in pieces.enumerate() {
        put(piece(id, number), bytes.to_vec()).await?;
    }
    put(head(id), head_message).await
}

/// Puts a message where there is none, or where another one is.
pub(crate) async fn put(context: &Context, stream: &Stream<()>, subject: String, bytes: Vec<u8>) -> Result<(), String> {
    if let Ok(message) = stream.direct_get_last_for_subject(subject.clone()).await {
        if message.payload == bytes {
            return Ok(());
        }
        stream.purge().filter(subject.clone()).await.map_err(|error| error.to_string())?;
    }
    store(context, subject, bytes).await
}

/// Takes orders from the server again.
pub async fn purge(stream: &Stream<()>, id: u64) {
    // What stays only costs its space.
    let _ = stream.purge().filter(all(Id(id))).await;
}

/// Reads orders from the server, for a program that has these books.
///
/// # Errors
/// Returns an error if the server does not have them, or if they are not those of this id or not
/// for this program.
pub async fn fetch(stream: &Stream<()>, id: Id, books: &Books) -> Result<Orders, FetchError> {
    let get = |subject: String| async move {
        let message = stream.direct_get_last_for_subject(subject).await;
        message.map(|message| message.payload).map_err(|error| FetchError::Absent(error.to_string()))
    };
    // What stands there may be replaced by now.
    let damaged = |why: &str| FetchError::Absent(format!("damaged: {why}"));
    let pieces: Pieces = read(&get(head(id)).await?).map_err(|error| damaged(&error))?;
    let mut bytes = Vec::with_capacity(pieces.bytes);
    for number in 0..pieces.pieces {
        bytes.extend(get(piece(id, number)).await?);
        if bytes.len() > pieces.bytes {
            return Err(damaged("they are too long"));
        }
    }
    if checksum(&bytes) != id.0 {
        // A piece may be of orders that are being written again.
        return Err(FetchError::Absent("their checksum is not their name".into()));
    }
    Orders::from_bytes(&bytes, books).map_err(|error| FetchError::Refused(error.to_string()))
}

/// The reason why there are no orders.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The server does not have them, perhaps not yet.
    #[error("no such orders: {0}")]
    Absent(String),
    /// They cannot be used.
    #[error("{0}")]
    Refused(String),
}
