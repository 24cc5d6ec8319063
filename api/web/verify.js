// A second verifier of the proofs of Macao, written from docs/fairness.md alone, for browsers and for node:
//
//     node verify.js proof.json [the commitment noted beforehand]
//
// It asks nobody and needs nothing: SHA-256 and HMAC are below. It holds a proof to its digest, its commitment, its
// keys, every shuffle, the first dealer or banker by lot, and at banking tables to every card of every hand. Whether
// a choice was allowed and what a coup or deal paid is a matter of the rules: that `macao verify` checks as well.
"use strict";

(function () {
  const utf8 = (text) => new TextEncoder().encode(text);
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const join = (...parts) => Uint8Array.from(parts.flatMap((part) => Array.from(part)));

  // The places of the square roots (of eight) and cube roots (of 64) of the first primes, in 32 bits (FIPS 180-4).
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  const fraction = (prime, root) => {
    let low = 0n, high = BigInt(prime) << 32n;
    const wanted = BigInt(prime) << BigInt(32 * root);
    while (high - low > 1n) {
      const middle = (low + high) >> 1n;
      if (middle ** BigInt(root) <= wanted) low = middle; else high = middle;
    }
    return Number(low & 0xffffffffn);
  };
  const START = primes.slice(0, 8).map((p) => fraction(p, 2));
  const K = primes.map((p) => fraction(p, 3));

  function sha256(message) {
    const size = ((message.length + 8) >> 6) + 1, data = new Uint8Array(size * 64);
    data.set(message);
    data[message.length] = 0x80;
    const view = new DataView(data.buffer);
    view.setUint32(data.length - 8, Math.floor(message.length / 2 ** 29));
    view.setUint32(data.length - 4, message.length * 8);
    const state = START.slice(), w = new Uint32Array(64), turn = (x, n) => (x >>> n) | (x << (32 - n));
    for (let block = 0; block < size; block++) {
      for (let i = 0; i < 64; i++) {
        if (i < 16) { w[i] = view.getUint32(block * 64 + i * 4); continue; }
        const a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
      }
      let [a, b, c, d, e, f, g, h] = state;
      for (let i = 0; i < 64; i++) {
        const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i];
        const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
      }
      [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] = (state[i] + word) | 0; });
    }
    const out = new DataView(new ArrayBuffer(32));
    state.forEach((word, i) => out.setInt32(i * 4, word));
    return new Uint8Array(out.buffer);
  }

  function hmac(key, message) {
    const padded = new Uint8Array(64);
    padded.set(key.length > 64 ? sha256(key) : key);
    return sha256(join(padded.map((x) => x ^ 0x5c), sha256(join(padded.map((x) => x ^ 0x36), message))));
  }

  const number = (value, size) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(value));
    return new Uint8Array(view.buffer).slice(8 - size);
  };
  const commitment = (seed) => hex(sha256(join(utf8("macao commitment 1\0"), seed)));
  const keyOf = (seed, table, name, clients) =>
    hmac(seed, join(...[utf8("macao-1"), utf8(table), utf8(name), ...clients].flatMap((x) => [number(x.length, 4), x])));

  function* stream(key, n) {
    for (let block = 0; ; block++) {
      const made = new DataView(hmac(key, join(utf8("macao shuffle 1\0"), number(n, 8), number(block, 8))).buffer);
      for (let at = 0; at < 32; at += 4) yield made.getUint32(at);
    }
  }
  function below(ways, words) {
    for (;;) {
      const word = words.next().value;
      if (word < 2 ** 32 - (2 ** 32 % ways)) return word % ways;
    }
  }
  // The changes of places of shuffle n, from the last place down.
  function changes(size, key, n) {
    const words = stream(key, n), found = [];
    for (let place = size - 1; place > 0; place--) found.push([place, below(place + 1, words)]);
    return found;
  }
  const change = (order, [a, b]) => { [order[a], order[b]] = [order[b], order[a]]; return order; };
  const shuffle = (cards, key, n) => changes(cards.length, key, n).reduce(change, cards.slice());
  const unshuffle = (order, key, n) => changes(order.length, key, n).reverse().reduce(change, order.slice());

  const FACES = [...[..."23456789TJQKA"].flatMap((rank) => [..."SHDC"].map((suit) => rank + suit)), "BJ", "RJ"];
  const pack = (packs, jokers) => Array.from({ length: packs }, () => FACES.slice(0, 52 + jokers)).flat();
  const line = (cards) => cards.join(" ");

  // Canonical JSON: names sorted, no spaces.
  const canonical = (value) =>
    Array.isArray(value) ? `[${value.map(canonical).join(",")}]`
      : value && typeof value === "object"
        ? `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`
        : JSON.stringify(value);

  class Refusal extends Error {}
  const refuse = (where, why) => { throw new Refusal(`${why} (at ${where})`); };
  const same = (found, expected, where, what) => {
    if (canonical(found) !== canonical(expected)) {
      refuse(where, `${what} is ${canonical(expected).slice(0, 80)}, the proof says ${String(canonical(found)).slice(0, 80)}`);
    }
  };
  const bytes = (text, where) =>
    typeof text === "string" && /^([0-9a-f]{2})*$/.test(text)
      ? Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16)) : refuse(where, "must be bytes in hex");
  const whole = (value, low, high, where) =>
    Number.isInteger(value) && value >= low && value <= high ? value : refuse(where, `must be a whole number from ${low} to ${high}`);

  const BANK = "bank banker client_seeds commitment coups digest draws number rules seats server_seed shuffles table version";
  const MATCH = "client_seeds commitment deals digest ended_by game options seats server_seed table totals version";

  // What was proved, as one line; throws an Error that says what does not hold, and where.
  function verify(text, noted) {
    try { return held(text, noted); } catch (error) {
      throw error instanceof Refusal ? error : new Refusal(`this proof is not complete: ${error.message}`);
    }
  }

  function held(text, noted) {
    let proof;
    try { proof = JSON.parse(text); } catch (error) { refuse("/", `this is not JSON: ${error.message}`); }
    const names = line(Object.keys(Object(proof)).sort());
    if (names !== BANK && names !== MATCH) refuse("/", `a proof has exactly the members of a bank (${BANK}) or of a match (${MATCH})`);
    same(proof.version, "macao-1", "/version", "the version that this verifies");
    const { digest, ...rest } = proof;
    same(digest, hex(sha256(utf8(canonical(rest)))), "/digest", "the digest of the proof");
    if (text !== canonical(proof) + "\n") refuse("/", "not the canonical form: sorted names, no spaces, one line end");
    if (noted) same(proof.commitment, noted, "/commitment", "the commitment noted beforehand");
    const seed = bytes(proof.server_seed, "/server_seed");
    same(proof.commitment, commitment(seed), "/commitment", "the commitment of the server seed");
    whole(proof.seats, 2, 10, "/seats");
    const clients = proof.client_seeds.map((given, seat) => bytes(given, `/client_seeds/${seat}`));
    same(clients.length, proof.number === 0 ? 0 : proof.seats, "/client_seeds", "the number of client seeds");
    const key = (name) => keyOf(seed, proof.table, name, clients);
    const told = names === MATCH ? match(proof, key) : proof.number === 0 ? lot(proof, key(proof.bank)) : bank(proof, key(proof.bank));
    return `The proof holds: ${told}, dealt from the seed committed to as ${proof.commitment}`;
  }

  // A lot: cards of shuffle 0 (then 1 …) in seat order; equals draw again, for the lowest place or for every one.
  function lot(proof, key) {
    const cards = pack(whole(proof.rules.decks, 1, 8, "/rules/decks"), 0), draws = [];
    let n = 0, order = shuffle(cards, key, 0), at = 0;
    same(proof.shuffles, [line(order)], "/shuffles", "the shuffled order");
    const draw = (seats) => {
      const ranks = new Map();
      for (const seat of seats) {
        if (at === order.length) { order = shuffle(cards, key, ++n); at = 0; }
        const card = order[at++], rank = FACES.indexOf(card) >> 2;
        draws.push({ seat, card });
        ranks.set(rank, [...(ranks.get(rank) || []), seat]);
      }
      [...ranks.keys()].sort((a, b) => a - b).forEach((rank, place) => {
        const equals = ranks.get(rank);
        if (equals.length > 1 && (place === 0 || proof.rules.seating === "drawn")) draw(equals);
      });
    };
    draw(Array.from({ length: proof.seats }, (_, seat) => seat));
    same(proof.draws, draws, "/draws", "the draw from the shuffled cards");
    same(proof.coups, [], "/coups", "the play of a lot");
    same(proof.banker, null, "/banker", "the banker of a lot");
    return "the lot for the first banker";
  }

  function bank(proof, key) {
    same(proof.draws, null, "/draws", "the lot of a bank");
    whole(proof.number, 1, 2 ** 31, "/number");
    const { coups, rules, seats } = proof, cards = pack(whole(rules.decks, 1, 8, "/rules/decks"), 0);
    if (!coups.length && !proof.shuffles.length) return "a bank without a coup";
    const banker = whole(proof.banker, 0, seats - 1, "/banker");
    const orders = [shuffle(cards, key, 0)];
    let at = 0;
    coups.forEach((coup, index) => {
      const where = `/coups/${index}`, hands = new Map(), { stakes } = coup;
      const kept = () => [...hands.values()].flat().filter((item) => !item.thrown).map((item) => item.card);
      const take = () => {
        if (at === orders.at(-1).length) {  // what is in no hand is put in order and shuffled in
          const left = kept(), aside = cards.slice().sort((a, b) => FACES.indexOf(a) - FACES.indexOf(b));
          left.forEach((card) => aside.splice(aside.indexOf(card), 1));
          orders.push(shuffle(aside, key, orders.length));
          at = 0;
        }
        return { card: orders.at(-1)[at++], thrown: false };
      };
      same(coup.number, coups[0].number + index, `${where}/number`, "the number of the coup");
      if (stakes.length !== seats || !stakes.every((stake) => Number.isInteger(stake) && stake >= 0) || stakes[banker]) {
        refuse(`${where}/stakes`, "must be chips by seat, of punters only");
      }
      let order = Array.from({ length: seats - 1 }, (_, step) => (banker + 1 + step) % seats).filter((seat) => stakes[seat]);
      if (rules.shared_hand) order = order.filter((seat) => stakes[seat] === Math.max(...stakes)).slice(0, 1);
      order.push(banker);
      same(coup.order, order, `${where}/order`, "the order of dealing");
      order.forEach((seat) => hands.set(seat, []));
      for (let card = 0; card < rules.first_cards; card++) order.forEach((seat) => hands.get(seat).push(take()));
      coup.play.forEach(([seat, verb], step) => {
        const hand = hands.get(seat) || refuse(`${where}/play/${step}`, "this seat has no hand");
        if (!["stand", "draw", "discard"].includes(verb)) refuse(`${where}/play/${step}`, "a choice is stand, draw or discard");
        if (verb === "discard") hand.at(-1).thrown = true;
        if (verb !== "stand") hand.push(take());
      });
      const shown = (hand) => line(hand.map((item) => (item.thrown ? `(${item.card})` : item.card)));
      const punters = Array.from(stakes, (stake, seat) => (rules.shared_hand && stake ? order[0] : seat));
      const expected = punters.map((seat) => (hands.has(seat) ? shown(hands.get(seat)) : null));
      same(coup.hands, expected, `${where}/hands`, "what was dealt from this shoe");
      const idle = coup.net.filter((_, seat) => seat !== banker && !stakes[seat]);
      if (coup.net.length !== seats || coup.net.reduce((sum, net) => sum + net) || idle.some(Boolean)) {
        refuse(`${where}/net`, "what one side wins the other loses, and who did not stake wins nothing");
      }
    });
    same(proof.shuffles, orders.map(line), "/shuffles", "the shuffled order");
    return `${coups.length} coups`;
  }

  function match(proof, key) {
    const { options, seats } = proof, jokers = options.jokers || 0;
    proof.deals.forEach((deal, index) => {
      const where = `/deals/${index}`, secret = key(`deal ${whole(deal.number, 1, 1e6, `${where}/number`)}`);
      if (deal.number === 1) same(deal.dealer, below(seats, stream(key("lot"), 0)), `${where}/dealer`, "the first dealer, drawn by lot");
      whole(deal.dealer, 0, seats - 1, `${where}/dealer`);
      const orders = deal.shuffles.map((text) => text.split(" ")), packs = orders[0].length / (52 + jokers);
      if (!Number.isInteger(packs) || (Number.isInteger(options.packs) && packs !== options.packs)) refuse(`${where}/shuffles/0`, "not whole packs");
      same(deal.shuffles[0], line(shuffle(pack(packs, jokers), secret, 0)), `${where}/shuffles/0`, "the shuffled order");
      // Later shuffles are of the pile but for its top: the cards as they were laid, before them those turned up.
      const laid = deal.actions.map(([, action]) => action.split(" ")).filter(([verb]) => verb === "play" || verb === "add");
      let cards = laid.map((words) => words[1]);
      orders.slice(1).forEach((order, n) => {
        let pile = unshuffle(order, secret, n + 1), turned = 0;
        while (n === 0 && turned < pile.length && line(pile.slice(turned)) !== line(cards.slice(0, pile.length - turned))) turned++;
        if (turned && !line(orders[0]).includes(line(pile.slice(0, turned)))) refuse(`${where}/shuffles/1`, "the pile began with other cards");
        pile = pile.slice(turned);
        same(line(pile), line(cards.slice(0, pile.length)), `${where}/shuffles/${n + 1}`, "the pile as it was laid");
        cards = cards.slice(pile.length);
      });
    });
    const numbers = proof.deals.map((deal) => deal.number);
    if (proof.totals !== null) same(numbers, numbers.map((_, index) => index + 1), "/deals", "the numbers of the deals of a whole match");
    return `${proof.deals.length} deals of ${proof.game}`;
  }

  const shared = { verify, sha256, hmac, hex, utf8, commitment, keyOf, stream, shuffle, pack };
  if (typeof module === "undefined") { globalThis.macaoVerify = shared; return; }
  module.exports = shared;
  if (require.main === module) {
    const [file, noted] = process.argv.slice(2);
    const attempt = (what, code, work) => {
      try { return work(); } catch (error) { console.error(`${what}: ${error.message}`); return process.exit(code); }
    };
    if (file === undefined) { console.error("How to call it: node verify.js PROOF [COMMITMENT]"); process.exit(2); }
    const text = attempt("The proof cannot be read", 2, () => require("fs").readFileSync(file, "utf8"));
    console.log(attempt("The proof does not hold", 1, () => verify(text, noted)));
  }
})();
