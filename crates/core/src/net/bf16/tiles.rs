//! Convolutions in bf16 by AMX, 256 sums at once: one instruction multiplies a tile of 16 places by
//! a tile of 16 outputs over 32 inputs.
//!
//! Three tiles of places and two of outputs are summed together, which takes seven loads for six
//! products. Few loads matter where another thread shares the core, because a load then waits for
//! the product before it. Rust has no stable intrinsics for these instructions, so they are written
//! in assembly.

use std::arch::asm;
use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use std::marker::PhantomData;
use std::sync::OnceLock;

use super::{BEFORE, FloatLayer, Grid, LANES, PairLayer, ROW, word_count, write_row, write_words};
use crate::net::aligned::AlignedBuffer;
use crate::net::layout::{lanes, lanes_mut};

/// Emits an instruction whose operand is the tile register `$register`, a constant from 0 to 5.
macro_rules! by_register {
    ($register:expr, $before:literal, $after:literal, $($operands:tt)*) => {
        match $register {
            0 => asm!(concat!($before, "tmm0", $after), $($operands)*),
            1 => asm!(concat!($before, "tmm1", $after), $($operands)*),
            2 => asm!(concat!($before, "tmm2", $after), $($operands)*),
            3 => asm!(concat!($before, "tmm3", $after), $($operands)*),
            4 => asm!(concat!($before, "tmm4", $after), $($operands)*),
            _ => asm!(concat!($before, "tmm5", $after), $($operands)*),
        }
    };
}

/// Rows of a tile.
const ROWS: usize = 16;

/// Tiles of places that are summed together.
const PLACE_TILES: usize = 3;

/// Tiles of outputs that are summed together.
///
/// The sums are in the tile registers 0 to 5, even ones for the first tile of outputs and odd ones
/// for the second. Register 6 holds places and register 7 weights.
const OUTPUT_TILES: usize = 2;

/// Returns `true` if the processor has AMX for bf16 and the system lets this process use it. Linux
/// has to be asked for permission, which is done once.
pub fn are_available() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| has_tiles() && is_permitted())
}

/// Returns `true` if the processor has AMX for bf16 and the system saves the tile registers (*Intel
/// 64 and IA-32 Architectures Software Developer's Manual*, volume 1, chapter 18).
fn has_tiles() -> bool {
    const BF16: u32 = 1 << 22;
    const TILES: u32 = 1 << 24;
    const SYSTEM_KEEPS: u32 = 1 << 27;
    const TILE_STATE: u64 = 3 << 17;
    let flags = if __cpuid(0).eax >= 7 { __cpuid_count(7, 0).edx } else { 0 };
    let is_kept = || {
        // SAFETY: `xgetbv` is enabled on a system that saves extended states.
        __cpuid(1).ecx & SYSTEM_KEEPS != 0 && unsafe { _xgetbv(0) } & TILE_STATE == TILE_STATE
    };
    flags & BF16 != 0 && flags & TILES != 0 && is_kept()
}

/// Requests the tile registers from Linux for all threads of the process, and returns `true` if it
/// grants them (the kernel's `Documentation/arch/x86/xstate.rst`).
#[cfg(target_os = "linux")]
fn is_permitted() -> bool {
    const ARCH_PRCTL: isize = 158;
    const REQUEST_PERMISSION: usize = 0x1023;
    const TILE_DATA: usize = 18;
    let mut answer = ARCH_PRCTL;
    // SAFETY: the call changes only the process's permissions, and `syscall` clobbers no registers
    // other than those named.
    unsafe {
        asm!("syscall", inlateout("rax") answer, in("rdi") REQUEST_PERMISSION, in("rsi") TILE_DATA,
             lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    answer == 0
}

#[cfg(not(target_os = "linux"))]
fn is_permitted() -> bool {
    false
}

/// The tile registers of this thread, configured until the value is dropped.
pub struct Tiles {
    /// Makes the type neither `Send` nor `Sync`: each thread has tile registers of its own.
    _not_send: PhantomData<*const ()>,
}

/// The operand of `ldtilecfg`: the palette, and rows and bytes per row of each tile.
#[repr(C, align(64))]
struct TileConfig {
    palette: u8,
    start: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

/// The operands of the sums of a few tiles of places and outputs.
struct TileBlock<'a> {
    pairs: &'a PairLayer,
    grid: &'a Grid,
    /// `[place][row]`, in words.
    input: &'a [u32],
    /// The first place of the first tile.
    place: usize,
    /// The first block of outputs.
    block: usize,
}

impl Tiles {
    /// Configures the eight tile registers, 16 rows of 64 bytes each.
    ///
    /// # Safety
    /// [`are_available`] has returned `true`, and no other `Tiles` is alive on this thread:
    /// dropping either of two would release the registers of both.
    pub unsafe fn new() -> Tiles {
        let mut config = TileConfig { palette: 1, start: 0, reserved: [0; 14], row_bytes: [0; 16], rows: [0; 16] };
        config.row_bytes[..8].fill(64);
        config.rows[..8].fill(ROWS as u8);
        // SAFETY: the processor has tiles, and the instruction reads the 64 bytes of `config`.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &config, options(nostack, readonly)) };
        Tiles { _not_send: PhantomData }
    }

    /// Applies a layer as `Pass::apply` does, in bf16. Inputs
    /// may be negative. `words` is scratch memory for the inputs and, behind them, the sums.
    ///
    /// # Safety
    /// The processor has AVX-512F and AVX-512BW, as every one with tiles does.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn apply(
        &self,
        layer: &FloatLayer,
        pairs: &PairLayer,
        grid: &Grid,
        input: &[f32],
        output: &mut [f32],
        words: &mut AlignedBuffer<u32>,
    ) {
        let outputs = layer.bias.len();
        let (input_words, sums) = split(pairs, grid, words);
        write_words(input, layer.inputs, pairs.row, input_words);
        self.sum_places(pairs, grid, input_words, sums);
        let first = grid.cells[0];
        for &cell in &grid.cells {
            let sums = &sums[(cell - first) * outputs..];
            add_bias(sums, &layer.bias, &mut output[cell * outputs..][..outputs]);
        }
    }

    /// Applies a convolution to positions, from `[position][cell][input]` to `[position][cell][output]`. The inputs are
    /// even in number, and finite. `words` is scratch memory.
    ///
    /// # Panics
    /// Panics if a slice has another length.
    ///
    /// # Safety
    /// As for [`apply`](Tiles::apply).
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn convolve(
        &self,
        pairs: &PairLayer,
        bias: &[f32],
        grid: &Grid,
        x: &[f32],
        y: &mut [f32],
        words: &mut AlignedBuffer<u32>,
    ) {
        let (inputs, outputs, first) = (pairs.inputs, pairs.outputs, grid.cells[0]);
        assert_eq!((bias.len(), x.len() * outputs), (outputs, y.len() * inputs));
        let (input_words, sums) = split(pairs, grid, words);
        input_words.fill(0);
        let positions = x.chunks_exact(grid.cells.len() * inputs).zip(y.chunks_exact_mut(grid.cells.len() * outputs));
        for (x, y) in positions {
            // The places of the borders stay zero.
            for (&cell, x) in grid.cells.iter().zip(x.chunks_exact(inputs)) {
                write_row(x, &mut input_words[(BEFORE + cell) * pairs.row..][..pairs.row]);
            }
            self.sum_places(pairs, grid, input_words, sums);
            for (&cell, y) in grid.cells.iter().zip(y.chunks_exact_mut(outputs)) {
                add_bias(&sums[(cell - first) * outputs..], bias, y);
            }
        }
    }

    /// Writes the sums of all places from the first cell to the last, `[place][output]`.
    fn sum_places(&self, pairs: &PairLayer, grid: &Grid, input: &[u32], sums: &mut [u32]) {
        let (outputs, first, place_tiles) = (pairs.outputs, grid.cells[0], place_tiles(grid));
        for tile in (0..place_tiles).step_by(PLACE_TILES) {
            for block in (0..outputs / LANES).step_by(OUTPUT_TILES) {
                let place = BEFORE + first + tile * ROWS;
                let operands = TileBlock { pairs, grid, input, place, block };
                let sums = &mut sums[tile * ROWS * outputs + block * LANES..];
                match (place_tiles - tile, outputs / LANES - block) {
                    (1, 1) => self.sum::<1, 1>(&operands, sums),
                    (1, _) => self.sum::<1, 2>(&operands, sums),
                    (2, 1) => self.sum::<2, 1>(&operands, sums),
                    (2, _) => self.sum::<2, 2>(&operands, sums),
                    (_, 1) => self.sum::<3, 1>(&operands, sums),
                    (_, _) => self.sum::<3, 2>(&operands, sums),
                }
            }
        }
    }

    /// Writes the sums of `PLACES` tiles of places and `OUTPUTS` tiles of outputs to `sums`,
    /// `[place][output]`.
    fn sum<const PLACES: usize, const OUTPUTS: usize>(&self, operands: &TileBlock, sums: &mut [u32]) {
        let TileBlock { pairs, grid, block, .. } = operands;
        let (row, outputs) = (pairs.row, pairs.outputs);
        let block_size = pairs.taps * row * LANES;
        let weights = &pairs.words[block * block_size..][..OUTPUTS * block_size];
        self.clear();
        for (tap, &offset) in grid.offsets(pairs.taps).iter().enumerate() {
            let input = &operands.input[operands.place.wrapping_add_signed(offset) * row..][..PLACES * ROWS * row];
            for part in (0..row).step_by(ROW) {
                let weights = |n: usize| &weights[n * block_size + (tap * row + part) * LANES..][..ROWS * LANES];
                let places = |tile: usize| &input[tile * ROWS * row + part..][..(ROWS - 1) * row + ROW];
                self.load_weights(weights(0));
                self.load_places(places(0), row);
                self.add_products::<0>();
                if PLACES > 1 {
                    self.load_places(places(1), row);
                    self.add_products::<2>();
                }
                if PLACES > 2 {
                    self.load_places(places(2), row);
                    self.add_products::<4>();
                }
                if OUTPUTS > 1 {
                    // In reverse, because the last tile of places is still loaded.
                    self.load_weights(weights(1));
                    if PLACES > 2 {
                        self.add_products::<5>();
                        self.load_places(places(1), row);
                    }
                    if PLACES > 1 {
                        self.add_products::<3>();
                        self.load_places(places(0), row);
                    }
                    self.add_products::<1>();
                }
            }
        }
        self.store::<0>(sums, outputs);
        if OUTPUTS > 1 {
            self.store::<1>(&mut sums[LANES..], outputs);
        }
        if PLACES > 1 {
            self.store::<2>(&mut sums[ROWS * outputs..], outputs);
        }
        if PLACES > 1 && OUTPUTS > 1 {
            self.store::<3>(&mut sums[ROWS * outputs + LANES..], outputs);
        }
        if PLACES > 2 {
            self.store::<4>(&mut sums[2 * ROWS * outputs..], outputs);
        }
        if PLACES > 2 && OUTPUTS > 1 {
            self.store::<5>(&mut sums[2 * ROWS * outputs + LANES..], outputs);
        }
    }

    /// Sets the six registers of sums to zero.
    fn clear(&self) {
        // SAFETY: `self` exists, so the processor has the instruction and the registers are
        // configured.
        unsafe {
            asm!(
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "tilezero tmm4",
                "tilezero tmm5",
                options(nostack, nomem)
            );
        }
    }

    /// Loads a tile of weights, `[word of inputs][LANES]`.
    fn load_weights(&self, words: &[u32]) {
        assert_eq!(words.len(), ROWS * LANES);
        // SAFETY: as above; 16 rows of 64 bytes are read.
        unsafe {
            asm!("tileloadd tmm7, [{} + {}]", in(reg) words.as_ptr(), in(reg) 4 * LANES, options(nostack, readonly));
        }
    }

    /// Loads a tile of places: 16 rows of 16 words, each `stride` words after the one before.
    fn load_places(&self, words: &[u32], stride: usize) {
        assert_eq!(words.len(), (ROWS - 1) * stride + ROW);
        // SAFETY: as above; 16 rows are read, and the last one ends with the slice.
        unsafe {
            asm!("tileloadd tmm6, [{} + {}]", in(reg) words.as_ptr(), in(reg) 4 * stride, options(nostack, readonly));
        }
    }

    /// Adds the products of the loaded places and weights to the sums in `REGISTER`.
    fn add_products<const REGISTER: usize>(&self) {
        // SAFETY: as above.
        unsafe { by_register!(REGISTER, "tdpbf16ps ", ", tmm6, tmm7", options(nostack, nomem)) }
    }

    /// Writes the sums in `REGISTER`: 16 rows of 16, each `stride` words after the one before.
    fn store<const REGISTER: usize>(&self, words: &mut [u32], stride: usize) {
        let words = &mut words[..(ROWS - 1) * stride + LANES];
        // SAFETY: as above; 16 rows are written, and the last one ends with the slice.
        unsafe {
            by_register!(REGISTER, "tilestored [{} + {}], ", "", in(reg) words.as_mut_ptr(), in(reg) 4 * stride, options(nostack))
        }
    }
}

/// Returns the number of tiles of places from a grid's first cell to its last.
fn place_tiles(grid: &Grid) -> usize {
    (grid.cells[grid.cells.len() - 1] + 1 - grid.cells[0]).div_ceil(ROWS)
}

/// Splits scratch memory into the words of the inputs and the sums.
fn split<'a>(pairs: &PairLayer, grid: &Grid, words: &'a mut AlignedBuffer<u32>) -> (&'a mut [u32], &'a mut [u32]) {
    let inputs = word_count(grid.places, pairs.row);
    words.resize(inputs + place_tiles(grid) * ROWS * pairs.outputs);
    words.split_at_mut(inputs)
}

/// Writes the sums of a place, with the bias of each output added.
#[inline(always)]
fn add_bias(sums: &[u32], bias: &[f32], output: &mut [f32]) {
    let sums = sums[..output.len()].as_chunks::<LANES>().0;
    for ((place, sums), bias) in lanes_mut(output).zip(sums).zip(lanes(bias)) {
        *place = std::array::from_fn(|i| f32::from_bits(sums[i]) + bias[i]);
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: `self` exists, so the processor has the instruction.
        unsafe { asm!("tilerelease", options(nostack, nomem)) };
    }
}
