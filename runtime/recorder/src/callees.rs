//! Functions that are called through pointers, in the encoding of the spool.
//!
//! A function is identified by its address relative to the program's base. Those of shared libraries are too far away
//! for the four bytes of the table; such a function has a number from the upper end of the range instead, there and in
//! the records.

use core::ffi::c_void;
use core::ptr::null_mut;
use core::slice;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use wire::{ChunkHeader, PAGE, chunk};

use crate::sequence::imports;
use crate::slot::Program;
use crate::{spool, system};

#[derive(Clone, Copy)]
struct Far {
    address: u64,
    number: u32,
}

static FAR: AtomicPtr<Far> = AtomicPtr::new(null_mut());
static FAR_COUNT: AtomicUsize = AtomicUsize::new(0);

fn is_near(relative: u64) -> bool {
    relative <= u64::from(u32::MAX)
}

/// Writes the table of functions.
pub fn write_table(program: &Program) {
    if program.function.is_null() || program.functions == 0 {
        return;
    }
    // SAFETY: the instrumented module says that there are this many.
    let functions = unsafe { slice::from_raw_parts(program.function, program.functions as usize) };
    let bytes = (size_of::<ChunkHeader>() + 4 * functions.len()).next_multiple_of(PAGE);
    let Some(table) = spool::take(bytes) else { return };
    let addresses = || functions.iter().map(|function| spool::relative(function.addr() as u64));
    let far_count = addresses().filter(|address| !is_near(*address)).count();
    let far = system::map_memory((far_count * size_of::<Far>()).next_multiple_of(PAGE).max(PAGE));
    let far = far.map_or(null_mut(), <*mut u8>::cast::<Far>);
    let mut found = 0;
    // SAFETY: the chunk has room for all functions, the memory for all that are far away.
    unsafe {
        spool::describe(table, chunk::FUNCTIONS, 0, 0, bytes);
        let entries = table.add(size_of::<ChunkHeader>()).cast::<u32>();
        for (index, address) in addresses().enumerate() {
            let number = if is_near(address) { address as u32 } else { u32::MAX - index as u32 };
            entries.add(index).write(number);
            if !is_near(address) && !far.is_null() {
                far.add(found).write(Far { address, number });
                found += 1;
            }
        }
        spool::show(table);
        system::unmap(table, bytes);
    }
    FAR_COUNT.store(found, Ordering::Relaxed);
    FAR.store(far, Ordering::Release);
}

/// The identification of a function in records.
#[inline]
pub fn name(function: *const c_void) -> u64 {
    let address = spool::relative(imports::real(function).addr() as u64);
    if is_near(address) { address } else { far_name(address) }
}

#[cold]
fn far_name(address: u64) -> u64 {
    let far = FAR.load(Ordering::Acquire);
    if far.is_null() {
        return address;
    }
    // SAFETY: the table was written completely before it was shown, and is never changed.
    let far = unsafe { slice::from_raw_parts(far, FAR_COUNT.load(Ordering::Relaxed)) };
    far.iter().find(|far| far.address == address).map_or(address, |far| u64::from(far.number))
}
