//! Sorts a record batch by two columns that have nulls, where the batch's arrays lie, and checks the result against Arrow's
//! own sort.
//!
//! ```sh
//! cargo run --release --package arrow-sort                    # on a GPU with --features cuda, else on the CPU
//! cargo run --package arrow-sort -- --rows 5000 --device emulator
//! ```
//!
//! The batch is read from a Parquet file, which `table.rs` writes first.
mod table;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, UInt16Type};
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray, RecordBatch, UInt32Array};
use arrow_ord::sort::{SortColumn, SortOptions, lexsort_to_indices};
use arrow_select::take::take_record_batch;
use gridsort::{ColumnOptions, Device, HostColumn, Key};
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "usage: arrow-sort [--rows N] [--device auto|cuda|emulator|cpu]";

/// By temperature, the highest first and those not known before all others; of equal ones by station, with readings of no
/// station at the end.
const BY_TEMPERATURE: ColumnOptions = ColumnOptions { descending: true, nulls_first: true };
const BY_STATION: ColumnOptions = ColumnOptions { descending: false, nulls_first: false };

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("arrow-sort: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let (mut rows, mut device) = (1 << 20, "auto".to_owned());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--rows" => rows = args.next().ok_or(USAGE)?.parse()?,
            "--device" => device = args.next().ok_or(USAGE)?,
            _ => return Err(USAGE.into()),
        }
    }
    let device = match device.as_str() {
        "auto" => Device::best(),
        "cuda" => Device::cuda(0)?,
        "emulator" => Device::emulator(),
        "cpu" => Device::cpu(),
        _ => return Err(USAGE.into()),
    };
    let batch = table::read(table::write(rows)?, rows)?;
    println!("{rows} rows of {} columns, sorted by temperature and station", batch.num_columns());
    let (order, ours) = timed(|| Ok(order_of(&device, &batch)?))?;
    println!(
        "{:>10.3} ms  gridsort on {} ({}), copies included",
        ours.as_secs_f64() * 1e3,
        device.name(),
        device.kind()
    );
    let (arrows, theirs) = timed(|| arrows_order(&batch))?;
    println!("{:>10.3} ms  arrow's lexsort_to_indices, of three columns", theirs.as_secs_f64() * 1e3);
    if order != arrows {
        return Err("the order is not Arrow's".into());
    }
    // Any column follows, in Arrow or in gridsort.
    let sorted = take_record_batch(&batch, &order)?;
    let temperatures = batch.column(table::TEMPERATURE).as_primitive::<Float32Type>();
    let followed = device.gather(temperatures.values(), order.values())?;
    let taken = sorted.column(table::TEMPERATURE).as_primitive::<Float32Type>();
    let same = taken.iter().zip(&followed).all(|(taken, followed)| taken.is_none_or(|t| t.total_cmp(followed).is_eq()));
    if same { Ok(()) } else { Err("a column did not follow".into()) }
}

/// The batch's stable order.
fn order_of(device: &Device, batch: &RecordBatch) -> gridsort::Result<UInt32Array> {
    let temperature = column::<Float32Type>(batch.column(table::TEMPERATURE).as_primitive(), BY_TEMPERATURE);
    let station = column::<UInt16Type>(batch.column(table::STATION).as_primitive(), BY_STATION);
    device.lexsort_u32(&[temperature, station]).map(UInt32Array::from)
}

/// An array's values and validity bitmap, where they lie.
fn column<T: ArrowPrimitiveType<Native: Key>>(array: &PrimitiveArray<T>, options: ColumnOptions) -> HostColumn<'_> {
    let column = HostColumn::new(array.values(), options);
    match array.nulls() {
        Some(nulls) => column.with_validity(nulls.validity(), nulls.offset()),
        None => column,
    }
}

/// The same order by Arrow, whose sort is not stable: the number of the row decides where all else ties.
fn arrows_order(batch: &RecordBatch) -> Result<UInt32Array, Box<dyn Error>> {
    let by = [(table::TEMPERATURE, BY_TEMPERATURE), (table::STATION, BY_STATION), (table::ROW, ColumnOptions::new())];
    let columns = by.map(|(column, ColumnOptions { descending, nulls_first })| SortColumn {
        values: batch.column(column).clone(),
        options: Some(SortOptions { descending, nulls_first }),
    });
    Ok(lexsort_to_indices(&columns, None)?)
}

/// What a piece of work gives, and how long it takes the second time: the first one loads kernels.
fn timed<T>(work: impl Fn() -> Result<T, Box<dyn Error>>) -> Result<(T, Duration), Box<dyn Error>> {
    work()?;
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table as it was read, and a part of it, whose bitmaps begin within a byte.
    #[test]
    fn the_order_is_arrows() {
        for (device, rows) in [(Device::cpu(), 20_000), (Device::emulator(), 3000)] {
            let batch = table::read(table::write(rows).unwrap(), rows).unwrap();
            for batch in [batch.slice(3, rows - 10), batch] {
                assert_eq!(order_of(&device, &batch).unwrap(), arrows_order(&batch).unwrap(), "{}", device.name());
            }
        }
    }

    #[test]
    fn options_are_read() {
        let run = |args: &[&str]| run(args.iter().map(|arg| (*arg).to_owned()));
        run(&["--rows", "1000", "--device", "cpu"]).unwrap();
        run(&["--rows", "0", "--device", "emulator"]).unwrap();
        assert!(run(&["--device", "abacus"]).is_err());
        assert!(run(&["--rows"]).is_err());
    }
}
