//! Transforms the modules of a program into one that records its decisions.
//!
//! All parts are linked and put into registers, as for analysis. A whole-program analysis ([`sharing`]) decides which
//! decisions may depend on shared data or input; they are marked, and this module is stored. A copy gets the recording
//! steps ([`plan`], [`instrument`]), is simplified so that small functions are inlined ([`simplify`]), gets the code
//! that keeps the bits ([`words`]), and is optimised by the final compilation.

mod position;
mod classes;
mod known;
mod pointers;
mod sharing;
mod tickets;
mod frequency;
mod flow;
mod values;
mod plan;
mod simplify;
mod words;
mod instrument;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ir::effect::EFFECTS;

use crate::error::Error;
use crate::llvm::{Context, Linkage};
use crate::module;
use crate::names::{DECISION, MARKED};

pub use plan::UnknownCall;

static HOOKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/hooks.bc"));
static ORDER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/order.bc"));

#[derive(Clone, Debug)]
pub struct Part {
    pub name: PathBuf,
    pub bitcode: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Record all branches, not only those that may depend on shared data or input.
    pub every_branch: bool,
    /// Give shared operations hooks, for perturbation and sequence numbers.
    pub hooks: bool,
    /// Whether to inline and simplify the compiled copy.
    pub simplify: bool,
}

#[derive(Clone, Debug)]
pub struct Recordable {
    /// The whole program without recording code, its decisions marked.
    pub module: Vec<u8>,
    pub instrumented: Vec<u8>,
    /// A hash of the module.
    pub identity: [u8; 16],
    /// Functions that can be called through pointers, as they are numbered in records.
    pub functions: Vec<String>,
    /// Input functions, as they are numbered in records.
    pub inputs: Vec<String>,
    /// Calls of unknown functions, in the order of their numbers in records.
    pub unknown: Vec<UnknownCall>,
}

pub fn instrument(parts: &[Part], options: &Options) -> Result<Recordable, Error> {
    let context = Context::new();
    let parts: Vec<(&Path, &[u8])> = parts.iter().map(|part| (part.name.as_path(), part.bitcode.as_slice())).collect();
    let mut program = module::link(&context, &parts)?;
    module::into_registers(&mut program)?;
    let models: HashSet<String> = module::model_names(&context)?;
    // An inline body from a header belongs to the program: whether it is inlined must make no difference.
    program.relink(|_, linkage| match linkage {
        Linkage::LLVMAvailableExternallyLinkage => Linkage::LLVMLinkOnceODRLinkage,
        kept => kept,
    });
    if !options.every_branch {
        let places = values::places(&program, &mut sharing::Sharing::of(&program, &models));
        instrument::insert_values(&mut program, &places);
    }
    if options.hooks {
        let positions = tickets::positions(&program, &mut sharing::Sharing::of(&program, &models));
        program.declare(tickets::TICKET);
        instrument::insert_tickets(&mut program, &positions);
    }
    let (plan, functions) = {
        let sharing = sharing::Sharing::of(&program, &models);
        let plan = plan::plan(&program, &sharing, options.every_branch);
        let functions: Vec<String> = sharing.addressed(&program).into_iter().map(|function| function.name()).collect();
        (plan, functions)
    };
    for function in &plan.functions {
        let positions: Vec<(usize, usize)> =
            function.decisions.iter().map(|position| (position.block, position.instruction)).collect();
        program.mark_instructions(&function.name, DECISION, &positions);
    }
    program.add_named_metadata(MARKED);
    let stored = program.bitcode();
    let identity = ir::fingerprint::of_bytes(&stored);

    let hooks = context.parse("hooks", HOOKS).map_err(|error| Error::Internal(error.0))?;
    context.link(&mut program, hooks).map_err(Error::Internal)?;
    if options.hooks {
        let order = context.parse("order", ORDER).map_err(|error| Error::Internal(error.0))?;
        context.link(&mut program, order).map_err(Error::Internal)?;
    }
    program.define_bytes("__heddle_identity", &identity);
    program.define_bytes("__heddle_function_count", &(functions.len() as u32).to_le_bytes());
    program.define_bytes("__heddle_hooked", &u32::from(options.hooks).to_le_bytes());
    program.define_table("__heddle_functions", &functions);
    instrument::insert(&mut program, &plan);
    program.forget_touched_memory();
    if options.simplify {
        simplify::simplify(&mut program)?;
    }
    let words = words::words(&program, &mut sharing::Sharing::of(&program, &models));
    instrument::insert_words(&mut program, &words);
    program.check().map_err(|message| Error::Internal(format!("the instrumented module is broken: {message}")))?;
    let inputs = std::iter::once("main").chain(EFFECTS.iter().map(|effect| effect.name)).map(str::to_owned).collect();
    Ok(Recordable {
        module: stored,
        instrumented: program.bitcode(),
        identity,
        functions,
        inputs,
        unknown: plan.unknown,
    })
}
