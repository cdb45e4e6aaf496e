use burn::tensor::{Device, Tensor, TensorData};

use super::*;
use doublecross_core::board::Board;
use doublecross_core::net::{Architecture, Isa, PLANES, deviation};
use doublecross_run::{initial_edge_head, initial_weights};

const RULE: StepRule = StepRule { learning_rate: 0.01, weight_decay: 0.1, clip_norm: 1.0, ema_decay: 0.7 };

fn model() -> Model {
    let board = Board::new(2, 2).unwrap();
    let architecture = Architecture::new(16, 1, 8);
    let tensors = [initial_weights(board, architecture, 1).tensors, initial_edge_head(board, architecture)].concat();
    Model::new(board, architecture, &tensors, &Device::flex().autodiff())
}

fn host(kind: OptimizerKind) -> Box<dyn MasterWeights> {
    master_weights(model(), kind, Some(Precision::of(Isa::fastest_float())))
}

/// Returns the mean squared distance of all outputs from 1, on one fixed batch.
fn loss(model: &Model) -> Tensor<1> {
    let numbers: Vec<f32> = (0..4 * PLANES * 9).map(|i| (i as f32 * 0.37).sin()).collect();
    let data = TensorData::new(numbers, [4, 3, 3, PLANES]);
    let logits = model.forward(
        Tensor::from_data(data, &Device::flex().autodiff()),
        &model.packed(Precision::of(Isa::fastest_float()), model.board()),
    );
    let off = |logits: Tensor<2>| (logits - 1.0).square().mean();
    off(logits.policy) + off(logits.margins) + off(logits.edge_margins.unwrap())
}

/// Takes steps and returns the last loss.
fn run(master: &mut dyn MasterWeights, rule: &StepRule, steps: usize) -> f32 {
    let mut last = 0.0;
    for _ in 0..steps {
        let loss = loss(master.model());
        last = read(loss.clone())[0];
        let gradients = master.model().gradients(&loss);
        master.step(rule, vec![gradients]);
    }
    last
}

#[test]
fn steps_lower_the_loss() {
    for kind in [OptimizerKind::Muon, OptimizerKind::AdamW] {
        let mut master = host(kind);
        let first = run(&mut *master, &RULE, 1);
        let last = run(&mut *master, &RULE, 40);
        assert!(last < 0.2 * first, "{kind:?}: {first} to {last}");
    }
}

/// The loops and the operations of burn, with its own AdamW, take the same steps down the gradients of two parts.
#[test]
fn loops_and_operations_of_burn_agree() {
    for kind in [OptimizerKind::Muon, OptimizerKind::AdamW] {
        let (mut loops, mut operations) = (host(kind), master_weights(model(), kind, None));
        // The last steps are not clipped.
        for clip_norm in [0.5, 0.5, 1e9, 1e9] {
            let gradients = loops.model().gradients(&loss(loops.model()));
            for master in [&mut loops, &mut operations] {
                master.step(&StepRule { clip_norm, ..RULE }, vec![gradients.clone(), gradients.clone()]);
            }
        }
        let norms = [&mut loops, &mut operations].map(|master| master.take_norms());
        assert!(norms[0] > 2.0 && (norms[0] - norms[1]).abs() < 1e-4 * norms[0], "{norms:?}");
        assert_eq!([&mut loops, &mut operations].map(|master| master.take_norms()), [0.0; 2]);
        let initial = model().tensors();
        let lists = |master: &dyn MasterWeights| {
            let moments = master.moments().into_iter().map(|moments| {
                assert_eq!(moments.time, 4);
                [moments.first, moments.second].concat()
            });
            [master.model().tensors(), master.ema(), moments.collect()]
        };
        for (loops, operations) in lists(&*loops).iter().zip(lists(&*operations)) {
            for (index, ((loops, operations), initial)) in loops.iter().zip(&operations).zip(&initial).enumerate() {
                let off = deviation(loops, operations);
                assert!(loops != initial && off < 1e-3, "{kind:?}, tensor {index}: {off}");
            }
        }
    }
}

#[test]
fn biases_do_not_decay() {
    let (model, device) = (model(), Device::flex().autodiff());
    let ones: Vec<Vec<f32>> = model.specs().iter().map(|spec| vec![1.0; spec.len()]).collect();
    let model = Model::new(model.board(), model.architecture(), &ones, &device);
    let zeros = model.parameters.iter().map(|parameter| parameter.clone().inner().zeros_like()).collect();
    let mut master = master_weights(model, OptimizerKind::AdamW, Some(Precision::of(Isa::Portable)));
    master.step(&RULE, vec![zeros]);
    for (spec, tensor) in master.model().specs().iter().zip(master.model().tensors()) {
        let expected = if spec.is_bias() { 1.0 } else { 1.0 - 0.01 * 0.1 };
        assert!(tensor.iter().all(|&value| value == expected), "{}: {}", spec.name, tensor[0]);
    }
}

/// A restored optimizer continues bit for bit, in the loops and in operations of burn.
#[test]
fn a_restored_optimizer_continues_bit_for_bit() {
    for kind in [OptimizerKind::Muon, OptimizerKind::AdamW] {
        for precision in [Some(Precision::of(Isa::fastest_float())), None] {
            let mut straight = master_weights(model(), kind, precision);
            run(&mut *straight, &RULE, 5);
            let (tensors, ema, bytes) = (straight.model().tensors(), straight.ema(), straight.optimizer_bytes());
            run(&mut *straight, &RULE, 5);
            // The edge head is fresh, as with weights from a file.
            let (fresh, head) = (model(), model().edge_head().len());
            let own = tensors.len() - head;
            let tensors = [&tensors[..own], &fresh.tensors()[own..]].concat();
            let device = Device::flex().autodiff();
            let resumed = Model::new(fresh.board(), fresh.architecture(), &tensors, &device);
            let mut resumed = master_weights(resumed, kind, precision);
            resumed.restore_bytes(&bytes).unwrap();
            resumed.set_ema(ema[..own].to_vec());
            run(&mut *resumed, &RULE, 5);
            assert_eq!(resumed.model().tensors(), straight.model().tensors());
            assert_eq!(resumed.ema()[..own], straight.ema()[..own]);
            assert!(matches!(resumed.restore_bytes(&bytes[1..]), Err(OptimizerError::Length { .. })));
        }
    }
}
