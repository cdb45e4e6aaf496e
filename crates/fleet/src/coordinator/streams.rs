//! The streams and consumers of a run on the server.

use std::collections::HashSet;
use std::time::Duration;

use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::stream::{self, ConsumerErrorKind, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context, ErrorCode};
use futures_util::StreamExt;

use crate::protocol::subjects;
use crate::worker::worker;

/// The bytes that the results on the server may have. What workers have beyond that they keep.
const RESULTS_BYTES: i64 = 256 << 20;

/// The bytes that the orders on the server may have, of which a worker can have it make copies. They
/// are removed when the server is set up.
const ORDERS_BYTES: i64 = 2 << 30;

/// The streams of a run on its server.
pub(crate) struct Streams {
    orders: Stream,
    play: Stream,
}

/// Makes the streams and consumers that are missing, and removes all orders and parcels.
///
/// # Errors
/// Returns an error if the server does not do it.
pub(crate) async fn set_up(context: &Context) -> Result<(), async_nats::Error> {
    let Streams { orders, play } = make(context).await?;
    play.purge().await?;
    orders.purge().await?;
    Ok(())
}

/// Messages of the stream of orders that should be there.
pub(crate) struct StoredSet {
    /// A filter that their subjects pass.
    pub filter: String,
    /// Their subjects.
    pub subjects: Vec<String>,
}

/// Returns `false` if a stream, a consumer or one of these messages is missing.
///
/// # Errors
/// Returns an error if the server does not answer.
pub(crate) async fn are_whole(context: &Context, sets: &[StoredSet]) -> Result<bool, async_nats::Error> {
    for (consumer, stream) in
        [(subjects::PLAY_CONSUMER, subjects::PLAY), (subjects::RESULTS_CONSUMER, subjects::RESULTS)]
    {
        let found: Result<PullConsumer, _> = context.get_consumer_from_stream(consumer, stream).await;
        match found.map_err(|error| (error.kind(), error)) {
            Ok(_) => {}
            Err((ConsumerErrorKind::JetStream(answer), _)) if is_absence(&answer) => return Ok(false),
            Err((_, error)) => return Err(error.into()),
        }
    }
    let stream = match context.get_stream(subjects::ORDERS).await.map_err(|error| (error.kind(), error)) {
        Ok(stream) => stream,
        Err((GetStreamErrorKind::JetStream(answer), _)) if is_absence(&answer) => return Ok(false),
        Err((_, error)) => return Err(error.into()),
    };
    for StoredSet { filter, subjects } in sets {
        let mut found = HashSet::new();
        let mut info = stream.info_with_subjects(filter).await?;
        while let Some((subject, _)) = info.next().await.transpose()? {
            found.insert(subject);
        }
        if subjects.iter().any(|subject| !found.contains(subject)) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_absence(error: &jetstream::Error) -> bool {
    [ErrorCode::STREAM_NOT_FOUND, ErrorCode::CONSUMER_NOT_FOUND].contains(&error.error_code())
}

/// Makes the streams and consumers that are missing.
///
/// # Errors
/// Returns an error if the server does not make them.
pub(crate) async fn make(context: &Context) -> Result<Streams, async_nats::Error> {
    let orders = stream::Config {
        name: subjects::ORDERS.into(),
        subjects: vec![subjects::ORDERS_SUBJECTS.into()],
        max_messages_per_subject: 1,
        max_bytes: ORDERS_BYTES,
        discard: DiscardPolicy::New,
        discard_new_per_subject: true,
        allow_direct: true,
        ..stream::Config::default()
    };
    let play = stream::Config {
        name: subjects::PLAY.into(),
        subjects: vec![subjects::PLAY_SUBJECTS.into()],
        retention: RetentionPolicy::WorkQueue,
        ..stream::Config::default()
    };
    let results = stream::Config {
        name: subjects::RESULTS.into(),
        subjects: vec![subjects::RESULTS_SUBJECTS.into()],
        retention: RetentionPolicy::WorkQueue,
        max_bytes: RESULTS_BYTES,
        discard: DiscardPolicy::New,
        ..stream::Config::default()
    };
    let orders = context.get_or_create_stream(orders).await?;
    let play = context.get_or_create_stream(play).await?;
    play.get_or_create_consumer(subjects::PLAY_CONSUMER, worker::consumer_config()).await?;
    let results = context.get_or_create_stream(results).await?;
    let config = pull::Config {
        durable_name: Some(subjects::RESULTS_CONSUMER.into()),
        ack_wait: Duration::from_secs(60),
        max_ack_pending: 1 << 16,
        ..pull::Config::default()
    };
    results.get_or_create_consumer(subjects::RESULTS_CONSUMER, config).await?;
    Ok(Streams { orders, play })
}
