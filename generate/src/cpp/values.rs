//! Values with special copy semantics: functions in variables, shared pointers, optional values, and streams with
//! formats.

use super::Part;
use crate::random::Random;

const COMPOSE: &str = "
using Function = std::function<int(int)>;
Function compose(Function first, Function second) {
    return [first = std::move(first), second = std::move(second)](int n) { return second(first(n)); };
}
template <typename Number> struct Scale {
    Number by;
    Number operator()(Number n) const { return n * by; }
};
template <typename... Numbers> int total(Numbers... numbers) { return (0 + ... + numbers); }
";

pub fn functions(random: &mut Random) -> Part {
    let mut statements = format!(
        "int calls = 0;\nstd::vector<Function> functions;\nFunction recursive = [&](int n) {{ calls++; return n < {} ? n : recursive(n - 2) + 1; }};\n\
         functions.push_back(recursive);\n",
        1 + random.below(4)
    );
    for _ in 0..2 + random.below(4) {
        let number = random.between(-9, 9);
        let made = match random.below(5) {
            0 => format!("[=](int n) {{ return n + {number} + calls; }}"),
            1 => format!("[&, kept = {number}](int n) mutable {{ calls += kept++; return n - kept; }}"),
            2 => format!("Scale<int>{{{number}}}"),
            3 => "compose(functions.front(), functions.back())".to_owned(),
            _ => format!("std::bind([](int a, int b) {{ return a * 3 - b; }}, {number}, std::placeholders::_1)"),
        };
        statements.push_str(&format!("functions.push_back({made});\n"));
    }
    statements.push_str(&format!(
        "for (auto &function : functions) {{\nstd::cout << function({}) << ' ';\n}}\nFunction none;\n\
         try {{\nnone(1);\n}} catch (const std::bad_function_call &error) {{\nstd::cout << error.what() << ' ';\n}}\n\
         std::cout << calls << ' ' << total({}, {}, calls) << '\\n';\n",
        random.between(1, 12),
        random.between(-5, 5),
        random.between(-5, 5)
    ));
    Part { declarations: COMPOSE.to_owned(), statements }
}

const NODES: &str = "
struct Link {
    int id;
    std::shared_ptr<Link> next;
    std::weak_ptr<Link> back;
    explicit Link(int id) : id(id) {}
    ~Link() { std::cout << '~' << id << ' '; }
};
struct Closer {
    int *count;
    void operator()(int *value) const {
        std::cout << \"close \" << *value << ' ';
        ++*count;
        delete value;
    }
};
";

pub fn pointers(random: &mut Random) -> Part {
    let count = 2 + random.below(4);
    let mut statements = format!(
        "std::vector<std::shared_ptr<Link>> links;\nfor (int i = 0; i < {count}; i++) {{\n\
         links.push_back(std::make_shared<Link>(i));\n}}\nstd::shared_ptr<Link> spare;\n"
    );
    for _ in 0..3 + random.below(6) {
        let (from, to) = (random.below(count), random.below(count));
        // Links lead upwards only, so that none keeps itself alive.
        let (low, high) = (from.min(to), from.max(to));
        statements.push_str(&match random.below(5) {
            0 | 1 if low != high => format!("if (links[{low}] && links[{high}]) {{\nlinks[{low}]->next = links[{high}];\nlinks[{high}]->back = links[{low}];\n}}\n"),
            2 => format!("links[{from}].reset();\n"),
            3 => format!("spare = links[{from}];\n"),
            _ => format!("if (links[{to}]) {{\nauto back = links[{to}]->back.lock();\nstd::cout << (back ? back->id : -1) << links[{to}].use_count() << ' ';\n}}\n"),
        });
    }
    statements.push_str(&format!(
        "int closed = 0;\n{{\nstd::unique_ptr<int, Closer> handle(new int({}), Closer{{&closed}});\n\
         auto moved = std::move(handle);\nstd::cout << (handle == nullptr) << *moved << ' ';\n}}\n\
         std::optional<std::string> maybe;\nif (closed == {}) {{\nmaybe = \"set\";\n}}\n\
         std::cout << closed << maybe.value_or(\"unset\") << (spare ? spare->id : -1) << '\\n';\n",
        random.between(1, 99),
        random.below(2)
    ));
    Part { declarations: NODES.to_owned(), statements }
}

pub fn streams(random: &mut Random) -> Part {
    let mut statements = String::from("std::ostringstream out;\n");
    for _ in 0..6 + random.below(10) {
        let manipulator = random.pick(&[
            "std::setw(8)",
            "std::setw(3)",
            "std::left",
            "std::right",
            "std::internal",
            "std::hex",
            "std::dec",
            "std::oct",
            "std::showbase",
            "std::noshowbase",
            "std::uppercase",
            "std::nouppercase",
            "std::showpos",
            "std::noshowpos",
            "std::boolalpha",
            "std::noboolalpha",
            "std::fixed",
            "std::scientific",
            "std::defaultfloat",
            "std::setprecision(3)",
            "std::setprecision(9)",
            "std::setfill('*')",
            "std::setfill(' ')",
        ]);
        let number = random.between(-100_000, 100_000);
        let value = match random.below(8) {
            0 => number.to_string(),
            1 => format!("{}u", number.unsigned_abs()),
            2 => format!("{number} / 7.0"),
            3 => format!("{number}LL * 1000003"),
            4 => "true".to_owned(),
            5 => "\"text\"".to_owned(),
            6 => "'c'".to_owned(),
            _ => format!("static_cast<short>({})", number % 30_000),
        };
        statements.push_str(&format!("out << {manipulator} << {value} << '|';\n"));
    }
    let numbers: Vec<String> = (0..3).map(|_| random.between(-999, 999).to_string()).collect();
    statements.push_str(&format!(
        "std::cout << out.str() << '\\n';\nstd::istringstream in(\"{} word {}.5 x\");\nint number = 0;\nstd::string word;\n\
         double real = 0;\nint wrong = 7;\nin >> number >> word >> real >> wrong;\n\
         std::cout << number << word << real << wrong << in.fail() << in.eof() << '\\n';\n",
        numbers.join(" "),
        numbers[0].trim_start_matches('-')
    ));
    Part { declarations: String::new(), statements }
}
