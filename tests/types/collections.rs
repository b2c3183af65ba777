// SPDX-License-Identifier: MIT
// Rust collections, shared ownership, trait objects, closures and threads. Usage: collections TRUTH
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

#[path = "truth.rs"]
mod truth;
use truth::{Random, Truth};

// ---- a hash map of structures, and one of vectors ----
struct Session {
    user: String,
    hits: u64,
    bytes: [u32; 4],
    last: Option<u32>,
}

#[derive(Clone, Copy)]
struct Event {
    at: u64,
    kind: u16,
    weight: f32,
}

#[inline(never)]
fn hashed(truth: &mut Truth) -> i64 {
    let mut random = Random(41);
    let mut sessions: HashMap<u32, Session> = HashMap::new();
    let mut events: HashMap<u32, Vec<Event>> = HashMap::with_capacity(64);
    for i in 0..200u32 {
        sessions.insert(i * 7, Session { user: format!("user {}", i), hits: 0, bytes: [0; 4], last: None });
    }
    for i in 0..40u32 {
        let list: Vec<Event> = (0..50).map(|k| Event { at: k, kind: (k % 5) as u16, weight: 0.5 }).collect();
        truth.note(&list, "Event");
        events.insert(i, list);
    }
    for session in sessions.values() {
        truth.one(session, "Session");
    }
    for round in 0..24000u32 {
        let key = random.below(200) as u32 * 7;
        if let Some(session) = sessions.get_mut(&key) {
            session.hits += 1;
            session.bytes[(round & 3) as usize] += key;
            session.last = Some(session.last.map_or(round, |last| last.max(round)));
        }
    }
    for round in 0..40 {
        for list in events.values_mut() {
            for event in list.iter_mut().filter(|e| e.kind != 3) {
                event.at += round;
                event.weight *= 1.01;
            }
        }
    }
    let hits: u64 = sessions.values().map(|s| s.hits + s.user.len() as u64).sum();
    let sum: f32 = events.values().flat_map(|list| list.iter()).map(|e| e.weight).sum();
    hits as i64 + sum as i64
}

// ---- a sorted map ----
struct Order {
    price: u64,
    quantity: u32,
    flags: u8,
    next: Option<u64>,
}

#[inline(never)]
fn sorted(truth: &mut Truth) -> i64 {
    let mut random = Random(17);
    let mut orders: BTreeMap<u64, Order> = BTreeMap::new();
    for i in 0..600 {
        let key = random.below(1 << 20);
        orders.insert(key, Order { price: 100 + i, quantity: i as u32 & 7, flags: 0, next: None });
    }
    for order in orders.values() {
        truth.one(order, "Order");
    }
    let mut sum = 0;
    for _ in 0..600 {
        let from = random.below(1 << 20);
        for (key, order) in orders.range_mut(from..).take(20) {
            order.quantity += 1;
            order.flags ^= 1;
            order.next = Some(*key);
            sum += order.price;
        }
    }
    sum as i64 + orders.values().filter_map(|o| o.next).count() as i64
}

// ---- a tree of shared nodes ----
struct Node {
    name: u64,
    visits: Cell<u32>,
    parent: RefCell<Weak<Node>>,
    children: RefCell<Vec<Rc<Node>>>,
    data: RefCell<Payload>,
}

struct Payload {
    total: i64,
    recent: [i16; 6],
}

fn grow(truth: &mut Truth, random: &mut Random, depth: u32) -> Rc<Node> {
    let node = Rc::new(Node {
        name: random.below(1000),
        visits: Cell::new(0),
        parent: RefCell::new(Weak::new()),
        children: RefCell::new(Vec::new()),
        data: RefCell::new(Payload { total: 0, recent: [0; 6] }),
    });
    truth.one(&*node, "Node");
    for _ in 0..if depth == 0 { 0 } else { 3 } {
        let child = grow(truth, random, depth - 1);
        *child.parent.borrow_mut() = Rc::downgrade(&node);
        node.children.borrow_mut().push(child);
    }
    node
}

fn visit(node: &Rc<Node>, round: i64) -> i64 {
    node.visits.set(node.visits.get() + 1);
    {
        let mut data = node.data.borrow_mut();
        data.total += round;
        data.recent[(round % 6) as usize] += 1;
    }
    let up = node.parent.borrow().upgrade().map_or(0, |parent| parent.name as i64);
    up + node.children.borrow().iter().map(|child| visit(child, round)).sum::<i64>()
}

#[inline(never)]
fn trees(truth: &mut Truth) -> i64 {
    let root = grow(truth, &mut Random(3), 5);
    let mut sum = 0;
    for round in 0..60 {
        sum += visit(&root, round);
    }
    let data = root.data.borrow();
    sum + data.total + data.recent[1] as i64
}

// ---- trait objects ----
trait Shape {
    fn area(&self) -> f64;
    fn grow(&mut self, by: f64);
}

struct Circle {
    label: u32,
    radius: f64,
}

struct Polygon {
    corners: Vec<(f64, f64)>,
    scale: f64,
    changes: u64,
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        self.radius * self.radius * 3.0
    }
    fn grow(&mut self, by: f64) {
        self.radius += by;
        self.label += 1;
    }
}

impl Shape for Polygon {
    fn area(&self) -> f64 {
        self.corners.windows(2).map(|w| w[0].0 * w[1].1 - w[1].0 * w[0].1).sum::<f64>() * self.scale
    }
    fn grow(&mut self, by: f64) {
        for (x, y) in &mut self.corners {
            *x += by;
            *y -= by;
        }
        self.changes += 1;
    }
}

#[inline(never)]
fn objects(truth: &mut Truth) -> i64 {
    let mut shapes: Vec<Box<dyn Shape>> = Vec::new();
    for i in 0..300u32 {
        if i % 4 == 0 {
            let polygon = Box::new(Polygon { corners: vec![(1.0, 2.0); 8], scale: 0.5, changes: 0 });
            truth.one(&*polygon, "Polygon");
            truth.note(&polygon.corners, "(f64, f64)");
            shapes.push(polygon);
        } else {
            let circle = Box::new(Circle { label: i, radius: 1.0 });
            truth.one(&*circle, "Circle");
            shapes.push(circle);
        }
    }
    let mut sum = 0.0;
    for _ in 0..60 {
        shapes.iter_mut().for_each(|shape| shape.grow(0.25));
        sum += shapes.iter().map(|shape| shape.area()).fold(0.0, |a, b| a + b);
    }
    sum as i64
}

// ---- queues, heaps, sorting, and references to references ----
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Task {
    urgency: u32,
    serial: u64,
    state: State,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Waiting,
    Running { since: u64, slot: u8 },
    Failed(Box<u64>),
}

fn step(task: &mut Task, round: u64) -> u64 {
    let next = match &mut task.state {
        State::Waiting => State::Running { since: round, slot: (round & 7) as u8 },
        State::Running { since, slot } if *since + *slot as u64 > round => State::Waiting,
        State::Running { since, .. } => State::Failed(Box::new(*since)),
        State::Failed(count) => {
            **count += 1;
            return **count;
        }
    };
    task.state = next;
    task.serial
}

#[inline(never)]
fn queues(truth: &mut Truth) -> i64 {
    let mut random = Random(5);
    let mut tasks: Vec<Task> =
        (0..400).map(|i| Task { urgency: random.below(90) as u32, serial: i, state: State::Waiting }).collect();
    truth.note(&tasks, "Task");
    let mut queue: VecDeque<u32> = VecDeque::with_capacity(512);
    let mut sum = 0u64;
    for round in 0..40 {
        for task in tasks.iter_mut() {
            sum = sum.wrapping_add(step(task, round));
            if task.urgency > 40 {
                queue.push_back(task.urgency);
            }
        }
        while let Some(urgency) = queue.pop_front() {
            sum += urgency as u64;
        }
        tasks.sort_by(|a, b| (a.urgency ^ round as u32).cmp(&(b.urgency ^ round as u32)));
    }
    let mut order: Vec<&Task> = tasks.iter().filter(|task| task.urgency % 2 == 0).collect();
    for _ in 0..20 {
        order.sort_by_key(|task| std::cmp::Reverse(task.serial));
        order.sort_by(|a, b| a.urgency.cmp(&b.urgency));
    }
    let mut heap: BinaryHeap<Task> = tasks.iter().cloned().collect();
    while let Some(task) = heap.pop() {
        sum += task.serial;
    }
    sum as i64 + order.len() as i64
}

// ---- threads ----
struct Ledger {
    balance: i64,
    entries: Vec<Entry>,
    counts: [u32; 8],
}

struct Entry {
    amount: i32,
    thread: u16,
}

struct Statistics {
    reads: AtomicU64,
    writes: AtomicU64,
}

struct Settings {
    limit: i64,
    factor: i32,
}

#[inline(never)]
fn work(ledger: &Mutex<Ledger>, statistics: &Statistics, settings: &RwLock<Settings>, thread: u16) -> i64 {
    let mut sum = 0;
    for round in 0..1500 {
        let (limit, factor) = {
            let settings = settings.read().unwrap();
            (settings.limit, settings.factor)
        };
        let mut ledger = ledger.lock().unwrap();
        let at = round as usize % ledger.entries.len();
        let entry = &mut ledger.entries[at];
        entry.amount += factor;
        entry.thread = thread;
        let amount = entry.amount as i64;
        ledger.balance = (ledger.balance + amount) % limit;
        ledger.counts[(thread & 7) as usize] += 1;
        sum += ledger.balance;
        statistics.writes.fetch_add(1, Ordering::Relaxed);
        sum += statistics.reads.load(Ordering::Relaxed) as i64;
    }
    statistics.reads.fetch_add(sum as u64 & 1, Ordering::Relaxed);
    sum
}

#[inline(never)]
fn threads(truth: &mut Truth) -> i64 {
    let entries: Vec<Entry> = (0..64).map(|i| Entry { amount: i, thread: 0 }).collect();
    truth.note(&entries, "Entry");
    let ledger = Arc::new(Mutex::new(Ledger { balance: 0, entries, counts: [0; 8] }));
    let statistics = Arc::new(Statistics { reads: AtomicU64::new(0), writes: AtomicU64::new(0) });
    let settings = Arc::new(RwLock::new(Settings { limit: 100_003, factor: 3 }));
    truth.one(&*ledger.lock().unwrap(), "Ledger");
    truth.one(&*statistics, "Statistics");
    truth.one(&*settings.read().unwrap(), "Settings");
    let workers: Vec<_> = (0..3u16)
        .map(|thread| {
            let (ledger, statistics, settings) = (ledger.clone(), statistics.clone(), settings.clone());
            std::thread::spawn(move || work(&ledger, &statistics, &settings, thread))
        })
        .collect();
    workers.into_iter().map(|worker| worker.join().unwrap()).fold(0, i64::wrapping_add)
}

fn main() {
    let mut truth = Truth::new();
    let mut result = 0i64;
    for part in [hashed, sorted, trees, objects, queues, threads] {
        result = result.wrapping_add(truth.during(part));
    }
    println!("{}", result);
    truth.write().expect("cannot write the truth");
}
