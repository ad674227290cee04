//! Takes PTX apart into its header, variables, functions and entries. Only the outermost level is understood, and in a
//! body the statements: what LLVM's PTX back end writes, without debug information.
use std::collections::BTreeSet;

use super::scan::Scan;

/// A PTX text in parts, each a slice of it.
#[derive(Debug)]
pub struct Ptx<'a> {
    /// The directives before the first part: `.version`, `.target`, `.address_size`.
    pub header: &'a str,
    /// The parts, in order.
    pub parts: Vec<Part<'a>>,
}

/// One part: a variable, function or entry, or the declaration of one.
#[derive(Debug)]
pub struct Part<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: &'a str,
    /// All of its text up to its body, with the parameter list.
    pub signature: &'a str,
    /// Its body with its braces; none for a declaration or variable.
    pub body: Option<&'a str>,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.global`, `.shared` or `.const`.
    Variable,
    /// `.func`: called by entries, or only declared.
    Function,
    /// `.entry`: a kernel.
    Entry,
}

/// A parameter of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its type without the dot, such as `u64`.
    pub ty: String,
    /// Whether it is marked as a pointer.
    pub pointer: bool,
    /// Whether it is an array: something passed by value that is no number.
    pub array: bool,
}

/// Takes a PTX text apart.
///
/// # Errors
/// Where the text is no PTX of the form above, with the place.
pub fn parse(text: &str) -> Result<Ptx<'_>, String> {
    let mut scan = Scan::new(text);
    while matches!(scan.peek_word(), ".version" | ".target" | ".address_size") {
        scan.skip_line();
    }
    let header = scan.passed();
    if !header.contains(".version") || !header.contains(".target") {
        return Err("this is no PTX: it does not begin with .version and .target".to_owned());
    }
    let mut parts = Vec::new();
    while !scan.peek_word().is_empty() {
        parts.push(scan.part()?);
    }
    Ok(Ptx { header, parts })
}

impl<'a> Ptx<'a> {
    /// The entries, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Part<'a>> {
        self.parts.iter().filter(|p| p.kind == Kind::Entry)
    }

    /// All functions and variables that the part names, and that these name in turn, by their place in `parts`.
    pub fn needs(&self, part: &Part<'a>) -> BTreeSet<usize> {
        let mut needed = BTreeSet::new();
        let mut open = vec![part];
        while let Some(part) = open.pop() {
            let words: BTreeSet<&str> = words(part.signature).chain(words(part.body.unwrap_or_default())).collect();
            for (i, other) in self.parts.iter().enumerate() {
                // A function may be declared and defined: both count.
                if other.kind != Kind::Entry && words.contains(other.name) && needed.insert(i) {
                    open.push(other);
                }
            }
        }
        needed
    }

    /// Barriers of the whole block in an entry: in its body and in those of the functions that it calls.
    pub fn barriers(&self, entry: &Part<'a>) -> usize {
        let called = self.needs(entry).into_iter().map(|i| &self.parts[i]);
        called.chain([entry]).map(|p| statements(p.body.unwrap_or_default()).filter(|s| is_barrier(s)).count()).sum()
    }
}

impl Part<'_> {
    /// The parameters of an entry.
    pub fn params(&self) -> Vec<Param> {
        let list = self.signature.find('(').map_or("", |open| &self.signature[open + 1..]);
        let list = list.rfind(')').map_or(list, |close| &list[..close]);
        list.split(',').map(str::trim).filter(|p| !p.is_empty()).map(param).collect()
    }
}

/// `.param .u64 .ptr .global .align 1 name`, `.param .u32 name`, `.param .align 8 .b8 name[16]`.
fn param(text: &str) -> Param {
    let mut ty = String::new();
    let mut pointer = false;
    for word in text.split_whitespace() {
        match word.strip_prefix('.') {
            Some("param" | "align" | "global" | "shared" | "const" | "local") | None => {}
            Some("ptr") => pointer = true,
            Some(other) => ty = other.to_owned(),
        }
    }
    Param { ty, pointer, array: text.ends_with(']') }
}

/// The statements of a body, without labels, comments and predicates; instructions of blocks inside it too.
fn statements(body: &str) -> impl Iterator<Item = &str> {
    let lines = body.lines().map(|l| l.split("//").next().unwrap_or_default());
    lines.flat_map(|l| l.split(['{', '}', ';'])).map(|s| {
        let mut s = s.trim();
        // `$L__BB0_1: @%p1 bar.sync 0`
        if let Some((label, rest)) = s.split_once(':')
            && !label.contains(char::is_whitespace)
            && !rest.starts_with(':')
        {
            s = rest.trim_start();
        }
        if s.starts_with('@') {
            s = s.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
        }
        s
    })
}

/// Whether a statement is a barrier at which the whole block waits. `bar.warp.sync` is the warp's, `bar.arrive` does not
/// wait, `barrier.cluster` is of several blocks.
fn is_barrier(statement: &str) -> bool {
    let opcode = statement.split_whitespace().next().unwrap_or_default();
    let rest = opcode.strip_prefix("bar").unwrap_or_default();
    let rest = rest.strip_prefix("rier").unwrap_or(rest);
    let rest = rest.strip_prefix(".cta").unwrap_or(rest);
    rest.starts_with(".sync") || rest.starts_with(".red")
}

/// The words that may be names.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$')).filter(|w| !w.is_empty())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) const SAMPLE: &str = "//
// Generated by LLVM NVPTX Back-End
//

.version 7.8
.target sm_90
.address_size 64


.extern .shared .align 16 .b8 gridsort_shared[];

.global .align 4 .b8 TABLE[8] = {1, 0, 0, 0, 5};
.global .align 4 .b8 UNUSED[8] = {1, 0, 0, 0, 5};
.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0
)
;

.func  (.param .b64 func_retval0) helper(
	.param .b64 helper_param_0
)
{
	mov.b64 	%rd5, TABLE;
	barrier.sync 	0;
	ret;

}
	// .globl	first
.visible .entry first(
	.param .u64 .ptr .align 1 first_param_0,
	.param .u32 first_param_1
)
{
	.reg .pred 	%p<2>; // a brace { in a comment; bar.sync 0;
	mov.u32 %r4, gridsort_shared;
	@%p1 bra 	$L__BB1_4;
	bar.sync 	0;
$L__BB1_4:
	bar.warp.sync 	-1;
	@%p1 barrier.cta.red.popc.aligned.u32 	%r1, 0, %p1;
	ret;

}
	// .globl	second
.visible .entry second(
	.param .u64 second_param_0
)
{
	{ // callseq 0, 0
	.param .b64 	param0;
	call.uni (retval0), helper, (param0);
	} // callseq 0
$L1: bar.sync 0;
	ret;
}
";

    #[test]
    fn takes_a_text_apart() {
        let ptx = parse(SAMPLE).unwrap();
        assert!(ptx.header.trim_end().ends_with(".address_size 64"), "{:?}", ptx.header);
        let parts: Vec<_> = ptx.parts.iter().map(|p| (p.kind, p.name, p.body.is_some())).collect();
        assert_eq!(
            parts,
            [
                (Kind::Variable, "gridsort_shared", false),
                (Kind::Variable, "TABLE", false),
                (Kind::Variable, "UNUSED", false),
                (Kind::Function, "vprintf", false),
                (Kind::Function, "helper", true),
                (Kind::Entry, "first", true),
                (Kind::Entry, "second", true),
            ]
        );
        assert!(ptx.parts[6].body.unwrap().ends_with("ret;\n}"));
        assert_eq!(ptx.parts[1].signature.trim(), ".global .align 4 .b8 TABLE[8] = {1, 0, 0, 0, 5};");
    }

    #[test]
    fn parameters() {
        let ptx = parse(SAMPLE).unwrap();
        let first = ptx.entries().next().unwrap().params();
        let of = |ty: &str, pointer, array| Param { ty: ty.to_owned(), pointer, array };
        assert_eq!(first, [of("u64", true, false), of("u32", false, false)]);
        assert_eq!(param(".param .align 8 .b8 f_param_0[16]"), of("b8", false, true));
        let none = parse(".version 8\n.target sm_80\n.visible .entry f()\n{ ret; }").unwrap();
        assert!(none.parts[0].params().is_empty());
    }

    #[test]
    fn barriers_are_counted_in_called_functions_too() {
        let ptx = parse(SAMPLE).unwrap();
        let counts: Vec<_> = ptx.entries().map(|e| ptx.barriers(e)).collect();
        assert_eq!(counts, [2, 2]);
    }

    #[test]
    fn needs_follow_calls() {
        let ptx = parse(SAMPLE).unwrap();
        let named: Vec<Vec<&str>> =
            ptx.entries().map(|e| ptx.needs(e).into_iter().map(|i| ptx.parts[i].name).collect()).collect();
        assert_eq!(named, [vec!["gridsort_shared"], vec!["TABLE", "helper"]]);
    }

    #[test]
    fn which_statements_are_barriers() {
        for yes in
            ["bar.sync \t0", "bar.sync 0, 128", "barrier.sync.aligned 0", "barrier.cta.sync 0", "bar.red.or.pred p"]
        {
            assert!(is_barrier(yes), "{yes}");
        }
        for no in ["bar.warp.sync -1", "bar.arrive 0, 64", "barrier.cluster.arrive", "bra.uni $L", "mov.u32 a, bar"] {
            assert!(!is_barrier(no), "{no}");
        }
    }

    #[test]
    fn what_is_not_understood_is_said() {
        assert!(parse("hello").unwrap_err().contains("no PTX"));
        let header = ".version 8\n.target sm_80\n";
        assert!(parse(&format!("{header}.visible .entry f(\n)\n{{ ret;")).unwrap_err().contains("line 3"));
        assert!(parse(&format!("{header}.file 1 \"a.rs\"\n")).unwrap_err().contains("debug"));
    }
}
