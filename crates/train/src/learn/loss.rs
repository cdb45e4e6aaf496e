//! The losses: cross-entropy of the policy and of the margin, and the squared error of edge values.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;

use crate::learn::batch::Batch;
use crate::learn::model::Logits;

/// One box in the unit of the edge loss, which makes that loss about as large as the others.
const BOX: f32 = 0.25;

/// The losses of a batch: means over its samples, in nats unless said otherwise.
pub(crate) struct Losses {
    /// The cross-entropy of the policy.
    pub policy: Tensor<1>,
    /// The negative logarithm of the probability of the margins to aim at, which is the cross-entropy
    /// where that is one.
    pub margin: Tensor<1>,
    /// The mean squared error over a sample's known edge values, in squares of four boxes; 0
    /// without an edge head.
    pub edges: Tensor<1>,
    /// The entropy of the network's policy, which is not a loss.
    pub entropy: Tensor<1>,
}

impl Losses {
    /// Computes the losses of a batch from the model's logits.
    pub fn new(logits: Logits, batch: &Batch) -> Losses {
        let policy = log_softmax(logits.policy + batch.policy_mask.clone(), 1);
        let margins = log_softmax(logits.margins + batch.margins_mask.clone(), 1);
        let cross_entropy = |target: Tensor<2>, log: Tensor<2>| (target * log).sum_dim(1).mean().neg();
        let detached = policy.clone().detach();
        let edges = match logits.edge_margins {
            Some(edge_margins) => {
                let known = batch.edges_known.clone();
                let off = (edge_margins - batch.edge_margins.clone().mul_scalar(BOX)) * known.clone();
                (off.square().sum_dim(1) / known.sum_dim(1).clamp_min(1.0)).mean()
            }
            None => Tensor::zeros([1], &batch.policy.device()),
        };
        Losses {
            edges,
            entropy: cross_entropy(detached.clone().exp(), detached),
            policy: cross_entropy(batch.policy.clone(), policy),
            margin: log_sum(margins + batch.margins.clone()).mean().neg(),
        }
    }

    /// Returns the policy, margin and edge losses and the policy's entropy, which are not differentiated.
    pub fn numbers(&self) -> Tensor<1> {
        let numbers = [&self.policy, &self.margin, &self.edges, &self.entropy];
        Tensor::cat(numbers.map(|number| number.clone().inner()).into(), 0)
    }
}

/// Returns the logarithm of the sum of each row's exponentials, `[batch, 1]`.
fn log_sum(logs: Tensor<2>) -> Tensor<2> {
    let most = logs.clone().detach().max_dim(1);
    (logs - most.clone()).exp().sum_dim(1).log() + most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::batch::MASKED;
    use crate::learn::read::read;
    use burn::tensor::{Device, TensorData};

    fn number(loss: Tensor<1>) -> f32 {
        read(loss)[0]
    }

    fn assert_close(loss: Tensor<1>, expected: f64) {
        let loss = number(loss) as f64;
        assert!((loss - expected).abs() < 1e-5, "{loss}; expected {expected}");
    }

    /// A batch of two samples on a board of three policy entries and five margins.
    fn batch() -> Batch {
        let device = Device::flex();
        Batch {
            planes: Tensor::zeros([2, 1, 1, 1], &device),
            policy: Tensor::from_data([[1.0, 0.0, 0.0], [0.25, 0.25, 0.5]], &device),
            policy_mask: Tensor::from_data([[0.0, 0.0, MASKED], [0.0, 0.0, 0.0]], &device),
            margins: Tensor::from_data(
                [[MASKED, MASKED, MASKED, MASKED, 0.0], [MASKED, MASKED, MASKED, 0.0, MASKED]],
                &device,
            ),
            margins_mask: Tensor::from_data(
                [[0.0, MASKED, 0.0, MASKED, 0.0], [MASKED, 0.0, MASKED, 0.0, MASKED]],
                &device,
            ),
            edge_margins: Tensor::from_data([[4.0, 0.0, -1.0], [0.0, 0.0, 0.0]], &device),
            edges_known: Tensor::from_data([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]], &device),
        }
    }

    /// Logits whose exponentials are the numbers below. Those of masked entries are large.
    fn logits(edge_margins: Option<[[f32; 3]; 2]>) -> Logits {
        let device = Device::flex();
        Logits {
            policy: Tensor::<2>::from_data([[1.0, 3.0, 1e20], [2.0, 2.0, 4.0]], &device).log(),
            margins: Tensor::<2>::from_data([[1.0, 1e20, 1.0, 1e20, 2.0], [1e20, 4.0, 1e20, 1.0, 1e20]], &device).log(),
            edge_margins: edge_margins.map(|numbers| Tensor::from_data(numbers, &device)),
        }
    }

    #[test]
    fn policy_loss_is_the_cross_entropy_of_undrawn_edges() {
        // The policy is 1/4, 3/4 of the first sample, and 1/4, 1/4, 1/2 of the second, which is
        // also its target.
        let (first, second) = (4f64.ln(), 1.5 * 2f64.ln());
        assert_close(Losses::new(logits(None), &batch()).policy, (first + second) / 2.0);
    }

    #[test]
    fn entropy_is_that_of_the_masked_policy() {
        let first = 0.25 * 4f64.ln() + 0.75 * (4.0 / 3.0f64).ln();
        assert_close(Losses::new(logits(None), &batch()).entropy, (first + 1.5 * 2f64.ln()) / 2.0);
    }

    #[test]
    fn margin_loss_is_the_cross_entropy_of_possible_margins() {
        // The probability of the margin to aim at is 2/4 in the first sample and 1/5 in the second.
        assert_close(Losses::new(logits(None), &batch()).margin, (2f64.ln() + 5f64.ln()) / 2.0);
    }

    #[test]
    fn margin_loss_of_bounds_is_the_logarithm_of_their_mass() {
        let of = |allowed: [[bool; 5]; 2]| {
            let margins = allowed.map(|row| row.map(|is_allowed| if is_allowed { 0.0 } else { MASKED }));
            Batch { margins: Tensor::from_data(margins, &Device::flex()), ..batch() }
        };
        // The masses are 3/4 and 4/5.
        let bounds = of([[false, false, true, false, true], [false, true, false, false, false]]);
        assert_close(Losses::new(logits(None), &bounds).margin, ((4.0f64 / 3.0).ln() + 1.25f64.ln()) / 2.0);
        // All that is possible says nothing.
        let open = of([[true, false, true, false, true], [false, true, false, true, false]]);
        assert_close(Losses::new(logits(None), &open).margin, 0.0);
        // The gradient by the logits is the distribution less that within the bounds, 1/3 and 2/3.
        let device = Device::flex().autodiff();
        let to =
            |tensor: &Tensor<2>| Tensor::<2>::from_data(TensorData::new(read(tensor.clone()), tensor.dims()), &device);
        let Logits { policy, margins, .. } = logits(None);
        let margins = to(&margins).require_grad();
        let moved = Batch {
            planes: Tensor::zeros([2, 1, 1, 1], &device),
            policy: to(&bounds.policy),
            policy_mask: to(&bounds.policy_mask),
            margins: to(&bounds.margins),
            margins_mask: to(&bounds.margins_mask),
            edge_margins: to(&bounds.edge_margins),
            edges_known: to(&bounds.edges_known),
        };
        let logits = Logits { policy: to(&policy), margins: margins.clone(), edge_margins: None };
        let gradients = Losses::new(logits, &moved).margin.backward();
        let gradient = read(margins.grad(&gradients).unwrap());
        for (found, expected) in gradient.iter().zip([0.25, 0.0, 0.25 - 1.0 / 3.0, 0.0, 0.5 - 2.0 / 3.0]) {
            assert!((2.0 * found - expected).abs() < 1e-5, "{gradient:?}");
        }
    }

    #[test]
    fn edge_loss_is_the_squared_error_of_known_edges() {
        // In units of four boxes the first sample's known values are 1 and -1/4. The second sample
        // has none, and the rest of its predictions costs nothing.
        let predictions = [[0.5, 9.0, -0.5], [7.0, 8.0, 9.0]];
        let first = (0.5f64.powi(2) + 0.25f64.powi(2)) / 2.0;
        assert_close(Losses::new(logits(Some(predictions)), &batch()).edges, first / 2.0);
        assert_close(Losses::new(logits(None), &batch()).edges, 0.0);
    }
}
