const SHORTEST_WORD = 4;
const LONGEST_WORD = 24;
const SHORTEST_SEQUENCE = 3;
const YEAR = /^(?:19|20)\d\d$/;
const YEAR_COST = 2;
const DISGUISE_COST = 0.3;
const KEYBOARD = ['qwertyuiop', 'qwertzuiop', 'azertyuiop', 'asdfghjkl', 'zxcvbnm', '1qaz2wsx3edc4rfv5tgb6yhn7ujm'];
/** Common letter substitutions; `1` stands for two letters. */
const DISGUISES = [
    { '@': 'a', '4': 'a', '3': 'e', '1': 'i', '!': 'i', '0': 'o', $: 's', '5': 's', '7': 't' },
    { '@': 'a', '4': 'a', '3': 'e', '1': 'l', '!': 'i', '0': 'o', $: 's', '5': 's', '7': 't' },
];
/**
 * Estimates how many guesses an attacker needs who tries common passwords, repetitions, sequences and years first.
 * Takes at most about 1 ms, so that sign-ups cannot block the event loop with long passwords.
 */
export function estimateGuesses(password, rankOf) {
    const whole = [...password.toLowerCase()];
    const { rest, cost } = withoutRepeats(whole);
    const pieces = cheapestPieces(rest, rankOf);
    const log10 = pieces.reduce((sum, piece) => sum + piece.cost, cost);
    return { log10, weakness: weaknessOf(whole.length, rest.length, pieces) };
}
/** `abcabcabc` → `abc` and its repeat count. */
function withoutRepeats(text) {
    const rest = [];
    let cost = 0;
    for (let at = 0; at < text.length;) {
        const { unit, times } = repeatAt(text, at);
        rest.push(...text.slice(at, at + unit));
        cost += Math.log10(times);
        at += unit * times;
    }
    if (rest.length === text.length)
        return { rest, cost };
    const further = withoutRepeats(rest);
    return { rest: further.rest, cost: cost + further.cost };
}
function repeatAt(text, at) {
    for (let unit = 1; unit <= (text.length - at) / 2; unit += 1) {
        let end = at + unit;
        while (end < text.length && text[end] === text[end - unit])
            end += 1;
        const times = Math.floor((end - at) / unit);
        if (times > 1 && times * unit > 2)
            return { unit, times };
    }
    return { unit: 1, times: 1 };
}
function cheapestPieces(text, rankOf) {
    const spellings = [text, ...DISGUISES.map((disguise) => text.map((character) => disguise[character] ?? character))];
    const best = [{ cost: 0, piece: null }];
    for (let to = 1; to <= text.length; to += 1) {
        const pieces = [
            { from: to - 1, kind: 'other', cost: 1 },
            ...wordsTo(spellings, to, rankOf),
            ...sequencesTo(text, to),
        ].map((piece) => ({ piece, cost: piece.cost + (best[piece.from]?.cost ?? 0) }));
        best.push(pieces.reduce((least, one) => (one.cost < least.cost ? one : least)));
    }
    const pieces = [];
    for (let piece = best.at(-1)?.piece; piece; piece = best[piece.from]?.piece)
        pieces.unshift(piece);
    return pieces;
}
function wordsTo(spellings, to, rankOf) {
    const found = [];
    for (let from = Math.max(0, to - LONGEST_WORD); from <= to - SHORTEST_WORD; from += 1) {
        const [plain = '', ...disguised] = spellings.map((text) => text.slice(from, to).join(''));
        const rank = rankOf(plain);
        if (rank !== undefined)
            found.push({ from, kind: 'word', cost: Math.log10(rank + 1) });
        else if (YEAR.test(plain))
            found.push({ from, kind: 'word', cost: YEAR_COST });
        for (const word of disguised) {
            const hidden = word === plain ? undefined : rankOf(word);
            if (hidden !== undefined)
                found.push({ from, kind: 'word', cost: Math.log10(hidden + 1) + DISGUISE_COST });
        }
    }
    return found;
}
/** `abc`, `987`, `qwert`, in either direction. */
function sequencesTo(text, to) {
    const found = [];
    for (const follows of [1, -1].flatMap((step) => [compareBySteps(step), onKeyboard(step)])) {
        let from = to - 1;
        while (from > 0 && follows(text[from - 1] ?? '', text[from] ?? ''))
            from -= 1;
        const length = to - from;
        if (length >= SHORTEST_SEQUENCE)
            found.push({ from, kind: 'sequence', cost: Math.log10(20 * length) });
    }
    return found;
}
const compareBySteps = (step) => (a, b) => /^[\p{L}\d]$/u.test(a) && (b.codePointAt(0) ?? 0) - (a.codePointAt(0) ?? 0) === step;
const onKeyboard = (step) => (a, b) => {
    const pair = step === 1 ? a + b : b + a;
    return pair === '90' || KEYBOARD.some((row) => row.includes(pair));
};
function weaknessOf(length, left, pieces) {
    if (left <= length / 2)
        return 'repeats';
    const covered = { word: 0, sequence: 0, other: 0 };
    const ends = [...pieces.slice(1).map(({ from }) => from), left];
    for (const [index, { from, kind }] of pieces.entries())
        covered[kind] += (ends[index] ?? left) - from;
    if (covered.sequence > covered.word)
        return 'sequence';
    if (covered.word > 0)
        return 'common';
    return left < length ? 'repeats' : null;
}
