//! PNG of an SVG, so that both show the same.
use std::sync::Arc;

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Family, Query};
use resvg::usvg::{Options, Tree};

use crate::Error;

/// What stands for sans-serif, in order of preference; where none of these is there, any font that is.
const SANS_SERIF: [&str; 6] = ["DejaVu Sans", "Liberation Sans", "Noto Sans", "Arial", "Helvetica", "Segoe UI"];
/// Pixels of the PNG for one of the SVG.
const SCALE: f32 = 1.5;

/// The fonts that text is drawn with.
pub(super) struct Fonts(Arc<Database>);

impl Fonts {
    /// # Errors
    /// Where the system has no font.
    pub(super) fn of_the_system() -> Result<Self, Error> {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        let there =
            |family: &&str| fonts.query(&Query { families: &[Family::Name(family)], ..Query::default() }).is_some();
        let known = SANS_SERIF.iter().find(|family| there(family)).map(ToString::to_string);
        let any = || fonts.faces().find_map(|face| Some(face.families.first()?.0.clone()));
        let family = known.or_else(any).ok_or_else(|| {
            Error::msg("no font was found to write PNG with: install one, such as DejaVu, or ask for --no-png")
        })?;
        fonts.set_sans_serif_family(family);
        Ok(Fonts(Arc::new(fonts)))
    }

    /// # Errors
    /// Where it is no SVG.
    pub(super) fn png(&self, svg: &str) -> Result<Vec<u8>, Error> {
        let failed = |e: &dyn std::fmt::Display| Error::msg(format!("cannot make PNG of a figure: {e}"));
        let options = Options { fontdb: Arc::clone(&self.0), ..Options::default() };
        let tree = Tree::from_str(svg, &options).map_err(|e| failed(&e))?;
        let size = tree.size();
        let pixels = |length: f32| (length * SCALE).ceil() as u32;
        let mut picture =
            Pixmap::new(pixels(size.width()), pixels(size.height())).ok_or_else(|| failed(&"it is empty"))?;
        // A last row or column that the figure covers in part would else come out dark.
        picture.fill(Color::WHITE);
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut picture.as_mut());
        encode(&picture).map_err(|e| failed(&e))
    }
}

/// Without the alpha that nothing in a figure has, and packed well: resvg's own PNG are several times as large.
fn encode(picture: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let rgb: Vec<u8> = picture.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Best);
    encoder.set_filter(png::FilterType::Up);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text is drawn by any font at all, so a system without fonts is told of it and nothing else is tested there.
    #[test]
    fn a_png_has_the_size_and_colours_of_its_svg() {
        let Ok(fonts) = Fonts::of_the_system() else { return };
        let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10" fill="#0072B2"/></svg>"##;
        let picture = Pixmap::decode_png(&fonts.png(svg).unwrap()).unwrap();
        assert_eq!((picture.width(), picture.height()), (30, 15));
        let pixel = picture.pixel(15, 7).unwrap();
        assert_eq!((pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()), (0, 0x72, 0xB2, 255));
    }
}
