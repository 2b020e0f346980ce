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
        r"static unsigned $f($t rows[][$c], int count) {
            unsigned sum = 0;
            for (int r = 0; r < count; r++) {
                for (int k = 0; k < $c; k++) sum = sum * 31 + (unsigned)rows[r][k];
            }
            return sum;
        }",
        f = function,
        t = ty,
        c = columns
    ));
    c!(
        r#"$t m[$r][$c] = {{1, 2}, {3}};
        for (int i = 0; i < $r; i++) {
            for (int j = 0; j < $c; j++) m[i][j] += ($t)(i * $k + j);
        }
        $t (*row)[$c] = m;
        row++;
        (*row)[1] ^= 5;
        *(*(m + 1) + 0) += 2;
        m[$r - 1][$c - 1]--;
        show("rows", $f(m, $r));
        show("columns", (long long)(&m[1][0] - &m[0][0]));
        show("size", (long long)(sizeof m / sizeof m[0]));"#,
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
        r"$t cube[$a][$b][$c];
        $t *flat = &cube[0][0][0];
        for (int i = 0; i < $a; i++)
        for (int j = 0; j < $b; j++)
        for (int k = 0; k < $c; k++) cube[i][j][k] = ($t)(i * $x + j * $y - k);
        for (int k = 0; k < $c; k++) mix(flat[k]);
        $t (*plane)[$b][$c] = &cube[$a - 1];
        mix((*plane)[1][0]);
        mix(plane[0][0][1]);
        memmove(cube[0], cube[1], sizeof cube[0]);
        mix(cube[0][1][1]);",
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
        r#"const $t values[] = {$v};
        const $t *p = values + $s, *end = &values[$e];
        show("distance", (long long)(end - p));
        while (p < end) {
            mix((uint64_t)*p++);
        }
        show("back", (long long)*--p);
        p -= 2;
        show("there", p[1]);
        show("negative", p[-1]);
        show("order", (p < end) + 2 * (p == values + $s) + 4 * (p != end));
        show("swapped", 1[p]);
        int index = 0;
        long long total = 0;
        while (index < 8) total += values[index++];
        show("total", total);"#,
        t = ty,
        v = values.join(", "),
        s = start,
        e = end
    )
}

fn pointer_to_pointer(program: &mut Program) -> String {
    let values: Vec<String> = (0..5).map(|_| program.random.between(-999, 999).to_string()).collect();
    let function = program.fresh("advance");
    program.functions.add(c!(
        r"static void $f(int **cursor, int by) {
                *cursor += by;
                **cursor ^= by;
            }",
        f = function
    ));
    c!(
        r#"int values[5] = {$v};
        int *order[5];
        for (int i = 0; i < 5; i++) order[i] = &values[(i * $k) % 5];
        int **slot = order, *cursor = values;
        $f(&cursor, 2);
        $f(&cursor, -1);
        mix((uint64_t)*cursor);
        while (slot != order + 5) {
            **slot += 1;
            mix((uint64_t)**slot++);
        }
        int ***top = &slot;
        (*top)--;
        show("last", ***top);
        void *any = cursor;
        show("any", *(int *)any);
        show("is null", (cursor == NULL) + (any == 0) * 2 + !order[1] * 4);"#,
        v = values.join(", "),
        k = 1 + program.random.below(4),
        f = function
    )
}

fn variable_length(program: &mut Program) -> String {
    let function = program.fresh("vla");
    let ty = unsigned(program);
    program.functions.add(c!(
        r"static uint64_t $f(int n, int m, $t table[n][m]) {
            uint64_t sum = 0;
            $t copy[n * m];
            for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) copy[j * n + i] = table[i][j];
            for (int i = 0; i < n * m; i++) sum = sum * 7 + copy[i];
            return sum + sizeof copy;
        }",
        f = function,
        t = ty
    ));
    let (rounds, step) = (1 + program.random.below(4), 1 + program.random.below(3));
    c!(
        r#"for (int n = 1; n <= $r; n++) {
            int m = n * $s;
            $t table[n][m];
            for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) table[i][j] = ($t)(i * 10 + j);
            if (n == 3) continue;
            mix($f(n, m, table));
            show("bytes", (long long)sizeof table);
        }"#,
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
        r#"long *room = $a($n * sizeof(long));
        for (int i = 0; i < $n; i++) {
            room[i] = i ? room[i - 1] * 3 - i : $k;
            room[i] %= 100000;
        }
        for (long *p = room + $n; p-- > room; ) mix((uint64_t)*p);
        char *text = $a(8);
        strcpy(text, "stack");
        mix_text(text);"#,
        a = call,
        n = count,
        k = program.random.between(-99, 99)
    )
}

fn compound_literals(program: &mut Program) -> String {
    let (function, point) = (program.fresh("weigh"), program.fresh("struct point"));
    program.types.add(c!("$p {\nint x, y;\ndouble weight;\n};", p = point));
    program.functions.add(c!(
        r"static double $f(const $p *points, int count) {
            double sum = 0;
            for (int i = 0; i < count; i++) sum += points[i].weight * (points[i].x - points[i].y);
            return sum;
        }",
        f = function,
        p = point
    ));
    let (a, b) = (program.random.between(-50, 50), program.random.between(-50, 50));
    c!(
        r#"show_double("weight", $f(($p[]){{$a, $b, 0.5}, {.weight = 2, .y = $a}, [2] = {1, 2, 3}}, 3));
        int *numbers = (int[]){$a, $b, $a * 2};
        numbers[1]++;
        mix((uint64_t)numbers[1]);
        $p q = ($p){.y = $b};
        q.x += (($p){$a, 1, 0}).x;
        show("q", q.x * 100 + q.y);
        show("size", sizeof((char[]){"compound"}));
        for (int i = 0; i < 3; i++) {
            const int *pair = (const int[2]){i, i * i};
            mix((uint64_t)(pair[0] + pair[1]));
        }"#,
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
        r#"$t list[$n] = {[0] = 1, [$n - 1] = 2};
        list[1] = ($t)$k;
        for ($t *low = list, *high = list + $n - 1; low < high; low++, high--) {
            $t keep = *low;
            *low = *high;
            *high = keep;
        }
        for (int i = 0; i < $n; i++) mix((uint64_t)list[i]);
        $t (*whole)[$n] = &list;
        show("first", (long long)(*whole)[0]);
        show("length", (long long)(sizeof *whole / sizeof **whole));"#,
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
