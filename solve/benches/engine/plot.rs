//! A plot with two logarithmic axes, as SVG.

use std::fmt::Write;

pub struct Series {
    pub name: String,
    pub dashed: bool,
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const RIGHT: f64 = 300.0;
const COLOURS: &[&str] = &["#1b6ca8", "#c0392b", "#27864a", "#8e5aa8", "#b9770e", "#2c3e50"];

/// The decades that contain all values.
fn decades(values: impl Iterator<Item = f64>) -> (i32, i32) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        (0, 1)
    } else {
        (low.log10().floor() as i32, (high.log10().ceil() as i32).max(low.log10().floor() as i32 + 1))
    }
}

/// A line for each series.
pub fn plot(title: &str, series: &[Series]) -> String {
    let points = || series.iter().flat_map(|one| one.points.iter());
    let (left, right) = decades(points().map(|point| point.0));
    let (bottom, top) = decades(points().map(|point| point.1.max(1e-4)));
    let x = |value: f64| 60.0 + (WIDTH - RIGHT - 60.0) * (value.log10() - f64::from(left)) / f64::from(right - left);
    let y = |value: f64| {
        let share = (value.max(1e-4).log10() - f64::from(bottom)) / f64::from(top - bottom);
        HEIGHT - 40.0 - (HEIGHT - 80.0) * share
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"60\" y=\"20\">{title} \
         (both logarithmic; dashed: z3)</text>\n"
    );
    for power in bottom..=top {
        let at = y(10_f64.powi(power));
        let end = WIDTH - RIGHT;
        let _ = writeln!(svg, "<line x1=\"60\" x2=\"{end}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>");
        let label = if power < 0 {
            format!("{:.*}", power.unsigned_abs() as usize, 10_f64.powi(power))
        } else {
            format!("{}", 10_f64.powi(power))
        };
        let _ = writeln!(svg, "<text x=\"54\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>", at + 4.0);
    }
    for power in left..=right {
        let at = x(10_f64.powi(power));
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - 20.0,
            10_f64.powi(power)
        );
    }
    for (number, one) in series.iter().enumerate() {
        let colour = COLOURS[number / 2 % COLOURS.len()];
        let dash = if one.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let line: Vec<String> = one.points.iter().map(|&(a, b)| format!("{:.1},{:.1}", x(a), y(b))).collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>",
            line.join(" ")
        );
        if !one.dashed {
            let at = 40.0 + 18.0 * (number / 2) as f64;
            let _ =
                writeln!(svg, "<text x=\"{}\" y=\"{at}\" fill=\"{colour}\">{}</text>", WIDTH - RIGHT + 15.0, one.name);
        }
    }
    svg.push_str("</svg>\n");
    svg
}
