//! The results of workers, pulled from the server.

use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt;
use tokio::sync::mpsc::{Sender, UnboundedSender};

use crate::protocol::subjects;

/// The receiver of what is pulled.
pub(crate) trait ResultSink {
    /// Receives a message. Returns `false` if no more is wanted.
    fn take(&self, message: jetstream::Message) -> impl Future<Output = bool> + Send;
}

impl ResultSink for UnboundedSender<jetstream::Message> {
    async fn take(&self, message: jetstream::Message) -> bool {
        self.send(message).is_ok()
    }
}

/// No more is pulled than there is room for.
impl ResultSink for Sender<jetstream::Message> {
    async fn take(&self, message: jetstream::Message) -> bool {
        self.send(message).await.is_ok()
    }
}

/// Pulls what workers hand in.
pub(crate) async fn pull_results(context: Context, results: impl ResultSink) {
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
                            if !results.take(message).await {
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
