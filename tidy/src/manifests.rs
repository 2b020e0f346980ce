//! The information in the `Cargo.toml` files: the crates, their order, and their dependencies.

use toml::{Table, Value};

use crate::{Finding, Tree};

/// The members of the workspace in their order.
pub fn members(tree: &Tree) -> Result<Vec<String>, Finding> {
    let manifest = read(tree, "Cargo.toml")?;
    let members = manifest.get("workspace").and_then(|workspace| workspace.get("members")).and_then(Value::as_array);
    let members = members.ok_or_else(|| Finding::in_file("Cargo.toml", "there is no list of members"))?;
    Ok(members.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// The members that a member uses, in the workspace's order, without dependencies of its tests.
pub fn uses(tree: &Tree, member: &str, members: &[String]) -> Result<Vec<String>, Finding> {
    let dependencies = dependencies(tree, member)?;
    Ok(members.iter().filter(|other| dependencies.contains(other)).cloned().collect())
}

fn dependencies(tree: &Tree, member: &str) -> Result<Vec<String>, Finding> {
    let manifest = read(tree, &format!("{member}/Cargo.toml"))?;
    let dependencies = manifest.get("dependencies").and_then(Value::as_table);
    Ok(dependencies.map(|dependencies| dependencies.keys().cloned().collect()).unwrap_or_default())
}

/// A crate is called like its folder, and only the command line has errors without types.
pub fn crates(tree: &Tree) -> Vec<Finding> {
    let members = match members(tree) {
        Ok(members) => members,
        Err(finding) => return vec![finding],
    };
    let mut findings = Vec::new();
    for member in &members {
        let path = format!("{member}/Cargo.toml");
        match read(tree, &path) {
            Err(finding) => findings.push(finding),
            Ok(manifest) => {
                let name = manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
                let folder = member.rsplit('/').next().unwrap_or(member);
                if name != Some(folder) {
                    findings.push(Finding::in_file(&path, format!("a crate is called like its folder, `{folder}`")));
                }
            }
        }
        let untyped = dependencies(tree, member).is_ok_and(|names| names.iter().any(|name| name == "anyhow"));
        if untyped && member != "cli" {
            findings.push(Finding::in_file(&path, "`anyhow` is for `cli`; other crates have one typed error each"));
        }
    }
    findings
}

fn read(tree: &Tree, path: &str) -> Result<Table, Finding> {
    let file = tree.file(path).ok_or_else(|| Finding::in_file(path, "this file is missing"))?;
    file.text.parse().map_err(|error| Finding::in_file(path, format!("not TOML: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_what_they_use() {
        let tree = Tree::of(&[
            ("Cargo.toml", "[workspace]\nmembers = [\"ir\", \"run\", \"vm\"]\n"),
            ("ir/Cargo.toml", "package.name = \"ir\"\n"),
            (
                "run/Cargo.toml",
                "package.name = \"running\"\n[dependencies]\nserde = \"1\"\nanyhow = \"1\"\n\
                 ir = { path = \"../ir\" }\n[dev-dependencies]\nvm = \"1\"",
            ),
        ]);
        let members = members(&tree).expect("there are some");
        assert_eq!(members, ["ir", "run", "vm"]);
        assert_eq!(uses(&tree, "run", &members), Ok(vec!["ir".to_owned()]));
        let found: Vec<String> = crates(&tree).iter().map(Finding::to_string).collect();
        assert_eq!(
            found,
            [
                "run/Cargo.toml: a crate is called like its folder, `run`",
                "run/Cargo.toml: `anyhow` is for `cli`; other crates have one typed error each",
                "vm/Cargo.toml: this file is missing",
            ]
        );
    }
}
