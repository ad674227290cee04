use super::*;

#[test]
fn all_16_bit_patterns_keep_their_order() {
    for reversed in [0, mode::REVERSED] {
        let codec = Codec::<u16>::of_mode(mode::SIGNED + reversed);
        let mut v: Vec<_> = (0..=u16::MAX).map(|bits| (codec.encode(bits), bits as i16)).collect();
        v.sort();
        assert!(v.windows(2).all(|w| if reversed == 0 { w[0].1 < w[1].1 } else { w[0].1 > w[1].1 }));
    }
}

#[test]
fn floats_sort_by_total_order() {
    let values = [
        f32::from_bits(0xffc0_0001),
        -f32::NAN,
        f32::NEG_INFINITY,
        f32::MIN,
        -1.0,
        -f32::MIN_POSITIVE,
        -1e-45,
        -0.0,
        0.0,
        1e-45,
        f32::MIN_POSITIVE,
        1.0,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
        f32::from_bits(0x7fc0_0001),
    ];
    for reversed in [0, mode::REVERSED] {
        let codec = Codec::<u32>::of_mode(mode::FLOAT + reversed);
        for x in values {
            assert_eq!(codec.decode(codec.encode(x.to_bits())), x.to_bits());
            for y in values {
                let expected = if reversed == 0 { x.total_cmp(&y) } else { y.total_cmp(&x) };
                assert_eq!(codec.encode(x.to_bits()).cmp(&codec.encode(y.to_bits())), expected, "{x} {y}");
            }
        }
    }
}

#[test]
fn decode_inverts_encode_at_every_width() {
    fn check<K: BitKey + PartialEq + core::fmt::Debug>(keys: &[K]) {
        for m in [mode::UNSIGNED, mode::SIGNED, mode::FLOAT] {
            for m in [m, m + mode::REVERSED] {
                let codec = Codec::of_mode(m);
                for &k in keys {
                    assert_eq!(codec.decode(codec.encode(k)), k);
                    assert_eq!(codec.encode(codec.decode(k)), k);
                }
            }
        }
    }
    check(&(0..=255u8).collect::<Vec<_>>());
    check(&[0u64, 1, u64::MAX, u64::MAX / 2, u64::MAX / 2 + 1]);
    check(&[0u128, 1, u128::MAX, u128::MAX / 2, u128::MAX / 2 + 1]);
}
