//! The results of workers, pulled from the server.

use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedSender;

use crate::protocol::subjects;

/// Pulls what workers hand in.
pub(crate) async fn pull_results(context: Context, results: UnboundedSender<jetstream::Message>) {
    loop {
        let consumer: Result<PullConsumer, _> =
            context.get_consumer_from_stream(subjects::RESULTS_CONSUMER, subjects::RESULTS).await;
        if let Ok(consumer) = consumer {
            loop {
                let batch = consumer
                    .fetch()
                    .max_messages(64)
                    .max_bytes(8 << 20)
                    .expires(Duration::from_secs(2))
                    .messages()
                    .await;
                let Ok(mut batch) = batch else { break };
                let mut is_sound = true;
                while let Ok(Some(message)) = tokio::time::timeout(Duration::from_secs(4), batch.next()).await {
                    match message {
                        Ok(message) => {
                            if results.send(message).is_err() {
                                return;
                            }
                        }
                        Err(_) => is_sound = false,
                    }
                }
                if !is_sound {
                    break;
                }
            }
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}
