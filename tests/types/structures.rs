// SPDX-License-Identifier: MIT
// Rust structures, enums with data and collections. Usage: structures TRUTH
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

#[path = "truth.rs"]
mod truth;
use truth::{Random, Truth};

// ---- a vector of structures ----
#[derive(Clone, Default)]
struct Body {
    position: [f64; 3],
    speed: [f64; 3],
    mass: f32,
    alive: bool,
}

#[inline(never)]
fn vectors(truth: &mut Truth) -> i64 {
    let mut random = Random(77);
    let mut bodies = vec![Body::default(); 1000];
    truth.note(&bodies, "Body");
    for body in bodies.iter_mut() {
        body.mass = 1.0 + random.below(9) as f32;
        body.speed = [random.below(100) as f64, 1.0, 2.0];
        body.alive = random.below(8) > 0;
    }
    for _ in 0..250 {
        for body in bodies.iter_mut() {
            if !body.alive {
                continue;
            }
            for i in 0..3 {
                body.position[i] += body.speed[i] / body.mass as f64;
            }
        }
    }
    bodies.iter().map(|b| b.position[0] as i64).sum()
}

// ---- a list of boxes ----
struct Link {
    next: Option<Box<Link>>,
    value: i64,
    visits: u32,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Small,
    Large,
}

#[inline(never)]
fn boxes(truth: &mut Truth) -> i64 {
    let mut first: Option<Box<Link>> = None;
    for i in 0..1000 {
        let kind = if i % 3 == 0 { Kind::Small } else { Kind::Large };
        let link = Box::new(Link { next: first.take(), value: i, visits: 0, kind });
        truth.one(&*link, "Link");
        first = Some(link);
    }
    let mut sum = 0;
    for round in 0..400 {
        let mut at = &mut first;
        while let Some(link) = at {
            link.visits += 1;
            if link.kind == Kind::Small {
                link.value += round;
            }
            sum += link.value;
            at = &mut link.next;
        }
    }
    // Without recursion, which a long list would need to drop itself.
    while let Some(mut link) = first {
        first = link.next.take();
    }
    sum
}

// ---- enums with data, in a tree ----
enum Expression {
    Number(i64),
    Sum { left: Box<Expression>, right: Box<Expression> },
    Scaled(Box<Expression>, i32),
}

fn build(truth: &mut Truth, random: &mut Random, depth: u32) -> Box<Expression> {
    let made = Box::new(if depth == 0 {
        Expression::Number(random.below(100) as i64)
    } else if random.below(4) == 0 {
        Expression::Scaled(build(truth, random, depth - 1), 3)
    } else {
        Expression::Sum { left: build(truth, random, depth - 1), right: build(truth, random, depth - 1) }
    });
    truth.one(&*made, "Expression");
    made
}

fn evaluate(expression: &Expression) -> i64 {
    match expression {
        Expression::Number(n) => *n,
        Expression::Sum { left, right } => evaluate(left) + evaluate(right),
        Expression::Scaled(inner, by) => evaluate(inner) * *by as i64 % 1000003,
    }
}

#[inline(never)]
fn enums(truth: &mut Truth) -> i64 {
    let root = build(truth, &mut Random(99), 12);
    (0..150).map(|_| evaluate(&root)).fold(0, i64::wrapping_add)
}

// ---- maps ----
struct Account {
    balance: i64,
    transfers: u32,
    open: bool,
}

#[inline(never)]
fn maps(truth: &mut Truth) -> i64 {
    let mut random = Random(55);
    let mut accounts: HashMap<u64, Account> = HashMap::new();
    let mut sorted: BTreeMap<u32, Account> = BTreeMap::new();
    for i in 0..500 {
        accounts.insert(i, Account { balance: 100, transfers: 0, open: true });
        sorted.insert(random.below(5000) as u32, Account { balance: 10, transfers: 0, open: false });
    }
    for account in accounts.values() {
        truth.one(account, "Account");
    }
    for account in sorted.values() {
        truth.one(account, "Account");
    }
    for i in 0..40000 {
        if let Some(account) = accounts.get_mut(&random.below(500)) {
            account.balance += (i & 7) - 3;
            account.transfers += 1;
        }
    }
    for _ in 0..200 {
        for account in sorted.values_mut() {
            account.balance += account.transfers as i64;
            account.open = !account.open;
        }
    }
    accounts.values().filter(|a| a.open).map(|a| a.balance).sum::<i64>() + sorted.values().map(|a| a.balance).sum::<i64>()
}

// ---- generic structures, shared and in vectors ----
struct Grid<T> {
    cells: Vec<T>,
    width: usize,
    changes: u64,
}

impl<T: Copy + std::ops::AddAssign> Grid<T> {
    fn new(width: usize, value: T) -> Grid<T> {
        Grid { cells: vec![value; width * width], width, changes: 0 }
    }

    #[inline(never)]
    fn spread(&mut self) {
        for y in 1..self.width {
            for x in 1..self.width {
                let from = self.cells[(y - 1) * self.width + x - 1];
                self.cells[y * self.width + x] += from;
                self.changes += 1;
            }
        }
    }
}

struct Worker {
    name: String,
    done: u64,
    history: [u16; 8],
}

#[inline(never)]
fn shared(truth: &mut Truth) -> i64 {
    let mut single: Grid<f32> = Grid::new(64, 0.0);
    let mut double: Box<Grid<f64>> = Box::new(Grid::new(48, 0.5));
    let workers: Vec<Rc<RefCell<Worker>>> =
        (0..20).map(|i| Rc::new(RefCell::new(Worker { name: format!("worker {}", i), done: 0, history: [0; 8] }))).collect();
    truth.one(&single, "Grid<f32>");
    truth.one(&*double, "Grid<f64>");
    truth.note(&single.cells, "f32");
    truth.note(&double.cells, "f64");
    for worker in &workers {
        truth.one(&*worker.borrow(), "Worker");
    }
    single.cells[0] = 1.0;
    for round in 0..150 {
        single.spread();
        double.spread();
        for worker in &workers {
            let mut worker = worker.borrow_mut();
            for i in 0..40 {
                worker.done += i;
                worker.history[(round + i as usize) & 7] += 1;
            }
        }
    }
    let names: usize = workers.iter().map(|w| w.borrow().name.len() + w.borrow().history[3] as usize).sum();
    let done = workers[3].borrow().done;
    (single.changes + double.changes + done) as i64 + names as i64
}

// ---- a structure on the stack ----
struct Counters {
    words: u64,
    lengths: [u32; 32],
    longest: usize,
}

#[inline(never)]
fn count(counters: &mut Counters, text: &str) {
    for word in text.split(' ') {
        counters.words += 1;
        counters.lengths[word.len() & 31] += 1;
        if word.len() > counters.longest {
            counters.longest = word.len();
        }
    }
}

#[inline(never)]
fn stack(truth: &mut Truth) -> i64 {
    let mut counters = Counters { words: 0, lengths: [0; 32], longest: 0 };
    let text = "each sampled load and store has a type and a member ".repeat(20);
    truth.one(&counters, "Counters");
    for _ in 0..150 {
        count(&mut counters, &text);
    }
    counters.words as i64 + counters.longest as i64 + counters.lengths[4] as i64
}

fn main() {
    let mut truth = Truth::new();
    let mut result = 0i64;
    for part in [vectors, boxes, enums, maps, shared, stack] {
        result = result.wrapping_add(truth.during(part));
    }
    println!("{}", result);
    truth.write().expect("cannot write the truth");
}
