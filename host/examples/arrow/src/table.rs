//! A table of weather readings, written to a Parquet file and read from it.
use arrow_array::{ArrayRef, Float32Array, RecordBatch, RecordBatchReader, UInt16Array, UInt32Array};
use arrow_select::concat::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::error::Error;
use std::fs::File;
use std::sync::Arc;

/// The columns: which station, how warm, and the number of the row.
pub(crate) const STATION: usize = 0;
pub(crate) const TEMPERATURE: usize = 1;
pub(crate) const ROW: usize = 2;

/// Writes so many readings to a file that is gone with its last handle. Stations and temperatures are few, so that rows tie,
/// and one in eight of either is not known.
pub(crate) fn write(rows: usize) -> Result<File, Box<dyn Error>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(42);
    let mut draw = |values: u64| {
        let number = random.next_u64();
        (number % 8 != 0).then_some((number >> 8) % values)
    };
    let stations: UInt16Array = (0..rows).map(|_| draw(500).map(|station| station as u16)).collect();
    let tenths = |reading: u64| (reading as f32 - 200.0) / 10.0;
    let temperatures: Float32Array = (0..rows).map(|_| draw(600).map(tenths)).collect();
    let numbers: UInt32Array = (0..rows as u32).map(Some).collect();
    let batch = RecordBatch::try_from_iter([
        ("station", Arc::new(stations) as ArrayRef),
        ("temperature", Arc::new(temperatures)),
        ("row", Arc::new(numbers)),
    ])?;
    let file = tempfile::tempfile()?;
    let mut writer = ArrowWriter::try_new(file.try_clone()?, batch.schema(), None)?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(file)
}

/// Reads a file as one batch.
pub(crate) fn read(file: File, rows: usize) -> Result<RecordBatch, Box<dyn Error>> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)?.with_batch_size(rows.max(1)).build()?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>()?;
    Ok(concat_batches(&schema, &batches)?)
}
