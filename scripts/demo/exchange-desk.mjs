import { randomBytes } from 'node:crypto';

const QUOTE_LIFETIME_MS = 120_000;
const MOST_QUOTES = 1000;
const DAY_MS = 86_400_000;
/** Rates have six decimals; as integers they are exact. */
const RATE_DECIMALS = 6;

const CURRENCIES = new Map(
  [
    ['AED', 'United Arab Emirates dirham', 2, 3.983],
    ['CHF', 'Swiss franc', 2, 0.9415],
    ['EUR', 'Euro', 2, 1],
    ['GBP', 'Pound sterling', 2, 0.8423],
    ['JOD', 'Jordanian dinar', 3, 0.7689],
    ['JPY', 'Japanese yen', 0, 161.42],
    ['KWD', 'Kuwaiti dinar', 3, 0.3337],
    ['SAR', 'Saudi riyal', 2, 4.0668],
    ['SEK', 'Swedish krona', 2, 11.213],
    ['USD', 'United States dollar', 2, 1.0845],
  ].map(([code, name, decimals, perEuro]) => [code, { code, name, decimals, perEuro }]),
);

/** An answer that the document names: an HTTP status with the error body. */
export class ApiFault extends Error {
  constructor(status, body) {
    super(body.message ?? body.error);
    this.status = status;
    this.body = body;
  }
}

const notFound = () => new ApiFault(404, { error: 'not_found', message: 'There is no such record.' });

export const invalid = (fields) =>
  new ApiFault(422, { error: 'validation_failed', message: 'One or more values cannot be accepted.', fields });

const notOpen = (status) =>
  new ApiFault(409, { error: 'quote_not_open', message: `This quote is ${status}. Ask for a new one.` });

/** "250.5" with 2 decimals is 25050n. The text must match the document's Decimal. */
function toMinorUnits(text, decimals) {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

function fromMinorUnits(units, decimals) {
  const digits = units.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** The in-memory data of the Exchange Rates API. Quotes belong to the app that asked for them. */
export class ExchangeDesk {
  #quotes = new Map();
  #now;

  /** @param {() => number} now milliseconds since 1970 */
  constructor(now) {
    this.#now = now;
  }

  currencies() {
    return [...CURRENCIES.values()].map(({ code, name, decimals }) => ({ code, name, decimals }));
  }

  currency(code) {
    const found = this.currencies().find((currency) => currency.code === code);
    if (!found) throw notFound();
    return found;
  }

  rate(pair) {
    const [base, counter] = pair.split('-').map((code) => CURRENCIES.get(code));
    if (!base || !counter || base === counter) throw notFound();
    return { pair, rate: (counter.perEuro / base.perEuro).toFixed(RATE_DECIMALS), as_of: this.#minute() };
  }

  rates(base, symbols) {
    const known = (code) => CURRENCIES.has(code);
    if (!known(base)) throw invalid({ base: ['Is not a currency that we quote.'] });
    if (symbols && !symbols.every(known)) throw invalid({ symbols: ['Names a currency that we do not quote.'] });
    return [...CURRENCIES.keys()]
      .filter((code) => code !== base && (!symbols || symbols.includes(code)))
      .map((code) => this.rate(`${base}-${code}`));
  }

  /** Closing rates that swing by up to one per cent around the present one, the same ones on every call. */
  history(pair, days) {
    const present = Number(this.rate(pair).rate);
    const today = Math.floor(this.#now() / DAY_MS);
    const data = Array.from({ length: days }, (_, index) => {
      const day = today - days + index;
      return {
        date: new Date(day * DAY_MS).toISOString().slice(0, 10),
        rate: (present * (1 + Math.sin(day) / 100)).toFixed(RATE_DECIMALS),
      };
    });
    return { pair, data };
  }

  ask(app, { sell_currency, buy_currency, sell_amount, reference = '' }) {
    const sell = CURRENCIES.get(sell_currency);
    const buy = CURRENCIES.get(buy_currency);
    if (!sell) throw invalid({ sell_currency: ['Is not a currency that we quote.'] });
    if (!buy || buy === sell) throw invalid({ buy_currency: ['Must be another currency that we quote.'] });
    if ((sell_amount.split('.')[1] ?? '').length > sell.decimals) {
      throw invalid({ sell_amount: [`Must have at most ${sell.decimals} decimals for ${sell.code}.`] });
    }
    const units = toMinorUnits(sell_amount, sell.decimals);
    if (units === 0n) throw invalid({ sell_amount: ['Must be greater than zero.'] });
    const { rate } = this.rate(`${sell_currency}-${buy_currency}`);
    const now = this.#now();
    const quote = {
      id: `qt_${randomBytes(6).toString('hex')}`,
      status: 'open',
      sell_currency,
      sell_amount: fromMinorUnits(units, sell.decimals),
      buy_currency,
      buy_amount: fromMinorUnits(this.#convert(units, sell, rate, buy), buy.decimals),
      rate,
      reference,
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + QUOTE_LIFETIME_MS).toISOString(),
    };
    this.#quotes.set(quote.id, { app, quote });
    if (this.#quotes.size > MOST_QUOTES) this.#quotes.delete(this.#quotes.keys().next().value);
    return quote;
  }

  /** The quotes of an app, newest first, from the one after `cursor`. */
  list(app, { status, limit, cursor }) {
    const mine = [...this.#quotes.values()]
      .filter((entry) => entry.app === app)
      .map((entry) => this.#aged(entry.quote));
    const wanted = mine.reverse().filter((quote) => !status || quote.status === status || quote.id === cursor);
    const start = cursor ? wanted.findIndex((quote) => quote.id === cursor) + 1 : 0;
    if (cursor && start === 0) throw invalid({ cursor: ['Is not a cursor of this list.'] });
    const rest = wanted.slice(start);
    const page = rest.slice(0, limit);
    return { data: page, next_cursor: rest.length > limit ? page[page.length - 1].id : '' };
  }

  find(app, id) {
    const entry = this.#quotes.get(id);
    if (!entry || entry.app !== app) throw notFound();
    return this.#aged(entry.quote);
  }

  accept(app, id) {
    const quote = this.find(app, id);
    return quote.status === 'accepted' ? quote : this.#settle(quote, 'accepted');
  }

  cancel(app, id) {
    return this.#settle(this.find(app, id), 'cancelled');
  }

  #settle(quote, status) {
    if (quote.status !== 'open') throw notOpen(quote.status);
    quote.status = status;
    return quote;
  }

  #aged(quote) {
    if (quote.status === 'open' && this.#now() >= Date.parse(quote.expires_at)) quote.status = 'expired';
    return quote;
  }

  /** Rounds half up in whole minor units; no floating point touches an amount. */
  #convert(units, sell, rate, buy) {
    const numerator = units * toMinorUnits(rate, RATE_DECIMALS) * 10n ** BigInt(buy.decimals);
    const denominator = 10n ** BigInt(sell.decimals + RATE_DECIMALS);
    return (numerator * 2n + denominator) / (denominator * 2n);
  }

  #minute() {
    return new Date(Math.floor(this.#now() / 60_000) * 60_000).toISOString();
  }
}
