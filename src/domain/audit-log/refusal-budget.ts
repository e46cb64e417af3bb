import { limitedNetworkOf } from '../auth/index.js';
import { BoundedCache, type Clock, type Logger } from '../../core/index.js';

interface Counted {
  windowStart: number;
  written: number;
  suppressed: number;
}

interface Refusal {
  readonly accountId: number | null;
  readonly ip: string;
}

interface Admission {
  readonly isAdmitted: boolean;
  /** Refusals of the same network that were dropped since the last recorded one. */
  readonly suppressed: number;
}

const WINDOW_MS = 60_000;
const PER_NETWORK = 60;
const TOGETHER = 600;
const MOST_NETWORKS = 10_000;

/**
 * Keeps anonymous requests to admin routes from flooding the log: each process records 60 a minute per network and 600
 * in total. The rest is counted and reported by the network's next row, or by the server log. Refusals of signed-in
 * admins are always recorded.
 */
export class RefusalBudget {
  private readonly networks: BoundedCache<Counted>;
  private readonly all: Counted = { windowStart: 0, written: 0, suppressed: 0 };

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.networks = new BoundedCache({
      entries: MOST_NETWORKS,
      // Counts that no row has reported yet go to the server log.
      onEvict: ({ suppressed }, network) => {
        if (suppressed > 0) logger.warn({ network, suppressed }, 'refusals on admin routes were not recorded');
      },
    });
  }

  admit({ accountId, ip }: Refusal): Admission {
    if (accountId !== null) return { isAdmitted: true, suppressed: 0 };
    const now = this.clock.now().getTime();
    const network = limitedNetworkOf(ip);
    const counted = this.networks.get(network) ?? this.begin(network, now);
    renew(counted, now);
    renew(this.all, now);
    if (counted.written >= PER_NETWORK || this.all.written >= TOGETHER) {
      if (counted.suppressed === 0)
        this.logger.warn({ network }, 'refusals on admin routes are counted, no longer recorded');
      counted.suppressed += 1;
      return { isAdmitted: false, suppressed: 0 };
    }
    const { suppressed } = counted;
    counted.suppressed = 0;
    counted.written += 1;
    this.all.written += 1;
    return { isAdmitted: true, suppressed };
  }

  private begin(network: string, now: number): Counted {
    const counted = { windowStart: now, written: 0, suppressed: 0 };
    this.networks.set(network, counted);
    return counted;
  }
}

function renew(counted: Counted, now: number): void {
  if (Math.abs(now - counted.windowStart) < WINDOW_MS) return;
  counted.windowStart = now;
  counted.written = 0;
}
