//! Tables of figures.

use std::path::Path;

use anyhow::{Context, Result, ensure};

/// A file of tab-separated values. Lines that begin with `#` are comments, the first other line
/// names the columns.
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A line of a table.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    columns: &'a [String],
    cells: &'a [String],
}

impl Table {
    /// Reads `docs/pictures/data/NAME.tsv` below the root of the repository.
    pub fn read(root: &Path, name: &str) -> Result<Self> {
        let path = root.join(format!("docs/pictures/data/{name}.tsv"));
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> Result<Self> {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let mut lines = lines.map(|line| line.split('\t').map(String::from).collect::<Vec<_>>());
        let columns = lines.next().context("no line names the columns")?;
        let rows: Vec<Vec<String>> = lines.collect();
        for row in &rows {
            ensure!(row.len() == columns.len(), "{row:?} has {} cells, not {}", row.len(), columns.len());
        }
        Ok(Self { columns, rows })
    }

    /// The lines of the table.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { columns: &self.columns, cells })
    }

    /// The values of a column, each once, in the order of their first lines.
    pub fn values(&self, column: &str) -> Result<Vec<&str>> {
        let mut values = Vec::new();
        for row in self.rows() {
            let value = row.text(column)?;
            if !values.contains(&value) {
                values.push(value);
            }
        }
        Ok(values)
    }

    /// The lines with a value in a column.
    pub fn with<'a>(&'a self, column: &str, value: &str) -> Result<Vec<Row<'a>>> {
        let mut rows = Vec::new();
        for row in self.rows() {
            if row.text(column)? == value {
                rows.push(row);
            }
        }
        Ok(rows)
    }
}

impl<'a> Row<'a> {
    /// The text of a cell.
    pub fn text(self, column: &str) -> Result<&'a str> {
        let index = self.columns.iter().position(|name| name == column);
        let index = index.with_context(|| format!("no column {column}"))?;
        Ok(&self.cells[index])
    }

    /// The number in a cell.
    pub fn number(self, column: &str) -> Result<f64> {
        let text = self.text(column)?;
        text.parse().with_context(|| format!("{column}: {text:?} is not a number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_comments_columns_and_rows() {
        let table = Table::parse("# command\nboard\tnodes\n4x4\t12\n5x5\t3.5\n4x4\t7\n").unwrap();
        assert_eq!(table.values("board").unwrap(), ["4x4", "5x5"]);
        let nodes: Vec<f64> =
            table.with("board", "4x4").unwrap().iter().map(|row| row.number("nodes").unwrap()).collect();
        assert_eq!(nodes, [12.0, 7.0]);
    }

    #[test]
    fn a_line_with_a_missing_cell_is_an_error() {
        assert!(Table::parse("board\tnodes\n4x4\n").is_err());
        assert!(Table::parse("# a comment alone\n").is_err());
    }
}
