//! Feature: arrays of one to three dimensions and pointers into them: arithmetic, differences, comparisons, pointers to
//! pointers and to rows, variable-length arrays, `alloca`, compound literals.

use super::expression::{Array, Place, Scope};
use super::integer::{Integer, UP_TO_64};
use super::program::Program;
use super::statement::Block;
use crate::source::{Source, c};

const TOPICS: [fn(&mut Program) -> String; 8] =
    [matrix, cube, walk, pointer_to_pointer, variable_length, on_the_stack, compound_literals, reversed];

pub fn emit(program: &mut Program) {
    let mut body = Source::new();
    for topic in program.random.some_of(&TOPICS, 2, 4) {
        let text = topic(program);
        body.add(format!("{{\n{text}\n}}"));
    }
    if program.random.chance(50) {
        random_statements(program, &mut body);
    }
    program.test("arrays", &body);
}

/// An unsigned element type, so that sums wrap.
fn unsigned(program: &mut Program) -> &'static str {
    program.random.pick(&["unsigned char", "uint16_t", "unsigned", "uint64_t", "unsigned long long"])
}

fn matrix(program: &mut Program) -> String {
    let (rows, columns) = (2 + program.random.below(4), 2 + program.random.below(4));
    let function = program.fresh("sum_rows");
    let ty = unsigned(program);
    program.functions.add(c!(
        "static unsigned $f($t rows[][$c], int count) {\nunsigned sum = 0;\nfor (int r = 0; r < count; r++) {\n\
         for (int k = 0; k < $c; k++) sum = sum * 31 + (unsigned)rows[r][k];\n}\nreturn sum;\n}",
        f = function,
        t = ty,
        c = columns
    ));
    c!(
        "$t m[$r][$c] = {{1, 2}, {3}};\nfor (int i = 0; i < $r; i++) {\nfor (int j = 0; j < $c; j++) m[i][j] += ($t)(i * $k + j);\n}\n\
         $t (*row)[$c] = m;\nrow++;\n(*row)[1] ^= 5;\n*(*(m + 1) + 0) += 2;\nm[$r - 1][$c - 1]--;\n\
         show(\"rows\", $f(m, $r));\nshow(\"columns\", (long long)(&m[1][0] - &m[0][0]));\n\
         show(\"size\", (long long)(sizeof m / sizeof m[0]));",
        t = ty,
        r = rows,
        c = columns,
        k = program.random.between(1, 90),
        f = function
    )
}

fn cube(program: &mut Program) -> String {
    let (a, b, c) = (2 + program.random.below(2), 2 + program.random.below(3), 2 + program.random.below(3));
    let ty = unsigned(program);
    c!(
        "$t cube[$a][$b][$c];\n$t *flat = &cube[0][0][0];\nfor (int i = 0; i < $a; i++)\nfor (int j = 0; j < $b; j++)\n\
         for (int k = 0; k < $c; k++) cube[i][j][k] = ($t)(i * $x + j * $y - k);\n\
         for (int k = 0; k < $c; k++) mix(flat[k]);\n\
         $t (*plane)[$b][$c] = &cube[$a - 1];\nmix((*plane)[1][0]);\nmix(plane[0][0][1]);\n\
         memmove(cube[0], cube[1], sizeof cube[0]);\nmix(cube[0][1][1]);",
        t = ty,
        a = a,
        b = b,
        c = c,
        x = program.random.between(1, 99),
        y = program.random.between(-99, 99)
    )
}

fn walk(program: &mut Program) -> String {
    let ty = program.random.pick(&UP_TO_64).name();
    let values: Vec<String> = (0..8).map(|_| program.random.between(0, 120).to_string()).collect();
    let (start, end) = (program.random.below(4), 5 + program.random.below(3));
    c!(
        "const $t values[] = {$v};\nconst $t *p = values + $s, *end = &values[$e];\n\
         show(\"distance\", (long long)(end - p));\nwhile (p < end) {\nmix((uint64_t)*p++);\n}\nshow(\"back\", (long long)*--p);\n\
         p -= 2;\nshow(\"there\", p[1]);\nshow(\"negative\", p[-1]);\nshow(\"order\", (p < end) + 2 * (p == values + $s) + 4 * (p != end));\n\
         show(\"swapped\", 1[p]);\nint index = 0;\nlong long total = 0;\nwhile (index < 8) total += values[index++];\nshow(\"total\", total);",
        t = ty,
        v = values.join(", "),
        s = start,
        e = end
    )
}

fn pointer_to_pointer(program: &mut Program) -> String {
    let values: Vec<String> = (0..5).map(|_| program.random.between(-999, 999).to_string()).collect();
    let function = program.fresh("advance");
    program
        .functions
        .add(c!("static void $f(int **cursor, int by) {\n*cursor += by;\n**cursor ^= by;\n}", f = function));
    c!(
        "int values[5] = {$v};\nint *order[5];\nfor (int i = 0; i < 5; i++) order[i] = &values[(i * $k) % 5];\n\
         int **slot = order, *cursor = values;\n$f(&cursor, 2);\n$f(&cursor, -1);\nmix((uint64_t)*cursor);\n\
         while (slot != order + 5) {\n**slot += 1;\nmix((uint64_t)**slot++);\n}\n\
         int ***top = &slot;\n(*top)--;\nshow(\"last\", ***top);\nvoid *any = cursor;\nshow(\"any\", *(int *)any);\n\
         show(\"is null\", (cursor == NULL) + (any == 0) * 2 + !order[1] * 4);",
        v = values.join(", "),
        k = 1 + program.random.below(4),
        f = function
    )
}

fn variable_length(program: &mut Program) -> String {
    let function = program.fresh("vla");
    let ty = unsigned(program);
    program.functions.add(c!(
        "static uint64_t $f(int n, int m, $t table[n][m]) {\nuint64_t sum = 0;\n$t copy[n * m];\n\
         for (int i = 0; i < n; i++)\nfor (int j = 0; j < m; j++) copy[j * n + i] = table[i][j];\n\
         for (int i = 0; i < n * m; i++) sum = sum * 7 + copy[i];\nreturn sum + sizeof copy;\n}",
        f = function,
        t = ty
    ));
    let (rounds, step) = (1 + program.random.below(4), 1 + program.random.below(3));
    c!(
        "for (int n = 1; n <= $r; n++) {\nint m = n * $s;\n$t table[n][m];\n\
         for (int i = 0; i < n; i++)\nfor (int j = 0; j < m; j++) table[i][j] = ($t)(i * 10 + j);\n\
         if (n == 3) continue;\nmix($f(n, m, table));\nshow(\"bytes\", (long long)sizeof table);\n}",
        r = rounds,
        s = step,
        t = ty,
        f = function
    )
}

fn on_the_stack(program: &mut Program) -> String {
    let count = 2 + program.random.below(12);
    let call = program.random.pick(&["alloca", "__builtin_alloca"]);
    c!(
        "long *room = $a($n * sizeof(long));\nfor (int i = 0; i < $n; i++) {\nroom[i] = i ? room[i - 1] * 3 - i : $k;\nroom[i] %= 100000;\n}\n\
         for (long *p = room + $n; p-- > room; ) mix((uint64_t)*p);\nchar *text = $a(8);\nstrcpy(text, \"stack\");\nmix_text(text);",
        a = call,
        n = count,
        k = program.random.between(-99, 99)
    )
}

fn compound_literals(program: &mut Program) -> String {
    let (function, point) = (program.fresh("weigh"), program.fresh("struct point"));
    program.types.add(c!("$p {\nint x, y;\ndouble weight;\n};", p = point));
    program.functions.add(c!(
        "static double $f(const $p *points, int count) {\ndouble sum = 0;\n\
         for (int i = 0; i < count; i++) sum += points[i].weight * (points[i].x - points[i].y);\nreturn sum;\n}",
        f = function,
        p = point
    ));
    let (a, b) = (program.random.between(-50, 50), program.random.between(-50, 50));
    c!(
        "show_double(\"weight\", $f(($p[]){{$a, $b, 0.5}, {.weight = 2, .y = $a}, [2] = {1, 2, 3}}, 3));\n\
         int *numbers = (int[]){$a, $b, $a * 2};\nnumbers[1]++;\nmix((uint64_t)numbers[1]);\n\
         $p q = ($p){.y = $b};\nq.x += (($p){$a, 1, 0}).x;\nshow(\"q\", q.x * 100 + q.y);\nshow(\"size\", sizeof((char[]){\"compound\"}));\n\
         for (int i = 0; i < 3; i++) {\nconst int *pair = (const int[2]){i, i * i};\nmix((uint64_t)(pair[0] + pair[1]));\n}",
        f = function,
        p = point,
        a = a,
        b = b
    )
}

fn reversed(program: &mut Program) -> String {
    let ty = program.random.pick(&UP_TO_64).name();
    let length = 3 + program.random.below(6);
    c!(
        "$t list[$n] = {[0] = 1, [$n - 1] = 2};\nlist[1] = ($t)$k;\nfor ($t *low = list, *high = list + $n - 1; low < high; low++, high--) {\n\
         $t keep = *low;\n*low = *high;\n*high = keep;\n}\nfor (int i = 0; i < $n; i++) mix((uint64_t)list[i]);\n\
         $t (*whole)[$n] = &list;\nshow(\"first\", (long long)(*whole)[0]);\nshow(\"length\", (long long)(sizeof *whole / sizeof **whole));",
        t = ty,
        n = length,
        k = program.random.between(0, 100)
    )
}

/// Statements at random over arrays of two dimensions, row by row.
fn random_statements(program: &mut Program, body: &mut Source) {
    let ty = Integer::any(&mut program.random);
    let name = program.fresh("grid");
    let (rows, columns) = (2 + program.random.below(3), 2 + program.random.below(4));
    let mut scope = Scope::default();
    for row in 0..rows {
        scope.arrays.push(Array { text: format!("{name}[{row}]"), ty, length: columns, writable: true });
    }
    scope.places.push(Place::new(format!("(*{name})[1]"), ty));
    let mut block = Block::new(program, scope);
    block.out.add(format!("{} {name}[{rows}][{columns}] = {{{{1}}, {{0, 1}}}};", ty.name()));
    block.declare(2);
    block.statements(4, 2);
    block.show_all();
    body.add(format!("{{\n{}\n}}", block.out.text()));
}
