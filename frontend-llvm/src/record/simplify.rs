//! Inlines and simplifies the code to be compiled, before the storage of bits is planned.
//!
//! Bits that functions push go through memory at each call and return. LLVM inlines as it would without them, and only
//! then they get their variables. The marks of bits are intrinsics that passes neither remove nor reorder. No effect
//! that other threads can observe is moved before them either: passes that hoist stores are left out.

use crate::error::Error;
use crate::llvm::Module;

/// LLVM's first passes at its own levels, without those that move memory accesses or create copies in memory.
const PASSES: &str = "function<eager-inv>(lower-expect,simplifycfg,sroa,early-cse),ipsccp,globalopt,\
    function<eager-inv>(mem2reg,instcombine<no-verify-fixpoint>,simplifycfg),always-inline,\
    cgscc(inline,function<eager-inv;no-rerun>(\
    sroa,early-cse<memssa>,jump-threading,correlated-propagation,simplifycfg,instcombine<no-verify-fixpoint>,\
    tailcallelim,simplifycfg,reassociate,\
    loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,licm),\
    simplifycfg,instcombine<no-verify-fixpoint>,loop(indvars,loop-deletion),\
    sroa,gvn<>,sccp,bdce,instcombine<no-verify-fixpoint>,jump-threading,correlated-propagation,adce,dse,\
    loop-mssa(licm),simplifycfg<hoist-common-insts;sink-common-insts>,instcombine<no-verify-fixpoint>)),globaldce";

pub fn simplify(module: &mut Module<'_>) -> Result<(), Error> {
    module.run_passes(PASSES).map_err(Error::Internal)
}
