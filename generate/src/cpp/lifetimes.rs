//! Objects that print their construction and destruction, in functions that throw, catch and rethrow.

use super::Part;
use crate::random::Random;

const TRACED: &str = r#"
struct Traced {
    std::string name;
    explicit Traced(std::string name) : name(std::move(name)) { std::cout << '+' << this->name << ' '; }
    Traced(const Traced &other) : name(other.name + "c") { std::cout << '+' << name << ' '; }
    Traced(Traced &&other) noexcept : name(std::move(other.name) + "m") {
        other.name = "empty";
        std::cout << '+' << name << ' ';
    }
    Traced &operator=(const Traced &other) {
        name = other.name + "a";
        std::cout << '=' << name << ' ';
        return *this;
    }
    ~Traced() { std::cout << '-' << name << ' '; }
};
struct Problem : std::runtime_error {
    int code;
    Traced witness{"w"};
    Problem(const char *text, int code) : std::runtime_error(text), code(code) {}
};
struct Worse : Problem {
    using Problem::Problem;
    const char *what() const noexcept override { return "worse"; }
};
struct Other : virtual std::exception {
    const char *what() const noexcept override { return "other"; }
};
"#;

/// Values that can be thrown, with a number.
const THROWN: [&str; 7] = [
    "throw $n;",
    "throw Problem(\"problem\", $n);",
    "throw Worse(\"hidden\", $n);",
    "throw Other();",
    "throw std::string(\"text $n\");",
    "throw \"literal\";",
    "throw std::out_of_range(\"range $n\");",
];

const HANDLERS: [(&str, &str); 7] = [
    ("int number", "std::cout << \"int \" << number << ' ';"),
    ("const Problem &problem", "std::cout << problem.what() << problem.code << ' ';"),
    ("Worse &worse", "worse.code++; std::cout << \"worse \" << worse.code << ' ';"),
    ("const std::exception &error", "std::cout << error.what() << ' ';"),
    ("std::string text", "std::cout << text << ' ';"),
    ("const char *text", "std::cout << text << ' ';"),
    ("const std::logic_error &error", "std::cout << \"logic \" << error.what() << ' ';"),
];

pub fn draw(random: &mut Random) -> Part {
    let mut declarations = TRACED.to_owned();
    let count = 2 + random.below(4);
    // A function only calls earlier ones, so that every chain of calls ends.
    for index in 0..count {
        let body = body(random, index, 2);
        declarations
            .push_str(&format!("int step_{index}(int n) {{\nTraced local(\"s{index}\");\n{body}return n;\n}}\n"));
    }
    if random.chance(60) {
        declarations.push_str("Traced global(\"global\");\n");
    }
    declarations.push_str(&member_by_member(random));
    let mut statements = String::from("std::cout << std::uncaught_exceptions() << '\\n';\n");
    for _ in 0..3 + random.below(4) {
        let (called, argument) = (random.below(count), random.between(-3, 9));
        let call = match random.below(5) {
            0 => format!("Whole whole({argument});"),
            _ => format!("std::cout << step_{called}({argument}) << ' ';"),
        };
        statements.push_str(&format!("try {{\n{call}\n}} {}", handlers(random, None)));
        statements.push_str("catch (...) {\nstd::cout << \"something \";\n}\nstd::cout << '\\n';\n");
    }
    Part { declarations, statements }
}

/// A class whose members are constructed in order, and destroyed in reverse order when a constructor fails.
fn member_by_member(random: &mut Random) -> String {
    let limit = random.between(-2, 6);
    let caught = random.chance(40);
    let (begin, end) = if caught { ("try ", " catch (int) {\nstd::cout << \"unmade \";\nthrow;\n}") } else { ("", "") };
    format!(
        "struct Base {{\nTraced in_base{{\"b\"}};\nvirtual ~Base() {{ std::cout << \"~base \"; }}\n}};\n\
         struct Whole : Base {{\nTraced first{{\"1\"}};\nTraced second;\n\
         explicit Whole(int n) {begin}: second(\"2\") {{\nif (n > {limit}) throw n;\nTraced inside(\"in\");\n}}{end}\n\
         ~Whole() override {{ std::cout << \"~whole \"; }}\n}};\n"
    )
}

fn handlers(random: &mut Random, rethrow: Option<u64>) -> String {
    let mut text = String::new();
    let mut chosen = random.some_of(&[0, 1, 2, 3, 4, 5, 6], 0, 3);
    // A base before its derived class would make the second handler useless, and compilers say so.
    chosen.sort_by_key(|&index| match index {
        2 => 0,
        1 | 6 => 1,
        3 => 3,
        _ => 2,
    });
    for index in chosen {
        let (declared, said) = HANDLERS[index];
        let again = match rethrow {
            Some(percent) if random.chance(percent) => "throw;\n",
            Some(percent) if random.chance(percent) => "throw std::string(\"instead\");\n",
            _ => "",
        };
        text.push_str(&format!("catch ({declared}) {{\n{said}\n{again}}} "));
    }
    text
}

/// Statements of the function of that number.
fn body(random: &mut Random, index: usize, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(3) {
        let limit = random.between(-2, 8);
        let thrown = random.pick(&THROWN).replace("$n", &random.between(1, 99).to_string());
        match random.below(7) {
            0 | 1 => text.push_str(&format!("if (n > {limit}) {{\n{thrown}\n}}\n")),
            2 if index > 0 => text.push_str(&format!("n += step_{}(n - 1);\n", random.below(index))),
            3 if depth > 0 => {
                let inner = body(random, index, depth - 1);
                let caught = handlers(random, Some(30));
                let all = if random.chance(50) || caught.is_empty() {
                    "catch (...) {\nstd::cout << \"any \";\nn--;\n}"
                } else {
                    ""
                };
                text.push_str(&format!("try {{\nTraced guarded(\"t\");\n{inner}}} {caught}{all}\n"));
            }
            4 => text.push_str(&format!(
                "for (int i = 0; i < {}; i++) {{\nTraced round(\"r\" + std::to_string(i));\nif (i == n) {}\n}}\n",
                2 + random.below(3),
                random.pick(&["break;", "continue;", "throw i;"])
            )),
            5 => text.push_str(&format!(
                "{{\nauto owned = std::make_unique<Traced>(\"u\");\nTraced copy(*owned);\nif (n < {limit}) {{\n\
                 copy = Traced(\"new\");\n}}\n}}\n"
            )),
            _ => text.push_str(&format!(
                "{{\nstd::vector<Traced> list;\nlist.reserve(2);\nlist.emplace_back(\"v\");\n\
                 list.push_back(list.front());\nif (n == {limit}) {{\n{thrown}\n}}\n}}\n"
            )),
        }
    }
    text
}
