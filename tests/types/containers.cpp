// SPDX-License-Identifier: MIT
// Containers of the C++ standard library, whose nodes are the objects. Usage: containers TRUTH
#include "truth.h"

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

static volatile long result;

struct Particle {
	double position[3], speed[3];
	float mass;
	int cell;
};

struct Job {
	int priority, state;
	long runs;
};

struct Account {
	long balance;
	unsigned transfers;
	bool open;
};

struct Stats {
	unsigned count, longest;
	double total;
};

struct Event {
	unsigned long at;
	short kind, flags;
	int source;
};

struct Edge {
	int from, to;
	float weight;
};

struct Config {
	long limit;
	int step, used;
};

// Types of the library, under names that the truth can use. The variables keep the names in the
// debugging information.
using JobNode = std::_List_node<Job>;
using AccountNode = std::_Rb_tree_node<std::pair<const int, Account>>;
using StatsNode = std::__detail::_Hash_node<std::pair<const std::string, Stats>, true>;
using CountNode = std::__detail::_Hash_node<std::pair<const long, int>, false>;
using Row = std::vector<double>;
using StatsPointer = std::unique_ptr<Stats>;
JobNode *job_node;
AccountNode *account_node;
StatsNode *stats_node;
CountNode *count_node;
Row *row_of_grid;
StatsPointer *stats_pointer;

// Record the node that holds a value.
template <class Node, class Value> static void truth_node(const Value &value, const char *name)
{
	alignas(Node) static char room[sizeof(Node)];
	const char *inside =
	        reinterpret_cast<const char *>(reinterpret_cast<Node *>(room)->_M_valptr());

	truth(reinterpret_cast<const char *>(&value) - (inside - room), sizeof(Node), name);
}

__attribute__((noinline)) static void vectors()
{
	std::vector<Particle> particles(1000);
	std::vector<std::vector<double>> grid(32, std::vector<double>(64, 1.5));

	TRUTH(particles.data(), 1000, Particle);
	TRUTH(grid.data(), 32, Row);
	for (auto &row : grid)
		TRUTH(row.data(), 64, double);
	for (auto &p : particles) {
		p.mass = 1 + static_cast<float>(draw(10));
		for (int i = 0; i < 3; i++)
			p.speed[i] = draw(100) * 0.01;
	}
	for (int round = 0; round < 120; round++)
		for (auto &p : particles) {
			for (int i = 0; i < 3; i++)
				p.position[i] += p.speed[i] / p.mass;
			p.cell = static_cast<int>(p.position[0]) & 31;
			grid[static_cast<unsigned>(p.cell)][round & 63] += p.mass;
		}
	result += particles[5].cell + static_cast<long>(grid[0][0]);
}

__attribute__((noinline)) static void lists()
{
	std::list<Job> jobs;

	for (int i = 0; i < 500; i++) {
		jobs.push_back({i % 7, 0, 0});
		truth_node<JobNode>(jobs.back(), "JobNode");
	}
	for (int round = 0; round < 300; round++) {
		for (auto &job : jobs)
			if (job.priority != round % 7) {
				job.runs += job.priority;
				job.state = round;
			}
		jobs.splice(jobs.end(), jobs, jobs.begin());
	}
	result += jobs.front().runs;
}

__attribute__((noinline)) static void maps()
{
	std::map<int, Account> accounts;

	for (int i = 0; i < 1000; i++) {
		auto at = accounts.emplace(static_cast<int>(draw(100000)), Account{100, 0, true});
		if (at.second)
			truth_node<AccountNode>(*at.first, "AccountNode");
	}
	for (int i = 0; i < 30000; i++) {
		auto from = accounts.lower_bound(static_cast<int>(draw(90000))),
		     to = accounts.lower_bound(static_cast<int>(draw(90000)));
		if (from == accounts.end() || to == accounts.end())
			continue;
		from->second.balance -= i & 15;
		to->second.balance += i & 15;
		from->second.transfers++;
		to->second.open = from->second.balance > 0;
	}
	for (int round = 0; round < 30; round++)
		for (const auto &entry : accounts)
			result += entry.second.balance * entry.first;
}

__attribute__((noinline)) static void hashes()
{
	std::unordered_map<std::string, Stats> words;
	std::unordered_map<long, int> counts;

	for (int i = 0; i < 800; i++) {
		auto at = words.emplace("a word of the text " + std::to_string(i), Stats{});
		truth_node<StatsNode>(*at.first, "StatsNode");
		auto count = counts.emplace(i * 17, 0);
		truth_node<CountNode>(*count.first, "CountNode");
	}
	std::vector<std::string> keys;
	keys.reserve(800);
	for (auto &word : words) {
		TRUTH(word.first.c_str(), 24, char);
		keys.push_back(word.first);
	}
	TRUTH(keys.data(), keys.size(), std::string);
	for (int i = 0; i < 15000; i++) {
		Stats &stats = words.find(keys[draw(800)])->second;
		stats.count++;
		stats.total += i;
		stats.longest = std::max(stats.longest, static_cast<unsigned>(i & 255));
	}
	for (int i = 0; i < 100000; i++)
		counts.find(static_cast<long>(draw(800)) * 17)->second += i;
	for (int round = 0; round < 100; round++)
		for (auto &word : words)
			word.second.total *= 0.99 + word.second.count;
	result += static_cast<long>(words.begin()->second.total) + counts.begin()->second;
}

__attribute__((noinline)) static void queues()
{
	std::deque<Event> events;

	for (unsigned long i = 0; i < 3000; i++) {
		events.push_back({i, static_cast<short>(i % 5), 0, static_cast<int>(i)});
		TRUTH(&events.back(), 1, Event);
	}
	for (int round = 0; round < 60; round++)
		for (auto &event : events) {
			event.at += static_cast<unsigned long>(event.source);
			event.flags = static_cast<short>(event.flags | event.kind);
		}
	result += static_cast<long>(events[7].at);
}

__attribute__((noinline)) static void sorting()
{
	std::vector<Edge> edges(4000);
	std::vector<int> parent(1000);

	TRUTH(edges.data(), 4000, Edge);
	TRUTH(parent.data(), 1000, int);
	for (int round = 0; round < 6; round++) {
		for (auto &edge : edges)
			edge = {static_cast<int>(draw(1000)), static_cast<int>(draw(1000)),
			        static_cast<float>(draw(1u << 20))};
		for (int i = 0; i < 1000; i++)
			parent[static_cast<unsigned>(i)] = i;
		std::sort(edges.begin(), edges.end(),
		          [](const Edge &a, const Edge &b) { return a.weight < b.weight; });
		for (const auto &edge : edges) {
			int from = edge.from, to = edge.to;

			while (parent[static_cast<unsigned>(from)] != from)
				from = parent[static_cast<unsigned>(from)];
			while (parent[static_cast<unsigned>(to)] != to)
				to = parent[static_cast<unsigned>(to)];
			parent[static_cast<unsigned>(from)] = to;
		}
	}
	result += static_cast<long>(edges[9].weight);
}

__attribute__((noinline)) static void pointers()
{
	std::vector<std::unique_ptr<Stats>> owned;
	auto config = std::make_shared<Config>(Config{100, 3, 0});

	TRUTH(config.get(), 1, Config);
	owned.reserve(400);
	for (int i = 0; i < 400; i++) {
		owned.push_back(std::make_unique<Stats>());
		TRUTH(owned.back().get(), 1, Stats);
	}
	TRUTH(owned.data(), 400, StatsPointer);
	for (int round = 0; round < 200; round++)
		for (auto &stats : owned) {
			std::shared_ptr<Config> mine = round % 20 ? nullptr : config;

			stats->count += static_cast<unsigned>(config->step);
			stats->total += static_cast<double>(config->limit);
			config->used++;
		}
	result += config->used;
}

int main(int argc, char **argv)
{
	for (auto part : {vectors, lists, maps, hashes, queues, sorting, pointers})
		truth_during(part);
	return truth_write(argc > 1 ? argv[1] : nullptr);
}
