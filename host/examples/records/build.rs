//! Compiles the device crate in `device/` to PTX, where there is to be a GPU to run it.
fn main() -> Result<(), gridsort_build::Error> {
    gridsort_build::Kernels::of("device").where_feature("cuda").embed()
}
