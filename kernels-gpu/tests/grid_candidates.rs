//! Candidate sets against counts by exhaustion, and against the text's tables.
use gridsort_kernels::grid::candidates::{Order, Places, columns, count, predecessors};
use gridsort_kernels::grid::invariant::lines;

/// For each cell, how many others can be reached from it by going back along sorted lines.
fn reachable(order: Order, n: u32) -> Vec<u32> {
    let cells = (n * n) as usize;
    let mut back = vec![Vec::new(); cells];
    for line in lines(order, n) {
        let line: Vec<usize> = line.cells().collect();
        for pair in line.windows(2) {
            back[pair[1]].push(pair[0]);
        }
    }
    let mut counts = Vec::new();
    for cell in 0..cells {
        let mut seen = vec![false; cells];
        let mut todo = vec![cell];
        seen[cell] = true;
        while let Some(at) = todo.pop() {
            for &next in &back[at] {
                if !seen[next] {
                    seen[next] = true;
                    todo.push(next);
                }
            }
        }
        counts.push(seen.iter().filter(|&&s| s).count() as u32 - 1);
    }
    counts
}

#[test]
fn predecessors_are_what_sorted_lines_lead_back_to() {
    for n in 1..=32 {
        for order in [Order::Rectangle, Order::Triple] {
            let counts = reachable(order, n);
            for (r, c) in (0..n).flat_map(|r| (0..n).map(move |c| (r, c))) {
                let expected = counts[(r * n + c) as usize];
                assert_eq!(predecessors(order, n, r, c), expected, "{order:?}, n = {n}, ({r},{c})");
            }
        }
    }
}

#[test]
fn below_the_longest_anti_diagonal_as_much_is_known_as_in_a_tableau() {
    for n in 1..=32 {
        for (r, c) in (0..n).flat_map(|r| (0..n).map(move |c| (r, c))) {
            let of = |order| predecessors(order, n, r, c);
            let expected = if r + c < n { of(Order::Triple) } else { of(Order::Rectangle) };
            assert_eq!(of(Order::Upper), expected);
        }
        // Up to b = 2n - 1 the candidates are the same, and lie in the upper triangle; for 2n they differ.
        for b in 1..2 * n {
            assert_eq!(count(Order::Upper, n, b), count(Order::Triple, n, b), "n = {n}, b = {b}");
            for (r, c) in (0..n).flat_map(|r| (0..n).map(move |c| (r, c))).filter(|(r, c)| r + c >= n) {
                assert!(predecessors(Order::Upper, n, r, c) >= b, "n = {n}, b = {b}, ({r},{c})");
            }
        }
        if n > 2 {
            assert!(count(Order::Upper, n, 2 * n) > count(Order::Triple, n, 2 * n), "n = {n}");
        }
    }
}

#[test]
fn tables_of_the_text() {
    let triple = |n, b| count(Order::Triple, n, b);
    assert_eq!([24, 28, 29, 30, 32].map(|b| triple(32, b)), [49, 60, 62, 66, 69]);
    assert_eq!([17, 18, 19, 20].map(|b| count(Order::Rectangle, 32, b)), [52, 58, 60, 66]);
    assert_eq!([16, 32].map(|b| triple(16, b)), [30, 54]);
    assert!(triple(16, 64) <= 128);
    // "For b = 32, columns from the eighth on are excluded", "for b = 29 columns 0 to 6 are dirty".
    assert_eq!((columns(Order::Triple, 32, 32), columns(Order::Triple, 32, 29)), (7, 7));
    assert_eq!(predecessors(Order::Triple, 32, 0, 7), 35);
    // C(3): four positions.
    assert_eq!([(0, 0), (1, 0), (0, 1), (2, 0)].map(|(r, c)| predecessors(Order::Triple, 32, r, c)), [0, 1, 2, 2]);
    assert_eq!(triple(32, 3), 4);
    // The candidates that two and four extractions of 16 need where only the upper anti-diagonals are sorted.
    assert_eq!([32, 64].map(|b| count(Order::Upper, 16, b)), [55, 102]);
}

#[test]
fn places_are_the_candidates_each_once() {
    for (order, n, b, registers) in [
        (Order::Upper, 32, 29, 2),
        (Order::Rectangle, 32, 19, 2),
        (Order::Upper, 16, 16, 2),
        (Order::Triple, 16, 16, 2),
        (Order::Upper, 16, 32, 4),
        (Order::Upper, 16, 64, 8),
        (Order::Upper, 8, 8, 2),
        (Order::Upper, 8, 16, 4),
        (Order::Upper, 4, 3, 1),
        (Order::Upper, 4, 4, 2),
        (Order::Upper, 4, 8, 4),
        (Order::Upper, 4, 16, 4),
    ] {
        let places = Places::new(order, n, b, registers);
        let mut cells: Vec<_> = (0..n * registers).filter_map(|p| places.cell(p)).collect();
        cells.sort();
        let expected: Vec<_> = (0..n)
            .flat_map(|r| (0..n).map(move |c| (r, c)))
            .filter(|&(r, c)| predecessors(order, n, r, c) < b)
            .collect();
        assert_eq!(cells, expected, "{order:?} {n} {b}");
        assert_eq!(places.count() as usize, cells.len());
        // Positions without a cell begin at half of them: there what stands for nothing ends up.
        let first_without = (0..n * registers).find(|&p| places.cell(p).is_none());
        assert!(registers == 1 || first_without.is_none_or(|p| p == n * registers / 2));
    }
}
