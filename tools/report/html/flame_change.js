// SPDX-License-Identifier: MIT
// The call stacks of two recordings as one flame graph: wide is what costs much, red what costs more by itself than it did.

// Both trees as one, in shares of each recording: a frame is the same where its callers are.
function changeTree(sides) {
	const trees = sides.map(side => stackTree(side.page.stacks));
	const weight = trees.every(tree => tree.total.cycles) ? 'cycles' : 'samples';
	const nothing = () => ({old: 0, new: 0});
	const node = (name, object, parent) => ({name, object, parent, depth: parent ? parent.depth + 1 : 0, children: [],
		self: nothing(), total: nothing(), samples: nothing()});
	const root = node('all', '', null);
	const add = (to, from, word, whole) => {
		to.self[word] += 100 * from.self[weight] / whole;
		to.total[word] += 100 * from.total[weight] / whole;
		to.samples[word] += from.total.samples;
		const known = new Map(to.children.map(child => [`${child.name}\n${child.object}`, child]));
		for (const child of from.children) {
			const key = `${child.name}\n${child.object}`;
			if (!known.has(key)) {
				known.set(key, node(child.name, child.object, to));
				to.children.push(known.get(key));
			}
			add(known.get(key), child, word, whole);
		}
	};
	trees.forEach((tree, i) => add(root, tree, i ? 'new' : 'old', tree.total[weight] || 1));
	return [root, weight];
}

function changeOf(node, part) {
	return node[part].new - node[part].old;
}

function largestChange(node) {
	return node.children.reduce((most, child) => Math.max(most, largestChange(child)), Math.abs(changeOf(node, 'self')));
}

const LEAST_CHANGE = 0.01;  // percent of all: what the text shows as no change has no color

function changedFlameView(sides) {
	const [root, weight] = changeTree(sides), most = Math.max(largestChange(root), LEAST_CHANGE);
	const change = (node, part) => `${percent(node[part].old)} \u2192 ${percent(node[part].new)} (${format(changeOf(node, part), 'change')})`;
	return [el('p', {class: 'note'}, 'Red frames cost more by themselves than in the old recording, blue ones less; '
			+ 'the stronger, the more. Shares are those of each recording. Whether a change is more than chance: What changed, Functions.'),
		...flameGraph(root, {
			weights: [['new', 'New'], ['old', 'Old']],
			describe: node => `${node.name}${node.object ? ` in ${node.object}` : ''}: ${change(node, 'total')} of ${weight}, `
				+ `${change(node, 'self')} by itself, ${count(node.samples.old)} \u2192 ${count(node.samples.new)} samples`,
			paint: node => {
				const by = changeOf(node, 'self');
				return {kind: Math.abs(by) < LEAST_CHANGE ? ['same'] : [by > 0 ? 'grown' : 'shrunk'],
					style: {'--part': `${Math.round(20 + 80 * Math.abs(by) / most)}%`}};
			},
		}), smallFrames(...sides)];
}
