//! Walks programs and asks whether they fail, for whoever works on the walking.

use encode::{Encoding, Failure, Goal, Question, encode};
use events::{Extent, replay};
use solve::{Budget, Engine, Solver, Verdict};
use std::rc::Rc;
use symex::bounded::{Bounds, perform, unroll};
fn main() {
    for file in std::env::args().skip(1) {
        let started = std::time::Instant::now();
        let inputs = frontend_llvm::Inputs { files: vec![file.clone().into()], flags: vec![], color: false };
        let loaded = match frontend_llvm::load(&inputs) {
            Ok(l) => l,
            Err(e) => {
                println!("{file}: {e}");
                continue;
            }
        };
        let code = Rc::new(vm::Code::new(&loaded.program));
        let options = vm::Options { events: true, ..vm::Options::default() };
        let bounds =
            Bounds { unroll: std::env::var("K").ok().and_then(|k| k.parse().ok()).unwrap_or(4), ..Bounds::default() };
        let front = started.elapsed();
        let unrolled = match unroll(&code, &options, &bounds) {
            Ok(u) => u,
            Err(e) => {
                println!("{file}: ERROR {e}");
                continue;
            }
        };
        let walked = started.elapsed() - front;
        if std::env::var("GRAPH").is_ok() {
            println!("{}", unrolled.graph);
        }
        print!(
            "{file}: {} threads {} events {} rounds {} steps {:?}; cuts {:?};",
            unrolled.graph.threads.len(),
            unrolled.graph.events.len(),
            unrolled.rounds,
            unrolled.steps,
            walked,
            unrolled.cuts.iter().map(|c| c.reason.clone()).collect::<std::collections::BTreeSet<_>>()
        );
        if std::env::var("CUTS").is_ok() {
            for cut in &unrolled.cuts {
                let f: Vec<String> = cut
                    .frames
                    .iter()
                    .map(|f| {
                        let sp = &loaded.program.spans[f.span.0 as usize];
                        format!("{}:{}", loaded.program.functions[f.function.index()].display, sp.line)
                    })
                    .collect();
                println!("  cut {:?} {}", cut.reason, f.join(" < "));
            }
        }
        if !unrolled.unwatched.is_empty() {
            print!(" unwatched {:?}", unrolled.unwatched);
        }
        for failure in [Failure::AnyAssertion, Failure::Deadlock] {
            let t = std::time::Instant::now();
            let question = Question::new(Goal::Failure(failure), Extent::Prefix);
            let Encoding { formula, legend } = match encode(&unrolled.graph, &question) {
                Ok(e) => e,
                Err(e) => {
                    print!(" ENCODE {e}");
                    continue;
                }
            };
            if std::env::var("SIZES").is_ok() {
                print!(
                    " encode {:?} terms {} asserts {} cells {} reads {} sources {} nodes {}",
                    t.elapsed(),
                    formula.terms.len(),
                    formula.assertions.len(),
                    formula.order.cells.len(),
                    formula.order.reads.len(),
                    formula.order.reads.iter().map(|r| r.sources.len()).sum::<usize>(),
                    formula.order.nodes.len()
                );
            }
            let mut engine = Engine::new(formula);
            if std::env::var("SIZES").is_ok() {
                print!(" engine {:?} {:?}", t.elapsed(), engine.statistics());
            }
            match engine.solve(&[], &Budget::default()) {
                Verdict::Satisfiable(a) => {
                    let execution = legend.decode(&engine.formula().terms, &a);
                    match replay(&unrolled.graph, &execution, Extent::Prefix) {
                        Err(v) => print!(" {failure:?}: VIOLATION {v}"),
                        Ok(outcome) => {
                            let what = outcome.failed.first().map(|e| unrolled.wrongs.get(e).cloned());
                            match perform(&code, &options, &unrolled, &execution, &outcome) {
                                Ok(p) => print!(
                                    " {failure:?}: {what:?} -> {}",
                                    match &p.execution.outcome {
                                        vm::Outcome::Failed(f) => format!("{} {}", f.kind.name(), f.condition),
                                        o => format!("ODD {o:?}"),
                                    }
                                ),
                                Err(e) => {
                                    print!(" {failure:?}: {what:?} -> ASTRAY {e}");
                                    if std::env::var("STEPS").is_ok() {
                                        for s in &execution.steps {
                                            println!("  {:?} {:?}", s, unrolled.graph.events[s.event.index()]);
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
                Verdict::Unsatisfiable { .. } => print!(" {failure:?}: none"),
                Verdict::Unknown(r) => print!(" {failure:?}: unknown {r:?}"),
            }
            if std::env::var("SIZES").is_ok() {
                print!(" conflicts {}", engine.conflicts());
            }
            print!(" [{:?}]", t.elapsed());
        }
        println!();
    }
}
