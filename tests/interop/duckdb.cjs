// SPDX-License-Identifier: MIT
// Run SQL in DuckDB: node duckdb.cjs FOLDER SQL... FOLDER contains node_modules (scripts/fetch duckdb). The rows of each statement
// are printed as a line of JSON, with 64-bit integers as texts.
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
