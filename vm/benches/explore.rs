//! The speed of exploration and its growth: tables on stdout, a plot as SVG.
//!
//! `cargo bench -p vm --bench explore -- FOLDER` writes the plot to the folder. Times are CPU time of this process,
//! since the machine may be busy.

use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

use vm::explore::{Exploration, Hashing, Settings, explore};
use vm::{Code, Options};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.first().map(String::as_str) {
        Some("million-states") => million_states(),
        folder => tables(folder.map(Path::new)),
    }
}

#[allow(clippy::print_stdout, reason = "a benchmark's result is what it prints")]
fn print(text: &str) {
    print!("{text}");
}

/// Nanoseconds that this process has spent on a processor.
fn cpu_nanoseconds() -> u64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(0)
}

/// The most memory that this process has held, in megabytes.
fn peak_megabytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

fn run(source: &str, reduction: bool, hashing: Hashing) -> (Exploration, f64) {
    let program = ir::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let code = Rc::new(Code::new(&program));
    let settings = Settings { reduction, hashing, all: true, ..Settings::default() };
    let before = cpu_nanoseconds();
    let exploration = explore(&code, &Options::default(), &settings, &mut |_| true);
    (exploration, (cpu_nanoseconds() - before) as f64 / 1e9)
}

/// Threads with the given bodies; main starts and joins them.
fn program(globals: &[String], bodies: &[String]) -> String {
    let mut text = String::from("heddle ir 1\nentry @main\n");
    for global in globals {
        let _ = writeln!(text, "global ${global} size 40 align 8");
    }
    for (thread, body) in bodies.iter().enumerate() {
        let _ = writeln!(text, "function @t{thread} -> (ptr) {{\nb0(v0: ptr, v1: ptr):\n{body}  return null\n}}");
    }
    let _ = write!(text, "function @main {{\nb0:\n  v0: ptr = local i64 {} align 8\n", 8 * bodies.len());
    let mut next = 1;
    for thread in 0..bodies.len() {
        let (at, code) = (next, next + 1);
        let _ = writeln!(text, "  v{at}: ptr = address v0, {}", 8 * thread);
        let _ = writeln!(text, "  v{code}: i32 = thread.create(v{at}, @t{thread}, null, null)");
        next += 2;
    }
    for thread in 0..bodies.len() {
        let (at, handle, code) = (next, next + 1, next + 2);
        let _ = writeln!(text, "  v{at}: ptr = address v0, {}\n  v{handle}: i64 = load v{at}", 8 * thread);
        let _ = writeln!(text, "  v{code}: i32 = thread.join(v{handle}, null)");
        next += 3;
    }
    text.push_str("  process.exit(i32 0)\n  unreachable\n}\n");
    text
}

/// `threads` threads that each write `writes` times, to one variable or each to its own.
fn writers(threads: usize, writes: usize, shared: bool) -> String {
    let names: Vec<String> = (0..if shared { 1 } else { threads }).map(|name| format!("x{name}")).collect();
    let bodies: Vec<String> = (0..threads)
        .map(|thread| {
            let name = &names[if shared { 0 } else { thread }];
            (0..writes).map(|value| format!("  store i32 {} to ${name}\n", thread * writes + value)).collect()
        })
        .collect();
    program(&names, &bodies)
}

fn philosophers(count: usize) -> String {
    let names: Vec<String> = (0..count).map(|fork| format!("f{fork}")).collect();
    let bodies: Vec<String> = (0..count)
        .map(|left| {
            let right = (left + 1) % count;
            format!(
                "  v2: i32 = mutex.lock($f{left}, null)\n  v3: i32 = mutex.lock($f{right}, null)\n  v4: i32 = mutex.unlock($f{right}, null)\n  v5: i32 = mutex.unlock($f{left}, null)\n"
            )
        })
        .collect();
    program(&names, &bodies)
}

/// `setters` threads set a and then b; one thread reads b and then a.
fn reorder(setters: usize) -> String {
    let mut bodies = vec!["  store i32 1 to $a\n  store i32 1 to $b\n".to_owned(); setters];
    bodies.push("  v2: i32 = load $b\n  v3: i32 = load $a\n".to_owned());
    program(&["a".to_owned(), "b".to_owned()], &bodies)
}

/// In a separate process, so that its peak memory can be measured.
fn million_states() {
    let (exploration, seconds) = run(&writers(3, 67, true), false, Hashing::On);
    let megabytes = peak_megabytes();
    let states = exploration.states;
    print(&format!("| {states} | {seconds:.1} | {megabytes:.0} | {:.0} |\n", megabytes * 1e6 / states as f64));
}

struct Series {
    name: &'static str,
    /// (size, executions, CPU seconds)
    points: Vec<(usize, u64, f64)>,
}

fn growth() -> Vec<Series> {
    let mut all = Vec::new();
    let mut add = |name, sizes: std::ops::RangeInclusive<usize>, make: &dyn Fn(usize) -> String| {
        let mut points = Vec::new();
        for size in sizes {
            let (exploration, seconds) = run(&make(size), true, Hashing::Off);
            assert!(exploration.is_complete());
            points.push((size, exploration.executions, seconds));
        }
        all.push(Series { name, points });
    };
    add("philosophers", 2..=6, &philosophers);
    add("reorder", 1..=4, &reorder);
    add("independent writers", 1..=12, &|size| writers(size, 3, false));
    add("writers of one variable", 1..=6, &|size| writers(size, 1, true));
    all
}

fn tables(folder: Option<&Path>) {
    print("Complete schedules, two threads of five writes each, neither reduction nor hashing\n\n");
    print("| schedules | CPU seconds | schedules per second |\n|---:|---:|---:|\n");
    let (mut executions, mut total) = (0, 0.0);
    for _ in 0..20 {
        let (exploration, seconds) = run(&writers(2, 5, true), false, Hashing::Off);
        executions += exploration.executions;
        total += seconds;
    }
    print(&format!("| {executions} | {total:.2} | {:.0} |\n", executions as f64 / total));

    print("\nA million states (three threads of 67 writes each, hashing without reduction)\n\n");
    print("| states | CPU seconds | peak MB | bytes per state |\n|---:|---:|---:|---:|\n");
    if let Ok(own) = std::env::current_exe()
        && let Ok(output) = std::process::Command::new(own).arg("million-states").output()
    {
        print(&String::from_utf8_lossy(&output.stdout));
    }

    let series = growth();
    print("\nGrowth with reduction, without hashing: inequivalent executions and CPU seconds\n\n");
    print("| program | size | executions | seconds |\n|---|---:|---:|---:|\n");
    for one in &series {
        for (size, executions, seconds) in &one.points {
            print(&format!("| {} | {size} | {executions} | {seconds:.3} |\n", one.name));
        }
    }
    if let Some(folder) = folder {
        let executions = |point: &(usize, u64, f64)| point.1 as f64;
        let milliseconds = |point: &(usize, u64, f64)| (point.2 * 1000.0).max(1.0);
        let plots = [
            ("explore-executions.svg", plot("inequivalent executions against size", &series, &executions)),
            ("explore-time.svg", plot("CPU milliseconds against size", &series, &milliseconds)),
        ];
        for (name, svg) in plots {
            let path = folder.join(name);
            match std::fs::write(&path, svg) {
                Ok(()) => print(&format!("\nA plot is in bench/results/{name}.\n")),
                Err(error) => print(&format!("\nThe plot cannot be written to {}: {error}\n", path.display())),
            }
        }
    }
}

const WIDTH: f64 = 700.0;
const HEIGHT: f64 = 360.0;
const COLOURS: &[&str] = &["#1b6ca8", "#c0392b", "#27864a", "#8e5aa8"];

/// A value of each point against its size, the value on a logarithmic scale from 1.
fn plot(title: &str, series: &[Series], value: &dyn Fn(&(usize, u64, f64)) -> f64) -> String {
    let largest = series.iter().flat_map(|one| &one.points).map(value).fold(10.0, f64::max);
    let longest = series.iter().flat_map(|one| &one.points).map(|point| point.0).max().unwrap_or(1) as f64;
    let place = |size: usize, value: f64| {
        let x = 60.0 + (WIDTH - 240.0) * (size as f64 - 1.0) / (longest - 1.0).max(1.0);
        (x, HEIGHT - 40.0 - (HEIGHT - 70.0) * value.max(1.0).ln() / largest.ln())
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"60\" y=\"18\">{title} (logarithmic)</text>\n"
    );
    for power in 0..=largest.log10() as i32 {
        let (_, y) = place(1, 10_f64.powi(power));
        let _ = writeln!(svg, "<line x1=\"60\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#ddd\"/>", WIDTH - 180.0);
        let label = 10_u64.pow(power.unsigned_abs());
        let _ = writeln!(svg, "<text x=\"52\" y=\"{}\" text-anchor=\"end\">{label}</text>", y + 4.0);
    }
    for size in 1..=longest as usize {
        let (x, _) = place(size, 1.0);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{size}</text>", HEIGHT - 20.0);
    }
    for (index, one) in series.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let points: Vec<String> = one
            .points
            .iter()
            .map(|point| {
                let (x, y) = place(point.0, value(point));
                format!("{x:.1},{y:.1}")
            })
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        let (x, y) = (WIDTH - 170.0, 40.0 + 18.0 * index as f64);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{}</text>", one.name);
    }
    svg.push_str("</svg>\n");
    svg
}
