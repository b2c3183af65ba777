// SPDX-License-Identifier: MIT
// Runs SQL in DuckDB: node duckdb.cjs FOLDER SQL..., where FOLDER has node_modules (scripts/fetch duckdb). Prints the rows of each
// statement as a line of JSON; integers of 64 bits are texts.
const { DuckDBInstance } = require(require('path').resolve(process.argv[2], 'node_modules/@duckdb/node-api'));

async function main() {
	const connection = await (await DuckDBInstance.create(':memory:')).connect();
	for (const sql of process.argv.slice(3)) {
		const reader = await connection.runAndReadAll(sql);
		console.log(JSON.stringify(reader.getRowObjectsJson()));
	}
}

main().catch((error) => {
	console.error(String(error));
	process.exit(1);
});
