//! A hierarchy of classes: overridden functions, several and virtual bases, casts down, up and across.

use super::Part;
use crate::random::Random;

/// One class: the numbers of its bases, and which functions it overrides.
struct Class {
    bases: Vec<usize>,
    overrides: [bool; 3],
}

pub fn draw(random: &mut Random) -> Part {
    let count = 3 + random.below(4);
    // A second path to the same base is only unambiguous if the base is virtual.
    let are_virtual = random.chance(50);
    let mut classes: Vec<Class> = Vec::new();
    for index in 0..count {
        let earlier: Vec<usize> = (0..index).collect();
        let mut bases = random.some_of(&earlier, usize::from(index > 0), if are_virtual { 2 } else { 1 });
        bases.sort_unstable();
        let overrides = if index == 0 || bases.len() > 1 { [true; 3] } else { [0; 3].map(|_| random.chance(50)) };
        classes.push(Class { bases, overrides });
    }
    let mut declarations = String::new();
    for (index, class) in classes.iter().enumerate() {
        declarations.push_str(&declaration(random, index, class, are_virtual));
    }
    let mut statements = String::from("std::vector<std::unique_ptr<C0>> objects;\n");
    for _ in 0..2 + random.below(3) {
        statements.push_str(&format!("objects.push_back(std::make_unique<C{}>());\n", random.below(count)));
    }
    statements.push_str("for (auto &object : objects) {\n");
    statements.push_str("std::cout << object->name() << ' ' << object->number(3) << ' ' << object->text() << ' ';\n");
    for target in random.some_of(&(1..count).collect::<Vec<usize>>(), 1, 3) {
        statements.push_str(&format!(
            "if (auto *found = dynamic_cast<C{target} *>(object.get())) {{\nstd::cout << found->m{target} << ' ';\n}} \
             else {{\nstd::cout << \"no{target} \";\n}}\n"
        ));
    }
    statements.push_str("}\nstd::cout << '\\n';\n");
    let last = count - 1;
    statements.push_str(&format!(
        "try {{\nthrow C{last}();\n}} catch (C{} &caught) {{\nstd::cout << caught.name() << ' ';\n}} catch (C0 &caught) \
         {{\nstd::cout << \"root \" << caught.name() << ' ';\n}}\n",
        1 + random.below(last)
    ));
    Part { declarations, statements }
}

fn declaration(random: &mut Random, index: usize, class: &Class, are_virtual: bool) -> String {
    let bases: Vec<String> =
        class.bases.iter().map(|base| format!("public {}C{base}", if are_virtual { "virtual " } else { "" })).collect();
    let derived = if bases.is_empty() { String::new() } else { format!(" : {}", bases.join(", ")) };
    let mut text = format!("struct C{index}{derived} {{\nint m{index} = {};\n", random.between(1, 50));
    if index == 0 {
        text.push_str("virtual ~C0() { std::cout << \"~0 \"; }\n");
    } else if random.chance(60) {
        text.push_str(&format!("~C{index}() override {{ std::cout << \"~{index} \"; }}\n"));
    }
    let (verb, end) = if index == 0 { ("virtual ", "") } else { ("", " override") };
    if class.overrides[0] {
        text.push_str(&format!("{verb}const char *name() const{end} {{ return \"c{index}\"; }}\n"));
    }
    if class.overrides[1] {
        let inherited = class.bases.first().map_or("0".to_owned(), |base| format!("C{base}::number(n + 1)"));
        text.push_str(&format!("{verb}int number(int n){end} {{ return m{index} * n - {inherited}; }}\n"));
    }
    if class.overrides[2] {
        text.push_str(&format!(
            "{verb}std::string text() const{end} {{ return std::string(name()) + \"/{index}\"; }}\n"
        ));
    }
    text.push_str("};\n");
    text
}
