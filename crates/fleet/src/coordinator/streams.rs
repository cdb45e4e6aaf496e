//! The streams and consumers of a run on the server.

use std::time::Duration;

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, Stream};

use crate::protocol::subjects;
use crate::worker::worker;

/// The bytes that the results on the server may have. What workers have beyond that they keep.
const RESULTS_BYTES: i64 = 256 << 20;

/// Makes the streams and consumers that are missing, and returns the stream of parcels.
///
/// # Errors
/// Returns an error if the server does not make them.
pub(crate) async fn make(context: &Context) -> Result<Stream, async_nats::Error> {
    let orders = stream::Config {
        name: subjects::ORDERS.into(),
        subjects: vec![subjects::ORDERS_SUBJECTS.into()],
        max_messages_per_subject: 1,
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
    context.get_or_create_stream(orders).await?;
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
    Ok(play)
}
