/** Conditions in plain words, where they are simple. */
import { describe, expect, it } from "vitest";
import { phraseText } from "../../src/render/print/text.ts";
import { sayCondition } from "../../src/say/condition.ts";

const eth = 10n ** 18n;

describe("A condition", () => {
	it.each([
		[`eth.tx.value > ${10n * eth}`, "the value is above 10 ETH"],
		[`eth.tx.value <= ${eth / 2n}`, "the value is at most 0.5 ETH"],
		[`!(eth.tx.value > ${eth})`, "the value is at most 1 ETH"],
		["eth.tx.value < 20000000000", "the value is below 20 gwei"],
		["eth.tx.value >= 7", "the value is at least 7 wei"],
		["wallet.id == 'treasury'", "the wallet is `treasury`"],
		["private_key.id in ['a', 'b', 'c']", "the private key is `a`, `b` or `c`"],
		["!(wallet.id in ['a', 'b'])", "the wallet is not `a` or `b`"],
		["activity.kind == 'SIGN_TRANSACTION'", "the kind of activity is `SIGN_TRANSACTION`"],
		["activity.params.type == 'TRANSACTION_TYPE_SOLANA'", "the chain is Solana"],
		[
			`wallet.id == 'treasury' && eth.tx.value > ${10n * eth}`,
			"the wallet is `treasury` and the value is above 10 ETH",
		],
		["eth.tx.to == '0x1' && wallet.exported", "the recipient is `0x1` and `wallet.exported`"],
		["wallet.id == 'a' && (wallet.exported || true)", "the wallet is `a` and `(wallet.exported || true)`"],
	])("%s is put into words", (text, words) => {
		expect(phraseText(sayCondition(text))).toBe(words);
	});

	it.each([
		"wallet.exported && wallet.imported",
		"wallet.id == 'a' || wallet.id == 'b'",
		"wallet.id == private_key.id",
		"wallet.id in ['a', 'b', 'c', 'd', 'e', 'f']",
		"solana.tx.transfers.count() == 1",
		"wallet.id ==",
	])("%s is shown as the policy has it", (text) => {
		expect(phraseText(sayCondition(text))).toBe(`\`${text}\``);
	});
});
