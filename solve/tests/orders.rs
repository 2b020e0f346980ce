//! Random small formulas with order, compared with all orders: the verdict, the model, the core and its minimal form.

#![allow(clippy::print_stderr)]

mod ordered;

use formula::{Assignment, Block, Formula, Node, NodeInfo, Term};
use ordered::{Case, models, random_case};
use solve::{Budget, Engine, Mode, Solver, Verdict};

const CASES: u64 = 600;

fn satisfied_by<'a>(models: &'a [Assignment], case: &Case, assumptions: &[Term]) -> Option<&'a Assignment> {
    let holds = |model: &Assignment, term: &Term| model.evaluate_bool(&case.formula.terms, *term);
    models.iter().find(|model| assumptions.iter().all(|term| holds(model, term)))
}

#[test]
fn verdicts_models_and_cores_agree_with_all_orders() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    let (mut yes, mut no) = (0, 0);
    for seed in first..first + cases {
        let case = random_case(seed);
        let all = models(&case);
        let mode = Mode::ALL[seed as usize % Mode::ALL.len()];
        // In every other case, reads-from candidates are added lazily.
        let eager = if seed / 4 % 2 == 0 { usize::MAX } else { 0 };
        let mut engine = Engine::with_sources(case.formula.clone(), mode, eager);
        for assumptions in [&[][..], &case.assumptions[..], &[][..]] {
            let expected = satisfied_by(&all, &case, assumptions);
            match engine.solve(assumptions, &Budget::default()) {
                Verdict::Satisfiable(model) => {
                    yes += 1;
                    let violations = case.formula.violations(&model);
                    assert!(
                        expected.is_some(),
                        "seed {seed}: there is no such order: {violations:?} {:?}",
                        case.formula.order
                    );
                    let violations = case.formula.violations(&model);
                    assert!(violations.is_empty(), "seed {seed}: {violations:?}");
                    let holds = |term: &&Term| model.evaluate_bool(&case.formula.terms, **term);
                    assert_eq!(assumptions.iter().filter(holds).count(), assumptions.len(), "seed {seed}");
                }
                Verdict::Unsatisfiable { core } => {
                    no += 1;
                    assert!(expected.is_none(), "seed {seed}: {expected:?}");
                    assert!(core.iter().all(|term| assumptions.contains(term)), "seed {seed}");
                    assert!(satisfied_by(&all, &case, &core).is_none(), "seed {seed}: the core is none");
                }
                Verdict::Unknown(reason) => panic!("seed {seed}: {reason:?}"),
            }
        }
    }
    eprintln!("{cases} formulas from seed {first}: {yes} satisfiable, {no} unsatisfiable answers");
}

/// A block of thousands of nodes and outsiders: each is before all of it or after all of it.
#[test]
fn a_large_block_is_one_place_in_the_order() {
    const MEMBERS: u32 = 4_000;
    let mut formula = Formula::default();
    let happens = formula.terms.truth();
    for (first, last) in [(0, MEMBERS), (MEMBERS, MEMBERS + 2), (MEMBERS + 2, MEMBERS + 4)] {
        let chain: Vec<Node> = (first..last).map(Node).collect();
        formula.order.nodes.extend(chain.iter().map(|node| NodeInfo { name: node.0.to_string(), happens }));
        formula.order.chains.push(chain);
    }
    formula.order.blocks.push(Block { literal: happens, nodes: (10..MEMBERS - 10).map(Node).collect() });
    let (begin, middle, end) = (Node(10), Node(MEMBERS / 2), Node(MEMBERS - 11));
    let (one, other) = (Node(MEMBERS), Node(MEMBERS + 3));
    let mut engine = Engine::new(formula);
    let before = |engine: &mut Engine, a, b| engine.terms().before(a, b);
    let into = [before(&mut engine, begin, one), before(&mut engine, one, end)];
    let Verdict::Unsatisfiable { core } = engine.solve(&into, &Budget::default()) else { panic!("one is inside") };
    assert_eq!(core, into);
    let around = [before(&mut engine, one, middle), before(&mut engine, middle, other)];
    let Verdict::Satisfiable(model) = engine.solve(&around, &Budget::default()) else { panic!("they are outside") };
    assert!(engine.formula().violations(&model).is_empty());
    let through = [before(&mut engine, begin, other), before(&mut engine, other, one), before(&mut engine, one, end)];
    let Verdict::Unsatisfiable { core } = engine.solve(&through, &Budget::default()) else { panic!("both are inside") };
    assert!(core.len() >= 2);
}
