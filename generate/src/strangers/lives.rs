//! Lifecycles of a program's threads: joined, joined for their results, C11's, created by another thread, detached, or
//! ended by `exit`.

use super::Body;
use super::family::Family;
use crate::random::Random;
use crate::source::{Source, c};

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Life {
    /// Main creates and joins all workers.
    Joined,
    /// The result of a worker is its return value.
    Returned,
    /// `thrd_create` and `thrd_join`.
    C11,
    /// The first worker creates the second one and joins it, or leaves that to main.
    Chain { joined_by_main: bool },
    /// Without joins: workers report their end through a semaphore.
    Detached,
    /// The last worker ends the process if it has read a certain value.
    WorkerExits,
    /// Main ends the process without waiting.
    MainReturns,
    /// Main ends as a thread; the last thread ends the process.
    MainLeaves,
}

impl Life {
    pub fn draw(random: &mut Random) -> Life {
        match random.below(20) {
            0..8 => Life::Joined,
            8..11 => Life::Returned,
            11..14 => Life::C11,
            14 => Life::Chain { joined_by_main: true },
            15 => Life::Chain { joined_by_main: false },
            16 => Life::Detached,
            17 => Life::WorkerExits,
            18 => Life::MainReturns,
            _ => Life::MainLeaves,
        }
    }

    pub fn is_c11(self) -> bool {
        self == Life::C11
    }

    pub fn includes(self) -> Option<&'static str> {
        match self {
            Life::C11 => Some("#include <threads.h>\n"),
            Life::Detached => Some("#include <semaphore.h>\n"),
            _ => None,
        }
    }

    fn names(self, random: &mut Random) -> [&'static str; 2] {
        random.pick(&[["alice", "bob"], ["thrProducer", "thrConsumer"], ["worker_a", "worker_b"], ["Left", "Right"]])
    }
}

/// The parts of a program.
pub struct Parts<'p> {
    pub life: Life,
    pub families: &'p [Family],
    pub bodies: &'p [Body],
    pub main_body: Option<&'p Body>,
    pub verdicts: Vec<String>,
}

pub fn render(text: &mut Source, random: &mut Random, parts: &Parts<'_>) {
    let life = parts.life;
    let names = life.names(random);
    let workers = parts.bodies.len();
    text.add("static int seen[4];");
    if life == Life::Detached {
        text.add("static sem_t gone;");
    }
    if matches!(life, Life::Chain { .. }) {
        text.add("static pthread_t kid;\nstatic int kid_made;");
    }
    report(text, random, parts);
    // The last worker comes first: the first one may create it.
    for index in (0..workers).rev() {
        worker(text, random, parts, index, names);
    }
    text.add("int main(void) {\nint got = 0;");
    match life {
        Life::C11 => text.add(format!("thrd_t tid[{workers}];")),
        _ => text.add(format!("pthread_t tid[{workers}];")),
    }
    parts.families.iter().for_each(|family| text.add(family.setup));
    if life == Life::Detached {
        text.add("sem_init(&gone, 0, 0);");
    }
    if life == Life::WorkerExits {
        text.add("atexit(report);");
    }
    creations(text, life, workers, names);
    if let Some(body) = parts.main_body {
        text.add(&body.text);
        text.add("seen[3] = got;");
    }
    ends(text, random, parts, workers);
    text.add("}");
}

fn report(text: &mut Source, random: &mut Random, parts: &Parts<'_>) {
    let mut format = String::new();
    let mut values: Vec<String> = Vec::new();
    for value in parts.families.iter().flat_map(|family| family.shown) {
        format.push_str("%d ");
        values.push(format!("(int)({value})"));
    }
    for index in 0..4 {
        if index < parts.bodies.len() || (index == 3 && parts.main_body.is_some()) {
            format.push_str("%d ");
            values.push(format!("seen[{index}]"));
        }
    }
    let format = format.trim_end();
    let print = format!("printf(\"{format}\\n\", {});", values.join(", "));
    let own_macro = random.chance(25);
    if own_macro {
        text.add("#define CHECK(e) ((e) ? (void)0 : abort())");
    }
    text.add(format!("static void report(void) {{\n{print}\n}}"));
    text.add("static void verify(void) {");
    for verdict in &parts.verdicts {
        text.add(if own_macro { format!("CHECK({verdict});") } else { format!("assert({verdict});") });
    }
    text.add("}");
}

fn worker(text: &mut Source, random: &mut Random, parts: &Parts<'_>, index: usize, names: [&'static str; 2]) {
    let life = parts.life;
    let last = index + 1 == parts.bodies.len();
    let kind = if life.is_c11() { "int " } else { "void *" };
    text.add(c!("static $t$n(void *arg) {\nint got = 0;\n(void)arg;", t = kind, n = names[index]));
    let creates = matches!(life, Life::Chain { .. }) && !last;
    if creates {
        text.add(c!("kid_made = pthread_create(&kid, NULL, $n, arg) == 0;", n = names[index + 1]));
    }
    if life == Life::Detached && random.chance(50) {
        text.add("pthread_detach(pthread_self());");
    }
    text.add(&parts.bodies[index].text);
    if creates && life == (Life::Chain { joined_by_main: false }) {
        text.add("pthread_join(kid, NULL);");
    }
    match life {
        Life::Returned => text.add("return (void *)(intptr_t)got;\n}"),
        Life::C11 if random.chance(30) => text.add("thrd_exit(got);\n}"),
        Life::C11 => text.add("return got;\n}"),
        Life::Detached => text.add(c!("seen[$i] = got;\nsem_post(&gone);\nreturn arg;\n}", i = index)),
        Life::MainLeaves => text.add(c!("seen[$i] = got;\nreport();\nreturn arg;\n}", i = index)),
        Life::WorkerExits if last => {
            let end = random.pick(&["exit(3);", "exit(got & 7);", "_Exit(4);"]);
            let when = random.below(4);
            text.add(c!("seen[$i] = got;\nif (got >= $w)\n$e\nreturn NULL;\n}", i = index, w = when, e = end));
        }
        _ if random.chance(20) => text.add(c!("seen[$i] = got;\npthread_exit(arg);\n}", i = index)),
        _ => text.add(c!("seen[$i] = got;\nreturn NULL;\n}", i = index)),
    }
}

fn creations(text: &mut Source, life: Life, workers: usize, names: [&'static str; 2]) {
    for (index, name) in names.iter().enumerate().take(workers) {
        match life {
            Life::C11 => text.add(c!("thrd_create(&tid[$i], $n, NULL);", i = index, n = name)),
            Life::Chain { .. } if index > 0 => {}
            _ => text.add(c!("if (pthread_create(&tid[$i], NULL, $n, NULL)) abort();", i = index, n = name)),
        }
    }
}

/// The statements of main after its own operations.
fn ends(text: &mut Source, random: &mut Random, parts: &Parts<'_>, workers: usize) {
    let life = parts.life;
    for index in 0..workers {
        match life {
            Life::Returned => text.add(c!(
                "{\nvoid *back;\npthread_join(tid[$i], &back);\nseen[$i] = (int)(intptr_t)back;\n}",
                i = index
            )),
            Life::C11 => text.add(c!("thrd_join(tid[$i], &seen[$i]);", i = index)),
            Life::Chain { joined_by_main } if index > 0 => {
                text.add(if joined_by_main { "pthread_join(kid, NULL);" } else { "" });
            }
            Life::Detached => text.add("sem_wait(&gone);"),
            Life::MainReturns | Life::MainLeaves => {}
            _ => text.add(c!("pthread_join(tid[$i], NULL);", i = index)),
        }
    }
    match life {
        Life::MainLeaves => return text.add("pthread_exit(NULL);"),
        Life::MainReturns => {
            let end = random.pick(&["report();\nreturn 2;", "report();\nexit(5);", "verify();\nreturn 0;"]);
            return text.add(end);
        }
        Life::WorkerExits => text.add("verify();"),
        _ => text.add("report();\nverify();"),
    }
    parts.families.iter().for_each(|family| text.add(family.teardown));
    text.add("(void)got;\nreturn 0;");
}
