//! libclang, loaded on demand: the few functions that turn a source file into a [`Tree`].
//!
//! The library is not linked, because only `heddle repair` needs it. All `unsafe` code of this crate is here: function
//! pointers from the library, calls through them, and the callback that visits children. Node kinds are compared by
//! name, because their numbers change between versions.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_ulong, c_void};
use std::path::Path;

use crate::tree::{FileId, Node, NodeId, Tree};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("libclang of LLVM 22 is missing: {0}")]
    Missing(String),
    #[error("libclang cannot read {0}")]
    Unreadable(String),
}

/// Where Debian's package and LLVM's own builds have it.
const NAMES: &[&str] = &[
    "libclang-22.so.1",
    "libclang-22.so.22",
    "/usr/lib/llvm-22/lib/libclang.so.1",
    "/usr/lib/llvm-22/lib/libclang-22.so.1",
    "libclang.so.22",
];

#[repr(C)]
#[derive(Clone, Copy)]
struct Cursor {
    kind: c_int,
    xdata: c_int,
    data: [*const c_void; 3],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Location {
    pointers: [*const c_void; 2],
    number: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Range {
    pointers: [*const c_void; 2],
    begin: c_uint,
    end: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Text {
    data: *const c_void,
    flags: c_uint,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Type {
    kind: c_int,
    data: [*mut c_void; 2],
}

/// A file whose contents are passed in memory.
#[repr(C)]
struct Unsaved {
    name: *const c_char,
    contents: *const c_char,
    length: c_ulong,
}

type Visitor = extern "C" fn(Cursor, Cursor, *mut c_void) -> c_int;
type Locate = unsafe extern "C" fn(Location, *mut *mut c_void, *mut c_uint, *mut c_uint, *mut c_uint);

macro_rules! functions {
    ($($name:ident = $symbol:literal: $type:ty;)*) => {
        /// The functions of the library. It stays loaded until the process ends.
        pub struct Clang { $($name: $type,)* }

        impl Clang {
            fn resolve(library: *mut c_void) -> Result<Clang, Error> {
                Ok(Clang { $($name: {
                    let symbol = concat!($symbol, "\0");
                    // SAFETY: the library is loaded and never closed, and the name ends in a zero byte.
                    let found = unsafe { libc::dlsym(library, symbol.as_ptr().cast()) };
                    if found.is_null() {
                        return Err(Error::Missing(format!("it has no function {}", $symbol)));
                    }
                    // SAFETY: the type is the one that clang-c/Index.h declares for this name.
                    unsafe { std::mem::transmute::<*mut c_void, $type>(found) }
                },)* })
            }
        }
    };
}

functions! {
    create_index = "clang_createIndex": unsafe extern "C" fn(c_int, c_int) -> *mut c_void;
    dispose_index = "clang_disposeIndex": unsafe extern "C" fn(*mut c_void);
    parse = "clang_parseTranslationUnit2": unsafe extern "C" fn(*mut c_void, *const c_char, *const *const c_char, c_int, *mut Unsaved, c_uint, c_uint, *mut *mut c_void) -> c_int;
    dispose_unit = "clang_disposeTranslationUnit": unsafe extern "C" fn(*mut c_void);
    unit_cursor = "clang_getTranslationUnitCursor": unsafe extern "C" fn(*mut c_void) -> Cursor;
    visit_children = "clang_visitChildren": unsafe extern "C" fn(Cursor, Visitor, *mut c_void) -> c_uint;
    extent = "clang_getCursorExtent": unsafe extern "C" fn(Cursor) -> Range;
    location = "clang_getCursorLocation": unsafe extern "C" fn(Cursor) -> Location;
    range_start = "clang_getRangeStart": unsafe extern "C" fn(Range) -> Location;
    range_end = "clang_getRangeEnd": unsafe extern "C" fn(Range) -> Location;
    expansion = "clang_getExpansionLocation": Locate;
    spelling_location = "clang_getSpellingLocation": Locate;
    in_system_header = "clang_Location_isInSystemHeader": unsafe extern "C" fn(Location) -> c_int;
    file_name = "clang_getFileName": unsafe extern "C" fn(*mut c_void) -> Text;
    kind_name = "clang_getCursorKindSpelling": unsafe extern "C" fn(c_int) -> Text;
    name = "clang_getCursorSpelling": unsafe extern "C" fn(Cursor) -> Text;
    cursor_type = "clang_getCursorType": unsafe extern "C" fn(Cursor) -> Type;
    type_name = "clang_getTypeSpelling": unsafe extern "C" fn(Type) -> Text;
    canonical = "clang_getCanonicalType": unsafe extern "C" fn(Type) -> Type;
    referenced = "clang_getCursorReferenced": unsafe extern "C" fn(Cursor) -> Cursor;
    usr = "clang_getCursorUSR": unsafe extern "C" fn(Cursor) -> Text;
    characters = "clang_getCString": unsafe extern "C" fn(Text) -> *const c_char;
    dispose_text = "clang_disposeString": unsafe extern "C" fn(Text);
}

impl Clang {
    /// Loads the library. The error names the package to install.
    pub fn load() -> Result<Clang, Error> {
        let wanted = std::env::var("HEDDLE_LIBCLANG").ok().filter(|name| !name.is_empty());
        let names: Vec<String> = match wanted {
            Some(name) => vec![name],
            None => NAMES.iter().map(|name| (*name).to_owned()).collect(),
        };
        for name in &names {
            let Ok(name) = CString::new(name.as_str()) else { continue };
            // SAFETY: the name ends in a zero byte; the constructors of libclang have no conditions.
            let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
            if !library.is_null() {
                return Clang::resolve(library);
            }
        }
        Err(Error::Missing("none of its files can be loaded".to_owned()))
    }

    /// The tree of one file with the headers of the user that it includes. `texts` are contents that replace files.
    pub fn tree(&self, file: &Path, arguments: &[String], texts: &[(String, String)]) -> Result<Tree, Error> {
        let unreadable = || Error::Unreadable(file.display().to_string());
        let name = CString::new(file.as_os_str().as_encoded_bytes()).map_err(|_| unreadable())?;
        let arguments: Vec<CString> = arguments.iter().filter_map(|text| CString::new(text.as_str()).ok()).collect();
        let pointers: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
        let names: Vec<CString> = texts.iter().filter_map(|(name, _)| CString::new(name.as_str()).ok()).collect();
        let mut unsaved: Vec<Unsaved> = names
            .iter()
            .zip(texts)
            .map(|(name, (_, text))| Unsaved {
                name: name.as_ptr(),
                contents: text.as_ptr().cast(),
                length: text.len() as c_ulong,
            })
            .collect();
        // SAFETY: all pointers outlive the calls, and lengths are those of their targets. The index and the unit are
        // used by this thread alone, and disposed of after their last use.
        unsafe {
            let index = (self.create_index)(0, 0);
            let mut unit = std::ptr::null_mut();
            let status = (self.parse)(
                index,
                name.as_ptr(),
                pointers.as_ptr(),
                pointers.len() as c_int,
                unsaved.as_mut_ptr(),
                unsaved.len() as c_uint,
                0,
                &mut unit,
            );
            if status != 0 || unit.is_null() {
                (self.dispose_index)(index);
                return Err(unreadable());
            }
            let mut walk = Walk { clang: self, tree: Tree::default(), kinds: HashMap::new(), parent: None };
            let root = (self.unit_cursor)(unit);
            (self.visit_children)(root, visit, (&raw mut walk).cast());
            let tree = walk.tree;
            (self.dispose_unit)(unit);
            (self.dispose_index)(index);
            Ok(tree)
        }
    }

    /// A text of the library's, as our own.
    fn text(&self, text: Text) -> String {
        // SAFETY: the text was returned by the library just now and is disposed of once.
        unsafe {
            let characters = (self.characters)(text);
            let owned = match characters.is_null() {
                true => String::new(),
                false => CStr::from_ptr(characters).to_string_lossy().into_owned(),
            };
            (self.dispose_text)(text);
            owned
        }
    }

    /// (file, offset) of a location: of the macro expansion, or of the spelling.
    fn place(&self, locate: Locate, location: Location) -> Option<(String, u32)> {
        let (mut file, mut line, mut column, mut offset) = (std::ptr::null_mut(), 0, 0, 0);
        // SAFETY: the location belongs to a unit that is alive, and the pointers are those of locals.
        unsafe { locate(location, &mut file, &mut line, &mut column, &mut offset) };
        if file.is_null() {
            return None;
        }
        // SAFETY: the file was returned just now and is not null.
        let name = self.text(unsafe { (self.file_name)(file) });
        Some((name, offset))
    }
}

struct Walk<'a> {
    clang: &'a Clang,
    tree: Tree,
    kinds: HashMap<c_int, String>,
    parent: Option<NodeId>,
}

extern "C" fn visit(cursor: Cursor, _parent: Cursor, data: *mut c_void) -> c_int {
    // SAFETY: `data` is the walk that `tree` and `Walk::take` pass; nothing else refers to it during the call.
    let walk = unsafe { &mut *data.cast::<Walk<'_>>() };
    walk.take(cursor);
    1
}

impl Walk<'_> {
    /// Adds a node and its descendants, without nodes of system headers.
    fn take(&mut self, cursor: Cursor) {
        let clang = self.clang;
        // SAFETY: the cursor belongs to the unit that is being visited.
        let (location, extent, own_type, referenced) = unsafe {
            let extent = (clang.extent)(cursor);
            (
                (clang.location)(cursor),
                ((clang.range_start)(extent), (clang.range_end)(extent)),
                (clang.cursor_type)(cursor),
                (clang.referenced)(cursor),
            )
        };
        // SAFETY: the location was returned just now.
        if self.parent.is_none() && unsafe { (clang.in_system_header)(location) } != 0 {
            return;
        }
        let start = clang.place(clang.expansion, extent.0);
        let end = clang.place(clang.expansion, extent.1);
        let (Some((file, start)), Some((end_file, end))) = (start, end) else { return };
        if file != end_file {
            return;
        }
        let spelled = clang.place(clang.spelling_location, extent.0);
        let at = clang.place(clang.expansion, location).map_or(start, |(_, offset)| offset);
        let kind = self
            .kinds
            .entry(cursor.kind)
            // SAFETY: any number may be asked for.
            .or_insert_with(|| clang.text(unsafe { (clang.kind_name)(cursor.kind) }))
            .clone();
        // SAFETY: cursors and types belong to the unit that is being visited; null cursors have empty names.
        let (name, type_name, canonical, refers) = unsafe {
            (
                clang.text((clang.name)(cursor)),
                clang.text((clang.type_name)(own_type)),
                clang.text((clang.type_name)((clang.canonical)(own_type))),
                clang.text((clang.usr)(referenced)),
            )
        };
        let in_macro = spelled.as_ref().is_none_or(|(name, offset)| *name != file || *offset != start);
        let file: FileId = self.tree.file(&file);
        let (parent, children) = (self.parent, Vec::new());
        let id = self.tree.push(Node {
            kind,
            file,
            start,
            end,
            at,
            name,
            type_name,
            canonical,
            refers,
            in_macro,
            parent,
            children,
        });
        self.parent = Some(id);
        // SAFETY: the callback gets this walk alone, and it is not used until the call returns.
        unsafe { (clang.visit_children)(cursor, visit, (&raw mut *self).cast()) };
        self.parent = parent;
    }
}
