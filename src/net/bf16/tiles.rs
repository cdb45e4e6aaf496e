//! 256 sums at once by AMX: a tile of 16 places times a tile of 16 outputs, 32 inputs an instruction.
//!
//! Three tiles of places and two of outputs are summed together, so that six products follow each load of weights. Rust has no
//! stable names for these instructions; each stands in a line of assembly.

use std::arch::asm;
use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use std::marker::PhantomData;
use std::sync::OnceLock;

use super::{BEFORE, FloatLayer, Grid, LANES, PairLayer, ROW, write_words};

/// One of these instructions, by the register of its sums.
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

/// Tiles of outputs that are summed together. The sums are in the tile registers 0 to 5, places in 6, weights in 7.
const OUTPUT_TILES: usize = 2;

/// Whether the processor has AMX for bf16 and the system lets this process use it, which Linux wants to be asked for.
pub(crate) fn are_available() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| has_tiles() && is_permitted())
}

/// Intel's manual, volume 1, chapter 18: the instructions' flags, and the parts of the state that the system keeps.
fn has_tiles() -> bool {
    const BF16: u32 = 1 << 22;
    const TILES: u32 = 1 << 24;
    const SYSTEM_KEEPS: u32 = 1 << 27;
    const TILE_STATE: u64 = 3 << 17;
    let flags = if __cpuid(0).eax >= 7 { __cpuid_count(7, 0).edx } else { 0 };
    let is_kept = || {
        // SAFETY: a system that keeps extended states has switched the instruction on.
        __cpuid(1).ecx & SYSTEM_KEEPS != 0 && unsafe { _xgetbv(0) } & TILE_STATE == TILE_STATE
    };
    flags & BF16 != 0 && flags & TILES != 0 && is_kept()
}

/// Asks Linux for the state of the tiles, for all threads of the process (its documentation of x86, «xstate»).
#[cfg(target_os = "linux")]
fn is_permitted() -> bool {
    const ARCH_PRCTL: isize = 158;
    const REQUEST_PERMISSION: usize = 0x1023;
    const TILE_DATA: usize = 18;
    let mut answer = ARCH_PRCTL;
    // SAFETY: the call changes nothing but what the process may use.
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

/// The tile registers of this thread, set up until this is dropped.
pub(crate) struct Tiles {
    /// Other threads have tiles of their own.
    _stays: PhantomData<*const ()>,
}

/// What sets the tiles up: 16 rows of 64 bytes each.
#[repr(C, align(64))]
struct Setup {
    palette: u8,
    start: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

impl Tiles {
    /// Sets the tiles up.
    ///
    /// # Safety
    /// [`are_available`] said so.
    pub unsafe fn new() -> Tiles {
        let mut setup = Setup { palette: 1, start: 0, reserved: [0; 14], row_bytes: [0; 16], rows: [0; 16] };
        setup.row_bytes[..8].fill(64);
        setup.rows[..8].fill(ROWS as u8);
        // SAFETY: the processor has tiles, and reads the 64 bytes of the setup.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &setup, options(nostack, readonly)) };
        Tiles { _stays: PhantomData }
    }

    /// As [`Pass::apply`](crate::net::kernel::Pass::apply), in bf16. `words` ends as memory for the sums.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn apply(
        &self,
        layer: &FloatLayer,
        pairs: &PairLayer,
        grid: &Grid,
        input: &[f32],
        output: &mut [f32],
        words: &mut Vec<u32>,
    ) {
        write_words(input, layer.inputs, pairs.row, words);
        let outputs = layer.bias.len();
        let (first, last) = (grid.cells[0], grid.cells[grid.cells.len() - 1]);
        let place_tiles = (last + 1 - first).div_ceil(ROWS);
        let start = words.len();
        words.resize(start + place_tiles * ROWS * outputs, 0);
        let (input_words, sums) = words.split_at_mut(start);
        for tile in (0..place_tiles).step_by(PLACE_TILES) {
            let places = first + tile * ROWS;
            let count = PLACE_TILES.min(place_tiles - tile);
            let sums = &mut sums[tile * ROWS * outputs..];
            for block in (0..outputs / LANES).step_by(OUTPUT_TILES) {
                let blocks = block..(block + OUTPUT_TILES).min(outputs / LANES);
                self.sum(layer, pairs, grid, input_words, (places, count), blocks, sums);
            }
        }
        for &cell in &grid.cells {
            let (sums, place) =
                (&sums[(cell - first) * outputs..][..outputs], &mut output[cell * outputs..][..outputs]);
            for ((value, sum), bias) in place.iter_mut().zip(sums).zip(&layer.bias) {
                *value = f32::from_bits(*sum) + bias;
            }
        }
    }

    /// The sums of so many tiles of places from this place on, and of a few blocks of outputs, into `[place][outputs]`.
    #[allow(clippy::too_many_arguments)] // The bounds of one loop nest.
    fn sum(
        &self,
        layer: &FloatLayer,
        pairs: &PairLayer,
        grid: &Grid,
        input: &[u32],
        (first, tiles): (usize, usize),
        blocks: std::ops::Range<usize>,
        sums: &mut [u32],
    ) {
        let (row, outputs) = (pairs.row, layer.bias.len());
        let block_size = layer.taps * row * LANES;
        let register = |tile: usize, n: usize| tile * OUTPUT_TILES + n;
        for (tile, n) in (0..tiles).flat_map(|tile| (0..blocks.len()).map(move |n| (tile, n))) {
            self.clear(register(tile, n));
        }
        for (tap, &offset) in grid.offsets(layer.taps).iter().enumerate() {
            for part in (0..row).step_by(ROW) {
                for (n, block) in blocks.clone().enumerate() {
                    self.load_weights(&pairs.words[block * block_size + (tap * row + part) * LANES..][..ROWS * LANES]);
                    for tile in 0..tiles {
                        let place = (BEFORE + first + tile * ROWS).wrapping_add_signed(offset);
                        self.load_places(&input[place * row + part..][..(ROWS - 1) * row + ROW], row);
                        self.add_products(register(tile, n));
                    }
                }
            }
        }
        for (tile, (n, block)) in (0..tiles).flat_map(|tile| blocks.clone().enumerate().map(move |block| (tile, block)))
        {
            let place = &mut sums[tile * ROWS * outputs + block * LANES..][..(ROWS - 1) * outputs + LANES];
            self.store(register(tile, n), place, outputs);
        }
    }

    fn clear(&self, register: usize) {
        // SAFETY: a `Tiles` is there, so the instruction exists and the tiles are set up.
        unsafe { by_register!(register, "tilezero ", "", options(nostack, nomem)) }
    }

    /// Loads `[word of inputs][LANES]`.
    fn load_weights(&self, words: &[u32]) {
        assert_eq!(words.len(), ROWS * LANES);
        // SAFETY: as above; 16 rows of 64 bytes are read.
        unsafe {
            asm!("tileloadd tmm7, [{} + {}]", in(reg) words.as_ptr(), in(reg) 4 * LANES, options(nostack, readonly));
        }
    }

    /// Loads a row of 16 words every so many words.
    fn load_places(&self, words: &[u32], every: usize) {
        assert_eq!(words.len(), (ROWS - 1) * every + ROW);
        // SAFETY: as above; 16 rows are read, of which the last ends where the words do.
        unsafe {
            asm!("tileloadd tmm6, [{} + {}]", in(reg) words.as_ptr(), in(reg) 4 * every, options(nostack, readonly));
        }
    }

    /// Adds the products of places and weights.
    fn add_products(&self, register: usize) {
        // SAFETY: as above.
        unsafe { by_register!(register, "tdpbf16ps ", ", tmm6, tmm7", options(nostack, nomem)) }
    }

    /// Writes sixteen sums every so many words.
    fn store(&self, register: usize, words: &mut [u32], every: usize) {
        assert_eq!(words.len(), (ROWS - 1) * every + LANES);
        // SAFETY: as above; 16 rows are written, of which the last ends where the words do.
        unsafe {
            by_register!(register, "tilestored [{} + {}], ", "", in(reg) words.as_mut_ptr(), in(reg) 4 * every, options(nostack))
        }
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: there are tiles where there is a `Tiles`.
        unsafe { asm!("tilerelease", options(nostack, nomem)) };
    }
}
