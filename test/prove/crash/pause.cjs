/**
 * Holds the process before and after each write of its journal, and of the folder of the journal, until the parent lets it go on:
 * a line on descriptor 3 says what is held, and one byte lets it go.
 */
"use strict";

const fs = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const { DatabaseSync, StatementSync } = require("node:sqlite");

const { mkdirSync, openSync, readSync, writeFileSync, writeSync } = fs;
const channel = 3;
const byte = Buffer.alloc(1);

function hold(what) {
	try {
		writeSync(channel, `${what}\n`);
	} catch {
		// A process of this process.
		return;
	}
	for (;;) {
		try {
			readSync(channel, byte);
			return;
		} catch (error) {
			if (error.code !== "EAGAIN") return;
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
		}
	}
}

function around(what, work) {
	hold(`before ${what}`);
	const value = work();
	hold(`after ${what}`);
	return value;
}

const texts = new WeakMap();

const { exec, prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql) {
	if (sql === "COMMIT") return around(`commit of ${texts.get(this) ?? "a transaction"}`, () => exec.call(this, sql));
	if (sql === "BEGIN IMMEDIATE") texts.delete(this);
	if (sql.includes("journal_mode")) return around("the journal's mode is set", () => exec.call(this, sql));
	if (/CREATE TABLE/.test(sql)) texts.set(this, "the tables");
	return exec.call(this, sql);
};
DatabaseSync.prototype.prepare = function (...words) {
	const statement = prepare.apply(this, words);
	texts.set(statement, { database: this, sql: words[0] });
	return statement;
};

for (const name of ["run", "get", "all"]) {
	const original = StatementSync.prototype[name];
	StatementSync.prototype[name] = function (...values) {
		const { database, sql } = texts.get(this) ?? { sql: "" };
		const [, verb, table] = /^\s*(INSERT INTO|UPDATE|DELETE FROM)\s+(\w+)/.exec(sql) ?? [];
		if (verb === undefined) return original.apply(this, values);
		const what = `${verb.toLowerCase()} ${table}`;
		if (!database.isTransaction) return around(what, () => original.apply(this, values));
		if (table !== "position") texts.set(database, what);
		return original.apply(this, values);
	};
}

const isOfJournal = (path) => String(path).includes(".orgsync");
fs.mkdirSync = (path, ...rest) =>
	isOfJournal(path) ? around("the folder is made", () => mkdirSync(path, ...rest)) : mkdirSync(path, ...rest);
fs.writeFileSync = (path, ...rest) =>
	isOfJournal(path)
		? around(`a file is written (${String(path).split("/").at(-1)})`, () => writeFileSync(path, ...rest))
		: writeFileSync(path, ...rest);
fs.openSync = (path, flags, ...rest) =>
	isOfJournal(path) && flags !== undefined && flags !== "r" && flags !== 0
		? around("the journal's file is made", () => openSync(path, flags, ...rest))
		: openSync(path, flags, ...rest);
syncBuiltinESMExports();
