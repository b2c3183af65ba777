// SPDX-License-Identifier: MIT
// C++ classes: base and derived classes, templates, pools, arenas and nested types.
// Usage: classes TRUTH
#include "truth.h"

#include <array>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

static volatile long result;

// ---- derived classes behind a pointer to the base class ----
class Shape {
public:
	explicit Shape(int owner) : owner_(owner) {}
	virtual ~Shape() = default;
	virtual double area() const = 0;
	void grow(double by)
	{
		scale_ += by;
		changes_++;
	}

protected:
	double scale_ = 1;
	int owner_;
	unsigned changes_ = 0;
};

class Circle : public Shape {
public:
	Circle(int owner, double radius) : Shape(owner), radius_(radius) {}
	double area() const override { return 3.14159 * radius_ * radius_ * scale_; }

private:
	double radius_;
};

struct Label {
	char text[20];
	int color;
};

class Rectangle : public Shape, public Label {
public:
  Rectangle(int owner, double width, double height)
      : Shape(owner), Label{{}, owner}, width_(width), height_(height)
  {
  }
	double area() const override
	{
		return width_ * height_ * scale_ + color;
	}
	Label *label() { return this; }

private:
	double width_, height_;
};

__attribute__((noinline)) static void paint(Label *label, int round)
{
	label->text[round % 20]++;
	label->color ^= round;
}

__attribute__((noinline)) static void shapes()
{
	auto **all = new Shape *[600];
	auto **labels = new Label *[300];
	double sum = 0;

	TRUTH(all, 600, Shape *);
	TRUTH(labels, 300, Label *);
	for (int i = 0; i < 600; i++)
		if (i & 1) {
			auto *rectangle = new Rectangle(i, 1 + i, 2);
			TRUTH(rectangle, 1, Rectangle);
			labels[i / 2] = rectangle->label();
			all[i] = rectangle;
		} else {
			all[i] = new Circle(i, i);
			TRUTH(all[i], 1, Circle);
		}
	for (int round = 0; round < 500; round++) {
		for (int i = 0; i < 600; i++) {
			all[i]->grow(0.001);
			sum += all[i]->area();
		}
		for (int i = 0; i < 300; i++)
			paint(labels[i], round);
	}
	result += static_cast<long>(sum);
}

// ---- a class template with a nested type ----
template <class T> class Tree {
public:
	struct Node {
		Node *left = nullptr, *right = nullptr;
		T key;
		unsigned count = 1;
		explicit Node(T k) : key(k) {}
	};

	explicit Tree(const char *node_name) : node_name_(node_name) {}

	void insert(T key)
	{
		Node **at = &root_;

		while (*at) {
			if ((*at)->key == key) {
				(*at)->count++;
				return;
			}
			at = key < (*at)->key ? &(*at)->left : &(*at)->right;
		}
		*at = new Node(key);
		truth(*at, sizeof(Node), node_name_);
		size_++;
	}
	T sum() const { return sum(root_); }

private:
	static T sum(const Node *node)
	{
		return node ? node->key * static_cast<T>(node->count) + sum(node->left) +
		                       sum(node->right)
		            : T();
	}

	Node *root_ = nullptr;
	unsigned long size_ = 0;
	const char *node_name_;
};

__attribute__((noinline)) static void trees()
{
	static Tree<int> whole("Tree<int>::Node");
	auto *real = new Tree<double>("Tree<double>::Node");

	TRUTH(&whole, 1, Tree<int>);
	TRUTH(real, 1, Tree<double>);
	for (int i = 0; i < 30000; i++) {
		whole.insert(static_cast<int>(draw(1000)));
		real->insert(draw(700) * 0.5);
	}
	for (int round = 0; round < 200; round++)
		result += whole.sum() + static_cast<long>(real->sum());
}

// ---- a join with its own hash table; another nested type of the name Node ----
class HashJoin {
	struct Node {
		Node *next;
		long key;
		int left, right;
	};

public:
	struct Row {
		long key;
		short columns[6];
		int next;
	};

	HashJoin()
	{
		TRUTH(buckets_.data(), buckets_.size(), HashJoin::Node *);
	}
	void build(const Row *rows, int count)
	{
		nodes_ = new Node[static_cast<unsigned>(count)];
		TRUTH(nodes_, static_cast<unsigned>(count), HashJoin::Node);
		for (int i = 0; i < count; i++) {
			Node *&bucket =
			        buckets_[static_cast<unsigned long>(rows[i].key) % buckets_.size()];
			nodes_[i] = {bucket, rows[i].key, i, -1};
			bucket = &nodes_[i];
		}
	}
	long probe(const Row *rows, int count)
	{
		long found = 0;

		for (int i = 0; i < count; i++)
			for (Node *node = buckets_[static_cast<unsigned long>(rows[i].key) %
			                           buckets_.size()];
			     node; node = node->next)
				if (node->key == rows[i].key) {
					node->right = i;
					found += rows[i].columns[2] + rows[node->left].columns[5];
				}
		return found;
	}

private:
	std::array<Node *, 512> buckets_{};
	Node *nodes_ = nullptr;
};

__attribute__((noinline)) static void joins()
{
	auto join = std::make_unique<HashJoin>();
	auto *rows = new HashJoin::Row[2000];

	TRUTH(rows, 2000, HashJoin::Row);
	for (int i = 0; i < 2000; i++)
		rows[i] = {
		        static_cast<long>(draw(1500)), {1, 2, 3, 4, 5, static_cast<short>(i)}, i};
	join->build(rows, 2000);
	for (int round = 0; round < 150; round++)
		result += join->probe(rows, 2000);
	delete[] rows;
}

// ---- a class with its own pool ----
namespace
{
class Message {
public:
	static void *operator new(size_t size);
	static void operator delete(void *memory);
	Message(int from, int to) : from_(from), to_(to), hops_(0), urgent_(0) {}
	void hop()
	{
		hops_++;
		cost_ += from_ ^ to_;
		urgent_ = hops_ & 1;
	}
	long cost() const { return cost_; }

private:
	long cost_ = 0;
	int from_, to_;
	unsigned hops_ : 12, urgent_ : 1;
	Message *next_ = nullptr;
	static Message *free_;
	static long taken_;
};

Message *Message::free_;
long Message::taken_;

void *Message::operator new(size_t size)
{
	if (!free_) {
		auto *block = static_cast<char *>(::operator new(128 * size));

		TRUTH(block, 128, Message);
		for (int i = 0; i < 128; i++) {
			auto *message = reinterpret_cast<Message *>(
			        block + static_cast<unsigned long>(i) * size);
			message->next_ = free_;
			free_ = message;
		}
	}
	Message *message = free_;
	free_ = message->next_;
	taken_++;
	return message;
}

void Message::operator delete(void *memory)
{
	auto *message = static_cast<Message *>(memory);

	message->next_ = free_;
	free_ = message;
}
} // namespace

__attribute__((noinline)) static void messages()
{
	std::array<Message *, 256> under_way{};

	TRUTH(under_way.data(), 256, Message *);
	for (unsigned i = 0; i < 200000; i++) {
		Message *&slot = under_way[draw(256)];

		if (slot && draw(4) == 0) {
			result += slot->cost();
			delete slot;
			slot = nullptr;
		} else if (slot) {
			slot->hop();
		} else {
			slot = new Message(static_cast<int>(i), 3);
		}
	}
}

// ---- objects that are constructed in the memory of an arena ----
class Arena {
public:
	Arena() : begin_(static_cast<unsigned char *>(::operator new(1 << 20))), at_(begin_) {}
	template <class T, class... Arguments> T *make(const char *name, Arguments &&...arguments)
	{
		at_ += -reinterpret_cast<uintptr_t>(at_) & (alignof(T) - 1);
		T *made = new (at_) T{std::forward<Arguments>(arguments)...};
		truth(made, sizeof(T), name);
		at_ += sizeof(T);
		return made;
	}

private:
	unsigned char *begin_, *at_;
};

enum class Kind : unsigned char { constant, sum, product };

struct Term {
	Kind kind;
	bool known;
	double value;
	const Term *left = nullptr, *right = nullptr;
};

struct Scope {
	Scope *outer;
	const Term *terms[8] = {};
	int used = 0;
};

static double evaluate(const Term *term)
{
	switch (term->kind) {
	case Kind::constant:
		return term->value;
	case Kind::sum:
		return evaluate(term->left) + evaluate(term->right);
	default:
		return evaluate(term->left) * evaluate(term->right);
	}
}

__attribute__((noinline)) static void arenas()
{
	Arena arena;
	Scope *scope = nullptr;

	TRUTH(&arena, 1, Arena);
	for (int i = 0; i < 200; i++) {
		scope = arena.make<Scope>("Scope", scope);
		for (int k = 0; k < 8; k++) {
			bool leaf = i < 2 || k < 4;
			const Scope *outer = scope->outer;
			scope->terms[k] =
			        leaf ? arena.make<Term>("Term", Kind::constant, true, 0.5 + k)
			             : arena.make<Term>("Term", k & 1 ? Kind::sum : Kind::product,
			                                false, 0.0, outer->terms[draw(4)],
			                                outer->terms[draw(4)]);
			scope->used++;
		}
	}
	for (int round = 0; round < 150; round++)
		for (Scope *at = scope; at; at = at->outer) {
			double sum = 0;

			for (int k = 0; k < at->used; k++)
				sum += evaluate(at->terms[k]);
			result += static_cast<long>(sum);
		}
}

// ---- objects on the stack, of static classes and of a virtual base class ----
struct Point {
	double x, y;
	Point operator+(const Point &other) const { return {x + other.x, y + other.y}; }
};

struct Path {
	std::array<Point, 32> points;
	int length = 32;
	void turn(const Point &by)
	{
		for (int i = 0; i < length; i++) {
			Point &p = points[static_cast<unsigned>(i)];
			p = Point{p.x * by.x - p.y * by.y, p.x * by.y + p.y * by.x} +
			    Point{0.001, 0};
		}
	}
};

struct Clock {
	virtual ~Clock() = default;
	long ticks = 0;
	long started = 7;
};

struct Timer : virtual Clock {
	long period = 3;
};

struct Alarm : virtual Clock {
	int volume = 1;
};

struct AlarmTimer : Timer, Alarm {
	short rings = 0;
	__attribute__((noinline)) void tick(int round)
	{
		ticks += period;
		if (round % 3 == 0)
			rings = static_cast<short>(rings + volume);
	}
};

struct Registry {
	static Registry all;
	thread_local static Registry mine;
	long calls, slots[14];
	__attribute__((noinline)) void note(int round)
	{
		calls++;
		slots[round % 14] += calls;
	}
};

Registry Registry::all;
thread_local Registry Registry::mine;

__attribute__((noinline)) static void places()
{
	Path path;
	auto *timer = new AlarmTimer;
	Registry *mine = &Registry::mine;

	TRUTH(&path, 1, Path);
	TRUTH(timer, 1, AlarmTimer);
	TRUTH(static_cast<Clock *>(timer), 1, Clock);
	TRUTH(&Registry::all, 1, Registry);
	TRUTH(mine, 1, Registry);
	for (unsigned i = 0; i < 32; i++)
		path.points[i] = {1.0 * i, 1};
	const Point by{std::cos(0.1), std::sin(0.1)};
	for (int round = 0; round < 3000; round++) {
		path.turn(by);
		timer->tick(round);
		Registry::all.note(round);
		Registry::mine.note(round);
	}
	for (int round = 0; round < 120000; round++) {
		timer->tick(round);
		Registry::all.note(round);
		Registry::mine.note(round);
	}
	result += static_cast<long>(path.points[3].x) + timer->rings + mine->slots[3];
}

int main(int argc, char **argv)
{
	for (auto part : {shapes, trees, joins, messages, arenas, places})
		truth_during(part);
	return truth_write(argc > 1 ? argv[1] : nullptr);
}
