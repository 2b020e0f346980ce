//! Spools as a recorder would leave them, made by hand so that each part can be damaged.

use run::{CallPlace, Place, Tables};
use wire::{PAGE, Tag, chunk, end, ended, note, state, varint};

const HEADER: usize = size_of::<wire::ChunkHeader>();

pub fn tables() -> Tables {
    Tables {
        identity: "000102030405060708090a0b0c0d0e0f".to_owned(),
        functions: ["main", "transfer", "audit"].map(str::to_owned).into(),
        inputs: vec!["read".to_owned()],
        places: vec![CallPlace { function: "compress".to_owned(), at: Place { file: "bank.c".to_owned(), line: 58 } }],
    }
}

#[derive(Clone)]
pub struct SpoolBytes {
    pub version: u32,
    pub identity: [u8; 16],
    pub stopped: u32,
    /// The number of bytes that are counted but missing in the file.
    pub missing: u64,
    /// Kind, code, thread, line.
    pub end: [u32; 4],
    pub address: u64,
    pub file: String,
    pub condition: String,
    pub chunks: Vec<Chunk>,
}

#[derive(Clone)]
pub struct Chunk {
    pub magic: u32,
    pub kind: u32,
    pub thread: u32,
    pub piece: u32,
    pub pages: usize,
    /// The size in the header, if it differs from the real one.
    pub bytes: Option<u64>,
    pub state: u64,
    pub content: Vec<u8>,
}

impl SpoolBytes {
    pub fn set_end(&mut self, kind: u32, code: u32, thread: u32, address: u64) {
        self.end = [kind, code, thread, 0];
        self.address = address;
        self.file.clear();
        self.condition.clear();
    }

    pub fn bytes(&self) -> Vec<u8> {
        let pages: usize = self.chunks.iter().map(|chunk| chunk.pages).sum();
        let allocated = (PAGE * (1 + pages)) as u64 + self.missing;
        let mut bytes = wire::MAGIC.to_vec();
        bytes.extend(self.version.to_le_bytes());
        bytes.extend(0_u32.to_le_bytes());
        bytes.extend(self.identity);
        bytes.extend(77_u32.to_le_bytes());
        bytes.extend(self.stopped.to_le_bytes());
        bytes.extend(allocated.to_le_bytes());
        bytes.extend(0x5555_0000_0000_u64.to_le_bytes());
        self.end.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend(self.address.to_le_bytes());
        for text in [&self.file, &self.condition] {
            let mut field = text.clone().into_bytes();
            field.resize(1024, 0);
            bytes.extend(field);
        }
        assert_eq!(bytes.len(), size_of::<wire::Header>());
        bytes.resize(PAGE, 0);
        for chunk in &self.chunks {
            let start = bytes.len();
            for number in [chunk.magic, chunk.kind, chunk.thread, chunk.piece] {
                bytes.extend(number.to_le_bytes());
            }
            let size = chunk.bytes.unwrap_or((chunk.pages * PAGE) as u64);
            bytes.extend(if chunk.magic == 0 { 0 } else { size }.to_le_bytes());
            bytes.extend(chunk.state.to_le_bytes());
            bytes.extend(&chunk.content[..chunk.content.len().min(chunk.pages * PAGE - HEADER)]);
            bytes.resize(start + chunk.pages * PAGE, 0);
        }
        bytes
    }
}

pub fn bits_chunk(thread: u32, piece: u32, words: &[u64], pages: usize) -> Chunk {
    let content = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let state = state::ORIGINAL;
    Chunk { magic: wire::CHUNK, kind: chunk::BITS, thread, piece, pages, bytes: None, state, content }
}

#[derive(Default)]
pub struct RecordBytes {
    pub bytes: Vec<u8>,
    /// The offset of each record.
    pub starts: Vec<usize>,
}

impl RecordBytes {
    pub fn put(&mut self, tag: Tag, numbers: &[u64]) {
        self.starts.push(self.bytes.len());
        self.bytes.push(tag as u8);
        numbers.iter().for_each(|number| self.number(*number));
    }

    pub fn birth(&mut self, parent: u64, number: u64, start: u64) {
        self.put(Tag::Birth, &[parent, number, start]);
    }

    fn number(&mut self, number: u64) {
        let mut room = [0; varint::LONGEST];
        let length = varint::write(number, &mut room).expect("there is room");
        self.bytes.extend(&room[..length]);
    }

    fn buffer(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend(bytes);
    }
}

pub fn records_chunk(thread: u32, piece: u32, fill: impl FnOnce(&mut RecordBytes)) -> Chunk {
    let mut records = RecordBytes::default();
    fill(&mut records);
    Chunk { kind: chunk::RECORDS, content: records.bytes, ..bits_chunk(thread, piece, &[], 1) }
}

fn main_records(records: &mut RecordBytes) {
    records.birth(0, 0, 0);
    records.put(Tag::Callee, &[0x20]);
    records.put(Tag::Input, &[0, varint::zigzag(3), 2]);
    records.buffer(b"abc");
    records.buffer(b"");
    records.put(Tag::Note, &[note::FORK, 4711]);
    records.put(Tag::Sequence, &[5]);
    records.put(Tag::Callee, &[0x99]);
    records.put(Tag::Unknown, &[0, varint::zigzag(-2)]);
    records.put(Tag::Sequence, &[2]);
    records.put(Tag::Note, &[note::LIBRARY, 0]);
}

/// The records of the first thread of [`bank`] after each store that writes them.
pub fn stores_of_main() -> Vec<Vec<u8>> {
    let mut records = RecordBytes::default();
    main_records(&mut records);
    let mut states = Vec::new();
    for (at, &start) in records.starts.iter().enumerate() {
        let end = records.starts.get(at + 1).copied().unwrap_or(records.bytes.len());
        for written in start + 1..=end {
            let mut state = records.bytes[..written].to_vec();
            state[start] = 0;
            states.push(state);
        }
        states.push(records.bytes[..end].to_vec());
    }
    states
}

/// Three threads and a failed assertion in the first one.
pub fn bank() -> SpoolBytes {
    let functions = [0x10_u32, 0x20, 0x40].iter().flat_map(|address| address.to_le_bytes()).collect();
    let functions = Chunk { kind: chunk::FUNCTIONS, content: functions, ..bits_chunk(0, 0, &[], 1) };
    let main = records_chunk(0, 0, main_records);
    let transfer = records_chunk(1, 0, |records| {
        records.birth(0, 1, 0x20);
        records.put(Tag::End, &[ended::RETURNED]);
    });
    let audit = records_chunk(2, 0, |records| records.birth(1, 2, 0x40));
    SpoolBytes {
        version: wire::VERSION,
        identity: std::array::from_fn(|at| at as u8),
        stopped: wire::stopped::NOT,
        missing: 0,
        end: [end::ASSERTION, 0, 0, 61],
        address: 0,
        file: "bank.c".to_owned(),
        condition: "total == sum".to_owned(),
        chunks: vec![
            functions,
            bits_chunk(0, 0, &[0b1_1101, 1, 0b1_001], 1),
            main,
            bits_chunk(1, 0, &[0b1_101], 1),
            transfer,
            audit,
        ],
    }
}
