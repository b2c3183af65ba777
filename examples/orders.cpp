// SPDX-License-Identifier: MIT
//
// A day at a small exchange. The answers are correct, but computing them is slow for three reasons.
// docs/tutorial/first-profile.md finds the reasons with spemu. With -DFIXED the program lacks them
// and prints the same answers.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

enum Side : uint32_t { BUY, SELL };

struct Order {
	uint64_t number;
	uint32_t price;
	Side side;
	Order *next; // the one with the next higher price
	char customer[40];
	uint32_t quantity;
	char remark[60];
};
static_assert(sizeof(Order) == 128, "two cache lines");

constexpr uint32_t ORDERS = 270000;
constexpr uint32_t MINUTES = 3072, CUSTOMERS = 128;
constexpr unsigned QUESTIONS = 2; // to the book
constexpr unsigned POSTINGS = 2;  // of what the ledger has to add

// Orders by price, the cheapest first.
#ifdef FIXED
// The data that the walk reads, in the order of the walk.
class Book
{
	struct Level {
		uint32_t price, quantity;
	};
	std::vector<Level> levels;

      public:
	explicit Book(std::vector<Order> &orders) : levels(orders.size())
	{
		for (const Order &order : orders)
			levels[order.price] = {order.price, order.quantity};
	}

	[[gnu::noinline, gnu::noclone]] uint64_t affordable(uint64_t money) const
	{
		uint64_t n = 0;

		for (const Level &level : levels) {
			uint64_t cost = uint64_t{level.price} * level.quantity;

			if (cost > money)
				break;
			money -= cost;
			n++;
		}
		return n;
	}
};
#else
// A list through the orders: the next one may be anywhere in memory.
class Book
{
	Order *cheapest;

      public:
	explicit Book(std::vector<Order> &orders)
	{
		std::vector<Order *> by_price(orders.size() + 1);

		for (Order &order : orders)
			by_price[order.price] = &order;
		for (Order &order : orders)
			order.next = by_price[order.price + 1];
		cheapest = by_price[0];
	}

	[[gnu::noinline, gnu::noclone]] uint64_t affordable(uint64_t money) const
	{
		uint64_t n = 0;

		for (const Order *order = cheapest; order; order = order->next) {
			uint64_t cost = uint64_t{order->price} * order->quantity;

			if (cost > money)
				break;
			money -= cost;
			n++;
		}
		return n;
	}
};
#endif

// Quantities bought and sold. An entry is a quantity and, in its lowest bit, the side.
struct Ledger {
	uint64_t amount[2] = {};

	[[gnu::noinline, gnu::noclone]] void post(const std::vector<uint32_t> &day)
	{
		for (uint32_t entry : day) {
#ifdef FIXED
			amount[entry & 1] += entry >> 1;
#else
			if ((entry & 1) == BUY)
				amount[BUY] += entry >> 1;
			else
				amount[SELL] += entry >> 1;
#endif
		}
	}
};

// Quantities that each customer bought and sold, one row per minute.
class Volume
{
	struct Traded {
		uint64_t bought, sold;
	};
	std::vector<Traded> cells;

      public:
	Volume() : cells(MINUTES * CUSTOMERS)
	{
		for (size_t i = 0; i < cells.size(); i++)
			cells[i].bought = i & 7;
	}

	[[gnu::noinline, gnu::noclone]] std::vector<uint64_t> by_customer() const
	{
		std::vector<uint64_t> totals(CUSTOMERS);

#ifdef FIXED
		for (uint32_t minute = 0; minute < MINUTES; minute++)
			for (uint32_t customer = 0; customer < CUSTOMERS; customer++)
				totals[customer] += cells[minute * CUSTOMERS + customer].bought;
#else
		for (uint32_t customer = 0; customer < CUSTOMERS; customer++)
			for (uint32_t minute = 0; minute < MINUTES; minute++)
				totals[customer] += cells[minute * CUSTOMERS + customer].bought;
#endif
		return totals;
	}
};

static uint64_t random_next()
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

// Orders in the order of their arrival. The prices are all those from 0 on, shuffled.
static std::vector<Order> arrive()
{
	std::vector<Order> orders(ORDERS);

	for (uint32_t i = 0; i < ORDERS; i++) {
		uint64_t random = random_next();
		uint32_t other = static_cast<uint32_t>(random >> 32) % (i + 1);

		orders[i].price = orders[other].price;
		orders[other].price = i;
		orders[i].number = i;
		orders[i].side = random & 1 ? SELL : BUY;
		orders[i].quantity = 1 + (random >> 1 & 127);
	}
	return orders;
}

static std::vector<uint32_t> entries(const std::vector<Order> &orders)
{
	std::vector<uint32_t> day(orders.size());

	for (const Order &order : orders)
		day[order.number] = order.quantity << 1 | order.side;
	return day;
}

// The measured part: all data exist, and the three questions are asked.
[[gnu::noinline, gnu::noclone]] void
close_of_business(const Book &book, const std::vector<uint32_t> &day, const Volume &volume)
{
	Ledger ledger;
	uint64_t n = 0;

	for (unsigned i = 0; i < QUESTIONS; i++)
		n += book.affordable(UINT64_MAX);
	for (unsigned i = 0; i < POSTINGS; i++)
		ledger.post(day);
	printf("%ju orders, bought %ju, sold %ju, the last customer bought %ju\n",
	       static_cast<uintmax_t>(n), static_cast<uintmax_t>(ledger.amount[BUY]),
	       static_cast<uintmax_t>(ledger.amount[SELL]),
	       static_cast<uintmax_t>(volume.by_customer().back()));
}

int main()
{
	std::vector<Order> orders = arrive();
	std::vector<uint32_t> day = entries(orders);
	Volume volume;
	Book book(orders);

	std::clock_t begin = std::clock();
	close_of_business(book, day, volume);
	fprintf(stderr, "%.1f ms\n",
	        1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
	return 0;
}
